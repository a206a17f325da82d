"""Burn-in: what is played, and what is recorded.

The file is long: it plays every log a second time, through the scheduler, and alters libraries on the way.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import msgspec
import pytest

from hocket.games import registry
from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import Facts
from hocket.games.wait import Wait
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import EXPLICIT, TIMEOUT, Log, Manifest
from hocket.learners.burn_player import episode_seed
from hocket.learners.guards import synthesize
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import EpisodeError, LogError, SettingError
from hocket.runtime.events import OptionEnded, Stepped
from hocket.runtime.option import Failure, Feature, Instance, Library, Option
from hocket.runtime.scheduler import Scheduler

MAKE_LOG: TypeAlias = Callable[..., Log]
Line: TypeAlias = tuple[int, int, int, str, str, str, tuple[str, ...], tuple[str, ...], int]
"""Episode, start, seat, option, target, outcome, read and sensed features, and ticks."""
OUTCOMES = ("success", "effect_fail", "timeout")


def lines(log: Log) -> Iterator[Line]:
    """The records of a log, in words."""
    for columns in log.chunks():
        names = ("episode", "step", "seat", "option", "target", "outcome", "read", "sense", "ticks")
        for row in zip(*(columns[name].tolist() for name in names), strict=True):
            episode, step, seat, number, target, outcome, read, sense, ticks = row
            option = log.manifest.options[number]
            known = outcome < EXPLICIT
            yield (
                episode,
                step,
                seat,
                option.name,
                str(columns["targets"][target]),
                OUTCOMES[outcome] if known else f"explicit:{columns['reasons'][outcome - EXPLICIT]}",
                tuple(option.read_values()[read].values()),
                tuple(option.sense_values()[sense].values()),
                ticks,
            )


def scheduled(plan: Manifest) -> Iterator[Line]:
    """What the scheduler says of the same choices, which are drawn here a second time."""
    game = registry.rebuild(plan.game)
    library = registry.library(game)
    for episode in range(plan.solo + plan.team):
        seed = episode_seed(plan.seed, episode)
        names = [str(seat) for seat in range(game.seats)]
        scheduler = Scheduler(game, library, seed=seed, holders=names, steps=plan.steps, starts=plan.starts)
        acting = [episode % game.seats] if episode < plan.solo else list(range(game.seats))
        yield from _episode(scheduler, library, Random(episode_seed(seed, episode)).random, acting, episode)


def _episode(
    scheduler: Scheduler[Any], library: Library[Any], chance: Callable[[], float], acting: list[int], episode: int
) -> Iterator[Line]:
    begun: dict[int, tuple[int, Instance, tuple[str, ...], tuple[str, ...]]] = {}
    while scheduler.now < scheduler.steps:
        for offer in scheduler.due():
            if offer.seat not in acting:
                scheduler.lapse(offer.seat, "cancelled")
                continue
            menu = _in_order(offer.menu.entries, library, scheduler.facts(), offer.seat)
            picked = menu[int(chance() * len(menu))]
            option = library.by_name[picked.option]
            read, sense = (
                tuple(feature.values[place] for feature, place in zip(features, places, strict=True))
                for features, places in (
                    (option.reads, option.read(picked, scheduler.facts(), offer.seat)),
                    (option.senses, option.sense(picked, scheduler.facts(), offer.seat)),
                )
            )
            begun[offer.seat] = scheduler.now, picked, read, sense
            scheduler.choose(offer.seat, offer.menu.keys.index(picked.key))
        scheduler.take()
        scheduler.tick()
        for event in scheduler.take():
            if isinstance(event, OptionEnded):
                start, entry, read, sense = begun[event.seat]
                assert event.option == entry.key
                yield (
                    *(episode, start, event.seat, entry.option, entry.key),
                    event.outcome,
                    read,
                    sense,
                    event.ticks,
                )
            else:
                assert isinstance(event, Stepped)


def _in_order(menu: Sequence[Instance], library: Library[Any], facts: Any, seat: int) -> list[Instance]:
    """Put a menu into the order of the library, options with fixed instances first."""
    options = sorted(library.options, key=lambda option: not option.fixed)
    listed = [entry for option in options for entry in option.instances(facts, seat)]
    assert sorted(entry.key for entry in listed) == sorted(entry.key for entry in menu)
    return listed


@pytest.mark.parametrize(
    ("name", "starts"),
    [("pantry", "varied"), ("pantry:roles", "standard"), ("overcooked:cramped_room", "varied"),
     ("overcooked:forced_coordination", "standard"), ("overcooked:forced_coordination", "varied")],
)  # fmt: skip
def test_records_are_those_that_the_scheduler_gives_for_the_same_choices(
    burn: MAKE_LOG, name: str, starts: str
) -> None:
    """Burn-in has a loop of its own, for speed; it may not be a game of its own."""
    log = burn(name, solo=12, team=12, steps=100, starts=starts)

    found = list(lines(log))

    assert found == list(scheduled(log.manifest))
    assert len(found) > 90


class Linger:
    """Stand still until the hatch is open, a full table makes it hopeless, or time is up."""

    name, private, replans, slack, fixed = "linger", True, True, 2, True
    reads = senses = (Feature("hatch", ("shut", "open")),)

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return (int(facts.hatch_open),)

    sense = read

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        return [Instance("linger", None, "linger", "linger")]

    def expand(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...] | Failure:
        if facts.jars == 3:
            return Failure("Hopeless", passing=sum(facts.places[seat]) % 2 == 0)
        return () if facts.hatch_open else (4, 4, 4, 4, 4)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        return after.hatch_open and not before.hatch_open


def test_records_are_those_of_the_scheduler_also_where_a_plan_comes_to_nothing(
    burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option that plans anew may find itself done, hopeless, or held up for a while."""
    options: list[Option[Facts]] = [*default_library().options, Linger()]
    library = Library(name="default", version=1, digest="0" * 16, options=options)
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)
    log = burn(solo=40, team=120)

    found = list(lines(log))

    ends = Counter((line[5], line[8]) for line in found if line[3] == "linger")
    assert found == list(scheduled(log.manifest))
    assert {outcome for outcome, _ in ends} == {"success", "effect_fail", "timeout", "explicit:Hopeless"}
    assert len({ticks for outcome, ticks in ends if outcome == "success"}) > 2
    assert len({ticks for outcome, ticks in ends if outcome == "explicit:Hopeless"}) > 2


