"""The pytest plugin, in the pytest of somebody else."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from hocket.replays.snapshot import TraceSnapshotExtension
from hocket.replays.trace import Trace, encode_trace
from hocket.runtime.events import MenuOffered, Stepped

ROOT = Path(__file__).parents[2]
MARKED = """
import pytest

@pytest.mark.traces("recorded"{more})
def test_it_runs_again({takes}):
    {body}
"""


def _marked(inner: pytest.Pytester, *, more: str = "", takes: str = "trace", body: str = "assert trace.ended") -> None:
    inner.makepyfile(test_it=MARKED.format(more=more, takes=takes, body=body))


def _record(inner: pytest.Pytester, trace: Trace, name: str = "ada.jsonl") -> None:
    folder = inner.path / "recorded"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(encode_trace(trace.header, trace.events))


def _otherwise(trace: Trace) -> Trace:
    """The same choices, and a reward that no rerun pays."""
    changed = [
        msgspec.structs.replace(event, rewards=(99.0, 0.0)) if isinstance(event, Stepped) and event.tick == 3 else event
        for event in trace.events
    ]
    return msgspec.structs.replace(trace, events=tuple(changed))


def test_a_marked_test_is_one_test_a_trace(inner: pytest.Pytester, played: Trace, otherwise_played: Trace) -> None:
    """By name, in order; what lies beside traces is none of them."""
    _record(inner, otherwise_played, "bo.jsonl")
    _record(inner, played, "ada.jsonl")
    (inner.path / "recorded" / "ada.timing.jsonl").write_text("{}\n")
    (inner.path / "recorded" / "README.md").write_text("Recorded by ada.\n")
    _marked(inner)

    result = inner.runpytest("-v")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_it_runs_again[[]ada.jsonl[]] PASSED*",
            "test_it.py::test_it_runs_again[[]bo.jsonl[]] PASSED*",
        ]
    )


def test_the_body_gets_the_trace(inner: pytest.Pytester, played: Trace) -> None:
    """It can ask for more than that it runs again."""
    _record(inner, played)
    _marked(inner, body="assert trace.header.seed == 2")

    result = inner.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("E*assert 1 == 2*")


def test_a_trace_that_does_not_agree_is_one_sentence(inner: pytest.Pytester, played: Trace) -> None:
    """File, event, field, both values; no traceback of ours."""
    _record(inner, _otherwise(played))
    _marked(inner)

    result = inner.runpytest()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        "recorded/ada.jsonl does not agree: event * (tick 3), field rewards.0: 99.0 in the trace, 0.0 in the rerun"
    )
    result.stdout.no_fnmatch_line("*replays/plugin.py*")


def test_a_damaged_trace_is_one_sentence(inner: pytest.Pytester, played: Trace) -> None:
    """The others of its folder are run all the same."""
    _record(inner, played, "ada.jsonl")
    _record(inner, played, "bo.jsonl")
    damaged = inner.path / "recorded" / "bo.jsonl"
    damaged.write_bytes(damaged.read_bytes().replace(b'"steps":20,"tick":0', b'"steps":21,"tick":0'))
    _marked(inner)

    result = inner.runpytest()

    result.assert_outcomes(passed=1, errors=1)
    assert "recorded/bo.jsonl, event 1 (tick 0), field steps: is 21, but was recorded as 20" in result.outlines


def test_a_torn_trace_fails(inner: pytest.Pytester, played: Trace) -> None:
    """`hocket rerun` would make a note of it; here nobody would read that."""
    _record(inner, played)
    torn = inner.path / "recorded" / "ada.jsonl"
    torn.write_bytes(torn.read_bytes()[:-10])
    _marked(inner)

    result = inner.runpytest()

    result.assert_outcomes(errors=1)
    assert f"recorded/ada.jsonl is torn: it was cut after event {len(played.events) - 1}" in result.outlines


@pytest.mark.parametrize(
    ("more", "takes", "folder", "said"),
    [
        ("", "trace", None, "test_it.py::test_it_runs_again: recorded is no folder"),
        (
            "",
            "trace",
            "README.md",
            "test_it.py::test_it_runs_again: recorded holds no trace, neither *.jsonl nor *.jsonl.zst",
        ),
        ("", "", "ada.jsonl", "test_it.py::test_it_runs_again is marked with traces, but takes no `trace`"),
        (
            ", modus='keyed'",
            "trace",
            "ada.jsonl",
            "test_it.py::test_it_runs_again: its marker traces takes a folder, and perhaps a mode",
        ),
        (
            ", mode='loose'",
            "trace",
            "ada.jsonl",
            "test_it.py::test_it_runs_again: the mode of its traces is 'loose', not keyed or positional",
        ),
    ],
)
def test_a_marker_that_makes_no_sense_is_an_error_of_collection(
    inner: pytest.Pytester, more: str, takes: str, folder: str | None, said: str
) -> None:
    """One sentence; a folder whose traces went missing is not a test that passes."""
    if folder is not None:
        (inner.path / "recorded").mkdir()
        (inner.path / "recorded" / folder).touch()
    _marked(inner, more=more, takes=takes, body="pass")

    result = inner.runpytest()

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert said in result.outlines
    result.stdout.no_fnmatch_line("*replays/plugin.py*")


def test_the_mode_of_a_marker_is_that_of_the_rerun(inner: pytest.Pytester, played: Trace) -> None:
    """Menus in another order are another trace, but the same behaviour."""
    shuffled = [
        msgspec.structs.replace(event, menu=tuple(sorted(event.menu))) if isinstance(event, MenuOffered) else event
        for event in played.events
    ]
    _record(inner, msgspec.structs.replace(played, events=tuple(shuffled)))
    _marked(inner, more=", mode='positional'")
    positional = inner.runpytest()

    _marked(inner, more=", mode='keyed'")
    keyed = inner.runpytest()

    positional.assert_outcomes(passed=1)
    keyed.assert_outcomes(errors=1)
    keyed.stdout.fnmatch_lines("recorded/ada.jsonl does not agree: event *, field menu.*")


def test_the_fixture_without_the_marker_says_so(inner: pytest.Pytester) -> None:
    """It has no trace to give."""
    inner.makepyfile("def test_it(trace): pass")

    result = inner.runpytest()

    result.assert_outcomes(errors=1)
    assert "the fixture trace goes with a marker: @pytest.mark.traces(FOLDER)" in result.outlines


def test_without_syrupy_the_fixture_names_the_extra(inner: pytest.Pytester) -> None:
    """And nothing else of the plugin needs it."""
    inner.makepyfile(
        """
        from hocket.agents.idle import Idle

        def test_snapshot(trace_snapshot):
            pass

        def test_episode(episode):
            assert episode("pantry", [Idle(), Idle()], steps=3).ended
        """
    )

    result = inner.runpytest("-p", "no:syrupy")

    result.assert_outcomes(passed=1, errors=1)
    assert "the fixture trace_snapshot needs the extra 'test': pip install 'hocket[test]'" in result.outlines


def test_loading_the_plugin_imports_nothing_else() -> None:
    """Every pytest of an environment with hocket in it loads it."""
    heavy = (
        "syrupy",
        "numpy",
        "msgspec",
        "anyio",
        "hocket.runtime",
        "hocket.games",
        "hocket.agents",
        "hocket.learners",
    )
    program = f"import sys, hocket.replays.plugin; print([each for each in {heavy} if each in sys.modules])"

    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    assert told == "[]\n"


def test_async_tests_play_and_compare(inner: pytest.Pytester) -> None:
    """In strict mode: the fixtures themselves are plain ones."""
    inner.makepyfile(
        test_it="""
        import pytest
        from hocket.agents.idle import Idle
        from hocket.agents.random import Random
        from hocket.runtime.policy import as_policy

        @pytest.mark.asyncio
        async def test_awaited(episode, trace_snapshot):
            trace = await episode.play("pantry", [as_policy(Random()), Idle()], seed=3, steps=20, names=("ada", "bo"))
            assert trace == trace_snapshot

        def test_plain(episode, trace_snapshot):
            trace = episode("pantry", [as_policy(Random()), Idle()], seed=3, steps=20, names=("ada", "bo"))
            assert trace == trace_snapshot
        """
    )

    inner.runpytest("--snapshot-update").assert_outcomes(passed=2)
    inner.runpytest().assert_outcomes(passed=2)

    awaited, plain = sorted((inner.path / "__snapshots__" / "test_it").iterdir())
    assert awaited.read_bytes() == plain.read_bytes()


@pytest.mark.slow
def test_tests_with_traces_are_shared_among_processes(inner: pytest.Pytester, played: Trace) -> None:
    """Under xdist every process collects the same tests, and of two that share a file it is the second that fails."""
    _record(inner, played, "ada.jsonl")
    _record(inner, _otherwise(played), "bo.jsonl")
    _marked(inner)
    inner.makepyfile(
        test_signs="""
        import pytest
        from hocket.agents.idle import Idle

        def order(name, group):
            return pytest.param(name, marks=pytest.mark.xdist_group(group), id=name)

        @pytest.mark.parametrize("order", [order("soup/cake", "one"), order("soupcake", "another")])
        def test_signs(episode, trace_snapshot, order):
            assert episode("pantry", [Idle(), Idle()], steps=10) == trace_snapshot
        """
    )

    result = inner.runpytest_subprocess("-n", "2", "--dist", "loadgroup", "--snapshot-update")

    result.assert_outcomes(passed=2, failed=1, errors=1)
    path = inner.path / "__snapshots__" / "test_signs" / "test_signs[[]soupcake[]].jsonl"
    result.stdout.fnmatch_lines_random(
        [
            "recorded/bo.jsonl does not agree: *",
            f"test_signs.py::*soup/cake[]]* and test_signs.py::*soupcake[]]* would both keep their trace in {path}: *",
            "1 snapshot generated.",
        ]
    )


def test_what_the_docs_show_works(inner: pytest.Pytester) -> None:
    """Their tests, as they stand there, on the traces that are kept here."""
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    shown = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "cassette" not in code]
    for number, code in enumerate(shown):
        (inner.path / f"test_shown_{number}.py").write_text(code, "utf-8")
    shutil.copytree(ROOT / "tests" / "traces", inner.path / "tests" / "traces")

    shutil.copy(ROOT / "tests" / "traces" / "pantry.jsonl", inner.path / "kept.jsonl")

    inner.runpytest("--snapshot-update").assert_outcomes(passed=6)
    inner.runpytest().assert_outcomes(passed=6)


def test_syrupys_own_marker_finds_tests_of_traces(inner: pytest.Pytester) -> None:
    """`pytest -m syrupy_snapshot --snapshot-update` is how its users update everything, and nothing else."""
    inner.makepyfile("def test_kept(trace_snapshot): pass\n\n\ndef test_played(episode): pass")

    inner.runpytest("-m", "syrupy_snapshot").assert_outcomes(passed=1, deselected=1)


def test_files_are_given_to_tests_once_a_session(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """To go through all tests for each of them would take longer than many an episode."""
    reserve, sessions = TraceSnapshotExtension.reserve, list[pytest.Session]()

    def counted(session: pytest.Session, items: Iterable[pytest.Item]) -> None:
        sessions.append(session)
        reserve(session, items)

    monkeypatch.setattr(TraceSnapshotExtension, "reserve", counted)
    inner.makepyfile("\n".join(f"def test_{each}(trace_snapshot): pass" for each in ("ada", "bo", "cy")))

    inner.runpytest().assert_outcomes(passed=3)

    assert len(sessions) == 1
