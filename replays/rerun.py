"""A trace is simulated again, and must agree event by event.

Only the inputs are taken from the trace: choices, rejections, lapses, failures of
agents, changes of seats and injected faults, each at the tick at which it took effect.
Menus, options, steps, rewards and game events are worked out afresh by the same
scheduler that made them, and compared.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hocket.replays.course import Course, Mode
from hocket.replays.difference import Difference
from hocket.replays.questioning import Questioning, Witness
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.trace import Trace
from hocket.runtime.errors import SettingError
from hocket.runtime.events import Stepped
from hocket.runtime.game import Game


class Verdict(msgspec.Struct, frozen=True):
    """What a rerun found."""

    events: int
    """Events that agreed."""
    difference: Difference | None
    returns: tuple[float, ...]
    notes: tuple[str, ...]
    """What is no difference but worth knowing: a torn tail, another version of the library."""
    asked: int = 0
    """Answers that agents have given again, each as it was recorded."""

    @property
    def agrees(self) -> bool:
        """Whether every event of the trace came about again."""
        return self.difference is None


def rerun(
    trace: Trace,
    progress: Callable[[int], object] = lambda events: None,
    *,
    mode: Mode = "keyed",
    witnesses: Mapping[tuple[int, str], Witness] | None = None,
    wrapped: Callable[[Game[Any]], Game[Any]] = lambda game: game,
) -> Verdict:
    """Simulate a trace again and compare.

    Args:
        trace: as it was read.
        progress: called with the number of events that have agreed, once a tick.
        mode: `keyed`, where everything must agree; `positional`, where a choice is looked up by its option's
            key, and menus, indices and receipts are not compared.
        witnesses: agents that are asked again, by seat and the name under which they held it; what they
            answer is compared with what was recorded.
        wrapped: makes of the trace's game what is simulated, of the same type: one that is filmed.

    Raises:
        UsageError: its game or library is not installed here, or cannot be built from its header.
        SettingError: witnesses in positional mode, where they would be asked something else.
    """
    if witnesses and mode == "positional":
        raise SettingError(setting="mode", value=mode, right="keyed where agents are asked again")
    rebuilt = Rebuilt(trace)
    notes, difference = tuple(rebuilt.notes()), rebuilt.difference()
    if difference is not None:
        return Verdict(0, difference, (), notes)
    rebuilt.game = wrapped(rebuilt.game)
    course = Course(trace, rebuilt, mode)
    questioning = Questioning(course.scheduler, witnesses or {})
    for number, recorded in enumerate(trace.events, 1):
        answered = questioning.answered(recorded)
        difference = course.follow(number, recorded) or questioning.difference(number, recorded, answered)
        if difference is not None:
            break
        if isinstance(recorded, Stepped):
            progress(number)
    agreed = len(trace.events) if difference is None else difference.number - 1
    return Verdict(agreed, difference, tuple(course.scheduler.returns), notes, questioning.agreed)
