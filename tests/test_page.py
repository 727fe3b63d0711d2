"""The machinery that puts figures, checks and tables on a page, without Sphinx."""

import base64
import gzip
import json
import math
import os
import re
import subprocess
import sys
from fractions import Fraction
from html import unescape
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings, strategies as st
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from traitlets.config import Config

from toyattn.page import CheckFailed, Readout, canvas, check, check_bound, check_true, check_within, check_zero, explore, table
from toyattn.page import drawing, style
from toyattn.page.control import figure_id, grid, read_controls, value_text
from toyattn.page.mode import VARIABLE, building
from toyattn.page.svg import _without_bare_groups, svg_lines

# the package's own names hide the modules check and explore
check_module, explore_module = (import_module(f"toyattn.page.{name}") for name in ("check", "explore"))


def refuses(message):
    """The whole message of a ValueError."""
    return pytest.raises(ValueError, match=f"^{re.escape(message)}$")


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, in order."""
    objects = []
    monkeypatch.setattr("IPython.display.display", objects.append)
    return objects


@pytest.fixture(params=[True, False], ids=["building", "live"])
def face(request, monkeypatch):
    """Both faces of the book, one after the other."""
    monkeypatch.setenv(VARIABLE, "1") if request.param else monkeypatch.delenv(VARIABLE, raising=False)
    return request.param


# --- controls ----------------------------------------------------------------------------------------------------------


def fig_t_four(gap=2, share=0.3, side="left", dashed=True):
    figure, plane = canvas(60, axes=False)
    plane.bar([100], [10 * (gap + share)], 40, ls="--" if dashed else "-", ec=style.INK)
    plane.text(200, 20, side)
    return figure, dict(height=Readout(gap + share, "height", ".2f", "units"), side=Readout(side, "side <where>"))


FOUR = dict(gap=(0, 4, 2), share=(0, 0.3, 0.1), side=["left", "right"], dashed=bool)


def test_controls_are_read_from_abbreviations():
    gap, share, side, dashed = read_controls(fig_t_four, FOUR, {"gap": "gap L"})
    assert [(c.name, c.label, c.kind, c.start) for c in (gap, share, side, dashed)] == [
        ("gap", "gap L", "range", 2), ("share", "share", "range", 0.3), ("side", "side", "choice", "left"),
        ("dashed", "dashed", "toggle", True),
    ]
    assert gap.values == (0, 2, 4) and all(type(value) is int for value in gap.values)
    assert share.values == (0, 0.1, 0.2, 0.3)
    assert (side.values, dashed.values) == (("left", "right"), (False, True))
    assert (gap.step, share.step) == (2, 0.1)
    assert figure_id(fig_t_four) == "fig-t-four"


@pytest.mark.parametrize("spec, values", [
    ((0, 3), (0, 1, 2, 3)), ((-2, 0), (-2, -1, 0)), ((0, 7, 3), (0, 3, 6)), ((0, 0.7, 0.1), tuple(i / 10 for i in range(8))),
    ((0, 1, 0.3), (0, 0.3, 0.6, 0.9)), ((0.5, 2), (0.5, 1.5)), ((1, 2, 5), (1,)), ([3, "x", 2.5], (3, "x", 2.5)),
])
def test_grid_of_one_control(spec, values):
    def fig_one(a=values[0]):
        """Never drawn."""

    control, = read_controls(fig_one, {"a": spec}, {})
    assert control.values == values
    assert [setting["a"] for setting in grid([control])] == list(values)


def test_last_control_changes_fastest():
    settings = grid(read_controls(fig_t_four, FOUR, {}))
    assert len(settings) == 3 * 4 * 2 * 2
    assert settings[:3] == [
        dict(gap=0, share=0, side="left", dashed=False), dict(gap=0, share=0, side="left", dashed=True),
        dict(gap=0, share=0, side="right", dashed=False),
    ]
    assert settings[4] == dict(gap=0, share=0.1, side="left", dashed=False)
    assert settings[-1] == dict(gap=4, share=0.3, side="right", dashed=True)
    assert grid([]) == [{}]


WANTED = "wanted (low, high[, step]), a list, or bool"


@pytest.mark.parametrize("specs, labels, message", [
    ({}, {}, "controls [] given, but the drawing takes ['L', 'r']"),
    (dict(r=(1, 3), L=(0, 4)), {}, "controls ['r', 'L'] given, but the drawing takes ['L', 'r']"),
    (dict(L=(0, 4), r=(1, 3), x=bool), {}, "controls ['L', 'r', 'x'] given, but the drawing takes ['L', 'r']"),
    (dict(L=(0, 4), r=(1, 3)), {"l": "gap"}, "label for 'l', which is no control; the controls are ['L', 'r']"),
    (dict(L=(0, 4), r=3), {}, f"control 'r' is 3; {WANTED}"),
    (dict(L=(0, 4), r=(1,)), {}, f"control 'r' is (1,); {WANTED}"),
    (dict(L=(0, 4), r=(1, 2, 1, 1)), {}, f"control 'r' is (1, 2, 1, 1); {WANTED}"),
    (dict(L=(0, 4), r=(1, "3")), {}, f"control 'r' is (1, '3'); {WANTED}"),
    (dict(L=(0, 4), r=[2]), {}, f"control 'r' is [2]; {WANTED}"),
    (dict(L=(4, 4), r=(1, 3)), {}, "control 'L' runs from 4 to 4 by 1; wanted low < high, step > 0"),
    (dict(L=(0, 4, 0), r=(1, 3)), {}, "control 'L' runs from 0 to 4 by 0; wanted low < high, step > 0"),
    (dict(L=(0, 4, -1), r=(1, 3)), {}, "control 'L' runs from 0 to 4 by -1; wanted low < high, step > 0"),
    (dict(L=(0, 4, 2), r=(1, 3)), {}, "start value 3 of control 'L' is not on its grid 0, 2, 4"),
    (dict(L=(0, 4), r=(5, 90)), {}, "start value 2 of control 'r' is not on its grid 5, 6 … 90"),
    (dict(L=(0, 4), r=["a", "b"]), {}, "start value 2 of control 'r' is not on its grid a, b"),
])
def test_controls_that_do_not_fit_are_refused(specs, labels, message):
    def fig_t_two(L=3, r=2):
        """Never drawn."""

    with refuses(f"fig-t-two: {message}"):
        read_controls(fig_t_two, specs, labels)


def test_control_without_start_value_is_refused():
    with refuses("fig-t-bare: control 'L' has no start value; give the drawing a default"):
        read_controls(named("fig_t_bare", lambda L: None), {"L": (0, 3)}, {})


def named(name, draw):
    draw.__name__ = name
    return draw


@pytest.mark.parametrize("value, text", [
    (True, "on"), (False, "off"), (3, "3"), (-3, "-3"), (10**12, "1000000000000"), (0.5, "0.5"), (2.0, "2"), (0.1 + 0.2, "0.3"),
    (math.inf, "∞"), (np.float64(0.25), "0.25"), ("left", "left"), ("∞", "∞"),
])
def test_value_in_words(value, text):
    assert value_text(value) == text


# --- readouts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value, form, text, data", [
    (7, "d", "7", "7"),
    (36288, ",", "36,288", "36288"),
    (168 * 6**40, ",", f"{168 * 6**40:,}", str(168 * 6**40)),
    (np.int64(10_158_317_568), ",", "10,158,317,568", "10158317568"),
    (10.499242387087424, ".3f", "10.499", "10.499242387087424"),
    (-58.187, ".1f", "−58.2", "-58.187"),
    (np.float64(0.1), ".3f", "0.100", "0.1"),
    (2.5e-12, ".2g", "2.5·10⁻¹²", "2.5e-12"), (-9.051e34, ".3g", "−9.05·10³⁴", "-9.051e+34"), (1e-6, ".0e", "10⁻⁶", "1e-06"),
    (0, ",", "0", "0"), (0.0, ".3f", "0", "0.0"), (np.float64(0), ".3f", "0", "0.0"),
    (math.inf, ".3f", "infinite", "Infinity"), (np.float64(np.inf), ".3f", "infinite", "Infinity"),
    (True, "", "yes", "true"), (False, "", "no", "false"), (np.True_, "", "yes", "true"), (np.False_, "", "no", "false"),
    ("none due", ".3f", "none due", "none due"),
    ([7, 11], "d", "7, 11", "[7, 11]"),
    ((0.25, 0), ".2f", "0.25, 0.00", "[0.25, 0]"),
    ([np.float64(0.5), np.int64(2), np.True_], "", "0.5, 2, yes", "[0.5, 2, true]"),
    (np.array([0.54, 0.08]), ".3f", "0.540, 0.080", "[0.54, 0.08]"),
    (np.array([3, 4]), "d", "3, 4", "[3, 4]"),
])
def test_readout(value, form, text, data):
    readout = Readout(value, "what", form, "nats")
    assert (readout.text, readout.data) == (text, data)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-10**300, 10**300))
def test_data_value_keeps_full_precision(value):
    assert type(value)(Readout(value, "what", ".3g").data) == value


def test_infinity_keeps_its_sign_in_the_data():
    assert Readout(-math.inf, "what").data == "-Infinity"


# --- SVG ---------------------------------------------------------------------------------------------------------------


def figure_of_everything():
    """One of each kind of thing that figures of the book draw."""
    figure, axes = canvas(200)
    for i, color in enumerate(style.CSS_COLORS):
        axes.plot([0, 1 / 3, 1], [i, i + 1 / 7, i], "o-", color=color, lw=1 + i / 3, label=f"line {i}")
    axes.fill_between([0, 1], [0, 0], [1, 1], color=style.DERIVED)
    axes.bar([0.2], [2], color=style.RESULT, alpha=0.5)
    axes.hlines([1.5], 0, 1, color=style.LIMIT)
    axes.text(0.5, 3, "a < b & c, cost 0.12345", color=style.HIDDEN, gid="set-part-A")
    axes.plot([1], [2], "o", color=style.OBSERVED, gid="drag-L")
    axes.legend(frameon=False)
    return figure


@pytest.fixture(scope="module")
def everything():
    return svg_lines(figure_of_everything(), "fig-t-all")


def test_svg_is_well_formed_and_bare(everything):
    text = "\n".join(everything)
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("aria-hidden") == "true"
    assert root.get("viewBox") == "0 0 480 200" and not {"width", "height"} & set(root.attrib)
    for unwanted in ("<?xml", "<!DOCTYPE", "<!--", "metadata", "<style", "xlink", "Date", "matplotlib", "DejaVu"):
        assert unwanted not in text
    assert all(line == line.strip() != "" for line in everything)
    assert all(group.attrib for group in root.iter("{http://www.w3.org/2000/svg}g"))
    assert text.count("<g ") == text.count("</g>") > 3


def test_svg_colors_follow_the_page(everything):
    text = "\n".join(everything)
    assert not re.search("#[0-9a-f]{6}", text, re.I)
    for variable in style.CSS_COLORS.values():
        assert re.search(rf"(fill|stroke): {re.escape(variable)}", text), variable


def test_every_color_of_the_style_has_its_own_variable():
    roles = {getattr(style, name) for name in ("OBSERVED", "HIDDEN", "DERIVED", "RESULT", "LIMIT", "REST", "INK", "PAPER")}
    assert roles == set(style.CSS_COLORS) and len(set(style.CSS_COLORS.values())) == len(roles) == 8
    for color, variable in style.CSS_COLORS.items():
        if "--" in variable:
            assert f"{variable[4:-1]}:{color}" in style.live_style()


@pytest.mark.parametrize("selector, color_of", [(":root", lambda color: color), ('html[data-theme="dark"]', lambda color: style.DARK[color])])
def test_style_sheet_has_the_palette(selector, color_of):
    sheet = (Path(style.__file__).parent / "static" / "page.css").read_text(encoding="utf-8")
    block = re.search(rf"^{re.escape(selector)} \{{(.*?)^\}}", sheet, re.S | re.M)[1]
    colors = dict(re.findall(r"(--[\w-]+): (#\w+);", block))
    for color, variable in style.CSS_COLORS.items():
        if "--" in variable:
            assert colors[variable[4:-1]] == color_of(color)


def test_svg_ids_are_the_figures_own(everything):
    text = "\n".join(everything)
    ids = re.findall(r'\bid="([^"]*)"', text)
    used = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', text)
    assert ids and len(set(ids)) == len(ids)
    assert all(name.startswith("fig-t-all-") for name in ids)
    assert {a or b for a, b in used} == set(ids)
    other = "\n".join(svg_lines(figure_of_everything(), "fig-t-other"))
    assert not set(ids) & set(re.findall(r'\bid="([^"]*)"', other))


def test_gids_become_handles(everything):
    text = "\n".join(everything)
    assert text.count('data-drag="L"') == text.count('data-set="part=A"') == 1
    assert 'id="drag-' not in text and 'id="set-' not in text


def test_svg_numbers_have_two_decimals_and_text_stays(everything):
    text = "\n".join(everything)
    tags = re.findall("<[^>]+>", text)
    assert not any(re.search(r"\d\.\d{3,}", tag) for tag in tags)
    assert any(re.search(r"\d\.\d\d\b", tag) for tag in tags) and not any(re.search(r"\d\.(\d*0)?[ ;,\"]", tag) for tag in tags)
    assert ">a &lt; b &amp; c, cost 0.12345</text>" in text
    assert all(f">line {i}</text>" in text for i in range(8))
    assert "font-size: calc(12px*var(--text,1))" in text and "font-family" not in text


def test_svg_keeps_places_to_a_hundredth():
    figure, plane = canvas(100, axes=False)
    plane.plot([0, 480 / 7, 480], [0, 100 / 3, 100], color=style.INK)
    text = "\n".join(svg_lines(figure, "fig-t"))
    assert 'd="M 0 0\nL 68.57 33.33\nL 480 100\n"' in text


def test_bare_groups_are_dropped_with_their_own_ends():
    lines = ["<svg>", "<g>", '<g clip-path="x">', "<g>", "<path/>", "</g>", "<g/>", '<g id="y">', "</g>", "</g>", "</g>", "</svg>"]
    assert _without_bare_groups(lines) == ["<svg>", '<g clip-path="x">', "<path/>", "<g/>", '<g id="y">', "</g>", "</g>", "</svg>"]


def test_svg_is_reproducible(everything):
    assert svg_lines(figure_of_everything(), "fig-t-all") == everything
    program = "import test_page; print(chr(10).join(test_page.svg_lines(test_page.figure_of_everything(), 'fig-t-all')))"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONIOENCODING": "utf-8"}
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True,
                               cwd=Path(__file__).parent, env=environment)
    assert elsewhere.stdout.splitlines() == everything


def test_canvas_without_axes_is_in_drawing_units():
    figure, plane = canvas(240, axes=False)
    to_page = plane.transData + figure.transFigure.inverted()
    assert np.allclose(to_page.transform([(0, 0), (480, 240), (120, 60)]), [(0, 1), (1, 0), (0.25, 0.75)])


@pytest.mark.parametrize("value, text", [
    (1, "1"), (168, "168"), (1000, "10³"), (1008, "1,008"), (9999, "9,999"), (36288, "3.6·10⁴"), (10**4, "10⁴"),
    (10.0**10, "10¹⁰"), (10_158_317_568, "1.0·10¹⁰"), (614234617930579968, "6.1·10¹⁷"),
])
def test_large_numbers_in_figures(value, text):
    assert drawing.power_text(value) == text


# --- explorers, the static face ----------------------------------------------------------------------------------------


def unpack(packed):
    """The frames of a payload as (lines, [[data, text] of each readout])."""
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert len(set(data["lines"])) == len(data["lines"])
    return [([data["lines"][number] for number in numbers], readouts) for numbers, readouts in data["frames"]]


readouts = st.dictionaries(st.text(), st.builds(Readout, st.text() | st.floats(allow_nan=False) | st.booleans() | st.integers(), st.text()))
frames = st.lists(st.tuples(st.lists(st.sampled_from("abcdef") | st.text(max_size=9), max_size=30), readouts), max_size=9)


@settings(deadline=None)
@given(frames)
def test_payload_decodes_to_the_frames(frames):
    packed = explore_module.pack(frames)
    assert unpack(packed) == [(lines, [[one.data, one.text] for one in readouts.values()]) for lines, readouts in frames]
    assert re.fullmatch("[A-Za-z0-9+/=]*", packed) and packed == explore_module.pack(frames)
    assert base64.b64decode(packed)[4:8] == bytes(4)  # no time of building


@pytest.fixture(scope="module")
def static():
    """The explorer of fig_t_four as it stands on a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("IPython.display.display", (shown := []).append)
        patch.setenv(VARIABLE, "1")
        explore(fig_t_four, labels={"gap": "gap <L>", "side": "side <s>"}, **FOUR)
    page, = shown
    return page.data


