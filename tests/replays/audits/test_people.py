"""Hand-offs and deliveries of human games, from events and from recorded states."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from tests.games.overcooked.recorded import RECORDED, facts_of, joint_of, layout_of, trials

from hocket.games import registry
from hocket.games.overcooked.world import Overcooked
from hocket.replays.audits.handoffs import HandOffs, handoffs
from hocket.replays.audits.record import Record
from hocket.replays.trace import Trace, make_header
from hocket.runtime.events import Stepped

LAYOUTS = sorted(path.name.partition(".")[0] for path in RECORDED.glob("*.jsonl.gz"))
State = Mapping[str, Any]
Place = tuple[int, int]


@pytest.mark.parametrize("name", LAYOUTS)
def test_hand_offs_and_deliveries_of_people_are_those_that_their_states_show(name: str) -> None:
    """Trial by trial: the audit hears events alone, the count looks at what hands, counters and pots hold."""
    different, deliveries = [], 0
    for trial in trials(RECORDED / f"{name}.jsonl.gz"):
        for number, piece in enumerate(_pieces(trial)):
            found = handoffs(Record(_trace(trial, piece)))
            assert isinstance(found, HandOffs)
            audited = (found.given, found.received, found.deliveries, found.shared)
            deliveries += found.deliveries
            if audited != (counted := _count(trial["grid"], piece)):
                different.append((trial["trial"], number, audited, counted))

    assert different == []
    assert deliveries > 0


def test_people_hand_over_where_they_must() -> None:
    """On forced_coordination every soup goes through two pairs of hands; a count of nothing would agree as well."""
    total: HandOffs | None = None
    for trial in trials(RECORDED / "forced_coordination.jsonl.gz"):
        for piece in _pieces(trial):
            found = handoffs(Record(_trace(trial, piece)))
            assert isinstance(found, HandOffs)
            total = found if total is None else total + found

    assert total is not None
    assert total.deliveries > 50
    assert total.interdependence == 1
    assert total.handoffs > 3 * total.deliveries


def _pieces(trial: Mapping[str, Any]) -> Iterator[list[tuple[State, State, Sequence[Any]]]]:
    """Cut a trial where its recording has a gap: state before, state after, joint action of each step."""
    piece: list[tuple[State, State, Sequence[Any]]] = []
    state: State = {}
    for step in trial["steps"]:
        if "state" in step:
            if piece:
                yield piece
            piece, state = [], step["state"]
        piece.append((state, step["next_state"], step["joint_action"]))
        state = step["next_state"]
    yield piece


def _trace(trial: Mapping[str, Any], piece: Sequence[tuple[State, State, Sequence[Any]]]) -> Trace:
    """Write a piece down as a trace: the game's events, from each recorded state and action."""
    game: Any = Overcooked(layout_of(trial), old_dynamics=True)
    seats = ("human", "human")
    header = make_header(game, registry.library(game), seed=0, starts="standard", steps=len(piece), seats=seats)
    events = []
    for tick, (before, _, actions) in enumerate(piece):
        game.kitchen.load(facts_of(game.kitchen, before))
        joint = joint_of(actions)
        rewards, happened = game.step(joint)
        events.append(Stepped(tick=tick, joint=joint, rewards=rewards, events=happened))
    return Trace(header, tuple(events))


def _count(
    grid: Sequence[str], piece: Sequence[tuple[State, State, Sequence[Any]]]
) -> tuple[tuple[float, ...], tuple[float, ...], int, int]:
    """Follow every thing by what is held and what lies where, before and after each step.

    Returns:
        Things given and received by seat, deliveries, and those that went through two seats' hands.
    """
    given, received, deliveries, shared = [0.0, 0.0], [0.0, 0.0], 0, 0
    hands: dict[object, set[int]] = {}
    came_from: dict[int, int | None] = {0: None, 1: None}
    left_by: dict[Place, int] = {}
    first_giver: dict[Place, int | None] = {}

    def use(seat: int) -> None:
        giver = came_from[seat]
        if giver is not None:
            given[giver] += 1
            received[seat] += 1
        came_from[seat] = None

    for before, after, actions in piece:
        lying = {tuple(thing["position"]) for thing in before["objects"]}
        for seat, action in enumerate(actions):
            was, now = (state["players"][seat]["held_object"] for state in (before, after))
            if action not in ("interact", "INTERACT") or (was and was["name"]) == (now and now["name"]):
                continue
            (x, y), (dx, dy) = (before["players"][seat][key] for key in ("position", "orientation"))
            place = (x + dx, y + dy)
            tile = grid[place[1]][place[0]]
            if was is None:
                if tile == "X":
                    assert place in lying
                    putter = left_by.pop(place, None)
                    handed = putter is not None and putter != seat
                    came_from[seat] = putter if handed else first_giver.pop(place, None)
                    hands[seat] = hands.pop(place, set()) | {seat}
                else:
                    came_from[seat], hands[seat] = None, {seat}
                lying.discard(place)
            elif now is not None:  # a dish has become a soup
                use(seat)
                hands[seat] = hands.pop(place, set()) | hands.get(seat, set()) | {seat}
            elif tile == "X":
                left_by[place], first_giver[place] = seat, came_from[seat]
                hands[place] = hands.pop(seat, set()) | {seat}
                came_from[seat] = None
                lying.add(place)
            elif tile == "P":
                use(seat)
                hands[place] = hands.get(place, set()) | hands.pop(seat, set()) | {seat}
            else:
                use(seat)
                deliveries += 1
                shared += len(hands.pop(seat, set()) | {seat}) > 1
    return tuple(given), tuple(received), deliveries, shared