def test_solo_episodes_have_one_acting_seat_in_turn(burn: MAKE_LOG) -> None:
    """Team episodes come after them, and every seat acts."""
    log = burn(solo=7, team=5)

    seats: dict[int, set[int]] = {}
    for line in lines(log):
        seats.setdefault(line[0], set()).add(line[2])
    assert [seats[episode] for episode in range(7)] == [{episode % 2} for episode in range(7)]
    assert [seats[episode] for episode in range(7, 12)] == [{0, 1}] * 5


def test_what_the_end_cuts_off_is_not_there(burn: MAKE_LOG) -> None:
    """The other records are those of a longer episode."""
    short, long = (list(lines(burn(solo=20, team=20, steps=steps))) for steps in (30, 60))

    assert short == [line for line in long if line[1] + line[8] <= 30]
    assert any(line[1] < 30 < line[1] + line[8] for line in long)


def test_episodes_in_which_nothing_ends_leave_a_whole_log(burn: MAKE_LOG) -> None:
    """The shortest log there is; no guard comes of it."""
    log = burn(solo=1, team=0, steps=1)

    assert list(lines(log)) == []
    assert synthesize(log).guards == ()


def test_timeouts_are_recorded_as_such(burn: MAKE_LOG) -> None:
    """Two cooks in each other's way; neither success nor failure."""
    log = burn("overcooked:cramped_room", solo=0, team=30, steps=150)

    found = Counter(int(code) for columns in log.chunks() for code in columns["outcome"])
    assert found[TIMEOUT] > 0
    assert {line[5] for line in lines(log)} >= {"timeout", "success", "effect_fail", "explicit:NoPath"}


class Once:
    """Fetching, which is on the menu of empty hands only."""

    name, private, replans, slack, fixed = "fetch", True, False, 0, False

    def __init__(self, fetch: Option[Facts]) -> None:
        self.reads, self.senses = fetch.reads, fetch.senses
        self.read, self.sense, self.expand, self.effect = fetch.read, fetch.sense, fetch.expand, fetch.effect
        self._fetch = fetch

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        return () if facts.held[seat] else self._fetch.instances(facts, seat)


def test_forced_choices_are_not_counted(burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever holds a jar can do nothing but wait, and decides nothing."""
    pantry = default_library()
    options: list[Option[Facts]] = [pantry.by_name["wait"], Once(pantry.by_name["fetch"])]
    library = Library(name="default", version=1, digest="0" * 16, options=options)
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)

    log = burn(solo=40, team=40, steps=60)

    found: dict[tuple[int, int], list[Line]] = {}
    for line in lines(log):
        found.setdefault((line[0], line[2]), []).append(line)
    assert len(found) > 40
    for of_seat in found.values():
        assert [line[5] for line in of_seat if line[3] == "fetch"] in ([], ["success"])
        assert all(line[3] == "wait" for line in of_seat[:-1])


def test_a_game_without_decisions_leaves_a_log_without_records(burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every menu is of one."""
    library: Library[Facts] = Library(name="default", version=1, digest="0" * 16, options=[Wait(4, 2)])
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)

    log = burn(solo=2, team=2)

    assert list(lines(log)) == []


def test_the_narrow_policy_is_narrow(burn: MAKE_LOG) -> None:
    """One option nearly always, another seed another one; from one start, few guards come of it."""
    narrow, uniform = (
        burn("overcooked:cramped_room", solo=100, team=100, starts="standard", policy=policy)
        for policy in ("narrow", "uniform")
    )
    others = [burn(solo=20, team=20, policy="narrow", seed=seed) for seed in range(8)]

    share = {
        log.manifest.policy: Counter(line[4] for line in lines(log)).most_common(1)[0][1] / sum(1 for _ in lines(log))
        for log in (narrow, uniform)
    }
    favourites = {Counter(line[4] for line in lines(log)).most_common(1)[0][0] for log in others}
    assert share["narrow"] > 0.8
    assert share["uniform"] < 0.2
    assert len(favourites) > 2
    assert len(synthesize(narrow).guards) < len(synthesize(uniform).guards) / 2


