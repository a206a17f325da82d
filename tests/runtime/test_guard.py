"""Guards: which instances they hide, and which guards are refused."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.overcooked.items import ONION
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout
from hocket.games.overcooked.options import default_library as kitchen_library
from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import FLOOR, ROOM_ON_TABLE, Facts
from hocket.runtime.errors import GuardError
from hocket.runtime.guard import REASON, Guard, GuardSet, check

LIBRARY = default_library()
HELD, TABLE, HATCH = ("nothing", "jar"), ("empty", "some", "full"), ("shut", "open")
STATES = st.builds(
    Facts,
    st.tuples(st.sampled_from(FLOOR), st.sampled_from(FLOOR)),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(0, ROOM_ON_TABLE),
    st.booleans(),
)
LANE = Layout(name="lane", grid=("XPXXXOX", "D1   2S", "XXXXXXX"))


def guard(option: str, **when: str) -> Guard:
    """An inferred guard with some support."""
    return Guard(option, "inferred", when, 40)


def explicit(option: str, reason: str) -> Guard:
    """A guard that hides what fails for a reason."""
    return Guard(option, "explicit", {REASON: reason}, 40)


def shown(guards: GuardSet[Facts], facts: Facts, seat: int = 0) -> list[str]:
    """Names of the options of a pantry that are left."""
    return [
        entry.option
        for option in LIBRARY.options
        for entry in guards.filter(option, option.instances(facts, seat), facts, seat)
    ]


NAMES = [option.name for option in LIBRARY.options]


def test_a_guard_hides_what_it_matches_and_nothing_else() -> None:
    """One option, one value; who holds a jar is another matter for the other seat."""
    guards = GuardSet(LIBRARY, [guard("fetch", held="jar")])
    facts = Facts(((1, 1), (2, 2)), (True, False))

    assert shown(guards, facts, 0) == [name for name in NAMES if name != "fetch"]
    assert shown(guards, facts, 1) == NAMES


def test_no_guards_hide_nothing() -> None:
    """And hand the very instances on."""
    guards = GuardSet(LIBRARY, [])
    facts = Facts(((1, 1),), (True,))
    entries = LIBRARY.by_name["fetch"].instances(facts, 0)

    assert guards.filter(LIBRARY.by_name["fetch"], entries, facts, 0) is entries
    assert shown(guards, facts) == NAMES


@pytest.mark.parametrize(("held", "table"), list(product(HELD, TABLE)))
def test_two_literals_hold_together(held: str, table: str) -> None:
    """Both values, or it does not hide."""
    guards = GuardSet(LIBRARY, [guard("hand_over", held=held, table=table)])

    for has_jar, jars in product((False, True), range(ROOM_ON_TABLE + 1)):
        matches = HELD[has_jar] == held and (jars > 0) + (jars == ROOM_ON_TABLE) == TABLE.index(table)
        assert ("hand_over" in shown(guards, Facts(((1, 1),), (has_jar,), jars))) is not matches


INFERRED = [
    guard(option, **dict(zip(names, values, strict=True)))
    for option, features in (
        ("fetch", {"held": HELD}),
        ("hand_over", {"held": HELD, "table": TABLE}),
        ("take", {"held": HELD, "table": TABLE}),
        ("open_hatch", {"held": HELD, "hatch": HATCH}),
        ("serve", {"held": HELD, "hatch": HATCH}),
    )
    for names in ([name] for name in features)
    for values in product(*(features[name] for name in names))
] + [
    guard(option, held=held, **{fixture: value})
    for option, fixture, values in (("take", "table", TABLE), ("serve", "hatch", HATCH))
    for held, value in product(HELD, values)
]
EVERY = [*INFERRED, explicit("take", "TableEmpty"), explicit("serve", "NoPath")]


@given(st.lists(st.sampled_from(EVERY), max_size=6), STATES, st.integers(0, 1))
def test_what_is_hidden_is_what_some_guard_matches(chosen: list[Guard], facts: Facts, seat: int) -> None:
    """Whatever guards there are: read one by one from the features by name, in any state."""
    guards = GuardSet(LIBRARY, chosen)

    for option in LIBRARY.options:
        (entry,) = option.instances(facts, seat)
        named = dict(zip((each.name for each in option.reads), option.read(entry, facts, seat), strict=True))
        values = {each.name: each.values[named[each.name]] for each in option.reads}
        matching = [
            each
            for each in chosen
            if each.option == option.name
            and (
                each == explicit("take", "TableEmpty") and facts.jars == 0
                if each.channel == "explicit"
                else all(values[name] == value for name, value in each.when.items())
            )
        ]
        assert list(guards.filter(option, [entry], facts, seat)) == ([] if matching else [entry])


@given(st.permutations(EVERY), STATES)
def test_all_guards_together_leave_something_to_do(chosen: list[Guard], facts: Facts) -> None:
    """Waiting cannot be guarded, so no menu is empty, and the order of the guards does not matter."""
    left = shown(GuardSet(LIBRARY, chosen), facts)

    assert "wait" in left
    assert left == shown(GuardSet(LIBRARY, EVERY), facts)


def test_an_explicit_guard_is_tried_anew_in_every_state() -> None:
    """Only the reason that it names counts, and only as long as it holds."""
    guards = GuardSet(LIBRARY, [explicit("take", "TableEmpty")])
    other = GuardSet(LIBRARY, [explicit("take", "NoPath")])
    empty, laid = (Facts(((1, 1),), (False,), jars) for jars in (0, 1))

    assert "take" not in shown(guards, empty)
    assert "take" in shown(guards, laid)
    assert "take" in shown(other, empty)


def test_an_explicit_guard_hides_single_targets_in_their_order() -> None:
    """Bo stands between ada and the onions: what she can reach is still on her menu, and all of it once he is gone."""
    kitchen = Kitchen(LANE)
    library = kitchen_library(kitchen)
    guards = GuardSet(library, [explicit("drop_held", "NoPath"), explicit("pick_onion", "NoPath")])
    drop, pick = library.by_name["drop_held"], library.by_name["pick_onion"]
    kitchen.state[1:7] = [7 + 1, 0, ONION, 7 + 3, 0, 0]
    blocked = kitchen.facts()
    kitchen.state[4] = 7 + 5
    gone = kitchen.facts()

    def keys(option: Any, facts: tuple[int, ...]) -> list[str]:
        return [entry.key for entry in guards.filter(option, option.instances(facts, 0), facts, 0)]

    assert keys(pick, blocked) == []
    assert keys(drop, blocked) == ["drop_held@2,0", "drop_held@1,2", "drop_held@2,2"]
    assert keys(drop, gone) == [
        *("drop_held@2,0", "drop_held@3,0", "drop_held@4,0"),
        *("drop_held@1,2", "drop_held@2,2", "drop_held@3,2", "drop_held@4,2"),
    ]


BAD: Mapping[str, tuple[Guard, str]] = {
    "an unknown option": (guard("season", held="jar"), "guard on season: the library 'default' has no such option"),
    "waiting": (guard("wait", held="jar"), "guard on wait: wait is always possible, so that no menu is empty"),
    "waiting, for a reason": (
        explicit("wait", "NoPath"),
        "guard on wait: wait is always possible, so that no menu is empty",
    ),
    "an unknown feature": (guard("fetch", hatch="open"), "guard on fetch: it reads no feature 'hatch' (it reads held)"),
    "a feature that passes": (
        guard("serve", other_near="yes"),
        "guard on serve: it reads no feature 'other_near' (it reads held, hatch)",
    ),
    "a value that is none": (
        guard("take", table="laid"),
        "guard on take: table is never 'laid' (it is one of empty, some, full)",
    ),
    "no literal": (guard("take"), "guard on take: a guard has 1 or 2 literals, not 0"),
    "three literals": (
        guard("take", held="jar", table="some", hatch="open"),
        "guard on take: a guard has 1 or 2 literals, not 3",
    ),
    "a reason that was inferred": (
        Guard("take", "inferred", {REASON: "TableEmpty"}, 9),
        f"guard on take: it reads no feature '{REASON}' (it reads held, table)",
    ),
    "a feature as a reason": (
        Guard("take", "explicit", {"held": "jar"}, 9),
        f"guard on take: an explicit guard has {REASON} and nothing else",
    ),
    "a reason and a feature": (
        Guard("take", "explicit", {REASON: "TableEmpty", "held": "jar"}, 9),
        f"guard on take: an explicit guard has {REASON} and nothing else",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_guard_that_does_not_fit_is_refused(case: str) -> None:
    """Alone, and among guards that do fit, before any menu is made."""
    bad, message = BAD[case]

    with pytest.raises(GuardError) as alone:
        check(bad, LIBRARY)
    with pytest.raises(GuardError) as among:
        GuardSet(LIBRARY, [*EVERY, bad])

    assert str(alone.value) == str(among.value) == message


@pytest.mark.parametrize("fits", EVERY)
def test_a_guard_that_fits_is_taken(fits: Guard) -> None:
    """And comes back from a file as it was."""
    check(fits, LIBRARY)

    assert msgspec.json.decode(msgspec.json.encode(fits), type=Guard) == fits


def test_a_guard_says_what_it_hides() -> None:
    """In words, whatever the order in which its literals were counted."""
    words = [
        guard("take", table="empty", held="jar").words(),
        guard("take", held="jar", table="empty").words(),
        explicit("take", "TableEmpty").words(),
    ]

    assert words == ["take where held is jar and table is empty"] * 2 + ["take where it fails as TableEmpty"]
