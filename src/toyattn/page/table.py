"""Tables whose entries come from a cell."""

from html import escape

from .mode import building


def table(name, columns, rows, caption):
    """Show a table that can be referred to by name.

    Parameters
    ----------
    name : str
        Its id on the page, for example ``"tab-a5-models"``.
    columns : sequence of str
        The head; MyST markup and formulas are allowed, in the rows too.
    rows : sequence of sequences
        One entry per column.
    caption : str
        One sentence.

    Raises
    ------
    ValueError
        An entry of the head that is empty, or a row whose length differs from the head.
    """
    from IPython.display import HTML, Markdown, display

    if not all(columns):
        raise ValueError(f"columns of table {name!r} are {list(columns)}; wanted words in every one")
    rows = [[str(entry) for entry in row] for row in rows]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"rows of table {name!r} have {len(row)} entries in {row}; wanted {len(columns)}, one per column")
    display(Markdown(_markdown(name, columns, rows, caption)) if building() else HTML(_html(columns, rows, caption)))


def _markdown(name, columns, rows, caption):
    lines = [columns, ["---"] * len(columns), *rows]
    grid = "\n".join("| " + " | ".join(entry.replace("|", r"\|") for entry in line) + " |" for line in lines)
    return f":::{{table}} {caption}\n:name: {name}\n\n{grid}\n:::"


def _html(columns, rows, caption):
    head = "".join(f"<th>{escape(entry)}</th>" for entry in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(entry)}</td>" for entry in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