def test_explorer_holds_every_frame_in_the_order_of_the_grid(static):
    packed, = re.findall(r'<script type="application/gzip">([^<]*)</script>', static)
    frames = unpack(packed)
    settings = grid(read_controls(fig_t_four, FOUR, {}))
    assert f'data-frames="{len(settings)}"' in static and len(frames) == len(settings)
    for (lines, readouts), setting in zip(frames, settings):
        svg, wanted = explore_module.frame(fig_t_four, setting)
        assert lines == svg
        assert readouts == [[one.data, one.text] for one in wanted.values()]
        assert readouts[0][0] == repr(float(setting["gap"] + setting["share"])) and readouts[1][0] == setting["side"]


def test_explorer_shows_its_start_before_any_script_runs(static):
    start = dict(zip(FOUR, fig_t_four.__defaults__))
    lines, _ = explore_module.frame(fig_t_four, start)
    assert "\n".join(lines) in static
    assert 'aria-label="gap &lt;L&gt; 2, share 0.3, side &lt;s&gt; left, dashed on; height: 2.30 units; side &lt;where&gt;: left"' in static
    assert 'data-readout="height" data-value="2.3">2.30</output> units</dd>' in static
    assert '<div class="readout words"><dt>side &lt;where&gt;</dt>' in static
    assert re.search(r'<input type="range"[^>]* name="gap" min="0" max="4" step="2" value="2">', static)
    assert re.search(r'<input type="range"[^>]* name="share" min="0(\.0)?" max="0\.3" step="0\.1" value="0\.3">', static)
    assert '<input type="radio" name="side" value="left" checked> left' in static
    assert '<input type="radio" name="side" value="right"> right' in static
    assert '<input type="checkbox" name="dashed" checked> dashed' in static
    assert re.findall('data-kind="([a-z]*)"', static) == ["range", "range", "choice", "toggle"]
    ElementTree.fromstring(re.sub("(<input[^>]*)>", r"\1/>", re.sub(r" (hidden|checked)(?=[ >])", r' \1=""', static)))


