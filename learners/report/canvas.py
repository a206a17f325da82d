"""Drawings as SVG elements of a page: text is text, colours are those of the page.

A colour here is the name of one that the style sheet has, by day, by night and on paper. Nothing
depends on the day or the machine, so the same numbers are the same bytes.
"""

import io
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from hocket.runtime.extra import imported

INK, FAINT, LINE, ACCENT = "#000001", "#000002", "#000003", "#000004"
SEATS = 8
"""Colours that there are for seats; after them they begin again."""
HEATS = 6
"""Steps from hardly to most."""
INCH = 100
"""Pixels of the page."""
TOO_LARGE = "Some are too large to be drawn."
_LARGEST = 1e100
"""Beyond it an axis would end where numbers do."""
_LONGEST = 26
"""Letters of a label."""
_SIZE = (4.8, 2.5)
_NAMES = {1: "ink", 2: "faint", 3: "line", 4: "accent"}
_COLOUR = re.compile(r"#0000([0-9a-f]{2})\b")


def seat_colour(seat: int) -> str:
    """Return the colour of a seat."""
    return f"#0000{0x10 + seat % SEATS:02x}"


def heat_colour(step: int) -> str:
    """Return one of the steps from hardly to most, counted from 0."""
    return f"#0000{0x20 + step:02x}"


def label(name: str) -> str:
    """Return a name as it stands in a figure: in one line, and without its middle where it is long."""
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 8]}…{name[-7:]}"


def drawable(values: Iterable[float | None]) -> bool:
    """Tell whether there can be an axis for numbers; None stands for one that is not there."""
    return all(value is None or abs(value) <= _LARGEST for value in values)


def matplotlib_figure() -> Any:
    """Return matplotlib's class of figures.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    return imported("matplotlib.figure", extra="report", needed_for="figures").Figure


def drawing(
    name: str,
    draw: Callable[[Any], object],
    size: tuple[float, float] = _SIZE,
    at: tuple[float, float, float, float] | None = None,
) -> str:
    """Return a figure as an SVG element, in the style of the page whatever matplotlib is set to here.

    Args:
        name: no other drawing of the page has it.
        draw: draws on the axes that it is given.
        size: width and height, in inches.
        at: left, bottom, width and height of the axes, as parts of the drawing; left out, they take what room there is.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    new = matplotlib_figure()
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # the page's fonts may have it
        warnings.filterwarnings("ignore", message="constrained_layout not applied", category=UserWarning)  # wide names
        mpl.rcdefaults()
        settings: Any = _SETTINGS | {"svg.hashsalt": name}
        mpl.rcParams.update(settings)
        figure = new(figsize=size, layout="constrained" if at is None else "none")
        draw(figure.add_subplot() if at is None else figure.add_axes(at))
        return _element(figure, name)


def _element(figure: Any, name: str) -> str:
    """Write a figure, without what only a file of its own needs."""
    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    text = written.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family: [^;\"]*; ?", "", text)
    text = re.sub(r"<[^>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", tag[0]), text)
    text = _COLOUR.sub(lambda found: f"var(--{_name(int(found[1], 16))})", _named(text, name))
    return re.sub(r"\n\s*", "\n", _opened(text))


_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "figure.dpi": INCH,
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": FAINT,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
}


def _name(number: int) -> str:
    if number >= 0x20:
        return f"heat-{number - 0x20}"
    return f"seat-{number - 0x10}" if number >= 0x10 else _NAMES[number]


def _named(text: str, name: str) -> str:
    """Keep only the names that are referred to, each told apart from those of other drawings."""
    used = dict.fromkeys(re.findall(r"url\(#([\w-]+)\)", text) + re.findall(r'href="#([\w-]+)"', text))
    text = re.sub(r' id="([\w.-]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", text)
    return re.sub(r'(url\(|href=")#([\w-]+)', rf"\g<1>#{name}-\g<2>", text)


def _opened(text: str) -> str:
    """Let a drawing be as wide as it is drawn, or narrower where the page is."""
    end = text.index(">")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text[:end])
    assert box is not None
    width = float(box[1]) * INCH / 72
    return f'<svg viewBox="0 0 {box[1]} {box[2]}" style="width: {width:.0f}px" aria-hidden="true">{text[end + 1 :]}'
