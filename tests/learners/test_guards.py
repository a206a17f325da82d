"""Synthesis: which guards come out of which records, and which never may.

The file is long, since every rule of synthesis has its records written out.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import FLOOR, ROOM_ON_TABLE, Facts
from hocket.learners.burn_log import Log
from hocket.learners.guard_file import GuardFile
from hocket.learners.guards import conjunctions, synthesize
from hocket.runtime.errors import LogError, SettingError
from hocket.runtime.guard import REASON, Guard, GuardSet
from hocket.runtime.menu import Menus
from hocket.runtime.seed import Streams

MAKE_LOG: TypeAlias = Callable[..., Log]
Row: TypeAlias = tuple[int, str, dict[str, str], str]
SOLO, TEAM = 0, 100
"""An episode of each class in a planted log."""
EMPTY, JAR = {"held": "nothing"}, {"held": "jar"}
LIBRARY = default_library()


def rows(count: int, option: str, read: dict[str, str], outcome: str, episode: int = SOLO) -> list[Row]:
    """The same record, time after time."""
    return [(episode, option, read, outcome)] * count


def inferred(option: str, support: int, **when: str) -> Guard:
    """A guard on features."""
    return Guard(option, "inferred", when, support)


def explicit(option: str, support: int, reason: str) -> Guard:
    """A guard on a reason."""
    return Guard(option, "explicit", {REASON: reason}, support)


def test_the_guards_of_the_pantry_come_out(burn: MAKE_LOG) -> None:
    """All that its rules forbid for good, and nothing that a walk or a partner may mend on the way."""
    file = synthesize(burn(solo=200, team=200))

    assert [guard.words() for guard in file.guards] == [
        "fetch where held is jar",
        "hand_over where held is nothing",
        "take where it fails as TableEmpty",
        "take where held is jar",
        "open_hatch where held is jar",
        "open_hatch where hatch is open",
        "serve where held is nothing",
    ]
    assert file.refused == ()
    assert all(guard.support >= 5 for guard in file.guards)


def test_support_is_the_number_of_failures_that_are_explained(burn: MAKE_LOG) -> None:
    """Counted here from the records, one by one."""
    log = burn(solo=200, team=200)
    names = [option.name for option in log.manifest.options]

    counted: Counter[str] = Counter()
    for columns in log.chunks():
        for number, code, outcome, episode in zip(
            *(columns[name].tolist() for name in ("option", "read", "outcome", "episode")), strict=True
        ):
            held = log.manifest.options[number].read_values()[code].get("held")
            counted["fetch"] += (names[number], held, outcome) == ("fetch", "jar", 1)
            counted["hatch"] += (names[number], held, outcome) == ("open_hatch", "jar", 1) and episode < 200
            counted["take"] += names[number] == "take" and outcome == 3
    support = {guard.words(): guard.support for guard in synthesize(log).guards}
    assert support["fetch where held is jar"] == counted["fetch"]
    assert support["open_hatch where held is jar"] == counted["hatch"]
    assert support["take where it fails as TableEmpty"] == counted["take"]


def test_a_file_says_where_its_guards_come_from(burn: MAKE_LOG) -> None:
    """Game, library and log."""
    log = burn(solo=30, team=20, seed=4)

    file = synthesize(log, min_support=3)

    origin = file.log
    assert (file.game, file.library, file.min_support) == ("pantry", log.manifest.library, 3)
    assert (origin.digest, origin.seed, origin.solo, origin.team) == (log.digest(), 4, 30, 20)
    assert (origin.steps, origin.starts, origin.policy) == (60, "varied", "uniform")
    assert origin.records == sum(len(columns["episode"]) for columns in log.chunks())


@pytest.mark.parametrize(("failures", "adopted"), [(4, False), (5, True)])
def test_a_guard_explains_at_least_so_many_failures(plant: MAKE_LOG, failures: int, adopted: bool) -> None:
    """Five by default, as published."""
    log = plant(rows(failures, "fetch", JAR, "effect_fail") + rows(1, "fetch", EMPTY, "success"))

    assert synthesize(log).guards == ((inferred("fetch", 5, held="jar"),) if adopted else ())
    assert synthesize(log, min_support=failures).guards == (inferred("fetch", failures, held="jar"),)
    assert synthesize(log, min_support=failures + 1).guards == ()


def test_one_success_vetoes_a_guard(plant: MAKE_LOG) -> None:
    """However many failures there are, of either class."""
    for episode in (SOLO, TEAM):
        log = plant(rows(5000, "fetch", JAR, "effect_fail") + rows(1, "fetch", JAR, "success", episode))
        assert synthesize(log).guards == ()


def test_timeouts_neither_support_nor_veto(plant: MAKE_LOG) -> None:
    """They say that somebody stood in the way."""
    timed_out = rows(50, "fetch", JAR, "timeout") + rows(50, "fetch", EMPTY, "timeout")
    log = plant([*timed_out, *rows(4, "fetch", JAR, "effect_fail"), *rows(1, "fetch", EMPTY, "success")])

    assert synthesize(log).guards == ()
    assert synthesize(log, min_support=4).guards == (inferred("fetch", 4, held="jar"),)


def test_two_literals_where_one_will_not_do(plant: MAKE_LOG) -> None:
    """Each of them alone hides a success."""
    full, some = {"held": "jar", "table": "full"}, {"held": "jar", "table": "some"}
    bare = {"held": "nothing", "table": "full"}
    log = plant(
        [
            *rows(9, "hand_over", full, "effect_fail"),
            *rows(1, "hand_over", some, "success"),
            *rows(1, "hand_over", bare, "success"),
        ]
    )

    assert synthesize(log).guards == (inferred("hand_over", 9, held="jar", table="full"),)


def test_conjunctions_under_an_adopted_literal_are_dropped(plant: MAKE_LOG) -> None:
    """They would hide nothing more; one under a vetoed literal stays."""
    log = plant(
        [
            *(row for table in ("empty", "some", "full")
              for row in rows(7, "hand_over", {"held": "nothing", "table": table}, "effect_fail")),
            *rows(6, "hand_over", {"held": "jar", "table": "full"}, "effect_fail"),
            *rows(1, "hand_over", {"held": "jar", "table": "some"}, "success"),
        ]
    )  # fmt: skip

    assert synthesize(log).guards == (
        inferred("hand_over", 21, held="nothing"),
        inferred("hand_over", 7, table="empty"),
        inferred("hand_over", 13, table="full"),
    )


def test_explicit_failures_speak_for_their_reason_alone(plant: MAKE_LOG) -> None:
    """What is held had nothing to do with it; the reason is tried anew for every menu."""
    log = plant(
        [
            *rows(9, "take", {"held": "jar", "table": "empty"}, "explicit:TableEmpty"),
            *rows(4, "take", {"held": "jar", "table": "some"}, "explicit:Odd"),
            *rows(1, "take", {"held": "nothing", "table": "some"}, "success"),
        ]
    )

    assert synthesize(log).guards == (explicit("take", 9, "TableEmpty"),)


def test_an_explicit_guard_is_not_vetoed_by_features(plant: MAKE_LOG) -> None:
    """The same features may come with a path and without one."""
    read = {"held": "nothing", "table": "some"}
    log = plant(rows(5, "take", read, "explicit:NoPath") + rows(5, "take", read, "success"))

    assert synthesize(log).guards == (explicit("take", 5, "NoPath"),)


def test_an_option_with_no_private_effect_is_judged_by_solo_records(plant: MAKE_LOG) -> None:
    """A team success may be a partner's and vetoes nothing; a team failure supports nothing."""
    shut, opened = {"held": "jar", "hatch": "shut"}, {"held": "nothing", "hatch": "shut"}
    log = plant(
        [
            *rows(5, "open_hatch", shut, "effect_fail", SOLO),
            *rows(5, "open_hatch", shut, "success", TEAM),
            *rows(9, "open_hatch", {"held": "nothing", "hatch": "open"}, "effect_fail", TEAM),
            *rows(9, "open_hatch", opened, "explicit:Odd", TEAM),
            *rows(1, "open_hatch", opened, "success", SOLO),
        ]
    )

    assert synthesize(log).guards == (inferred("open_hatch", 5, held="jar"),)


