"""What every registered game promises, checked on each of them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from random import Random as Dice
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.games.meltingpot.worlds import needs_substrates

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, encode_event, make_header
from hocket.runtime.errors import SettingError
from hocket.runtime.events import Event, GameEvent
from hocket.runtime.game import STARTS, Game, GameSpec, Placed
from hocket.runtime.option import Failure
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

GAMES: dict[str, tuple[str, dict[str, object]]] = {
    **{
        f"{kind}:{variant}".removesuffix(":"): (f"{kind}:{variant}", {})
        for kind, family in registry.kinds().items()
        for variant in family.variants()
    },
    **{f"pantry, {seats} seats": ("pantry", {"seats": seats}) for seats in (1, 3, 12)},
}


def listed(names: Iterable[str], *more: str) -> list[Any]:
    """Each game as a case of a test; those of Melting Pot where it can be played."""
    melting = ("cleanup", "harvest")
    return [pytest.param(name, *more, marks=[needs_substrates] * name.startswith(melting)) for name in names]


@pytest.fixture(params=listed(GAMES))
def name(request: pytest.FixtureRequest) -> str:
    """Every game in turn."""
    return str(request.param)


def make(name: str) -> Game[Any]:
    """Build a game anew."""
    return registry.make(*GAMES[name])


def joints(game: Game[Any], ticks: int) -> list[tuple[int, ...]]:
    """The same random joint actions every time."""
    dice = Dice(7)
    return [tuple(dice.randrange(len(game.actions)) for _ in range(game.seats)) for _ in range(ticks)]


def states(game: Game[Any], seed: int, starts: str, ticks: int = 40) -> list[Any]:
    """Play at random; return the facts of every tick."""
    game.reset(seed, starts)
    seen = [game.facts()]
    for joint in joints(game, ticks):
        game.step(joint)
        seen.append(game.facts())
    return seen


def walked(game: Game[Any]) -> Iterator[Any]:
    """Facts from both starts."""
    for starts in STARTS:
        yield from states(game, 3, starts)


def played(game: Game[Any], seed: int, starts: str = "varied", steps: int = 60) -> tuple[Scheduler[Any], list[Event]]:
    """A whole episode of random options."""
    names = ["random"] * game.seats
    scheduler = Scheduler(game, registry.library(game), seed=seed, holders=names, steps=steps, starts=starts)
    events: list[Event] = []
    play([Rollout(scheduler, Seats([Holder("random", Random())] * game.seats, Holder("idle", Idle())), events.extend)])
    return scheduler, events


def test_a_reset_is_a_function_of_the_seed(name: str) -> None:
    """Whatever was played before, on this world or another, an episode starts where its seed says."""
    game, other = make(name), make(name)

    for starts in STARTS:
        for seed in (0, 1):
            fresh = states(other, seed, starts, ticks=0)
            assert states(game, seed, starts)[0] == fresh[0]


def test_episodes_of_several_seeds_begin_alike_where_the_start_has_a_seed_of_its_own(name: str) -> None:
    """And as an episode of that seed does."""
    game = make(name)

    for kind in STARTS:
        expected = states(game, 7, kind, ticks=0)
        assert [states(game, seed, f"{kind}:7", ticks=0) for seed in (0, 1, 7)] == [expected] * 3


@pytest.mark.parametrize(
    "starts", ["", "odd", "varied:", "varied:x", "varied:-1", "varied:7:7", f"varied:{2**63}", "varied:\u0663"]
)
def test_a_start_that_is_none_is_refused(name: str, starts: str) -> None:
    """By one sentence that says what there is."""
    with pytest.raises(SettingError, match="standard, varied, scattered"):
        make(name).reset(0, starts)


def test_steps_are_a_function_of_the_start(name: str) -> None:
    """Two worlds that start alike and are moved alike stay alike, and so do their rewards and events."""
    game, other = make(name), make(name)

    for starts in STARTS:
        game.reset(5, starts)
        other.reset(5, starts)
        for joint in joints(game, 60):
            assert game.step(joint) == other.step(joint)
            assert game.facts() == other.facts()


def test_an_episode_is_a_function_of_its_seed_and_runs_again_from_its_trace(name: str) -> None:
    """A world that is used a second time leaves the same events, and so does one that was built from the header."""
    game = make(name)
    _, events = played(game, seed=9)

    _, again = played(game, seed=9)
    header = make_header(game, registry.library(game), seed=9, starts="varied", steps=60, seats=["random"] * game.seats)
    verdict = rerun(Trace(header, tuple(events)))

    assert again == events
    assert verdict.difference is None


def test_facts_are_a_snapshot(name: str) -> None:
    """Options and offers keep them while the world moves on."""
    game = make(name)
    game.reset(3, "varied")
    before = game.facts()
    copy, mark = msgspec.json.encode(before), hash(before)

    for joint in joints(game, 40):
        game.step(joint)

    assert msgspec.json.encode(before) == copy
    assert hash(before) == mark
    assert immutable(before)


def immutable(value: object) -> bool:
    """Whether nothing in it can be changed."""
    if isinstance(value, tuple):
        return all(immutable(part) for part in value)
    if isinstance(value, msgspec.Struct):
        return value.__struct_config__.frozen and all(
            immutable(getattr(value, field)) for field in value.__struct_fields__
        )
    return value is None or type(value) in (bool, int, float, str)


def test_what_a_seat_sees_is_a_function_of_facts_and_seat(name: str) -> None:
    """The same facts look the same at any time, in any world of this game, and looking changes nothing."""
    game, other = make(name), make(name)
    seen = list(walked(game))
    other.reset(0, "standard")
    untouched = other.facts()

    for facts in seen[::7]:
        for seat in range(game.seats):
            view = game.observe(facts, seat)
            assert view == other.observe(facts, seat) == game.observe(facts, seat)
            assert immutable(view)
            assert msgspec.json.encode(view)
            assert np.array_equal(game.array(facts, seat), other.array(facts, seat))
        assert game.picture(facts) == other.picture(facts)
    assert other.facts() == untouched


def test_arrays_are_of_one_shape_and_within_bounds(name: str) -> None:
    """A network is built for them once."""
    game = make(name)

    arrays = [game.array(facts, seat) for facts in walked(game) for seat in range(game.seats)]

    assert len({array.shape for array in arrays}) == 1
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
    assert all(np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1 for array in arrays)


def test_a_spec_is_enough_to_build_the_game_again(name: str) -> None:
    """Through JSON, as in a trace, and with nothing else at hand."""
    game = make(name)

    rebuilt = registry.rebuild(msgspec.json.decode(msgspec.json.encode(game.spec), type=GameSpec))

    assert rebuilt.spec == game.spec
    assert (rebuilt.seats, rebuilt.actions, rebuilt.noop, rebuilt.steps) == (
        game.seats,
        game.actions,
        game.noop,
        game.steps,
    )
    assert states(rebuilt, 4, "varied") == states(game, 4, "varied")


def test_steps_report_in_the_types_of_a_trace(name: str) -> None:
    """Tuples of floats, one a seat, and game events about seats that are there."""
    game = make(name)
    game.reset(2, "varied")

    for joint in joints(game, 80):
        rewards, events = game.step(joint)
        assert type(rewards) is tuple
        assert [type(reward) for reward in rewards] == [float] * game.seats
        assert type(events) is tuple
        assert all(type(event) is GameEvent and -1 <= event.seat < game.seats for event in events)
        assert encode_event(events)


def test_a_joint_action_that_makes_no_sense_is_refused_and_changes_nothing(name: str) -> None:
    """A driver's bug does not become a move."""
    game = make(name)
    game.reset(2, "varied")
    before = game.facts()
    still = (game.noop,) * game.seats
    wrong: list[Sequence[int]] = [
        (),
        still[:-1],
        (*still, game.noop),
        (*still[:-1], -1),
        (*still[:-1], len(game.actions)),
        (len(game.actions), *still[1:]),
    ]

    for joint in wrong:
        with pytest.raises(ValueError, match="joint action"):
            game.step(joint)

    assert game.facts() == before


