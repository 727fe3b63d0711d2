"""The command line: python -m toyattn attend --mode ..., one head's numbers as text or JSON."""

import argparse
import json
import os
import sys
import time

import numpy as np

from . import cost, head, scaling

ROWS_DRAWN = 1000
KEYS = 4
MOST = {"rows": 32_768, "widths": 1_000_000}
MODES = {
    "row": "the entry, its pieces and the four typed numbers of each token",
    "weights": "the three stored matrices",
    "project": "query, key and value of each token; one query again by a layer of neurons",
    "square": "each query against each key: raw and divided scores",
    "scores": "shares, what each row favors, the mixed values, the multiply-adds",
    "scale": "random rows at several key widths, divided and undivided (--widths, --seed)",
    "cost": "multiply-adds counted on longer and longer rows (--rows)",
}
EPILOG = """examples:
  python -m toyattn attend                          the four tokens
  python -m toyattn attend --mode scores --no-scale shares without the divide
  python -m toyattn attend --mode scale --widths 64,128 --seed 1
  python -m toyattn attend --mode cost --rows 128,256 --json
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())} (--help shows what there is)\n")


def main(argv=None):
    """Run the command line; returns the exit status."""
    try:
        options = parser().parse_args(argv)
        numbers, text = RUN[options.mode](options)
        print(json.dumps({"mode": options.mode, **numbers}, indent=1) if options.json else text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing left to flush at exit
    except OSError as error:
        print(f"python -m toyattn: cannot write: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def parser():
    """The argument parser."""
    top = Parser(prog="python -m toyattn", description="One attention head by pencil.", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True, metavar="attend", parser_class=Parser)
    modes = "\n".join(f"  {mode:9}{what}" for mode, what in MODES.items())
    attend = commands.add_parser(
        "attend",
        help="print one attention head over four tokens (attend --help)",
        description=f"Print what one attention head makes of four tokens.\n\nmodes:\n{modes}",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    told = attend.add_argument
    what = "what to print (default: %(default)s)"
    told("--mode", choices=MODES, default="row", metavar="MODE", help=what)
    told("--no-scale", action="store_true", help="leave off the divide by root key width (square, scores)")
    for name, default, what in (
        ("widths", "4,16,64,256", "key widths for scale"),
        ("rows", "4,8,16,32", "row lengths for cost"),
    ):
        what += ", commas between (default: %(default)s)"
        told(f"--{name}", type=sizes(name), default=default, metavar="LIST", help=what)
    what = "seed for scale, new at each width (default: %(default)s)"
    told("--seed", type=seed, default="82", metavar="S", help=what)
    told("--json", action="store_true", help="the same numbers, unrounded, for programs")
    return top


def sizes(name):
    """Parser of a list such as 4,16: positive integers up to the limit of this list."""

    def parse(text):
        found = [_natural(part) for part in text.split(",")]
        if not all(found):
            raise argparse.ArgumentTypeError(f"wanted positive integers with commas between, got {text!r}")
        if max(found) > MOST[name]:
            raise argparse.ArgumentTypeError(f"wanted integers up to {MOST[name]}, got {max(found)}")
        return found

    return parse


def seed(text):
    """Parser of a seed: an integer of at least 0."""
    found = _natural(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"wanted an integer of at least 0, got {text!r}")
    return found


def row(options):
    """The entry, its pieces and their typed numbers."""
    pieces = [
        dict(n=n, id=token.id, bytes=len(token.text.encode()), text=token.text, x=token.x)
        for n, token in enumerate(head.TOKENS, 1)
    ]
    cut = [[p["n"], p["id"], p["bytes"], quoted(p["text"])] for p in pieces]
    typed = [[p["n"], label(p["text"]), *digits(p["x"], 2)] for p in pieces]
    text = [
        f"an entry cut by a table of {head.TABLE_SIZE} ids; the first four pieces",
        "",
        head.ENTRY,
        "",
        table(["token", "id", "bytes", "text"], cut, "rrrl"),
        "",
        table(["n", "", *head.SLOTS], typed, "rl"),
    ]
    numbers = dict(entry=head.ENTRY, table_size=head.TABLE_SIZE, slots=head.SLOTS, tokens=pieces)
    return numbers, "\n".join(text)


def weights(options):
    """The three stored matrices."""
    typed = head.typed_head()
    D, Dk = typed.D, typed.Dk
    runs = {name: np.reshape(getattr(typed, name), (Dk, D)) for name in ("Wq", "Wk", "Wv")}
    lines = [f"three stored matrices, {D * Dk} numbers each in runs of {D}, one run for each output slot"]
    for name, run in runs.items():
        slots = [[name, slot, *digits(numbers)] for slot, numbers in enumerate(run, 1)]
        lines += ["", table(None, slots, "lr")]
    return dict(D=D, Dk=Dk, **{name: run.tolist() for name, run in runs.items()}), "\n".join(lines)


def project(options):
    """Queries, keys and values; the query of token 2 by a layer of plain neurons."""
    typed, made = head.typed_head(), attend()
    rows = []
    for n, token in enumerate(head.TOKENS):
        for what, numbers in (("query", made.Q), ("key", made.K), ("value", made.V)):
            rows.append([n + 1, label(token.text), what, *digits(numbers[n])])
    by_layer = head.neuron_layer(made.X[1], np.reshape(typed.Wq, (typed.Dk, typed.D)), [0.0] * typed.Dk)
    same = by_layer == made.Q[1].tolist()
    compared = [["Head", *digits(made.Q[1])], ["Layer with zero biases", *digits(by_layer)]]
    numbers = dict(Q=made.Q.tolist(), K=made.K.tolist(), V=made.V.tolist())
    lines = ["each token alone: four numbers in, three times four out", "", table(None, rows, "rll"), ""]
    lines += ["the query of token 2, twice", table(None, compared, "l")]
    lines += [f"same numbers: {str(same).lower()}"]
    return dict(**numbers, layer_query_2=by_layer, same=same), "\n".join(lines)


def square(options):
    """Raw and divided scores."""
    made = attend(options)
    lines = [f"{len(made.X)} tokens, keys {made.K.shape[1]} wide", ""]
    lines += ["raw scores, query by key", by_token(made.raw), "", divide_line(made, options), ""]
    lines += ["divided scores", by_token(made.scaled)]
    return dict(div=made.div, raw=made.raw.tolist(), divided=made.scaled.tolist()), "\n".join(lines)


def scores(options):
    """Shares, row summary, mixed values and counted multiply-adds."""
    made = attend(options)
    labels = [label(token.text) for token in head.TOKENS]
    summary = [
        dict(total=float(a.sum()), biggest=float(a.max()), token=int(a.argmax()) + 1) for a in made.shares
    ]
    told = [[name, *digits([s["total"], s["biggest"]]), s["token"]] for name, s in zip(labels, summary)]
    mixed = [[name, *digits(out)] for name, out in zip(labels, made.out)]
    spent = made.cost
    counts = dict(project=spent.project, score=spent.score, mix=spent.mix, total=spent.total)
    counted = [list(pair) for pair in zip(("projections", "scores", "mixing", "all"), counts.values())]
    lines = [divide_line(made, options), "", "shares, query by key", by_token(made.shares), ""]
    lines += [table(["", "adds to", "biggest", "on token"], told, "l"), ""]
    lines += ["mixed values", table(["", "slot 1", *"234"], mixed, "l"), ""]
    second = [["token 2 in", *digits(made.X[1])], ["token 2 out", *digits(made.out[1])]]
    lines += [table(None, second, "l"), ""]
    lines += ["multiply-adds, counted", table(None, counted, "l")]
    numbers = dict(div=made.div, shares=made.shares.tolist(), summary=summary, out=made.out.tolist())
    return numbers | dict(multiply_adds=counts), "\n".join(lines)


def scale(options):
    """Random rows of one query and four keys at each width, divided and undivided on the same draws."""
    lines, told = [], Progress()
    for width in options.widths:
        rng = np.random.default_rng(options.seed)
        raw = scaling.random_scores(ROWS_DRAWN, KEYS, width, rng, told.of(f"keys {width} wide"))
        divided, undivided = (scaling.row_statistics(raw, beta) for beta in (1 / np.sqrt(width), 1.0))
        lines.append(dict(width=width, divided=divided._asdict(), undivided=undivided._asdict()))
    told.end()
    cells = [[w["width"], *statistics(w["divided"]), *statistics(w["undivided"])] for w in lines]
    columns = ["spread of a row", "biggest share", "rows at 0.99"]
    sides = ["", "divided", "", "", "undivided", "", ""]
    text = [f"{ROWS_DRAWN} rows of one query and four keys at each width; seed {options.seed}", ""]
    text += [table(sides, [["keys wide", *columns, *columns], *cells])]
    return dict(rows=ROWS_DRAWN, keys=KEYS, seed=options.seed, widths=lines), "\n".join(text)


def count(options):
    """Multiply-adds counted on rows of several lengths, against the arithmetic."""
    typed, told, lines = head.typed_head(), Progress(), []
    for n in options.rows:
        made = typed.count(head.typed_rows(n), told.of(f"{n} tokens"))
        above = made.total / lines[-1]["total"] if lines else None
        line = dict(tokens=n, project=made.project, pairs=made.quadratic, total=made.total)
        lines.append(line | dict(times_above=above, pair_share=made.quadratic / made.total))
    told.end()
    D, Dk, last = typed.D, typed.Dk, lines[-1]
    n, parts = last["tokens"], cost.head(last["tokens"], D, Dk)
    pairs, total = cost.head_pairs(n, Dk), cost.head_total(n, D, Dk)
    counted, same = last["total"], total == last["total"]
    check = dict(tokens=n, project=parts["project"], pairs=pairs, total=total, counted=counted, same=same)
    columns = ["tokens", "projections", "pairs", "total", "times the row above", "pair share"]
    cells = []
    for *whole, above, share in (line.values() for line in lines):
        cells.append([*whole, f"{above:.2f}" if above else "", f"{100 * share:.1f}%"])
    text = [f"{D} numbers a token, keys {Dk} wide; the four typed rows repeated in a cycle", ""]
    text += [table(columns, cells), ""]
    text += [
        f"counting against arithmetic at {n} tokens",
        f"  3 x {n} x {D} x {Dk} = {parts['project']}",
        f"  2 x {n} x {n} x {Dk} = {pairs}",
        f"  total {total}, counted {counted}, same number: {str(same).lower()}",
        "",
        f"the pairs cost more than the projections from {cost.crossing(D)} tokens on",
    ]
    return dict(D=D, Dk=Dk, rows=lines, check=check, crossing=cost.crossing(D)), "\n".join(text)


RUN = dict(row=row, weights=weights, project=project, square=square, scores=scores, scale=scale, cost=count)


class Progress:
    """A line on stderr that tells how far a long run is; silent unless stderr is a terminal."""

    def __init__(self, patience=0.5):
        self.shown = bool(sys.stderr and sys.stderr.isatty())
        self.next = time.monotonic() + patience

    def of(self, what):
        """A function of (done, total) that tells about this part."""

        def tell(done, total):
            if self.shown and time.monotonic() >= self.next:
                self.next = time.monotonic() + 0.1
                print(f"\r\033[K{what}: {done} of {total}", end="", file=sys.stderr, flush=True)

        return tell

    def end(self):
        """Wipe the line."""
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def attend(options=None):
    """The Trace of the typed head on the typed row."""
    scale = not (options and options.no_scale)
    return head.typed_head(scale).attend(head.typed_rows(len(head.TOKENS)))


def divide_line(made, options):
    """What each score is divided by."""
    if options.no_scale:
        return f"divided by {made.div:.4f}: the divide is left off"
    return f"divided by {made.div:.4f}, the root of {made.K.shape[1]}"


def by_token(square):
    """A square of numbers under token labels."""
    rows = [[label(token.text), *digits(numbers)] for token, numbers in zip(head.TOKENS, square)]
    return table(["query \\ key", *(str(n) for n in range(1, len(square) + 1))], rows, "l")


def statistics(rows):
    """Cells of one side of the scale table."""
    return [*digits([rows["spread"], rows["share"]]), rows["decided"]]


def quoted(text):
    """Text in double quotes."""
    return f'"{text}"'


def label(text):
    """Text in double quotes, cut to 21 characters and three dots if longer than 24."""
    text = quoted(text)
    return text if len(text) <= 24 else text[:21] + "..."


def digits(numbers, places=4):
    """Numbers as text with fixed decimals; no minus in front of a zero."""
    return [f"{number:.{places}f}" for number in np.round(numbers, places) + 0.0]


def table(header, rows, align=""):
    """Aligned columns; align: "l" or "r" for the first columns, the others flush right."""
    lines = [[str(cell) for cell in line] for line in ([header] if header else []) + rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    sides = align.ljust(len(widths), "r")
    cells = {"l": str.ljust, "r": str.rjust}
    return "\n".join(
        "  ".join(cells[side](cell, width) for cell, width, side in zip(line, widths, sides)).rstrip()
        for line in lines
    )


def _natural(text):
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
