"""What agents did differently in two traces, in sentences.

Decisions are compared by seat and number, not by line: one option that took a tick
longer moves every event behind it, and changes nobody's mind. What comes first is the
first decision at which a seat chose another option, then what came of it. Where all
seats chose alike, it is the first event that differs, or the field of the header.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from hocket.replays.diff import diff
from hocket.replays.difference import first_difference
from hocket.replays.trace import Header, Trace
from hocket.runtime.events import AgentFailed, ChoiceRejected, EpisodeEnded, OfferLapsed, OptionChosen, SeatChanged

_WAS, _NOW = "in the snapshot", "now"
_COUNTS = 4
"""How many options of a seat are counted in a sentence."""


class _Answer(msgspec.Struct, frozen=True):
    """What became of one offer."""

    number: int
    """Of the event in the trace."""
    tick: int
    holder: str
    did: str
    """The option, or why there is none."""


def steady(header: Header) -> Header:
    """Return a header without what may vary where every agent and the world do the same.

    That is: the schema, versions of packages, and which source of the library was played with.
    """
    library = msgspec.structs.replace(header.library, version=0, digest="")
    agents = {name: msgspec.structs.replace(mark, versions={}) for name, mark in header.agents.items()}
    return msgspec.structs.replace(header, schema=0, library=library, agents=agents, versions={})


def agree(was: Trace, now: Trace) -> bool:
    """Tell whether two traces are of one episode, whatever versions it was played with."""
    return steady(was.header) == steady(now.header) and first_difference(was.events, now.events) is None


def behaviour(was: Trace, now: Trace) -> Iterator[str]:
    """Say what is done differently now, the most telling first; nothing where the traces agree."""
    if agree(was, now):
        return
    found = diff(_steadied(was), _steadied(now))
    event = found.pop() if found[-1].number else None
    choice = _first_choice(was, now)
    if choice is not None:
        yield choice[1]
    if event is None:
        yield "every event is the same; the header is not"
    else:
        yield from _outcome(was, now)
    for each in found:
        yield each.sentence(_WAS, _NOW)
    if event is not None and choice is None:
        yield f"every seat chose the same; what differs first is {event.sentence(_WAS, _NOW)}"
    elif event is not None and choice is not None and event.number < choice[0]:
        yield f"what differs before that choice is {event.sentence(_WAS, _NOW)}"
    yield from _options(was, now)
    yield from _notes(was.header, now.header)


def _steadied(trace: Trace) -> Trace:
    return msgspec.structs.replace(trace, header=steady(trace.header))


def _first_choice(was: Trace, now: Trace) -> tuple[int, str] | None:
    """Return the number of the first event with which a seat did otherwise, and the sentence."""
    before, after = _answers(was), _answers(now)
    for (seat, decision), answer in after.items():
        old = before.get((seat, decision))
        if old is not None and old.did != answer.did:
            holder = answer.holder if old.holder == answer.holder else f"{answer.holder}, then {old.holder}"
            sentence = (
                f"at tick {answer.tick}, decision {decision}, seat {seat} ({holder}) chose {answer.did} "
                f"instead of {old.did}"
            )
            return answer.number, sentence
    return None


def _answers(trace: Trace) -> dict[tuple[int, int], _Answer]:
    """Return what became of each offer, by seat and decision, in the order of the trace."""
    holders, trouble = list(trace.header.seats), [""] * len(trace.header.seats)
    answers = {}
    for number, event in enumerate(trace.events, 1):
        match event:
            case OptionChosen():
                did = f"`{event.option}`"
                answers[event.seat, event.decision] = _Answer(number, event.tick, event.holder, did)
            case AgentFailed():
                trouble[event.seat] = f", {event.error}"
            case ChoiceRejected():
                trouble[event.seat] = f", {event.detail}"
            case OfferLapsed() if event.reason != "cancelled":
                why = "" if event.reason == "timeout" else trouble[event.seat]
                instead = f", and went on with `{event.instead}`" if event.instead else ""
                did = f"nothing ({event.reason}{why}){instead}"
                answers[event.seat, event.decision] = _Answer(number, event.tick, holders[event.seat], did)
            case SeatChanged():
                holders[event.seat] = event.holder
            case _:
                pass
    return answers


def _outcome(was: Trace, now: Trace) -> Iterator[str]:
    old, new = _end(was), _end(now)
    if old is None or new is None or old.reason != new.reason:
        yield f"the episode {_ended(new)}, where it {_ended(old)}"
    if old is not None and new is not None:
        before, after = sum(old.returns), sum(new.returns)
        yield f"return {after:g} " + ("as before" if before == after else f"instead of {before:g}")


def _end(trace: Trace) -> EpisodeEnded | None:
    last = trace.events[-1] if trace.events else None
    return last if isinstance(last, EpisodeEnded) else None


def _ended(end: EpisodeEnded | None) -> str:
    return "has no end" if end is None else f"ended at tick {end.tick} ({end.reason})"


def _options(was: Trace, now: Trace) -> Iterator[str]:
    """Say, a seat a line, which options it chose more or less often."""
    before, after = _chosen(was), _chosen(now)
    for seat in range(max(len(was.header.seats), len(now.header.seats))):
        names = {name for s, name in (*before, *after) if s == seat and before[s, name] != after[s, name]}
        ranked = sorted(names, key=lambda name: (-abs(after[seat, name] - before[seat, name]), name))
        if ranked:
            counts = [f"{name} {after[seat, name]} instead of {before[seat, name]}" for name in ranked[:_COUNTS]]
            rest = [f"and {len(ranked) - _COUNTS} more"] if len(ranked) > _COUNTS else []
            yield f"seat {seat} chose " + ", ".join(counts + rest)


def _chosen(trace: Trace) -> Counter[tuple[int, str]]:
    """Count choices by seat and name of the option, whatever it is aimed at."""
    return Counter(
        (event.seat, event.option.partition("@")[0]) for event in trace.events if isinstance(event, OptionChosen)
    )


def _notes(was: Header, now: Header) -> Iterator[str]:
    """Say what may vary, and has: it is no difference, but may be the reason for one."""
    old, new = _variable(was), _variable(now)
    changed = [
        f"{name} was {old.get(name, 'not there')} and is {new.get(name, 'not there')}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if changed:
        yield f"note: {', '.join(changed)}"


def _variable(header: Header) -> dict[str, str]:
    agents = {f"{each} of {name}": it for name, mark in header.agents.items() for each, it in mark.versions.items()}
    library = header.library
    source = {f"the source of the library {library.name!r}": f"{library.digest} (version {library.version})"}
    return {"the schema": str(header.schema)} | header.versions | agents | source
