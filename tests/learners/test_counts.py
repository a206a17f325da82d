"""The table of outcomes by option, class and features."""

from collections.abc import Callable

import numpy as np

from hocket.learners.burn_log import EFFECT_FAIL, EXPLICIT, SUCCESS, TIMEOUT, Log
from hocket.learners.counts import SOLO, TEAM, Counts, mined_from

EMPTY, JAR = {"held": "nothing"}, {"held": "jar"}
FETCH, TAKE = 1, 3


def counts(log: Log) -> Counts:
    """Count a whole log."""
    return Counts(log.manifest, log.chunks())


def test_a_record_is_counted_once_where_it_belongs(plant: Callable[..., Log]) -> None:
    """By option, class, features and outcome."""
    rows = [(0, "fetch", EMPTY, "success"), (99, "fetch", JAR, "effect_fail"), (100, "fetch", JAR, "effect_fail")]
    table = counts(plant([*rows, (199, "fetch", JAR, "timeout")]))

    assert table.of(FETCH, SUCCESS, (TEAM, SOLO)).tolist() == [1, 0]
    assert table.of(FETCH, EFFECT_FAIL, (TEAM, SOLO)).tolist() == [0, 2]
    assert table.of(FETCH, EFFECT_FAIL, (SOLO,)).tolist() == [0, 1]
    assert table.of(FETCH, TIMEOUT, (TEAM,)).tolist() == [0, 1]
    assert (table.total(FETCH), table.total(TAKE), table.records) == (4, 0, 4)
    assert table.seen(FETCH).tolist() == [1, 3]


def test_reasons_are_one_list_whatever_their_place_in_a_chunk(plant: Callable[..., Log]) -> None:
    """Each chunk numbers its own."""
    read = {"held": "nothing", "table": "empty"}
    rows = [(0, "take", read, "explicit:A"), (1, "take", read, "explicit:B"), (300, "take", read, "explicit:B")]
    table = counts(plant([*rows, (301, "take", read, "explicit:C"), (302, "take", read, "explicit:A")], team=300))

    assert table.reasons == ["A", "B", "C"]
    assert [int(table.of(TAKE, EXPLICIT + place, (TEAM, SOLO)).sum()) for place in range(3)] == [2, 2, 1]


def test_the_table_holds_every_record_of_a_log(burn: Callable[..., Log]) -> None:
    """Nothing is lost and nothing counted twice, held against numpy over all chunks at once."""
    log = burn(solo=150, team=150)
    table = counts(log)

    chunks = list(log.chunks())
    option = np.concatenate([chunk["option"] for chunk in chunks])
    outcome = np.concatenate([chunk["outcome"] for chunk in chunks])
    assert table.records == len(option)
    for number in range(6):
        assert table.total(number) == (option == number).sum() == table.seen(number).sum()
        for code in (SUCCESS, EFFECT_FAIL, TIMEOUT):
            found = table.of(number, code, (TEAM, SOLO)).sum()
            assert found == ((option == number) & (outcome == code)).sum()


def test_only_solo_records_speak_of_an_option_with_no_private_effect(burn: Callable[..., Log]) -> None:
    """A partner may have brought its effect about."""
    options = {option.name: option for option in burn(solo=2, team=0).manifest.options}

    assert mined_from(options["open_hatch"]) == (SOLO,)
    assert mined_from(options["serve"]) == (TEAM, SOLO)


def test_what_fails_on_the_way_is_no_failure_that_a_menu_could_have_foreseen(plant: Callable[..., Log]) -> None:
    """A partner who empties the table after the choice says nothing against the choice."""
    log = plant([(0, "take", {"held": "nothing", "table": "some"}, "explicit:TableEmpty")] * 6)
    columns = log.read(0)
    columns["ticks"][:2] = 4
    log.write(0, columns)

    table = counts(log)

    assert int(table.of(TAKE, EXPLICIT, (TEAM, SOLO)).sum()) == 4
    assert int(table.of(TAKE, TIMEOUT, (TEAM, SOLO)).sum()) == 2
