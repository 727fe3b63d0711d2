"""A figure with controls, in two faces: alive without a kernel on the static page, and as ipywidgets in a live one."""

import base64
import gzip
import json
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from html import escape

from .control import figure_id, grid, read_controls, value_text
from .mode import building
from .readout import Readout
from .style import live_style
from .svg import svg_lines


def explore(draw, *, labels=None, **controls):
    """Show a figure whose controls redraw it.

    While the book is built every setting is drawn once and packed into the page; in a live kernel the controls are
    ipywidgets that call ``draw``.

    Parameters
    ----------
    draw : callable
        Named after its figure (``fig_a1_ruler``); takes the controls as keyword arguments with defaults, returns a matplotlib
        figure and a dict of :class:`Readout` by name, the same ones at every setting.
    labels : dict, optional
        Words beside a control where its name will not do.
    **controls
        One abbreviation of ``ipywidgets.interact`` per parameter: ``(low, high[, step])``, a list of choices, or ``bool``.

    Raises
    ------
    ValueError
        A control that does not fit the drawing, a start value that is not on its grid, or a drawing that does not return what
        it should; the message names the figure and the setting.
    """
    controls = read_controls(draw, controls, labels or {})
    return _show_static(draw, controls) if building() else _show_live(draw, controls)


def frame(draw, setting):
    """Draw one setting: the SVG as lines, and the readouts."""
    name = figure_id(draw)
    figure, readouts = draw(**setting)
    for key, value in readouts.items():
        if not isinstance(value, Readout):
            raise ValueError(f"{name}: readout {key!r} is {value!r}; wanted a Readout")
    return svg_lines(figure, name), readouts


# --- the static face ---------------------------------------------------------------------------------------------------


def _show_static(draw, controls):
    from IPython.display import HTML, display

    settings = grid(controls)
    begun = time.perf_counter()
    frames = _draw_all(draw, settings)
    seconds = time.perf_counter() - begun
    _demand_same_readouts(draw, settings, frames)
    _record_time(figure_id(draw), len(frames), seconds)
    start = settings.index({control.name: control.start for control in controls})
    display(HTML(_explorer_html(figure_id(draw), controls, frames, start)))


