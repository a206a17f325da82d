"""The certificate: guards counted again, on their own log and on fresh ones."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec
import pytest

from hocket.learners.burn_log import Log
from hocket.learners.guard_file import GuardFile
from hocket.learners.guards import synthesize
from hocket.learners.verify import SHOWN, verify
from hocket.runtime.errors import GuardError, LogError
from hocket.runtime.guard import REASON, Guard

MAKE_LOG: TypeAlias = Callable[..., Log]


@pytest.fixture(scope="module")
def own(burn: MAKE_LOG) -> Log:
    """The log that the guards are mined from."""
    return burn(solo=150, team=150)


@pytest.fixture(scope="module")
def file(own: Log) -> GuardFile:
    """The guards of the pantry."""
    return synthesize(own)


def only(file: GuardFile, *guards: Guard) -> GuardFile:
    """The same file with other guards."""
    return msgspec.structs.replace(file, guards=guards)


def test_guards_hide_nothing_of_their_own_log(file: GuardFile, own: Log) -> None:
    """And explain there what they were adopted for."""
    checks = verify(file, [own])

    assert [check.guard for check in checks] == list(file.guards)
    assert [check.hidden for check in checks] == [0] * len(file.guards)
    assert [check.support for check in checks] == [guard.support for guard in file.guards]
    assert {check.log for check in checks} == {str(own.path)}


def test_guards_hide_nothing_of_fresh_logs(burn: MAKE_LOG) -> None:
    """Which they have never seen; also of one of another length, from other starts."""
    mined = synthesize(burn(solo=200, team=200, steps=150))
    fresh = [burn(seed=2), burn(seed=3, steps=90, starts="standard")]

    checks = verify(mined, fresh)

    assert len(checks) == 2 * len(mined.guards)
    assert sum(check.hidden for check in checks) == 0
    assert all(check.support > 0 for check in checks)


@pytest.mark.slow
def test_guards_of_a_kitchen_hide_nothing_of_fresh_logs(burn: MAKE_LOG) -> None:
    """Mined from as much play as the committed ones: from a tenth of it, rare successes are missed."""
    name = "overcooked:cramped_room"
    mined = synthesize(burn(name, solo=2000, team=2000, steps=150))

    checks = verify(mined, [burn(name, solo=500, team=500, steps=150, seed=seed) for seed in (2, 3)])

    assert sum(check.hidden for check in checks) == 0


def test_a_guard_that_hides_successes_is_found_with_its_records(file: GuardFile, own: Log) -> None:
    """Planted: fetching with empty hands is what fetching is for."""
    [check] = verify(only(file, Guard("fetch", "inferred", {"held": "nothing"}, 9)), [own])

    columns = own.read(0)
    successes = sum(
        int(((each["option"] == 1) & (each["outcome"] == 0) & (each["read"] == 0)).sum()) for each in own.chunks()
    )
    first = int(((columns["option"] == 1) & (columns["outcome"] == 0) & (columns["read"] == 0)).argmax())
    assert check.hidden == successes > 100
    assert len(check.examples) == SHOWN
    assert check.examples[0].episode == columns["episode"][first]
    assert check.examples[0].step == columns["step"][first]
    assert check.examples[0].seat == columns["seat"][first]
    assert {(record.target, record.outcome, record.solo) for record in check.examples} == {
        ("fetch@0,2", "success", True)
    }
    assert all(record.features["held"] == "nothing" for record in check.examples)
    assert set(check.examples[0].features) == {"held", "other_near"}


def test_a_guard_that_one_success_speaks_against_is_found(file: GuardFile, plant: MAKE_LOG) -> None:
    """One is enough, wherever it stands."""
    failures = [(0, "fetch", {"held": "jar"}, "effect_fail")] * 30
    log = plant([*failures, (399, "fetch", {"held": "jar"}, "success")], team=300)

    [check] = verify(only(file, Guard("fetch", "inferred", {"held": "jar"}, 30)), [log])

    assert (check.support, check.hidden, check.forged) == (30, 1, 0)
    assert [(record.episode, record.solo, record.outcome) for record in check.examples] == [(399, False, "success")]


def test_where_nothing_is_hidden_the_failures_are_shown(file: GuardFile, own: Log) -> None:
    """They are the reason why an instance is hidden."""
    checks = {check.guard.words(): check for check in verify(file, [own])}

    fetch = checks["fetch where held is jar"].examples
    take = checks["take where it fails as TableEmpty"].examples
    assert [record.outcome for record in fetch] == ["effect_fail"] * SHOWN
    assert [record.outcome for record in take] == ["explicit:TableEmpty"] * SHOWN
    assert {record.features["table"] for record in take} == {"empty"}


def test_team_successes_of_an_option_without_private_effect_are_counted_apart(file: GuardFile, plant: MAKE_LOG) -> None:
    """A partner opened the hatch; a solo success is another matter."""
    read = {"held": "jar", "hatch": "shut"}
    forged = [(100, "open_hatch", read, "success")] * 4
    failed = [(0, "open_hatch", read, "effect_fail")] * 5 + [(100, "open_hatch", read, "effect_fail")] * 3
    guards = only(file, Guard("open_hatch", "inferred", {"held": "jar"}, 5))

    [certified] = verify(guards, [plant([*forged, *failed])])
    [broken] = verify(guards, [plant([*forged, *failed, (99, "open_hatch", read, "success")])])

    assert (certified.support, certified.hidden, certified.forged) == (5, 0, 4)
    assert (broken.support, broken.hidden, broken.forged) == (5, 1, 4)
    assert [record.solo for record in broken.examples] == [True]


def test_every_log_is_counted_by_itself(file: GuardFile, own: Log, burn: MAKE_LOG) -> None:
    """In the order in which they are named."""
    fresh = burn(solo=50, team=50, seed=8)

    checks = verify(file, [fresh, own])

    assert [check.log for check in checks] == [str(fresh.path)] * len(file.guards) + [str(own.path)] * len(file.guards)


def test_logs_of_another_game_are_refused(file: GuardFile, burn: MAKE_LOG) -> None:
    """Whatever they would say."""
    other = burn("pantry:roles", solo=2, team=2, steps=4)

    with pytest.raises(LogError, match="is of pantry:roles, but the guards are of pantry"):
        verify(file, [other])


def test_logs_of_another_library_are_refused(file: GuardFile, own: Log) -> None:
    """By its digest."""
    other = msgspec.structs.replace(file, library=msgspec.structs.replace(file.library, digest="0" * 16))

    with pytest.raises(LogError, match=r"is of the library 'default' \([0-9a-f]{16}\), but the guards of .*\(0{16}\)"):
        verify(other, [own])


@pytest.mark.parametrize(
    ("guard", "sentence"),
    [
        (Guard("juggle", "inferred", {"held": "jar"}, 9), "has no such option"),
        (Guard("fetch", "inferred", {"moon": "full"}, 9), "reads no feature 'moon'"),
        (Guard("fetch", "inferred", {"held": "moon"}, 9), "held is never 'moon'"),
        (Guard("fetch", "explicit", {}, 9), f"an explicit guard has {REASON} and nothing else"),
        (Guard("fetch", "explicit", {REASON: "A", "held": "jar"}, 9), "an explicit guard has"),
    ],
)
def test_a_guard_that_the_log_does_not_know_is_refused(file: GuardFile, own: Log, guard: Guard, sentence: str) -> None:
    """It would be certified for hiding nothing."""
    with pytest.raises(GuardError, match=sentence):
        verify(only(file, guard), [own])


def test_a_log_that_is_not_whole_certifies_nothing(file: GuardFile, burn: MAKE_LOG) -> None:
    """The hidden success may stand in what is missing."""
    log = burn(solo=250, team=0, steps=20)
    (log.path / "chunk-00001.npz").unlink()

    with pytest.raises(LogError, match="is not whole"):
        verify(file, [log])