def make_plan(**changed: Any) -> Manifest:
    """A manifest of the pantry."""
    game = registry.make("pantry")
    fields: dict[str, Any] = {
        "seed": 1,
        "solo": 1,
        "team": 1,
        "steps": 20,
        "starts": "varied",
        "policy": "uniform",
    } | changed
    return manifest(game, registry.library(game), **fields)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"solo": 0, "team": 0}, "episodes is '0 solo, 0 team', but must be 0 or more each, and one at least"),
        ({"solo": -1}, "episodes is '-1 solo, 1 team', but must be"),
        ({"team": 2**32}, "episodes is 4294967297, but must be 10,000,000 at most"),
        ({"steps": 0}, "steps is 0, but must be 1 to 65,535"),
        ({"steps": 65_536}, "steps is 65536, but must be 1 to 65,535"),
        ({"policy": "greedy"}, "policy is 'greedy', but must be uniform or narrow"),
        ({"starts": "odd"}, "starts is 'odd', but must be standard, varied, scattered"),
        ({"seed": -1}, "seed is -1, but must be an integer of 0 or more"),
        ({"seed": 2**63}, "seed is 9223372036854775808, but must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changed: dict[str, Any], sentence: str) -> None:
    """Before anything is written."""
    with pytest.raises(SettingError, match=sentence):
        make_plan(**changed)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_log_of_another_version_of_the_library_is_not_gone_on_with(tmp_path: Path, jobs: int) -> None:
    """Half of it would be of one, half of the other; the sentence is the same from another process."""
    plan = make_plan(solo=300)
    old = msgspec.structs.replace(plan, library=LibraryMark("default", 0, "0" * 16))

    with pytest.raises(LogError, match=r"was played with the library 'default' version 0 \(0{16}\), but installed is"):
        burn_in(Log.begin(tmp_path, old), jobs=jobs)


class Wide:
    """Fetching, at more targets than a log can number."""

    name, private, replans, slack, fixed = "fetch", True, False, 0, False
    senses: tuple[Feature, ...] = ()

    def __init__(self, features: tuple[Feature, ...]) -> None:
        self.reads = features
        self._number = 0

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return tuple(len(feature.values) - 1 for feature in self.reads)

    def sense(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return ()

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        self._number += 1
        return [Instance("fetch", None, "", f"fetch@{self._number}")]

    def expand(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return (5,)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        return True


def test_numbers_that_a_log_cannot_hold_are_refused(burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would come back as others: 65,536 as 0."""
    wide = tuple(Feature(str(number), tuple(map(str, range(41)))) for number in range(3))
    library: Library[Facts] = Library(name="default", version=1, digest="0" * 16, options=[Wait(4, 2), Wide(wide)])
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)

    with pytest.raises(SettingError, match="read of a record is 68920, but must be 65,535 at most"):
        burn(solo=2, team=2)


@pytest.mark.slow
def test_targets_that_a_log_cannot_number_are_refused(burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk numbers its own; a kitchen of thousands of counters may have too many."""
    library: Library[Facts] = Library(name="default", version=1, digest="0" * 16, options=[Wait(4, 2), Wide(())])
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)

    with pytest.raises(SettingError, match=r"target of a record is \d+, but must be 65,535 at most"):
        burn(solo=200, team=0, steps=1200)


def test_an_option_that_fails_ends_the_burn_in(burn: MAKE_LOG, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is the library's, and is said to be."""

    class Cursed(Wide):
        def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
            raise ZeroDivisionError("salt")

    library: Library[Facts] = Library(name="default", version=1, digest="0" * 16, options=[Wait(4, 2), Cursed(())])
    monkeypatch.setattr(registry, "library", lambda game, name="default": library)

    with pytest.raises(EpisodeError, match="the game or option library failed in episode 0: ZeroDivisionError: salt"):
        burn(solo=2, team=2)


def test_columns_are_as_long_as_the_game_was_played(burn: MAKE_LOG) -> None:
    """In solo play, a seat's options follow one another without a gap."""
    log = burn(solo=30, team=0)

    for columns in log.chunks():
        for episode in range(30):
            rows = columns["episode"] == episode
            starts = columns["step"][rows].astype(int)
            assert (starts[1:] == (starts + columns["ticks"][rows])[:-1]).all()
            assert starts[0] == 0


def test_an_episode_is_a_function_of_seed_and_number(burn: MAKE_LOG) -> None:
    """Whatever was played before it, and however many come after."""
    few, many = burn(solo=50, team=0), burn(solo=150, team=0)

    assert list(lines(few)) == [line for line in lines(many) if line[0] < 50]
    assert list(lines(few)) != list(lines(burn(solo=50, team=0, seed=2)))
