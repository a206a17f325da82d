"""Melting Pot worlds as games: settings, starts, steps, events, pictures."""

from collections.abc import Mapping
from itertools import pairwise

import msgspec
import pytest
from tests.games.meltingpot.processes import children, hosts, needs_proc, resident
from tests.games.meltingpot.worlds import joints, needs_substrates, order, world

from hocket.games import registry
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.sources import digest, substrates
from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.errors import SettingError, SubstratesError, UnknownNameError, UsageError, WorldError
from hocket.runtime.events import GameEvent
from hocket.runtime.game import GameSpec

GAMES = ("cleanup", "harvest:open", "harvest:closed", "harvest:partnership", "harvest:no_thinning")
DIRTY = 79
"""River sites that are dirty at the substrate's own start, of 147."""
BAD: Mapping[str, tuple[str, Mapping[str, object], type[UsageError], str]] = {
    "one seat": ("cleanup", {"seats": 1}, SettingError, "seats is 1, but must be 2 to 12"),
    "too many seats": ("harvest:open", {"seats": 13}, SettingError, "seats is 13, but must be 2 to 12"),
    "a truth for a number": ("cleanup", {"seats": True}, SettingError, "seats is True, but must be 2 to 12"),
    "half a seat": ("cleanup", {"seats": 7.0}, SettingError, "seats is 7.0, but must be 2 to 12"),
    "targets nowhere": (
        "cleanup",
        {"targets": "moon"},
        SettingError,
        "targets is 'moon', but must be view or world",
    ),
    "targets that are none": (
        "cleanup",
        {"targets": ["view"]},
        SettingError,
        "targets is ['view'], but must be view or world",
    ),
    "no targets": ("cleanup", {"nearest": 0}, SettingError, "nearest is 0, but must be 1 to 8"),
    "too many targets": ("harvest:open", {"nearest": 9}, SettingError, "nearest is 9, but must be 1 to 8"),
    "more than sure": (
        "harvest:no_thinning",
        {"regrowth": 2},
        SettingError,
        "regrowth is 2, but must be a chance of 0 to 1",
    ),
    "less than never": (
        "harvest:no_thinning",
        {"regrowth": -0.1},
        SettingError,
        "regrowth is -0.1, but must be a chance of 0 to 1",
    ),
    "no number": (
        "harvest:no_thinning",
        {"regrowth": float("nan")},
        SettingError,
        "regrowth is nan, but must be a chance of 0 to 1",
    ),
    "a chance in words": (
        "harvest:no_thinning",
        {"regrowth": "high"},
        SettingError,
        "regrowth is 'high', but must be a chance of 0 to 1",
    ),
    "a setting of another substrate": (
        "harvest:open",
        {"regrowth": 0.1},
        UnknownNameError,
        "there is no setting of harvest:open 'regrowth' (known: nearest, seats, targets)",
    ),
    "a misspelt setting": (
        "cleanup",
        {"seat": 7},
        UnknownNameError,
        "there is no setting of cleanup 'seat' (nearest: seats, nearest)",
    ),
    "a setting of the spec's own": (
        "cleanup",
        {"map": []},
        UnknownNameError,
        "there is no setting of cleanup 'map' (known: nearest, seats, targets)",
    ),
    "a misspelt substrate": (
        "harvest:opne",
        {},
        UnknownNameError,
        "there is no variant of harvest 'opne' (nearest: open)",
    ),
    "a substrate of neither": (
        "harvest:tropical",
        {},
        UnknownNameError,
        "there is no variant of harvest 'tropical' (known: closed, no_thinning, open, partnership)",
    ),
    "a family for a substrate": (
        "harvest",
        {},
        SettingError,
        "game is 'harvest', but must be harvest:NAME, one of open, closed, partnership, no_thinning",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_is_one_sentence(case: str) -> None:
    """Which setting, which value, what would be right; or the nearest name. Nothing needs to be installed for that."""
    name, settings, kind, sentence = BAD[case]

    with pytest.raises(kind) as refused:
        registry.make(name, settings)

    assert str(refused.value) == sentence


@needs_substrates
@pytest.mark.parametrize("name", GAMES)
def test_a_world_is_what_its_name_and_settings_say(name: str) -> None:
    """Lengths and seats are the usual ones; the beam that cleans is on hand where there is something to clean."""
    game, small = world(name), world(name, seats=3, nearest=2, targets="world")
    cleanup = name == "cleanup"

    assert (game.seats, game.steps, small.seats) == (7, 150 if cleanup else 400, 3)
    assert game.actions == (*small.actions[:7], "fire_zap", *(["fire_clean"] if cleanup else []))
    assert game.actions[game.noop] == "noop"
    assert (game.spec.kind, game.spec.name) == (name.partition(":")[0], name)
    assert {"seats": 7, "nearest": 8, "targets": "view"}.items() <= game.spec.settings.items()
    assert {"seats": 3, "nearest": 2, "targets": "world"}.items() <= small.spec.settings.items()
    assert (game.spec.settings.get("regrowth") == 0.025) == (name == "harvest:no_thinning")


@needs_substrates
def test_a_trace_names_the_substrates_that_it_was_played_on() -> None:
    """Another version of them, or other files, may play otherwise: that is said in place of a difference at tick 40."""
    spec = world().spec
    other = GameSpec(spec.kind, spec.name, spec.settings | {"version": "2.3.0", "digest": "0123456789abcdef"})

    with pytest.raises(SubstratesError) as refused:
        registry.rebuild(other)

    assert str(refused.value) == (
        "the Melting Pot substrates were of version 2.3.0 (0123456789abcdef) when this was recorded, but installed is "
        f"version 2.4.1 ({digest(substrates())})"
    )
    assert registry.rebuild(msgspec.json.decode(msgspec.json.encode(spec), type=GameSpec)).spec == spec


@needs_substrates
def test_there_are_two_libraries() -> None:
    """The second has the beam that takes others out of the game."""
    for name in ("cleanup", "harvest:open"):
        game = world(name)

        usual, zapping = (
            [option.name for option in registry.library(game, each).options] for each in ("default", "zap")
        )
        with pytest.raises(UnknownNameError) as refused:
            registry.library(game, "zip")

        assert zapping == [*usual, "zap"]
        assert str(refused.value) == "there is no option library 'zip' (nearest: zap)"


@needs_substrates
def test_no_step_before_an_episode_has_begun() -> None:
    """A world that stands still says so; its facts are those of an empty one."""
    game = world()

    for ask in (lambda: game.step((0,) * 7), game.rgb):
        with pytest.raises(WorldError) as refused:
            ask()
        assert str(refused.value) == "the Melting Pot world: no episode has begun"

    assert game.facts() == Facts(*[(OUT,) * 7, *[(0,) * 7] * 3, (), (), *[(0,) * 7] * 3])
    assert game.observe(game.facts(), 3).place is None
    game.close()


@needs_substrates
def test_no_step_after_a_world_was_closed() -> None:
    """Its process has ended, on purpose; a reset begins in another."""
    game = world()
    game.reset(1, "standard")

    game.close()
    game.close()

    with pytest.raises(WorldError, match="no episode has begun"):
        game.step((0,) * 7)
    game.reset(1, "standard")
    game.step((0,) * 7)


@needs_substrates
@pytest.mark.parametrize("name", ["cleanup", "harvest:open"])
def test_a_joint_action_that_is_none_leaves_the_world_as_it_was(name: str) -> None:
    """In dmlab2d it would end the process; the episode goes on as if it had never been asked."""
    game, other = world(name), world(name)
    game.reset(3, "standard")
    other.reset(3, "standard")
    last = len(game.actions) - 1

    for joint in joints(game, 30):
        for wrong in ((), (0,) * 6, (0,) * 8, (*joint[:6], last + 1), (-1, *joint[1:]), (255,) * 7):
            with pytest.raises(ValueError, match=r"is no joint action of 7 seats"):
                game.step(wrong)
        assert game.step(joint) == other.step(joint)
        assert game.facts() == other.facts()


@needs_substrates
@pytest.mark.parametrize("name", GAMES)
def test_the_standard_start_is_the_substrates_own(name: str) -> None:
    """Everybody in the game on a place of its own, beams ready; only places and headings are drawn."""
    game, seen = world(name), []
    for seed in range(8):
        game.reset(seed, "standard")
        seen.append(game.facts())

    nothing = (0,) * 7
    for facts in seen:
        assert len(set(facts.places)) == 7
        assert set(facts.places) <= set(game.terrain.floor)
        assert {facts.zap_wait, facts.clean_wait, facts.eaten, facts.cleaned, facts.zapped} == {nothing}
        assert facts.apples == (() if name == "cleanup" else game.terrain.apple_sites)
        assert len(facts.dirt) == (DIRTY if name == "cleanup" else 0)
    assert len({facts.dirt for facts in seen}) == 1
    assert len({facts.places for facts in seen}) == 8
    assert len({heading for facts in seen for heading in facts.headings}) == 4


@needs_substrates
@pytest.mark.parametrize("name", ["cleanup", "harvest:no_thinning"])
def test_a_varied_start_has_any_share_of_apples_and_dirt(name: str) -> None:
    """From nearly none to nearly all, so that states which take long to come about by play are met."""
    game, seen = world(name), []
    for seed in range(40):
        game.reset(seed, "varied")
        seen.append(game.facts())

    for sites, found in (
        (game.terrain.apple_sites, [facts.apples for facts in seen]),
        (game.terrain.dirt_sites, [facts.dirt for facts in seen]),
    ):
        assert all(set(cells) <= set(sites) for cells in found)
        if sites:
            shares = sorted(len(cells) / len(sites) for cells in found)
            assert shares[0] < 0.1
            assert shares[-1] > 0.9
            assert max(after - before for before, after in pairwise(shares)) < 0.25


@needs_substrates
@pytest.mark.parametrize("seed", [5256, 14352])
def test_a_share_of_next_to_nothing_is_a_start_too(seed: int) -> None:
    """A number below one in ten thousand is written with an exponent, which the level has to read."""
    game = world("cleanup", seats=2)

    game.reset(seed, "varied")

    assert min(len(game.facts().apples), len(game.facts().dirt)) == 0


@needs_substrates
def test_seeds_of_start_and_play_are_two() -> None:
    """Episodes of several seeds that begin alike go on differently."""
    game = world()
    begun, gone = [], []
    for seed in (1, 2):
        game.reset(seed, "varied:7")
        begun.append(game.facts())
        for _ in range(60):
            game.step((0,) * 7)
        gone.append(game.facts())

    assert begun[0] == begun[1]
    assert gone[0] != gone[1]


def episode(name: str, starts: str, steps: int) -> tuple[MeltingPot, list[Facts], list[tuple[GameEvent, ...]]]:
    """Play at random; return the facts of every tick, and the events between them."""
    game = world(name)
    game.reset(5, starts)
    seen, told = [game.facts()], []
    for joint in joints(game, steps):
        _, events = game.step(joint)
        seen.append(game.facts())
        told.append(events)
    return game, seen, told


@needs_substrates
@pytest.mark.parametrize(("name", "starts"), [("cleanup", "varied:8"), ("harvest:open", "standard")])
def test_events_tell_what_has_changed(name: str, starts: str) -> None:
    """Each apple that is eaten, each dirt that is cleaned, each zap, with seat and place: recounted from facts."""
    game, seen, told = episode(name, starts, 400)
    kinds = {"ate": "eaten", "cleaned": "cleaned", "zapped": "zapped"}
    sites = {"ate": game.terrain.apple_sites, "cleaned": game.terrain.dirt_sites, "zapped": game.terrain.floor}

    for (before, after), events in zip(pairwise(seen), told, strict=True):
        for kind, count in kinds.items():
            found = [event for event in events if event.kind == kind]
            more = [now - was for was, now in zip(getattr(before, count), getattr(after, count), strict=True)]
            assert [sum(event.seat == seat for event in found) for seat in range(7)] == more
            assert all(event.at and game.terrain.cell(event.at) in sites[kind] for event in found)
    every = {event.kind for events in told for event in events}
    assert every == ({"ate", "cleaned", "zapped", "dirt"} if name == "cleanup" else {"ate", "zapped", "apples"})


@needs_substrates
def test_who_was_zapped_is_named() -> None:
    """And is out of the game from that step on."""
    _, seen, told = episode("harvest:open", "standard", 400)
    zaps = [
        (after, event)
        for after, events in zip(seen[1:], told, strict=True)
        for event in events
        if event.kind == "zapped"
    ]

    assert zaps
    assert all(after.places[int(event.what.removeprefix("seat "))] == OUT for after, event in zaps)
    assert all(event.what != f"seat {event.seat}" for _, event in zaps)


@needs_substrates
def test_an_eaten_apple_is_told_with_its_patch() -> None:
    """In Commons Harvest, where the fate of a patch is what it is about."""
    game, _, told = episode("harvest:open", "standard", 200)
    eaten = [event for events in told for event in events if event.kind == "ate"]

    assert eaten
    for event in eaten:
        assert event.at is not None
        assert game.terrain.cell(event.at) in game.terrain.patches[int(event.what.removeprefix("patch "))]
        assert event.amount == 1


@needs_substrates
def test_the_river_is_told_whenever_it_has_changed() -> None:
    """As the share of its sites that is dirty, by which apples grow."""
    game, seen, told = episode("cleanup", "standard", 300)
    sites = len(game.terrain.dirt_sites)

    shares = [[event.amount for event in events if event.kind == "dirt"] for events in told]

    assert shares == [
        [len(after.dirt) / sites] if len(after.dirt) != len(before.dirt) else [] for before, after in pairwise(seen)
    ]
    assert sum(map(len, shares)) > 100


@needs_substrates
def test_a_patch_is_told_whenever_it_has_changed() -> None:
    """With its middle and the apples that are left, down to none."""
    game, seen, told = episode("harvest:open", "standard", 300)
    terrain = game.terrain

    for (before, after), events in zip(pairwise(seen), told, strict=True):
        live = {(event.what, event.at): event.amount for event in events if event.kind == "apples"}
        counts = {
            (f"patch {number}", terrain.place(terrain.centres[number])): [
                len(set(facts.apples) & set(patch)) for facts in (before, after)
            ]
            for number, patch in enumerate(terrain.patches)
        }
        assert live == {key: now for key, (was, now) in counts.items() if was != now}


@needs_substrates
@pytest.mark.parametrize(("name", "cells"), [("cleanup", (21, 30)), ("harvest:open", (18, 24))])
def test_the_substrates_own_picture_can_be_had(name: str, cells: tuple[int, int]) -> None:
    """Eight pixels a cell; it is of this moment, and looking changes nothing."""
    game, other = world(name), world(name)
    game.reset(2, "standard")
    other.reset(2, "standard")

    first, again = game.rgb(), game.rgb()
    for joint in joints(game, 5):
        assert game.step(joint) == other.step(joint)
    later = game.rgb()

    assert first.shape == (8 * cells[0], 8 * cells[1], 3)
    assert first.dtype == "uint8"
    assert len(set(map(bytes, first.reshape(-1, 3)))) > 8
    assert (first == again).all()
    assert (first != later).any()
    assert game.facts() == other.facts()


@needs_substrates
def test_landmarks_are_where_things_can_be() -> None:
    """Whoever aims an option by place aims at one of these."""
    cleanup, harvest = world("cleanup"), world("harvest:open")

    assert {name: len(places) for name, places in cleanup.landmarks().items()} == {"apples": 122, "dirt": 147}
    assert {name: len(places) for name, places in harvest.landmarks().items()} == {"apples": 64, "patches": 6}
    for game in (cleanup, harvest):
        game.reset(4, "varied")
        library, facts = registry.library(game, "zap"), game.facts()
        aimed = {
            entry.target for option in library.options for seat in range(7) for entry in option.instances(facts, seat)
        }
        assert aimed - {None} <= {place for places in game.landmarks().values() for place in places}


@needs_proc
@needs_substrates
def test_two_hundred_episodes_leave_nothing_behind() -> None:
    """A copy ends when the next one begins, and its host stays as it is."""
    game = world("cleanup", seats=2)
    game.reset(0, "standard")
    (host,) = hosts(order(game))
    sizes = []

    for seed in range(201):
        game.reset(seed, "standard")
        game.step((1, 1))
        if seed % 100 == 0:
            sizes.append(resident(host))
            assert len(children(host)) <= 3

    game.close()
    assert hosts(order(game)) == [host]
    assert sizes[2] - sizes[1] < 2**20
