"""The command line as a user runs it: text, JSON, bad input, pipes, a terminal."""

from functools import lru_cache
import json
import math
import os
import pty
import subprocess
import sys

import numpy as np
import pytest

COMMAND = [sys.executable, "-m", "toyattn", "attend"]
HOBBS = '": 235 hobbs standing...'
SHARES = {
    True: [[0.2565, 0.2264, 0.2907, 0.2264], [0.5800, 0.1216, 0.1769, 0.1216], [0.1345, 0.3655, 0.1345, 0.3655], [0.5800, 0.1216, 0.1769, 0.1216]],
    False: [[0.2603, 0.2027, 0.3342, 0.2027], [0.8468, 0.0372, 0.0788, 0.0372], [0.0596, 0.4404, 0.0596, 0.4404], [0.8468, 0.0372, 0.0788, 0.0372]],
}


@lru_cache
def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)


def text(*arguments):
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def numbers(*arguments):
    return json.loads(text(*arguments, "--json"))


def lines_of(printed, *labels):
    """The cells of the lines that begin with one of the labels, without the label."""
    return [line[len(label) :].split() for line in printed.splitlines() for label in labels if line.startswith(label)]


def test_row_is_the_default():
    printed = text()
    assert printed == text("--mode", "row")
    assert "year 40: 235 hobbs standing in The Hollow, 1773 born and 1567 gone" in printed and "512" in printed
    assert '    3  383     38  ": 235 hobbs standing in The Hollow, 17"' in printed
    assert lines_of(printed, f"3  {HOBBS}") == [["0.00", "0.00", "1.00", "1.00"]]
    found = numbers("--mode", "row")
    assert [token["bytes"] for token in found["tokens"]] == [6, 1, 38, 1]


def test_weights():
    printed = text("--mode", "weights")
    assert lines_of(printed, "Wq  3", "Wk  3", "Wv  4") == [["0.5000", *["0.0000"] * 3], ["0.0000", "0.0000", "1.0000", "0.5000"], ["0.5000", "0.0000", "0.0000", "1.0000"]]
    found = numbers("--mode", "weights")
    assert [np.shape(found[name]) for name in ("Wq", "Wk", "Wv")] == [(4, 4)] * 3


def test_project():
    printed, found = text("--mode", "project"), numbers("--mode", "project")
    X, W = ([token["x"] for token in numbers()["tokens"]], numbers("--mode", "weights"))
    for name, matrix in (("Q", "Wq"), ("K", "Wk"), ("V", "Wv")):
        np.testing.assert_allclose(found[name], np.array(X) @ np.transpose(W[matrix]))
    assert found["layer_query_2"] == found["Q"][1] and found["same"] is True
    assert "same numbers: true" in printed
    assert lines_of(printed, "Head", "Layer with zero biases") == [["0.0000", "3.0000", "0.5000", "0.0000"]] * 2
    assert sum(word in printed.split() for word in ("query", "key", "value")) == 3


@pytest.mark.parametrize("scale", [True, False])
def test_square_and_scores(scale):
    flags = [] if scale else ["--no-scale"]
    made, square = numbers("--mode", "scores", *flags), numbers("--mode", "square", *flags)
    projected = numbers("--mode", "project")
    raw = np.array(projected["Q"]) @ np.transpose(projected["K"])
    np.testing.assert_array_equal(square["raw"], raw)
    np.testing.assert_array_equal(square["divided"], raw / (2 if scale else 1))
    np.testing.assert_allclose(made["shares"], SHARES[scale], atol=5e-5)
    np.testing.assert_allclose(made["out"], np.array(made["shares"]) @ projected["V"], atol=1e-12)
    assert [s["token"] for s in made["summary"]] == [3, 1, 2, 1]
    assert made["multiply_adds"] == dict(project=192, score=64, mix=64, total=320)
    printed = text("--mode", "scores", *flags)
    assert f"divided by {2 if scale else 1}.0000" in printed
    cells = lines_of(printed, HOBBS)
    assert cells[0] == [f"{share:.4f}" for share in SHARES[scale][2]]
    assert cells[1] == ["1.0000", f"{max(SHARES[scale][2]):.4f}", "2"]
    assert lines_of(printed, "projections", "scores ", "mixing", "all") == [["192"], ["64"], ["64"], ["320"]]
    assert len({line for line in printed.splitlines() if line.startswith("query")}) == 1


@pytest.mark.parametrize("seed, widths", [(82, [128, 4]), (7, [3])])
def test_scale_against_plain_loops(seed, widths):
    found = numbers("--mode", "scale", "--widths", ",".join(map(str, widths)), "--seed", str(seed))
    for width, line in zip(widths, found["widths"], strict=True):
        rng = np.random.default_rng(seed)
        tops, spreads = {1.0: [], math.sqrt(width): []}, []
        for _ in range(1000):
            q, *keys = rng.standard_normal((5, width)).tolist()
            scores = [math.fsum(a * b for a, b in zip(q, k)) for k in keys]
            spreads.append(max(scores) - min(scores))
            for div, shares in tops.items():
                shares.append(1 / sum(math.exp((score - max(scores)) / div) for score in scores))
        for side, div in (("undivided", 1.0), ("divided", math.sqrt(width))):
            assert line[side]["spread"] == pytest.approx(sum(spreads) / 1000 / div, rel=1e-9)
            assert line[side]["share"] == pytest.approx(sum(tops[div]) / 1000, rel=1e-9)
            assert line[side]["decided"] == sum(share >= 0.99 for share in tops[div])