def fig_t_process(a=0):
    return canvas(50, axes=False)[0], dict(a=Readout(a, "a"), process=Readout(os.getpid(), "process"))


def test_forked_workers_draw_what_this_process_draws(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    settings = grid(read_controls(fig_t_four, FOUR, {}))
    as_data = lambda frames: [(lines, {name: (one.data, one.text) for name, one in readouts.items()}) for lines, readouts in frames]
    forked = as_data(explore_module._draw_all(fig_t_four, settings))
    assert forked == as_data(explore_module.frame(fig_t_four, setting) for setting in settings)
    drawn = [readouts for _, readouts in explore_module._draw_all(fig_t_process, [{"a": a} for a in range(40)])]
    assert [readouts["a"].value for readouts in drawn] == list(range(40))
    assert os.getpid() not in {readouts["process"].value for readouts in drawn}
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    (_, readouts), _ = explore_module._draw_all(fig_t_process, [{"a": 0}, {"a": 1}])
    assert readouts["process"].value == os.getpid()


@pytest.mark.parametrize("cores", [1, 2])
def test_failing_drawing_names_its_setting(monkeypatch, cores):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.setenv(VARIABLE, "1")
    breaks = named("fig_t_breaks", lambda a=0, b="x": (canvas(50, axes=False)[0], dict(y=Readout(1 / (a - 2), "y"))))
    with refuses("fig-t-breaks at a=2, b='x': division by zero"):
        explore(breaks, a=(0, 3), b=["x", "y"])
    with refuses("fig-t-bare at a=0: fig-t-bare: readout 'y' is 0; wanted a Readout"):
        explore(named("fig_t_bare", lambda a=0: (canvas(50, axes=False)[0], dict(y=a))), a=(0, 3))


@pytest.mark.parametrize("other, told", [
    (dict(b=Readout(2, "b"), a=Readout(1, "a", unit="nats")), [("b", "b", ""), ("a", "a", "nats")]),
    (dict(a=Readout(1, "a", unit="nats")), [("a", "a", "nats")]),
    (dict(a=Readout(1, "a", unit="bits"), b=Readout(2, "b")), [("a", "a", "bits"), ("b", "b", "")]),
    (dict(a=Readout(1, "a", unit="nats"), b=Readout(2, "c")), [("a", "a", "nats"), ("b", "c", "")]),
], ids=["order", "fewer", "unit", "label"])
def test_readouts_that_change_with_the_setting_are_refused(shown, monkeypatch, other, told):
    """They are stored by position, so other ones would stand under the labels of the start."""
    monkeypatch.setenv(VARIABLE, "1")
    first = dict(a=Readout(0, "a", unit="nats"), b=Readout("none", "b"))
    draws = named("fig_t_mixed", lambda n=0, side="x": (canvas(50, axes=False)[0], other if (n, side) == (1, "y") else first))
    wanted = [("a", "a", "nats"), ("b", "b", "")]
    with refuses(f"fig-t-mixed at n=1, side='y': readouts are {told}; wanted {wanted}, as at n=0, side='x'"):
        explore(draws, n=(0, 2), side=["x", "y"])
    assert shown == []


def test_time_of_drawing_is_logged_beside_the_page(shown, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setenv("TOYATTN_FRAME_TIMES", str(tmp_path / "times"))
    for _ in range(2):
        explore(fig_t_process, a=(0, 3))
    rows = [json.loads(line) for line in (tmp_path / "times").read_text().splitlines()]
    assert [(row["figure"], row["frames"]) for row in rows] == [("fig-t-process", 4)] * 2 and rows[0]["seconds"] > 0


@pytest.mark.parametrize("value, answer", [("1", True), ("0", False), ("", False), (None, False)])
def test_which_face(monkeypatch, value, answer):
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    assert building() is answer


# --- checks ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def rows(monkeypatch):
    """The rows that checks report."""
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(events=SimpleNamespace(register=lambda *_: None)))
    monkeypatch.setattr(check_module, "_pending", rows := [])
    return rows


def test_plain_python_keeps_no_rows():
    check("t-a", 3, 3, "three")
    check_true("t-b", True, "it holds")
    assert check_module._pending == []


# stated, computed values that round to it, values that do not
STATED = [
    ("10.499", [10.499, 10.4985, 10.4995, np.float64(10.4994), Fraction(10499, 1000)], [10.49849, 10.49951, 10.5, -10.499]),
    ("10.50", [10.495, 10.505, 10.4992], [10.4949, 10.5051]),
    ("-2.249", [-2.2485, -2.2495], [-2.2484, -2.2496, 2.249]),
    ("−44.3", [-44.25, -44.35], [-44.249, 44.3]),
    ("0.0", [0.05, -0.05, 0], [0.0501, -0.051]),
    ("36,288", [36288, np.int64(36288), 36287.6, 36288.5], [36287, 36289, 36287.4, 36288.6]),
    ("1,556,755,200", [1_556_755_200], [1_556_755_201]),
    ("2.4e11", [2.35e11, 2.45e11, 240_000_000_000], [2.349e11, 2.451e11, 2.4e10]),
    ("1e10", [0.5e10, 1.5e10, 10_158_317_568], [0.499e10, 1.501e10]),
    ("3.1e-13", [3.05e-13, 3.15e-13], [3.04e-13, 3.16e-13, 0]),
    ("7.6e3", [7550, 7650.0], [7549, 7651]),
    ("0", [0, 0.0, 1e-10, -1e-10], [1, 1e-8, -1e-8]),
    (0, [0, 0.0, 1e-10], [1, 1e-8]),
    (7, [7, np.int64(7), 7.0, 7 + 6e-9, Fraction(7)], [8, 7.00001, 7 - 8e-9, Fraction(701, 100)]),
    (10**20, [10**20], [10**20 + 1]),
    ("100,000,000,000,000,000,000", [10**20], [10**20 + 1]),
    (Fraction(1, 12), [1 / 12, Fraction(1, 12), 1 / 12 + 9e-10], [1 / 12 + 2e-9, 0.0833, 0]),
    (Fraction(125, 2), [62.5, 62.5 + 6e-8], [62.5 + 7e-8, 62]),
]


@pytest.mark.parametrize("stated, confirmed, wrong", STATED, ids=[str(stated) for stated, *_ in STATED])
def test_tolerance_is_half_a_unit_of_the_last_stated_digit(rows, stated, confirmed, wrong):
    for computed in confirmed:
        check("t-number", computed, stated, "a number")
    assert len(rows) == len(confirmed) and all(row["ok"] is True and row["expected"] == str(stated) for row in rows)
    for computed in [*wrong, math.nan, math.inf]:
        with pytest.raises(CheckFailed):
            check("t-number", computed, stated, "a number")
    assert len(rows) == len(confirmed)


def test_row_of_a_check(rows):
    check("t-a", np.float64(10.49924), "10.499", "nats")
    check("t-b", np.int64(36288), "36,288", "sentences")
    check("t-c", Fraction(1, 4), Fraction(1, 4), "a quarter")
    check_within("t-d", np.float64(0.5), 0.25, 0.75, "a share", trials=400)
    check_bound("t-e", 10_158_317_568, ">", 10**10, "rows")
    check_true("t-f", np.True_, "it holds")
    check_bound("t-g", math.inf, ">", 3, "price")
    json.dumps(rows, allow_nan=False)
    assert [(row["computed"], row["expected"], row["kind"]) for row in rows] == [
        (10.49924, "10.499", "exact"), (36288, "36,288", "integer"), (0.25, "1/4", "exact"), (0.5, "between 0.25 and 0.75", "simulation"),
        (10_158_317_568, "> 10,000,000,000", "bound"), (True, "true", "symbolic"), ("inf", "> 3", "bound"),
    ]
    assert rows[0]["tolerance"] == pytest.approx(0.0005) and rows[3]["tolerance"] == 0.25
    assert rows[3]["trials"] == 400 and all("trials" not in row for row in rows if row is not rows[3])
    assert [(row["id"], row["says"]) for row in rows[:2]] == [("t-a", "nats"), ("t-b", "sentences")]


def test_failing_check_says_what_where_and_how_far(rows):
    fails = {
        "t-a: price: the book states 10.5, computed 10.44 (tolerance 0.05)": lambda: check("t-a", 10.44, "10.5", "price"),
        "t-b: rows: the book states 3, computed 4": lambda: check("t-b", 4, 3, "rows"),
        "t-c: share: the book states between 0 and 0.1, computed 0.2 (tolerance 0.05)":
            lambda: check_within("t-c", 0.2, 0, 0.1, "share", trials=9),
        "t-d: rows: the book states > 1,000, computed 1000": lambda: check_bound("t-d", 1000, ">", 1000, "rows"),
        "t-e: claim: the book states true, computed False": lambda: check_true("t-e", False, "claim"),
        "t-f: identity: the book states 0, computed x": lambda: check_zero("t-f", sp.Symbol("x"), "identity"),
        "t-g: price: the book states 1.5, computed inf (tolerance 0.05)": lambda: check("t-g", math.inf, "1.5", "price"),
    }
    for message, call in fails.items():
        with pytest.raises(CheckFailed, match=f"^{re.escape(message)}$"):
            call()
    assert rows == [] and issubclass(CheckFailed, AssertionError)


def test_within_takes_both_ends(rows):
    for computed in (0.25, 0.5, 0.75):
        check_within("t", computed, 0.25, 0.75, "a share", trials=1)
    for computed in (0.2499, 0.7501, math.nan):
        with pytest.raises(CheckFailed):
            check_within("t", computed, 0.25, 0.75, "a share", trials=1)
    assert len(rows) == 3


@pytest.mark.parametrize("relation, holds", [(">", [4]), (">=", [3, 4]), ("<", [2]), ("<=", [2, 3])])
def test_bound(rows, relation, holds):
    for computed in (2, 3, 4):
        if computed in holds:
            check_bound("t", computed, relation, 3, "a number")
        else:
            with pytest.raises(CheckFailed):
                check_bound("t", computed, relation, 3, "a number")
    assert [row["computed"] for row in rows] == holds and {row["expected"] for row in rows} == {f"{relation} 3"}


def test_zero_needs_every_expression_to_vanish(rows):
    a, b = sp.symbols("a b", positive=True)
    check_zero("t", (a + b) ** 2 - a**2 - 2 * a * b - b**2, "a square")
    check_zero("t", [sp.log(a * b) - sp.log(a) - sp.log(b), sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1, sp.Integer(0)], "several")
    for wrong in [(a + b) ** 2 - a**2, [sp.Integer(0), a - b], sp.Integer(1)]:
        with pytest.raises(CheckFailed):
            check_zero("t", wrong, "wrong")
    assert [(row["expected"], row["computed"], row["kind"]) for row in rows] == [("0", "0", "symbolic")] * 2


def test_checks_refuse_what_they_cannot_check(rows):
    for wrong in (True, np.True_, "10.5", None, 1j, np.array([1.0])):
        with refuses(f"computed of check 't' is {wrong!r}; wanted a number"):
            check("t", wrong, "10.5", "a number")
    with refuses("interval of check 't' is [1, 0]; wanted low <= high"):
        check_within("t", 0.5, 1, 0, "a share", trials=1)
    with refuses("relation of check 't' is '=='; wanted one of >, >=, <, <="):
        check_bound("t", 3, "==", 3, "a number")
    for wrong in (1, "yes", None, np.array([True])):
        with refuses(f"holds of check 't' is {wrong!r}; wanted True or False"):
            check_true("t", wrong, "it holds")
    for empty in ([], ()):
        with refuses("expression of check 't' is empty; wanted at least one expression"):
            check_zero("t", empty, "an identity")
    for silent in (lambda: check("t", 1, 1, ""), lambda: check_true("t", True, "")):
        with refuses("check 't' does not say what it claims"):
            silent()
    with pytest.raises(TypeError, match="trials"):
        check_within("t", 0.5, 0, 1, "a share")
    assert rows == []


def test_html_of_checks_holds_their_rows(rows):
    check("t-a", 10.4992, "10.499", 'nats for "a < b"')
    check("t-b", 36288, "36,288", "sentences")
    check_within("t-c", -0.51, -0.6, -0.5, "a mean", trials=4000)
    three = check_module.checks_html(rows)
    check_zero("t-d", sp.Integer(0), "nothing & more")
    four = check_module.checks_html(rows)
    for html, count in [(three, 3), (four, 4)]:
        assert [json.loads(unescape(data)) for data in re.findall(r'data-check="([^"]*)"', html)] == rows[:count]
        assert re.findall(r'id="([^"]*)"', html) == [f"check-{row['id']}" for row in rows[:count]]
        ElementTree.fromstring(html)
    assert three.startswith('<div class="checks">') and "<details" not in three
    assert four.startswith('<details class="checks"><summary>Check: 4 statements')
    words = re.sub(r"<code.*?</code>|<[^>]*>", "", four)
    for line in ("nats for &quot;a &lt; b&quot;: stated 10.499, computed 10.4992", "sentences: stated 36,288, computed 36,288",
                 "a mean: stated between −0.6 and −0.5, computed −0.51 in 4,000 trials", "nothing &amp; more: confirmed"):
        assert line in words


CELLS = ["""
from toyattn.page import check, check_true
check("t-a", sum([1,
                  2]) < 4 and 3, 3, "three")
check_true("t-b", 1 < 2, "one is less than two")
""", 'x = 1', 'check("t-c", x, 1, "one")', 'check("t-d", x, 2, "two")', 'check("t-e", 2 * x, 2, "two")']


def test_checks_of_a_cell_are_shown_together_with_their_code(shown, monkeypatch):
    """In a notebook: one box per cell that checks something, none for others, the computed argument as it was written."""
    monkeypatch.setattr(check_module, "_pending", [])
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    try:
        results = [shell.run_cell(cell) for cell in CELLS]
    finally:
        InteractiveShell.clear_instance()
    assert [result.success for result in results] == [True, True, True, False, True]
    boxes = [[json.loads(unescape(data)) for data in re.findall(r'data-check="([^"]*)"', box.data)] for box in shown]
    assert [[row["id"] for row in box] for box in boxes] == [["t-a", "t-b"], ["t-c"], ["t-e"]]
    how = [" ".join(row["how"].split()) for box in boxes for row in box]
    assert how == ["sum([1, 2]) < 4 and 3", "1 < 2", "x", "2 * x"]
    assert "<code title=\"how it was computed\">1 &lt; 2</code>" in shown[0].data


# --- tables ------------------------------------------------------------------------------------------------------------


def test_table_has_a_name_on_the_page_and_is_plain_html_in_a_kernel(shown, face):
    table("tab-t", ["a", "$b$"], [(1, "x|y"), ("<i>", 2.5)], "A caption & more")
    one, = shown
    if face:
        assert one.data == ":::{table} A caption & more\n:name: tab-t\n\n| a | $b$ |\n| --- | --- |\n| 1 | x\\|y |\n| <i> | 2.5 |\n:::"
        assert one._repr_markdown_() == one.data
    else:
        root = ElementTree.fromstring(one._repr_html_())
        assert [cell.text for cell in root.iter("th")] == ["a", "$b$"] and root.findtext("caption") == "A caption & more"
        assert [[cell.text for cell in row] for row in root.find("tbody")] == [["1", "x|y"], ["<i>", "2.5"]]


def test_ragged_table_is_refused(shown, face):
    with refuses("rows of table 'tab-t' have 1 entries in ['3']; wanted 2, one per column"):
        table("tab-t", ["a", "b"], [(1, 2), (3,)], "A caption")
    assert shown == []


# --- explorers, the live face ------------------------------------------------------------------------------------------

NOTEBOOK = ["""
from toyattn.page import Readout, canvas, explore

def fig_live(height=1, half=0.5, side="left", dashed=True):
    figure, axes = canvas(100)
    axes.bar([0], [height])
    return figure, dict(height=Readout(height + half, "height", ".2f"), side=Readout(side, "side"))

explore(fig_live, height=(0, 3), half=(0, 0.5, 0.25), side=["left", "right"], dashed=bool, labels={"height": "height of the bar"})
""", """
import ipywidgets
from ipywidgets.widgets.widget import _instances
for widget in list(_instances.values()):
    if isinstance(widget, ipywidgets.SelectionSlider) and 3 in dict(widget.options).values():
        widget.value = 3
    if isinstance(widget, ipywidgets.RadioButtons):
        widget.value = "right"
"""]


def executed(cells):
    """A notebook of these cells after execution: its widgets by label or else model name, and the outputs of its first cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    state = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    return {widget["state"].get("description") or widget["model_name"]: widget["state"] for widget in state.values()}, notebook.cells[0].outputs


def test_live_kernel_gets_widgets_that_redraw(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    widgets, outputs = executed(NOTEBOOK)
    slider, steps, choice, box = (widgets[label] for label in ("height of the bar", "half", "side", "dashed"))
    assert slider["_options_labels"] == ["0", "1", "2", "3"] and slider["index"] == 3
    assert steps["_options_labels"] == ["0", "0.25", "0.5"] and steps["index"] == 2
    assert choice["_options_labels"] == ["left", "right"] and choice["index"] == 1 and box["value"] is True
    view, = [output.data for output in outputs if "data" in output and "application/vnd.jupyter.widget-view+json" in output.data]
    drawn = "".join(output["data"]["text/html"] for output in widgets["OutputModel"]["outputs"])
    assert drawn.count("<svg") == 1 and 'data-explorer="fig-live"' in drawn
    assert 'data-value="3.5">3.50</output>' in drawn and 'data-value="right">right</output>' in drawn
    assert "--observed:#1f5fa8" in drawn and "application/gzip" not in drawn


def test_building_leaves_no_widget(monkeypatch):
    monkeypatch.setenv(VARIABLE, "1")
    widgets, outputs = executed(NOTEBOOK[:1])
    assert widgets == {}
    output, = outputs
    assert output.output_type == "display_data" and not [kind for kind in output.data if "widget" in kind]
    assert 'data-frames="48"' in output.data["text/html"]


def test_start_value_off_the_grid_is_refused_in_both_faces(shown, face):
    with refuses("fig-t-process: start value 0 of control 'a' is not on its grid 1, 2, 3"):
        explore(fig_t_process, a=(1, 3))
    assert shown == []


@pytest.mark.parametrize("call, message", [
    (lambda: check("t", 1.0, "abc", "says"), "stated of check 't' is 'abc'"),
    (lambda: check("t", 3.14159, 3.1, "says"), "stated of check 't' is 3.1"),
    (lambda: check("t", 1, True, "says"), "stated of check 't' is True"),
    (lambda: check_within("t", 0.5, 0, 1, "says", trials=0), "trials of check 't' is 0"),
    (lambda: check_within("t", "half", 0, 1, "says", trials=5), "computed of check 't' is 'half'"),
    (lambda: check_bound("t", True, ">", 0, "says"), "computed of check 't' is True"),
])
def test_checks_that_say_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_readouts_of_other_kinds_of_numbers():
    from fractions import Fraction

    assert (Readout(10**400, "n", ",").data, Readout(Fraction(1, 4), "p", ".2f").text) == (str(10**400), "0.25")
    assert (Readout(-math.inf, "l").text, Readout(np.array(2.5), "x", ".1f").text) == ("−infinite", "2.5")


def test_ids_of_two_figures_never_meet():
    def lines(name):
        figure, axes = canvas(120)
        axes.scatter([0, 1, 2], [0, 1, 2], c=["#1f5fa8", "#a04e14", "#6b3fa0"], s=[9, 16, 25])
        axes.imshow([[0, 1], [1, 0]])
        return "\n".join(svg_lines(figure, name))

    ids = [set(re.findall(r'\bid="([^"]+)"', lines(name))) for name in ("fig-one", "fig-two")]
    assert ids[0] and not ids[0] & ids[1]
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', lines("fig-one")))


def test_step_of_a_fractional_grid_reaches_its_last_value():
    def fig_t(g=1.0):
        """Never drawn."""

    (control,) = read_controls(fig_t, {"g": (0.8, 1.1, 0.05)}, {})
    assert control.step == 0.05 and control.values[-1] == 1.1


def test_table_without_a_head_is_refused():
    with pytest.raises(ValueError, match="columns of table 'tab-t' are"):
        table("tab-t", ["", "price"], [["bag", 1]], "A caption")


def test_a_number_that_rounds_to_nothing_has_no_sign():
    assert (Readout(-0.001, "x", ".2f").text, Readout(-0.0049, "x", "+.2f").text) == ("0.00", "0.00")
    assert (Readout(-0.02, "x", ".2f").text, Readout(0.18, "x", "+.2f").text) == ("−0.02", "+0.18")


@pytest.mark.parametrize("ident", ["", None, 'a"b', "a b"])
def test_ids_that_a_page_cannot_hold_are_refused(ident):
    with pytest.raises(ValueError, match="id of check is"):
        check(ident, 1, 1, "says")
