"""Faults drawn from a profile, by the episode's own seed.

Each draw is looked up by seat and decision in a stream of its own, so that an incident
in one seat shifts none in another. What was drawn and mattered is kept: played again as
a list (`Listed`) it makes the same episode.
"""

from collections.abc import Callable, Iterator

from hocket.runtime.errors import SettingError
from hocket.runtime.fault_profile import SPOILS, WINDOWS, AgentFaults, FaultProfile, Link, Window
from hocket.runtime.incident import THINK, Incident
from hocket.runtime.seed import Stream, Streams

_SHIFT = 32
"""Bits kept for the number of a decision where several entries draw for it."""


class Drawn:
    """The faults of one episode under a profile."""

    def __init__(self, profile: FaultProfile, *, seed: int, seats: int, steps: int) -> None:
        """Draw partitions, holds and crashes; the rest is drawn when it is asked for.

        Args:
            profile: what may go wrong.
            seed: of the episode.
            seats: how many it has.
            steps: its length, in ticks.

        Raises:
            SettingError: the profile names a seat that there is not.
        """
        beyond = [seat for seat in profile.seats() if seat >= seats]
        if beyond:
            right = f"0 to {seats - 1}, the seats of the game"
            raise SettingError(setting="a seat of the fault profile", value=beyond[0], right=right)
        self._profile, self._streams, self._steps = profile, Streams(seed), steps
        self._named: dict[tuple[str, int], Stream] = {}
        drawn = [each for kind in WINDOWS for seat in range(seats) for each in self._drawn_windows(kind, seat)]
        self._used: dict[Incident, None] = dict.fromkeys(sorted(drawn, key=lambda each: each.at))
        self.windows = tuple(self._used)

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """What has come of the profile so far."""
        return tuple(self._used)

    def message(self, message: str, seat: int, decision: int) -> tuple[Incident, ...]:
        """Draw what happens to a message."""
        found: list[Incident] = []
        delay, dropped = 0, False
        for place, link in enumerate(self._profile.link):
            if link.concerns(seat) and message in link.carries:
                draw = self._drawer(f"link {place} {message}", seat, decision)
                delay += self._delay(link, draw, decision)
                faults = list(_mishaps(link, draw, message, seat, decision))
                dropped = dropped or any(each.kind == "drop" for each in faults)
                found += [each for each in faults if each.kind not in [other.kind for other in found]]
        if dropped:
            found = [Incident("drop", seat, decision, message)]
        elif delay:
            found.insert(0, Incident("delay", seat, decision, message, delay))
        self._used.update(dict.fromkeys(found))
        return tuple(found)

    def thinking(self, seat: int, decision: int) -> Incident | None:
        """Draw how long an agent thinks."""
        ticks = 0
        for place, agent in enumerate(self._profile.agent):
            if agent.concerns(seat):
                draw = self._drawer(f"thinking {place}", seat, decision)
                ticks += agent.latency.draw(lambda draw=draw: draw(0), decision)  # type: ignore[misc]
        return self._use(Incident(THINK, seat, decision, ticks=ticks)) if ticks else None

    def answer(self, seat: int, decision: int) -> Incident | None:
        """Draw what an agent does to its answer; the first entry that does something has it."""
        for place, agent in enumerate(self._profile.agent):
            if agent.concerns(seat):
                incident = _spoiled(agent, self._drawer(f"answer {place}", seat, decision), seat, decision)
                if incident is not None:
                    return self._use(incident)
        return None

    def _use(self, incident: Incident) -> Incident:
        self._used[incident] = None
        return incident

    def _drawer(self, name: str, seat: int, decision: int) -> Callable[[int], float]:
        """Return numbered draws for one decision."""
        stream = self._named.get((name, seat))
        if stream is None:
            stream = self._named[name, seat] = self._streams.stream(f"faults {name}", seat)
        return lambda number: stream.uniform(decision + (number << _SHIFT))

    def _delay(self, link: Link, draw: Callable[[int], float], decision: int) -> int:
        jitter = int(draw(1) * (link.jitter + 1)) if link.jitter else 0
        return link.latency.draw(lambda: draw(0), decision) + jitter

    def _drawn_windows(self, kind: str, seat: int) -> Iterator[Incident]:
        windows: tuple[Window, ...] = getattr(self._profile, kind)
        for place, window in enumerate(windows):
            if not window.concerns(seat):
                continue
            starts = range(window.start, self._steps, window.every) if window.every else [window.start]
            for number, start in enumerate(starts):
                draw = self._drawer(f"{kind} {place}", seat, number)
                at = start + (int(draw(1) * (window.spread + 1)) if window.spread else 0)
                if draw(0) < window.chance and at < self._steps:
                    yield Incident(kind, seat, at, ticks=window.ticks or 0)


def _mishaps(link: Link, draw: Callable[[int], float], message: str, seat: int, decision: int) -> Iterator[Incident]:
    if link.drop and draw(2) < link.drop:
        yield Incident("drop", seat, decision, message)
    if link.duplicate and draw(3) < link.duplicate:
        yield Incident("duplicate", seat, decision, message, link.latency.draw(lambda: draw(4), decision))
    if link.reorder and draw(5) < link.reorder:
        yield Incident("reorder", seat, decision, message, 1 + int(draw(6) * link.behind))


def _spoiled(agent: AgentFaults, draw: Callable[[int], float], seat: int, decision: int) -> Incident | None:
    rest = draw(0)
    for spoil in SPOILS:
        chance: float = getattr(agent, spoil)
        if rest < chance:
            ticks = agent.lateness.draw(lambda: draw(1), decision) if spoil in ("late", "twice") else 0
            return Incident(spoil, seat, decision, ticks=ticks)
        rest -= chance
    return None