def _draw_all(draw, settings):
    """All frames, drawn by as many processes as there are cores (forked, so that a notebook's own functions need no import)."""
    workers = min(os.cpu_count() or 1, len(settings))
    if workers == 1 or "fork" not in multiprocessing.get_all_start_methods():
        return [_draw_one(draw, setting) for setting in settings]
    _Forked.draw = draw
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        return list(pool.map(_Forked.frame, settings, chunksize=max(1, len(settings) // (8 * workers))))


def _draw_one(draw, setting):
    try:
        return frame(draw, setting)
    except Exception as error:
        raise ValueError(f"{figure_id(draw)} at {_setting_words(setting)}: {error}") from error


def _setting_words(setting):
    return ", ".join(f"{name}={value!r}" for name, value in setting.items())


def _demand_same_readouts(draw, settings, frames):
    """The page has names, labels and units of readouts once; a frame brings their values by position."""
    wanted, *others = ([(name, one.label, one.unit) for name, one in readouts.items()] for _, readouts in frames)
    for setting, found in zip(settings[1:], others):
        if found != wanted:
            raise ValueError(
                f"{figure_id(draw)} at {_setting_words(setting)}: readouts are {found}; wanted {wanted}, as at {_setting_words(settings[0])}"
            )


class _Forked:
    """Carries the drawing function into forked workers, which cannot unpickle a function of a notebook."""

    draw = None

    @classmethod
    def frame(cls, setting):
        return _draw_one(cls.draw, setting)


def pack(frames):
    """The payload of an explorer: distinct lines once, each frame as the numbers of its lines; gzip, base64."""
    numbers = {}
    packed = [
        [
            [numbers.setdefault(line, len(numbers)) for line in lines],
            [[readout.data, readout.text] for readout in readouts.values()],
        ]
        for lines, readouts in frames
    ]
    text = json.dumps({"lines": list(numbers), "frames": packed}, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _explorer_html(name, controls, frames, start):
    lines, readouts = frames[start]
    return (
        f'<div class="explorer" data-explorer="{name}" data-frames="{len(frames)}">'
        + _stage_html(lines, controls_words(controls) + "; " + readouts_words(readouts))
        + '<form class="controls" autocomplete="off" hidden>'
        + "".join(control_html(name, control) for control in controls)
        + '<p class="tools"><button type="reset">Reset</button>'
        f' <a class="setting" href="#{name}">Link to this setting</a></p>'
        + "</form>"
        + _readouts_html(readouts)
        + '<p class="visually-hidden" role="status"></p>'
        + f'<script type="application/gzip">{pack(frames)}</script>'
        + "</div>"
    )


def _stage_html(lines, words):
    return f'<div class="stage" role="img" aria-label="{escape(words)}">' + "\n".join(lines) + "</div>"


def controls_words(controls):
    """The start setting in words."""
    return ", ".join(f"{control.label} {value_text(control.start)}" for control in controls)


def readouts_words(readouts):
    """What the figure states, in words."""
    return "; ".join(f"{r.label}: {r.text} {r.unit}".rstrip() for r in readouts.values())


def control_html(figure, control):
    """One control: label, inputs, and the value that is set."""
    ident, label, name = f"{figure}--{control.name}", escape(control.label), control.name
    if control.kind == "toggle":
        checked = " checked" if control.start else ""
        return (
            f'<div class="control" data-kind="toggle"><label><input type="checkbox" name="{name}"{checked}> {label}</label></div>'
        )
    if control.kind == "choice":
        options = "".join(
            f'<label><input type="radio" name="{name}" value="{escape(value_text(value))}"'
            f"{' checked' if value == control.start else ''}> {escape(value_text(value))}</label>"
            for value in control.values
        )
        return f'<fieldset class="control" data-kind="choice"><legend>{label}</legend>{options}</fieldset>'
    first, last = control.values[0], control.values[-1]
    return (
        f'<div class="control" data-kind="range"><label for="{ident}">{label}</label>'
        f'<button type="button" data-by="-1" aria-label="{label}: back">‹</button>'
        f'<input type="range" id="{ident}" name="{name}" min="{first}" max="{last}" step="{control.step!r}"'
        f' value="{control.start}">'
        f'<button type="button" data-by="1" aria-label="{label}: on">›</button>'
        f'<span class="now">{value_text(control.start)}</span></div>'
    )


def _readouts_html(readouts):
    items = "".join(
        f'<div class="readout{" words" if isinstance(r.value, str) else ""}"><dt>{escape(r.label)}</dt><dd>'
        f'<output aria-live="off" data-readout="{name}" data-value="{escape(r.data)}">{escape(r.text)}</output>'
        f"{' ' + escape(r.unit) if r.unit else ''}</dd></div>"
        for name, r in readouts.items()
    )
    return f'<dl class="readouts">{items}</dl>' if items else ""


def _record_time(name, frames, seconds):
    """For ``make bench``: what drawing cost, beside the execution cache (never on the page: pages are reproducible)."""
    path = os.environ.get("TOYATTN_FRAME_TIMES")
    if path:
        with open(path, "a") as log:
            log.write(json.dumps({"figure": name, "frames": frames, "seconds": round(seconds, 3)}) + "\n")


# --- the live face -----------------------------------------------------------------------------------------------------


def _show_live(draw, controls):
    import ipywidgets
    from IPython.display import HTML, display

    def show(**setting):
        lines, readouts = _draw_one(draw, setting)  # what it raises is shown in place of the figure
        words = ", ".join(f"{control.label} {value_text(setting[control.name])}" for control in controls)
        display(HTML(
            f'{live_style()}<div class="explorer" data-explorer="{figure_id(draw)}">'
            + _stage_html(lines, words + "; " + readouts_words(readouts)) + _readouts_html(readouts) + "</div>"
        ))

    widgets = {control.name: _widget(ipywidgets, control) for control in controls}
    output = ipywidgets.interactive_output(show, widgets)
    display(ipywidgets.VBox([*widgets.values(), _reset_button(ipywidgets, widgets, controls), output]))


def _widget(ipywidgets, control):
    """Every kind offers the grid itself, so that a slider has the same values and the same words for them as on the page."""
    common = {"description": control.label, "value": control.start, "style": {"description_width": "initial"}}
    if control.kind == "toggle":
        return ipywidgets.Checkbox(indent=False, **common)
    common["options"] = [(value_text(value), value) for value in control.values]
    common["layout"] = {"width": "auto", "max_width": "640px"}
    return (ipywidgets.RadioButtons if control.kind == "choice" else ipywidgets.SelectionSlider)(orientation="horizontal", **common)


def _reset_button(ipywidgets, widgets, controls):
    button = ipywidgets.Button(description="Reset", layout={"width": "auto", "align_self": "flex-start"})

    def reset(_):
        for control in controls:
            widgets[control.name].value = control.start

    button.on_click(reset)
    return button
