"""Broken contracts: each family of the paper is built, found and named; sound ones raise nothing."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec
import pytest

from hocket.games import registry
from hocket.games.overcooked.items import ONION
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.pantry.rules import Facts
from hocket.learners.burn_log import Log
from hocket.learners.defects import ENOUGH, MANY_FAILURES, Defect, diagnose
from hocket.learners.guards import synthesize
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import LogError
from hocket.runtime.option import Feature, Instance, Library, Option

MAKE_LOG: TypeAlias = Callable[..., Log]
Break: TypeAlias = Callable[[Callable[[Any, Option[Any]], Option[Any]]], None]
KITCHEN = "overcooked:asymmetric_advantages"


class Altered:
    """An option with one part of its contract replaced."""

    def __init__(self, option: Option[Any], **parts: Any) -> None:
        self.name, self.private, self.replans = option.name, option.private, option.replans
        self.slack, self.fixed = option.slack, option.fixed
        self.reads, self.senses = option.reads, option.senses
        self.read, self.sense, self.expand = option.read, option.sense, option.expand
        self.instances, self.effect = option.instances, option.effect
        for part, changed in parts.items():
            assert hasattr(self, part)
            setattr(self, part, changed)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Install a library in which some options are altered; its digest says so."""
    sound = registry.library

    def install(alter: Callable[[Any, Option[Any]], Option[Any]]) -> None:
        def library(game: Any, name: str = "default") -> Library[Any]:
            options = [alter(game, option) for option in sound(game, name).options]
            return Library(name=name, version=1, digest="badc0de0badc0de0", options=options)

        monkeypatch.setattr(registry, "library", library)

    return install


def named(found: Sequence[Defect]) -> list[tuple[str, str, str]]:
    """Kind, option and part of each finding."""
    return [(each.kind, each.option, each.part) for each in found]


def absolute(game: Any, option: Option[Any]) -> Option[Any]:
    """Defect 1: an onion is held after it, whatever was held before."""

    def effect(instance: Instance, before: tuple[int, ...], after: tuple[int, ...], seat: int) -> bool:
        return after[3 + 3 * seat] == ONION

    return Altered(option, effect=effect) if option.name == "pick_onion" else option


def shared(game: Any, option: Option[Any]) -> Option[Any]:
    """Defect 2: there is more in the pot, whoever put it there."""
    kitchen: Kitchen = game.kitchen

    def effect(instance: Instance, before: tuple[int, ...], after: tuple[int, ...], seat: int) -> bool:
        assert instance.target is not None
        slot = kitchen.tables.slots[instance.target[1] * kitchen.width + instance.target[0]]
        return after[slot] > before[slot]

    return Altered(option, effect=effect) if option.name == "place_in_pot" else option


def nearest(game: Any, option: Option[Any]) -> Option[Any]:
    """Defect 3: soups go to the one window that is nearest to a pot, as the crow flies."""
    pots: tuple[tuple[int, int], ...] = game.landmarks()["pots"]

    def distance(entry: Instance) -> int:
        assert entry.target is not None
        x, y = entry.target
        return min(abs(x - pot_x) + abs(y - pot_y) for pot_x, pot_y in pots)

    def instances(facts: tuple[int, ...], seat: int) -> Sequence[Instance]:
        return [min(option.instances(facts, seat), key=distance)]

    return Altered(option, instances=instances) if option.name == "deliver" else option


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("pantry", "default"),
        ("pantry:roles", "default"),
        (KITCHEN, "default"),
        ("overcooked:cramped_room", "default"),
        ("overcooked:forced_coordination", "default"),
        ("overcooked:forced_coordination", "stations"),
        ("overcooked:forced_coordination", "errands"),
    ],
)
def test_a_sound_library_raises_nothing(burn: MAKE_LOG, name: str, library: str) -> None:
    """A finding is worth something only if there is none without a fault."""
    assert diagnose(burn(name, library=library, solo=200, team=200, steps=100)) == []


@pytest.mark.parametrize("name", ["pantry", KITCHEN])
def test_a_sound_library_raises_nothing_on_a_log_of_a_moment(burn: MAKE_LOG, name: str) -> None:
    """Too few records say nothing, rather than something wrong."""
    for seed in range(5):
        assert diagnose(burn(name, solo=1, team=1, steps=10, seed=seed)) == []


def test_an_effect_in_absolute_form_is_found(burn: MAKE_LOG, broken: Break) -> None:
    """A cook that holds an onion and picks one up does nothing, and is told that it succeeded."""
    broken(absolute)

    log = burn(KITCHEN, solo=60, team=60, steps=100)
    found = diagnose(log)

    assert named(found) == [("no private change", "pick_onion", "effect")]
    assert "solo successes changed nothing of the seat's own" in found[0].problem
    assert "before != X and after == X" in found[0].problem
    assert {(record.features["held"], record.outcome) for record in found[0].records} == {("onion", "success")}


