"""Traces as snapshots, in the pytest of somebody else."""

from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from hocket.agents.random import Random
from hocket.replays.episodes import Episodes
from hocket.replays.trace import Trace, encode_trace, read_trace
from hocket.runtime.events import OptionChosen

KITCHEN = """
import pytest
from hocket.agents.idle import Idle
from hocket.agents.random import Random

def test_kitchen(episode, trace_snapshot):
    assert episode("pantry", [{ada}(), Idle()], seed=3, steps=30, names=("ada", "bo")) == trace_snapshot
"""
SIGNS = """
import pytest
from hocket.agents.random import Random

@pytest.mark.parametrize("order", ["soup/cake", "soupcake"])
def test_signs(episode, trace_snapshot, order):
    assert episode("pantry", [Random(), Random()], seed=len(order), steps=10) == trace_snapshot
"""
TOLD = "E         "


def _kept(inner: pytest.Pytester, name: str = "test_kitchen") -> Path:
    return inner.path / "__snapshots__" / "test_it" / f"{name}.jsonl"


def _write(inner: pytest.Pytester, ada: str, *options: str) -> pytest.RunResult:
    inner.makepyfile(test_it=KITCHEN.format(ada=ada))
    return inner.runpytest(*options)


def _told(result: pytest.RunResult) -> list[str]:
    """What stands behind the first line of a failed assertion."""
    return [line.removeprefix(TOLD) for line in result.outlines if line.startswith(TOLD)]


def test_an_episode_of_the_pantry(episode: Episodes, trace_snapshot: SnapshotAssertion) -> None:
    """One short episode, kept as it was: what changes it changes every recorded episode there is."""
    trace = episode("pantry", [Random(), Random()], seed=1, steps=20, names=("ada", "bo"))

    assert trace == trace_snapshot


def test_a_snapshot_is_written_once_and_then_agrees(inner: pytest.Pytester) -> None:
    """`--snapshot-update`, as people know it; the file is a trace like any other."""
    missing, written = _write(inner, "Random"), _write(inner, "Random", "--snapshot-update")

    again = _write(inner, "Random")

    assert _told(missing) == ["Snapshot 'test_kitchen' does not exist!", "write it with --snapshot-update"]
    written.stdout.fnmatch_lines("1 snapshot generated.")
    again.assert_outcomes(passed=1)
    assert read_trace(_kept(inner)).header.seats == ("ada", "bo")


def test_a_diff_says_what_an_agent_did_before_it_shows_lines(inner: pytest.Pytester) -> None:
    """In as few lines as pytest shows where it is not asked for more."""
    _write(inner, "Random", "--snapshot-update")
    first = next(event for event in read_trace(_kept(inner)).events if isinstance(event, OptionChosen))

    failed = _told(_write(inner, "Idle"))

    assert failed[0] == f"at tick 0, decision 0, seat 0 (ada) chose `wait` instead of `{first.option}`"
    assert failed[1].startswith("return ")
    lines = [place for place, line in enumerate(failed) if line.startswith(("- ", "+ "))]
    assert lines
    assert lines[0] >= 3


def test_an_update_takes_the_new_behaviour(inner: pytest.Pytester) -> None:
    """And the one after it finds nothing to do."""
    _write(inner, "Random", "--snapshot-update")

    updated, again = _write(inner, "Idle", "--snapshot-update"), _write(inner, "Idle")

    updated.stdout.fnmatch_lines("1 snapshot updated.")
    again.assert_outcomes(passed=1)


def test_versions_and_the_source_of_a_library_may_vary(inner: pytest.Pytester) -> None:
    """The file of another machine agrees, and an update leaves it as it is."""
    _write(inner, "Random", "--snapshot-update")
    trace = read_trace(_kept(inner))
    library = msgspec.structs.replace(trace.header.library, digest="other")
    header = msgspec.structs.replace(trace.header, versions={"python": "3.99"}, library=library)
    content = encode_trace(header, trace.events)
    _kept(inner).write_bytes(content)

    result = _write(inner, "Random", "--snapshot-update")

    result.stdout.fnmatch_lines("1 snapshot passed.")
    assert _kept(inner).read_bytes() == content


def test_a_snapshot_of_another_seed_does_not_agree(inner: pytest.Pytester) -> None:
    """Nothing else of the header may vary."""
    _write(inner, "Idle", "--snapshot-update")
    trace = read_trace(_kept(inner))
    header = msgspec.structs.replace(trace.header, seed=9)
    _kept(inner).write_bytes(encode_trace(header, trace.events))

    assert "the header, field seed: 9 in the snapshot, 3 now" in _told(_write(inner, "Idle"))