def test_unknown_starts_are_refused(name: str) -> None:
    """The same two words for every game."""
    with pytest.raises(SettingError, match="starts is 'random', but must be standard, varied, scattered"):
        make(name).reset(0, "random")


def test_a_menu_is_never_empty_and_always_offers_to_wait(name: str) -> None:
    """Waiting is possible in every state, of a stated length, and does nothing."""
    game = make(name)
    library = registry.library(game)
    wait = library.by_name["wait"]
    assert [option.name for option in library.options] == list(library.by_name)

    for facts in list(walked(game))[::5]:
        for seat in range(game.seats):
            entries = [entry for option in library.options for entry in option.instances(facts, seat)]
            keys = [entry.key for entry in entries]
            assert keys.count("wait") == 1
            assert len(set(keys)) == len(keys)
            assert all(entry.option in library.by_name for entry in entries)
            (entry,) = wait.instances(facts, seat)
            plan = wait.expand(entry, facts, seat)
            assert plan
            assert set(plan) == {game.noop}  # type: ignore[arg-type]
            assert str(len(plan)) in entry.words  # type: ignore[arg-type]
            assert wait.effect(entry, facts, facts, seat)


def test_every_option_expands_to_a_plan_or_a_typed_failure_in_every_state(name: str) -> None:
    """Options do not raise, whatever the state, and their plans are actions of the game."""
    game = make(name)
    library = registry.library(game)

    for facts in list(walked(game))[::9]:
        for seat in range(game.seats):
            for option in library.options:
                for entry in option.instances(facts, seat):
                    plan = option.expand(entry, facts, seat)
                    if isinstance(plan, Failure):
                        assert plan.reason.isidentifier()
                    else:
                        assert plan
                        assert all(0 <= action < len(game.actions) for action in plan)