def test_a_guard_on_an_option_without_success_is_refused_and_said(plant: MAKE_LOG) -> None:
    """It would take the option out of the game; that it succeeded in a team does not help where solo counts."""
    read = {"held": "nothing", "hatch": "open"}
    log = plant(
        [
            *rows(8, "open_hatch", read, "effect_fail"),
            *rows(8, "open_hatch", {"held": "nothing", "hatch": "shut"}, "success", TEAM),
            *rows(6, "take", {"held": "nothing", "table": "empty"}, "explicit:TableEmpty"),
        ]
    )

    file = synthesize(log)

    why = "the option has no success in the records that it is mined from"
    assert file.guards == ()
    assert {(each.option, each.channel, each.support, each.why) for each in file.refused} == {
        ("open_hatch", "inferred", 8, why),
        ("take", "explicit", 6, why),
    }
    assert {tuple(each.when.items()) for each in file.refused} == {
        (("held", "nothing"),), (("hatch", "open"),), ((REASON, "TableEmpty"),),
    }  # fmt: skip


def test_wait_is_never_guarded(plant: MAKE_LOG) -> None:
    """It reads nothing, so there is nothing to hide it for."""
    log = plant(rows(50, "wait", {}, "success"))

    assert synthesize(log).guards == ()


@pytest.mark.parametrize("support", [0, -3])
def test_no_support_is_no_reason(plant: MAKE_LOG, support: int) -> None:
    """Every conjunction would be a guard."""
    with pytest.raises(SettingError, match=f"min-support is {support}, but must be 1 or more"):
        synthesize(plant([]), min_support=support)