def test_a_snapshot_that_was_edited_is_one_sentence(inner: pytest.Pytester) -> None:
    """File, event, field, and what stood there; no lines of either trace."""
    _write(inner, "Random", "--snapshot-update")
    content = _kept(inner).read_bytes()
    _kept(inner).write_bytes(content.replace(b'"steps":30,"tick":0', b'"steps":31,"tick":0'))

    edited = _write(inner, "Idle")

    [sentence] = _told(edited)
    assert sentence.startswith(f"{_kept(inner)}, event 1 (tick 0), field steps: is 31, but was recorded as 30")
    assert sentence.endswith("; --snapshot-update writes it anew")
    _write(inner, "Random", "--snapshot-update").assert_outcomes(passed=1)
    assert _kept(inner).read_bytes() == content


def test_a_snapshot_that_was_cut_is_one_sentence(inner: pytest.Pytester) -> None:
    """It is not compared as far as it goes."""
    _write(inner, "Random", "--snapshot-update")
    _kept(inner).write_bytes(_kept(inner).read_bytes()[:-20])

    [sentence] = _told(_write(inner, "Random"))

    assert "is torn: it was cut after event " in sentence


def test_two_tests_of_one_file_are_named(inner: pytest.Pytester) -> None:
    """A file's name holds no slash, so two names can be one; the second test fails, whichever runs first."""
    inner.makepyfile(test_it=SIGNS)

    both = inner.runpytest("--snapshot-update")
    backwards = inner.runpytest("test_it.py::test_signs[soupcake]", "test_it.py::test_signs[soup/cake]")

    both.assert_outcomes(passed=1, failed=1)
    path = _kept(inner, "test_signs[soupcake]")
    one, other = (f"test_it.py::test_signs[{order}]" for order in ("soup/cake", "soupcake"))
    assert f"{one} and {other} would both keep their trace in {path}: rename one of them" in both.outlines
    assert f"{other} and {one} would both keep their trace in {path}: rename one of them" in backwards.outlines


def test_two_names_of_one_file_are_named(inner: pytest.Pytester) -> None:
    """The same for `name=` within one test, while one name may be asked for twice."""
    test = """
    from hocket.agents.idle import Idle

    def test_names(episode, trace_snapshot):
        trace = episode("pantry", [Idle(), Idle()], steps=5)
        assert trace == trace_snapshot(name="a")
        assert trace == trace_snapshot(name="a")
        assert trace == trace_snapshot(name="a?")
    """
    inner.makepyfile(test_it=test)

    result = inner.runpytest("--snapshot-update")

    one, other = (f"test_it.py::test_names ({name})" for name in ("a", "a?"))
    result.assert_outcomes(failed=1)
    path = _kept(inner, "test_names[a]")
    assert f"{one} and {other} would both keep their trace in {path}: rename one of them" in result.outlines


def test_a_snapshot_that_no_test_asks_for_is_unused(inner: pytest.Pytester) -> None:
    """Syrupy's own report: it fails, and an update deletes the file."""
    _write(inner, "Idle", "--snapshot-update")
    inner.makepyfile(test_it=KITCHEN.format(ada="Idle").replace("test_kitchen", "test_pantry"))

    unused = inner.runpytest("--snapshot-update", "--snapshot-no-cleanup")
    kept = _kept(inner).exists()
    inner.runpytest("--snapshot-update")

    unused.stdout.fnmatch_lines("*1 snapshot unused.*")
    assert kept
    assert not _kept(inner).exists()
    assert _kept(inner, "test_pantry").exists()


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        ("3 == trace_snapshot", "TypeError: a trace snapshot keeps a Trace, not int"),
        ("3 == trace_snapshot(exclude=lambda prop, path: True)", "TypeError: a trace snapshot keeps a Trace, not int"),
        (
            "episode('pantry', [Idle(), Idle()], steps=2) == trace_snapshot(exclude=lambda prop, path: True)",
            "TypeError: a trace is kept whole: its snapshot takes neither exclude nor include",
        ),
    ],
)
def test_what_is_no_whole_trace_is_refused(inner: pytest.Pytester, compared: str, said: str) -> None:
    """An argument that would be ignored, too."""
    inner.makepyfile(
        test_it=f"from hocket.agents.idle import Idle\ndef test_it(episode, trace_snapshot):\n    assert {compared}"
    )

    assert _told(inner.runpytest("--snapshot-update"))[0] == said


def test_a_trace_of_no_events_is_kept(inner: pytest.Pytester, played: Trace) -> None:
    """A header alone: an episode that failed before it began."""
    inner.makepyfile(
        test_it="""
        import msgspec
        from hocket.agents.idle import Idle

        def test_kitchen(episode, trace_snapshot):
            trace = episode("pantry", [Idle(), Idle()], steps=5)
            assert msgspec.structs.replace(trace, events=()) == trace_snapshot
        """
    )
    inner.runpytest("--snapshot-update")

    again = inner.runpytest()
    _kept(inner).write_bytes(encode_trace(played.header, played.events))

    again.assert_outcomes(passed=1)
    assert _told(inner.runpytest())[0].startswith("the episode has no end, where it ended at tick 20 (horizon)")
