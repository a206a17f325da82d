"""The committed guard files: made again, and held against what people did."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.games.overcooked.recorded import RECORDED, facts_of, joint_of, layout_of, trials

from hocket.agents.idle import Idle
from hocket.agents.scripted.cook import Cook
from hocket.games import registry
from hocket.games.overcooked.items import pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import load_layout
from hocket.learners.guard_file import decode_guards, encode_guards, fit
from hocket.learners.own_guards import mine, own_guards
from hocket.runtime.events import GameEvent
from hocket.runtime.guard import GuardSet
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

LAYOUTS = ("asymmetric_advantages", "forced_coordination", "cramped_room")
COMMITTED = [
    *((f"overcooked:{layout}", name) for layout in LAYOUTS for name in ("default", "stations", "errands")),
    ("pantry", "default"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name"), COMMITTED)
def test_a_committed_file_is_made_again_byte_for_byte(game: str, name: str) -> None:
    """No guard was written by hand, and none was lost."""
    world = registry.make(game)

    file = mine(world, registry.library(world, name), lambda episodes: None)

    assert encode_guards(file) == registry.guards(world, name)


@pytest.mark.parametrize(("game", "name"), COMMITTED)
def test_a_committed_file_fits_its_game_and_library(game: str, name: str) -> None:
    """Where it does not, it would be mined anew on everybody's machine."""
    world = registry.make(game)
    content = registry.guards(world, name)

    assert content is not None
    assert fit(decode_guards(content, game), world, registry.library(world, name), game)


def test_the_published_guards_come_out() -> None:
    """Those that the paper prints for asymmetric_advantages, and their kin."""
    game = registry.make("overcooked:asymmetric_advantages")

    words = {guard.words() for guard in own_guards(game, registry.library(game)).guards}

    assert words >= {
        "start_cooking where tgt_pot_state is empty",
        "start_cooking where held is dish",
        "pick_onion where held is onion",
        "pick_dish where held is dish",
        "deliver where it fails as NoPath",
        "drop_held where it fails as NothingHeld",
        "plate_soup where tgt_pot_state is empty",
    }


def test_on_forced_coordination_a_filled_pot_can_be_started() -> None:
    """From standard starts alone, its guard would have taken start_cooking out of the game."""
    game = registry.make("overcooked:forced_coordination")
    library = registry.library(game)
    guards = GuardSet(library, own_guards(game, library).guards)
    facts = list(game.facts())
    facts[Kitchen(load_layout("forced_coordination")).pot0] = pack(["onion"] * 3)
    option = library.by_name["start_cooking"]

    offered = guards.filter(option, option.instances(tuple(facts), 0), tuple(facts), 0)

    assert [each.target for each in offered] == [(3, 0)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_guard_hides_what_people_did(layout: str) -> None:
    """Where a person potted, plated, picked up, dropped or delivered, it is on that person's guarded menu."""
    game = registry.make(f"overcooked:{layout}")
    library = registry.library(game)
    guards = GuardSet(library, own_guards(game, library).guards)
    hidden: Counter[str] = Counter()
    done: Counter[str] = Counter()

    for facts, event in _deeds(layout):
        name = _option(event)
        option = library.by_name[name]
        menu = guards.filter(option, option.instances(facts, event.seat), facts, event.seat)
        done[name] += 1
        hidden[name] += event.at not in [each.target for each in menu]

    assert len(done) == 7
    assert sum(hidden.values()) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "least"), [("asymmetric_advantages", 280), ("forced_coordination", 180)])
def test_cooks_are_worth_playing_with_on_guarded_menus_too(layout: str, least: int) -> None:
    """The bars of the unguarded menus hold where `hocket play` plays."""
    game = registry.make(f"overcooked:{layout}")
    library = registry.library(game)
    guards = own_guards(game, library).guards
    cook, idle = Holder("scripted:cook", Cook()), Holder("idle", Idle())

    returns = []
    for seed in range(20):
        scheduler = Scheduler(game, library, seed=seed, holders=[cook.name] * 2, steps=400, guards=guards)
        [result] = play([Rollout(scheduler, Seats([cook] * 2, idle))])
        returns.append(result.team)

    assert min(returns) >= least


def _option(event: GameEvent) -> str:
    if event.kind == "picked_up":
        return f"pick_{event.what}"
    return {
        "took": "pick_up_from_counter",
        "put_down": "drop_held",
        "potted": "place_in_pot",
        "plated": "plate_soup",
        "delivered": "deliver",
    }[event.kind]


def _deeds(layout: str) -> Iterator[tuple[tuple[int, ...], GameEvent]]:
    """Yield what people did, with the state in which they did it; pots started by themselves in those games."""
    for trial in trials(RECORDED / f"{layout}.jsonl.gz"):
        kitchen = Kitchen(layout_of(trial), old_dynamics=True)
        state: Mapping[str, Any] = {}
        for step in trial["steps"]:
            state = step.get("state", state)
            facts = facts_of(kitchen, state)
            kitchen.load(facts)
            _, events = kitchen.step(joint_of(step["joint_action"]))
            yield from ((facts, event) for event in events if event.seat >= 0 and event.kind != "started_cooking")
            state = step["next_state"]