def test_nothing_comes_of_nothing(name: str) -> None:
    """An option whose effect holds between a state and itself would be a success without being done."""
    game = make(name)
    library = registry.library(game)

    for facts in list(walked(game))[::3]:
        for seat in range(game.seats):
            judged = {
                entry.key: option.effect(entry, facts, facts, seat)
                for option in library.options
                for entry in option.instances(facts, seat)
            }
            assert {type(done) for done in judged.values()} == {bool}
            assert [key for key, done in judged.items() if done] == ["wait"]


def test_features_are_places_among_their_values(name: str) -> None:
    """Guards are tables over them: as many as are declared, in that order, and never beyond the last value."""
    game = make(name)
    library = registry.library(game)

    for facts in list(walked(game))[::6]:
        for seat in range(game.seats):
            for option in library.options:
                for entry in option.instances(facts, seat):
                    for features, codes in (
                        (option.reads, option.read(entry, facts, seat)),
                        (option.senses, option.sense(entry, facts, seat)),
                    ):
                        assert len(codes) == len(features)
                        assert all(
                            type(code) is int and 0 <= code < len(feature.values)
                            for code, feature in zip(codes, features, strict=True)
                        )


def test_fixed_options_have_the_same_instances_everywhere(name: str) -> None:
    """They are listed once and for all; those that are not say so."""
    game = make(name)
    library = registry.library(game)
    seen = list(walked(game))[::4]

    for option in library.options:
        found = {tuple(option.instances(facts, seat)) for facts in seen for seat in range(game.seats)}
        assert len(found) == 1 or not option.fixed


def test_every_game_has_words(name: str) -> None:
    """Rules that are the same for every state and seat, lines without breaks, and text of facts and seat alone."""
    game, other = make(name), make(name)
    other.reset(0, "standard")
    rules = (game.words.rules, game.words.brief_rules, game.words.stages)
    assert rules[0]
    assert len(set(rules[2])) == len(rules[2]) > 0
    assert all(re.fullmatch(r"\S+", stage) for stage in rules[2])

    lines = [*rules[0], rules[1]]
    for facts in list(walked(game))[::7]:
        for seat in range(game.seats):
            for told, again in (
                (game.words.full, other.words.full),
                (game.words.brief, other.words.brief),
            ):
                situation = told(facts, seat)
                assert situation == told(facts, seat) == again(facts, seat)
                assert immutable(situation)
                assert len(situation.partners) < game.seats
                lines += [*situation.own, *situation.partners, *situation.world]
        assert (game.words.rules, game.words.brief_rules, game.words.stages) == rules
    assert all(line and line.isprintable() and line == line.strip() for line in lines)


OTHERS = {"overcooked": ("stations", "errands"), "cleanup": ("zap",), "harvest": ("zap",)}
"""Libraries of each kind of game, beside its usual one and its primitive actions."""
LIBRARIES = [
    case
    for name in GAMES
    for library in ("primitives", *OTHERS.get(name.partition(":")[0], ()))
    for case in listed([name], library)
]


@pytest.mark.parametrize(("name", "library"), LIBRARIES)
def test_every_library_of_a_game_can_be_played_and_read(name: str, library: str) -> None:
    """No two lines of a menu are the same, in full, in brief or as an object, and none holds a break."""
    game = make(name)
    options = registry.library(game, library)
    names = ["random"] * game.seats
    scheduler = Scheduler(game, options, seed=4, holders=names, steps=25, starts="varied")
    kept = _Kept()

    play([Rollout(scheduler, Seats([Holder("random", kept)] * game.seats, Holder("idle", Idle())))])

    assert scheduler.now == 25
    assert kept.offers
    for offer in kept.offers:
        entries = offer.menu.entries
        assert "wait" in offer.menu.keys
        for told in (
            {entry.words for entry in entries},
            {entry.key for entry in entries},
            {(entry.option, entry.target) for entry in entries},
        ):
            assert len(told) == len(entries)
        assert all(entry.words.isprintable() and entry.key.isprintable() for entry in entries)


class _Kept:
    """Plays at random and keeps what it was offered."""

    def __init__(self) -> None:
        self.offers: list[Offer] = []
        self._random = Random()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        self.offers += offers
        return self._random.choose_many(offers)


def test_features_have_names_of_their_own(name: str) -> None:
    """A guard finds a feature by its name, and a value by its word."""
    for option in registry.library(make(name)).options:
        features = [*option.reads, *option.senses]
        assert len({feature.name for feature in features}) == len(features)
        assert all(len(set(feature.values)) == len(feature.values) > 1 for feature in features)


def test_seats_stand_on_the_grid(name: str) -> None:
    """Where a game says where seats stand, they stand within it, from the start on."""
    game = make(name)
    if not isinstance(game, Placed):
        return
    width, height = game.size

    game.reset(3, "scattered")

    for joint in joints(game, 40):
        places = game.places(game.facts())
        assert len(places) == game.seats
        assert all(0 <= place[0] < width and 0 <= place[1] < height for place in places if place is not None)
        game.step(joint)
