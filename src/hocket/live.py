"""An episode drawn in the terminal while it runs."""

import re
from typing import Any

import structlog
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from hocket.runtime.actor import Actor
from hocket.runtime.bus import Bus
from hocket.runtime.events import Stepped
from hocket.runtime.scheduler import Scheduler

_log = structlog.get_logger(__name__)
_SEATS = (
    *("bold cyan", "bold magenta", "bold yellow", "bold green", "bold white", "bold dark_orange"),
    *("bold medium_purple1", "bold spring_green2", "bold hot_pink", "bold turquoise2", "bold gold3", "bold plum2"),
)
_NAMES = "0123456789ab"
_ROW = re.compile(r"^(?:##|~~| [.:ad]|[0-9ab][\^>v<])+$", re.MULTILINE)
"""A row of a world that is drawn with two characters to a cell, and of no kitchen."""
_CELLS = {"##": "dim", "~~": "blue", " .": "dim", " :": "dim green", " a": "bold red", " d": "yellow"}


class Screen:
    """Draws the world after its steps; where it is too slow it leaves steps out."""

    def __init__(self, bus: Bus, scheduler: Scheduler[Any], console: Console) -> None:
        self._scheduler = scheduler
        inbox = bus.subscribe(Stepped, name="screen", capacity=1, overflow="drop_oldest")
        self.actor: Actor[Stepped] = Actor(inbox, self._draw)
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self._blind = False

    def start(self) -> None:
        """Begin with a picture of the start, so that there is something to see while the first answers are awaited."""
        self.live.start()
        self.live.update(self.frame(), refresh=True)

    async def _draw(self, event: Stepped) -> None:
        if not self._blind:
            try:
                self.live.update(self.frame(), refresh=True)
            except Exception as error:
                self._blind = True
                _log.warning("the episode is not drawn any more", error=f"{type(error).__name__}: {error}")

    def frame(self) -> RenderableType:
        """Return the picture of this moment, with who does what beneath."""
        return frame(self._scheduler)


class Bar:
    """A bar that fills up as the ticks pass, for an episode that is not drawn."""

    def __init__(self, bus: Bus, scheduler: Scheduler[Any], console: Console) -> None:
        inbox = bus.subscribe(Stepped, name="bar", capacity=1, overflow="drop_oldest")
        self.actor: Actor[Stepped] = Actor(inbox, self._advance)
        self.live = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            console=console,
            transient=True,
        )
        self._task = self.live.add_task(scheduler.game.spec.name, total=scheduler.steps)

    def start(self) -> None:
        """Show the empty bar."""
        self.live.start()

    async def _advance(self, event: Stepped) -> None:
        self.live.update(self._task, completed=event.tick + 1)


def frame(scheduler: Scheduler[Any]) -> RenderableType:
    """Draw one moment of an episode."""
    title = Text(f"{scheduler.game.spec.name}  tick {scheduler.now}/{scheduler.steps}  ", style="bold")
    title.append(f"return {sum(scheduler.returns):g}", style="bold green")
    lanes = Table.grid(padding=(0, 2))
    for seat, holder in enumerate(scheduler.holders):
        option, going = scheduler.doing(seat)
        words = Text(option or "-", style="" if going else "dim")
        lanes.add_row(Text(f"seat {seat}", style=_SEATS[seat % len(_SEATS)]), Text(holder), words)
    return Group(title, Text(), _coloured(scheduler.game.picture(scheduler.facts())), Text(), lanes)


def _coloured(picture: str) -> Text:
    text = Text(picture, no_wrap=True)
    rows = list(_ROW.finditer(picture))
    for row in rows:
        for at in range(row.start(), row.end(), 2):
            text.stylize(_cell(picture[at : at + 2]), at, at + 2)
    if not rows:
        _colour_kitchen(text)
    return text


def _cell(marks: str) -> str:
    """Return the style of one cell of a world; what is none of its marks is a seat."""
    return _CELLS.get(marks) or _SEATS[_NAMES.index(marks[0])]


def _colour_kitchen(text: Text) -> None:
    for seat, style in enumerate(_SEATS):
        text.highlight_regex(rf"(?<![\d(~]){seat}[\^v><].", style)
    text.highlight_regex(r"\(!\)", "bold green")
    text.highlight_regex(r"~\d+", "red")
    text.highlight_regex(r"\[ \]", "dim")
