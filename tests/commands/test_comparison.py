"""`hocket solo` and `hocket crossplay`: one command, no file to edit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

Call = Callable[..., Any]
SHORT = ("--episodes", "3", "--steps", "80", "--processes", "1")
COOKS = ("--agent", "scripted:cook", "--agent", "idle")


def test_solo_tells_who_can_do_the_task_alone(call: Call) -> None:
    """On forced_coordination nobody can."""
    alone, together = (
        call("solo", f"overcooked:{layout}", *COOKS, *SHORT, "--json")
        for layout in ("asymmetric_advantages", "forced_coordination")
    )

    able = [
        [each["able"] for each in msgspec.json.decode(outcome.out)["solos"] if each["agent"] == "scripted:cook"]
        for outcome in (alone, together)
    ]
    assert (alone.code, together.code) == (0, 0)
    assert able == [[3, 3], [0, 0]]


def test_crossplay_is_a_matrix_and_goes_on_where_it_was_broken_off(call: Call, kitchen: Path) -> None:
    """The second run plays nothing, and says the same."""
    words = ("crossplay", "overcooked:asymmetric_advantages", *COOKS, *SHORT, "--out", "kept", "--json")

    first = call(*words)
    before = {path: path.stat().st_mtime_ns for path in Path("kept").iterdir()}
    second = call(*words)

    found = msgspec.json.decode(first.out)["matrix"]
    assert (first.code, second.out) == (0, first.out)
    assert {path: path.stat().st_mtime_ns for path in Path("kept").iterdir()} == before
    assert len(before) == 4 * 3
    assert [(cell["one"], cell["others"]) for cell in found["cells"]][1] == ("scripted:cook", "idle")
    assert found["cells"][0]["estimate"]["mean"] > found["cells"][1]["estimate"]["mean"] > 0
    assert found["cells"][3]["estimate"]["mean"] == 0


def test_people_read_tables(call: Call) -> None:
    """With every agent in both heads, and where twenty episodes are one."""
    cross = call("crossplay", "pantry", "--agent", "random", "--agent", "idle", *SHORT)
    alone = call("solo", "pantry", "--agent", "random", *SHORT)

    assert (cross.code, alone.code) == (0, 0)
    assert "random" in cross.out
    assert "idle" in cross.out
    assert "0 (no spread)" in cross.out
    assert "self-play" in cross.out
    assert "cross-play" in cross.out
    assert "return alone" in alone.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solo", "pantry"), "--agent AGENT is missing: it says who plays"),
        (("crossplay", "pantry", "--agent", "idle", "--agent", "idle"), "--agent is 'idle', but must be given once"),
        (("solo", "pantry", "--agent", "idel"), "there is no agent 'idel' (nearest: idle"),
        (("solo", "pantry", "--agent", "scripted:cook"), "it plays overcooked, not pantry"),
        (("solo", "pantry", "--agent", "idle", "--episodes", "0"), "--episodes is 0, but must be 1 to 100,000"),
        (("solo", "pantry", "--agent", "idle", "--processes", "0"), "--processes is 0, but must be 1 to 256"),
        (("solo", "pantry", "--agent", "idle", "--seed", "-1"), "--seed is -1, but must be 0 or more"),
        (("solo", "pantri", "--agent", "idle"), "there is no game 'pantri' (nearest: pantry"),
        (
            ("crossplay", "pantry", "--agent", "idle", "--out", "/dev/null/x"),
            "/dev/null/x: cannot be written: ",
        ),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and nothing is played."""
    outcome = call(*words)

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert said in outcome.err