def test_the_guard_that_a_defect_vetoed_comes_with_its_repair(
    burn: MAKE_LOG, broken: Break, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop closes: pick_onion hidden while an onion is held."""
    with monkeypatch.context():
        broken(absolute)
        before = synthesize(burn(KITCHEN, solo=60, team=60, steps=100))
    monkeypatch.undo()
    after = synthesize(burn(KITCHEN, solo=60, team=60, steps=100))

    words = "pick_onion where held is onion"
    assert words not in [guard.words() for guard in before.guards]
    assert words in [guard.words() for guard in after.guards]


def test_an_effect_that_a_partner_brings_about_is_found(burn: MAKE_LOG, broken: Break) -> None:
    """A partner's onion in the same pot is taken for one's own."""
    broken(shared)

    found = diagnose(burn(KITCHEN, solo=60, team=200, steps=150))

    assert named(found) == [("no private change", "place_in_pot", "effect")]
    assert "team successes changed nothing of the seat's own, and no solo one did: a partner" in found[0].problem
    assert "bind the effect to a private change" in found[0].problem
    assert not any(record.solo for record in found[0].records)


def test_an_effect_that_a_partner_brings_about_is_found_in_any_game(burn: MAKE_LOG, broken: Break) -> None:
    """There are more jars on the table, whoever put them there."""

    def jars_rose(instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        return after.jars > before.jars

    broken(lambda game, option: Altered(option, effect=jars_rose) if option.name == "hand_over" else option)

    found = diagnose(burn(solo=200, team=200))

    assert named(found) == [("no private change", "hand_over", "effect")]
    assert "a partner brought them about" in found[0].problem


def test_an_option_that_is_aimed_at_the_nearest_target_only_is_found(burn: MAKE_LOG, broken: Break) -> None:
    """The window nearest to the pots lies in the other half, so one cook never delivers anything."""
    broken(nearest)

    found = diagnose(burn(KITCHEN, solo=60, team=60, steps=100))

    assert named(found) == [("always fails", "deliver", "instances")]
    assert "executions by seat 0 failed explicitly at deliver@3,1" in found[0].problem
    assert "deliver@8,1 can be reached and is never instantiated" in found[0].problem
    assert {(record.seat, record.outcome) for record in found[0].records} == {(0, "explicit:NoPath")}


def test_an_option_that_cannot_be_reached_by_a_seat_is_no_defect(burn: MAKE_LOG) -> None:
    """On forced_coordination, one cook has no window and the other no onions."""
    log = burn("overcooked:forced_coordination", solo=100, team=0, steps=100)
    columns = log.read(0)
    deliver = [option.name for option in log.manifest.options].index("deliver")
    of_seat = {seat: columns["outcome"][(columns["option"] == deliver) & (columns["seat"] == seat)] for seat in (0, 1)}

    assert any((codes >= 3).all() and len(codes) >= ENOUGH for codes in of_seat.values())
    assert [each for each in diagnose(log) if each.kind == "always fails"] == []


def test_three_defects_at_once_are_three_findings(burn: MAKE_LOG, broken: Break) -> None:
    """None hides another."""
    broken(lambda game, option: nearest(game, shared(game, absolute(game, option))))

    found = diagnose(burn(KITCHEN, solo=60, team=200, steps=150))

    assert sorted(named(found)) == [
        ("always fails", "deliver", "instances"),
        ("no private change", "pick_onion", "effect"),
        ("no private change", "place_in_pot", "effect"),
    ]


def test_an_option_that_is_never_on_a_menu_is_found(burn: MAKE_LOG, broken: Break) -> None:
    """It has no targets, so nobody can start it."""
    broken(lambda game, option: Altered(option, instances=lambda *_: ()) if option.name == "take" else option)

    assert named(diagnose(burn(solo=30, team=30))) == [("never tried", "take", "instances")]


def test_a_feature_that_never_varies_is_found(burn: MAKE_LOG, broken: Break) -> None:
    """No guard can tell by it."""
    moon = Feature("moon", ("new", "full"))

    def under_the_moon(game: Any, option: Option[Any]) -> Option[Any]:
        def read(instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
            return (*option.read(instance, facts, seat), 1)

        return Altered(option, reads=(*option.reads, moon), read=read) if option.name == "fetch" else option

    broken(under_the_moon)

    found = diagnose(burn(solo=30, team=30))

    assert named(found) == [("never varies", "fetch", "reads")]
    assert found[0].problem == "moon was full in every record, so no guard can tell by it"


@pytest.mark.parametrize(
    ("failures", "successes", "episode", "odd"),
    [
        (MANY_FAILURES, 1, 17, True),
        (MANY_FAILURES - 1, 1, 17, False),
        (MANY_FAILURES, 2, 17, False),
        (MANY_FAILURES, 1, 117, False),
    ],
)
def test_a_guard_that_one_odd_solo_success_vetoed_is_found(
    plant: MAKE_LOG, failures: int, successes: int, episode: int, odd: bool
) -> None:
    """With the record; a team success may have been a partner's help, and two are no accident."""
    fails = [(0, "fetch", {"held": "jar"}, "effect_fail")] * failures
    vetoes = [(episode, "fetch", {"held": "jar"}, "success")] * successes
    found = [each for each in diagnose(plant(fails + vetoes)) if each.kind == "vetoed"]

    assert named(found) == ([("vetoed", "fetch", "effect")] if odd else [])
    if odd:
        [record] = found[0].records
        assert (record.episode, record.outcome, record.features["held"]) == (17, "success", "jar")
        assert f"hiding it where held is jar would explain {MANY_FAILURES} failures" in found[0].problem


def test_a_log_of_another_version_of_the_library_is_refused(burn: MAKE_LOG) -> None:
    """Its options are asked about targets, and must be those of the log."""
    log = burn(solo=2, team=2)
    log.manifest = msgspec.structs.replace(log.manifest, library=LibraryMark("default", 0, "0" * 16))

    with pytest.raises(LogError, match="was played with the library 'default' version 0"):
        diagnose(log)


def test_a_log_that_is_not_whole_is_refused(burn: MAKE_LOG) -> None:
    """What is never there may stand in what is missing."""
    log = burn(solo=250, team=0, steps=20)
    (log.path / "chunk-00001.npz").unlink()

    with pytest.raises(LogError, match="is not whole"):
        diagnose(log)
