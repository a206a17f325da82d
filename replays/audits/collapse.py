"""Action collapse: how much of all that a seat does is one primitive action.

Source: the PA-MAGRPO paper, section 6.3: a frozen base spends 95.8% of its actions on FIRE_CLEAN.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record


class Collapse(Finding, frozen=True):
    """Primitive actions of all traces."""

    same = ("nothing",)
    done: tuple[dict[str, float], ...]
    """How often each seat did each action, shape [seats]."""
    nothing: str
    """The action that does nothing, empty where the game is not there to tell: to do it is idleness, no collapse."""

    def commonest(self, seat: int) -> str:
        """Return the action that a seat did most; of two, the first by name."""
        return max(self.done[seat], key=lambda action: self.done[seat][action])

    def share(self, seat: int, action: str) -> float | None:
        """Return the part of a seat's ticks in which it did an action."""
        return ratio(self.done[seat].get(action, 0), sum(self.done[seat].values()))

    def rows(self) -> Iterator[Row]:
        """Yield the commonest action, then every action."""
        seats = range(len(self.done))
        most = tuple(map(self.commonest, seats))
        yield Row("commonest action", "share", tuple(map(self.share, seats, most)), words=most)
        for action in sorted({action for counts in self.done for action in counts}):
            yield Row(action, "share", tuple(self.share(seat, action) for seat in seats))


def collapse(record: Record) -> Collapse | Absent:
    """Count the primitive actions of an episode."""
    if not record.steps:
        return Absent("the world has not moved")
    names = record.header.actions
    done: list[dict[str, float]] = []
    for actions in zip(*(step.joint for step in record.steps), strict=True):
        done.append({names[action]: actions.count(action) for action in sorted(set(actions), key=names.__getitem__)})
    return Collapse(tuple(done), "" if isinstance(record.game, Absent) else names[record.game.noop])