def test_scale_in_text_and_the_same_line_in_every_list():
    alone, among = text("--mode", "scale", "--widths", "16"), text("--mode", "scale")
    assert lines_of(alone, "       16") == lines_of(among, "       16") != []
    assert "seed 82" in among and "1000" in among
    assert text("--mode", "scale", "--seed", "1") != among


def test_cost():
    found = numbers("--mode", "cost", "--rows", "8,5,4")
    for n, line in zip((8, 5, 4), found["rows"], strict=True):
        assert (line["tokens"], line["project"], line["pairs"]) == (n, 48 * n, 8 * n * n)
        assert line["pair_share"] == pytest.approx(n / (n + 6))
    assert found["rows"][0]["times_above"] is None
    assert found["rows"][1]["times_above"] == pytest.approx((240 + 200) / (384 + 512))
    assert found["check"] == dict(tokens=4, project=192, pairs=128, total=320, counted=320, same=True)
    assert found["crossing"] == 7
    printed = text("--mode", "cost")
    assert lines_of(printed, "    32") == [["1536", "8192", "9728", "3.45", "84.2%"]]
    assert lines_of(printed, "     4") == [["192", "128", "320", "40.0%"]]
    for told in ("3 x 32 x 4 x 4 = 1536", "2 x 32 x 32 x 4 = 8192", "counted 9728, same number: true", "7"):
        assert told in printed


@pytest.mark.parametrize("mode", ["row", "weights", "project", "square", "scores", "scale", "cost"])
def test_json_names_its_mode_and_text_is_not_wider_than_a_page(mode):
    assert numbers("--mode", mode)["mode"] == mode
    printed = text("--mode", mode)
    assert max(map(len, printed.splitlines())) <= 110 and not any(line.endswith(" ") for line in printed.splitlines())


BAD = [
    ["--mode", "rows"], ["--mode"], ["--row"], ["extra"], ["--mode", "a\nb"], ["a\nb"],
    ["--widths", "4,,16"], ["--widths", "0"], ["--widths=-4"], ["--widths", "-4"], ["--widths", "4.5"],
    ["--widths", "four"], ["--widths", "4 16"], ["--widths", "1000001"], ["--widths", "9" * 5000],
    ["--rows", ","], ["--rows", "0,4"], ["--rows=-1"], ["--rows", "nan"], ["--rows", "32769"],
    ["--seed", "-1"], ["--seed", "x"], ["--seed", ""], ["--seed", "1.0"],
]


def one_line(stdout, stderr):
    return stdout == "" and stderr.endswith("\n") and stderr.count("\n") == 1 and "error:" in stderr


@pytest.mark.parametrize("arguments", [["--bogus"], ["--widths", ""]])
def test_bad_input_ends_with_status_2_and_one_line(arguments):
    done = run(*arguments)
    assert done.returncode == 2 and one_line(done.stdout, done.stderr)


def test_more_bad_input():
    code = """
import contextlib, io, json, sys
from toyattn.cli import main
for arguments in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(["attend", *arguments])
        except SystemExit as ended:
            status = ended.code
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(BAD), capture_output=True, text=True, timeout=60)
    for arguments, line in zip(BAD, done.stdout.splitlines(), strict=True):
        status, *printed = json.loads(line)
        assert status == 2 and one_line(*printed), arguments


@pytest.mark.parametrize("command", [[], ["bogus"]])
def test_no_command_and_an_unknown_one(command):
    done = subprocess.run([*COMMAND[:3], *command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1) and "attend" in done.stderr


def test_help_names_every_mode_and_flag():
    printed = text("--help")
    for word in ("row", "weights", "project", "square", "scores", "scale", "cost", "--no-scale", "--widths", "--rows", "--seed", "--json", "examples"):
        assert word in printed
    assert "attend" in subprocess.run([*COMMAND[:3], "--help"], capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("lines", [0, 1])
def test_a_closed_pipe_ends_quietly(lines):
    read, write = os.pipe()
    if lines == 0:
        os.close(read)
    done = subprocess.Popen([*COMMAND, "--mode", "cost", "--rows", "256"], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    if lines:
        assert os.read(read, 1)
        os.close(read)
    assert done.communicate(timeout=60)[1] == "" and done.returncode == 0


def test_a_long_run_tells_a_terminal_how_far_it_is_and_nobody_else():
    assert run("--mode", "scale", "--widths", "4096").stderr == ""
    terminal, stderr = pty.openpty()
    done = subprocess.Popen([*COMMAND, "--mode", "scale", "--widths", ",".join(["4096"] * 4)], stdout=subprocess.PIPE, stderr=stderr, text=True)
    os.close(stderr)
    told = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        told += part
    os.close(terminal)
    printed, _ = done.communicate(timeout=60)
    assert b"keys 4096 wide: " in told and b" of 1000" in told and told.endswith(b"\r\x1b[K")
    assert len(lines_of(printed, "     4096")) == 4 and "\r" not in printed


def test_it_imports_numpy_and_nothing_heavy():
    code = "import sys; from toyattn.cli import main; main(['attend']); print(*sys.modules, file=sys.stderr)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stderr.split()
    assert "numpy" in loaded
    assert not {"matplotlib", "scipy", "sympy", "torch", "ipywidgets", "IPython", "toyattn.page"} & set(loaded)