def test_a_log_that_is_not_whole_gives_no_guards(burn: MAKE_LOG) -> None:
    """A success that vetoes may stand in the part that is missing."""
    log = burn(solo=250, team=0, steps=20)
    (log.path / "chunk-00001.npz").unlink()

    with pytest.raises(LogError, match=r"is not whole: chunk-00001\.npz is missing"):
        synthesize(log)


def test_every_conjunction_of_one_and_two_literals_is_tried(burn: MAKE_LOG) -> None:
    """Of different features, in declared order."""
    take = burn(solo=2, team=0).manifest.options[3]

    assert len(list(conjunctions(take))) == (2 + 3) + 2 * 3
    assert next(conjunctions(take)) == {"held": "nothing"}
    assert all(1 <= len(when) <= 2 for when in conjunctions(take))


_READS = {
    option.name: [
        dict(zip([feature.name for feature in option.reads], values, strict=True))
        for values in product(*(feature.values for feature in option.reads))
    ]
    for option in LIBRARY.options
}
RECORDS = st.sampled_from(sorted(_READS)).flatmap(
    lambda option: st.tuples(
        st.sampled_from([0, 1, 99, 100, 199]),
        st.just(option),
        st.sampled_from(_READS[option]),
        st.sampled_from(["success", "effect_fail", "effect_fail", "timeout", "explicit:A", "explicit:B"]),
    )
)
LOGS = st.lists(st.tuples(RECORDS, st.integers(1, 6)), max_size=25).map(
    lambda groups: [row for row, count in groups for _ in range(count)]
)
STATES = st.builds(
    Facts,
    st.tuples(st.sampled_from(FLOOR), st.sampled_from(FLOOR)),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(0, ROOM_ON_TABLE),
    st.booleans(),
)


def hidden(file: GuardFile, records: Sequence[Row]) -> list[Row]:
    """Successes, of the class that counts, that an inferred guard hides."""
    return [
        row
        for row in records
        if row[3] == "success" and (LIBRARY.by_name[row[1]].private or row[0] < TEAM)
        for guard in file.guards
        if guard.option == row[1] and guard.when.items() <= row[2].items()
    ]


@given(LOGS, STATES, st.integers(0, 1))
@settings(max_examples=60)
def test_guards_never_empty_a_menu(plant: MAKE_LOG, records: list[Row], facts: Facts, seat: int) -> None:
    """Whatever was logged, waiting is left."""
    file = synthesize(plant(records), min_support=1)

    menu = Menus(LIBRARY, Streams(0), 2, GuardSet(LIBRARY, file.guards)).menu(facts, seat, 0)

    assert "wait" in menu.keys


@given(LOGS, LOGS)
@settings(max_examples=60)
def test_adding_records_never_adds_a_guard_that_hides_an_older_success(
    plant: MAKE_LOG, older: list[Row], newer: list[Row]
) -> None:
    """Successes only ever take guards away, together with their conjunctions."""
    before, after = synthesize(plant(older)), synthesize(plant(older + newer))

    assert not hidden(before, older)
    assert not hidden(after, older + newer)


@given(LOGS.flatmap(lambda records: st.tuples(st.just(records), st.permutations(records))))
@settings(max_examples=60)
def test_the_order_of_records_changes_nothing(plant: MAKE_LOG, both: tuple[list[Row], list[Row]]) -> None:
    """Nor does the number that a chunk gave to a reason."""
    one, other = (synthesize(plant(records)) for records in both)

    assert (one.guards, one.refused) == (other.guards, other.refused)


@given(LOGS, st.lists(st.integers(0, 4), min_size=150, max_size=150))
@settings(max_examples=40)
def test_the_chunk_that_a_record_stands_in_changes_nothing(
    plant: MAKE_LOG, records: list[Row], chunks: list[int]
) -> None:
    """Episodes may come in any order, as long as solo ones stay solo."""
    moved = [
        (200 * chunk + (1000 if row[0] >= TEAM else 0), *row[1:]) for row, chunk in zip(records, chunks, strict=False)
    ]

    one, other = synthesize(plant(records)), synthesize(plant(moved, solo=1000, team=1000))

    assert len(moved) == len(records)
    assert (one.guards, one.refused) == (other.guards, other.refused)
