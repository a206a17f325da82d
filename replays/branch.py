"""The recorded beginning of an episode, simulated again up to one decision.

It must agree with the trace as a rerun does. The world then stands where it stood
when that decision was to be made, with the offers of that tick open.
"""

from typing import Any

from hocket.replays.course import Course
from hocket.replays.decisions import Decision
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.trace import Trace
from hocket.runtime.events import Event
from hocket.runtime.scheduler import Scheduler


class Branch:
    """An episode that can go on otherwise than it did."""

    def __init__(self, trace: Trace, at: Decision) -> None:
        """Take the recorded course as far as the outcome of a decision.

        Raises:
            UsageError: the game or library of the trace is not installed here.
        """
        self.at = at
        self.rebuilt = Rebuilt(trace)
        self.difference = self.rebuilt.difference()
        """Where the beginning parts from the trace; nothing can be forked there."""
        if self.difference is not None:
            return
        course = Course(trace, self.rebuilt)
        self.scheduler: Scheduler[Any] = course.scheduler
        for number, recorded in enumerate(trace.events[: at.before], 1):
            self.difference = course.follow(number, recorded)
            if self.difference is not None:
                return
        self.events: tuple[Event, ...] = (*trace.events[: at.before], *course.rest())
        """All that has happened."""
