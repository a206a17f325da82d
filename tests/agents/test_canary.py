"""What an adapter is known by."""

from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.canary import (
    INDISTINGUISHABLE,
    KNOWN,
    NOT_CHECKED,
    Canary,
    Probe,
    distance,
    read_canary,
    standing,
    write_canary,
)
from hocket.agents.query import Query
from hocket.runtime.errors import AdapterError, AdapterMismatchError

LIKE = Probe((1, 2), (3, 4), (-0.7, -0.7), (-0.7, -0.7))
APART = Probe((1, 5), (3, 4), (-0.1, -2.1), (-2.0, -0.1))
CANARY = Canary("b" * 16, "a" * 16, (LIKE, APART))


def test_its_prompts_are_questions_to_the_adapter() -> None:
    """Under the versioned name, with nothing of a reply before."""
    assert CANARY.queries("seat0@v1") == [Query("seat0@v1", (1, 2), (), (3, 4)), Query("seat0@v1", (1, 5), (), (3, 4))]


def test_of_its_prompts_those_that_tell_take_turns() -> None:
    """One that adapter and base answer alike would let the base pass; where none tells, all take turns."""
    untrained = Canary("b" * 16, "a" * 16, (LIKE, LIKE))

    assert [CANARY.turn(number, "float32") for number in range(4)] == [1, 1, 1, 1]
    assert [untrained.turn(number, "float32") for number in range(4)] == [0, 1, 0, 1]


def test_the_wider_of_two_formats_is_the_tolerance() -> None:
    """What was measured in bfloat16 cannot be known better by a server in float32."""
    coarse = Canary("b" * 16, "a" * 16, (LIKE, APART), "bfloat16")

    assert [CANARY.tolerance(each) for each in ("float32", "float16", "bfloat16", "float8")] == [1e-4, 0.1, 0.5, 0.5]
    assert coarse.tolerance("float32") == 0.5


def test_the_base_is_known_by_any_of_its_adapters() -> None:
    """What it answers stands beside what the adapter does."""
    own = CANARY.of_base()

    assert (own.base, own.adapter) == (CANARY.base, "")
    assert [each.adapter for each in own.probes] == [each.base for each in CANARY.probes]
    own.check("", 1, APART.base, "float32")
    with pytest.raises(AdapterMismatchError):
        own.check("", 1, APART.adapter, "float32")


def test_what_was_expected_is_accepted_within_the_tolerance() -> None:
    """Also where adapter and base cannot be told apart."""
    CANARY.check_all("seat0@v1", [probe.adapter for probe in CANARY.probes], "float32")
    CANARY.check_all("seat0@v1", [[each + 0.05 for each in probe.adapter] for probe in CANARY.probes], "float16")


def test_a_receipt_says_what_is_known_of_who_answered() -> None:
    """Whether its canary tells it from its base, or could not, or is not there."""
    untrained = Canary("b" * 16, "a" * 16, (LIKE, LIKE))

    assert standing(CANARY, "float32", base=False) == KNOWN
    assert standing(CANARY, "bfloat16", base=False) == INDISTINGUISHABLE
    assert standing(untrained, "float32", base=False) == INDISTINGUISHABLE
    assert standing(untrained, "float32", base=True) == KNOWN
    assert standing(None, "float32", base=True) == standing(None, "float32", base=False) == NOT_CHECKED


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((-2.0, -0.1), "the base has answered: canary 1 is off by 2, where 0.1 is allowed"),
        ((-0.5, -1.0), "another adapter or base has answered: canary 1 is off by 1.1, where 0.1 is allowed"),
        ((nan, -2.1), "another adapter or base has answered: canary 1 is off by inf, where 0.1 is allowed"),
        ((-0.1, -inf), "another adapter or base has answered: canary 1 is off by inf, where 0.1 is allowed"),
        ((-0.1,), "another adapter or base has answered: canary 1 is off by inf, where 0.1 is allowed"),
        ((), "another adapter or base has answered: canary 1 is off by inf, where 0.1 is allowed"),
    ],
)
def test_another_answer_is_refused_and_says_whose_it_is(answer: tuple[float, ...], problem: str) -> None:
    """A server that has lost an adapter answers with its base, and says nothing of it."""
    with pytest.raises(AdapterMismatchError) as caught:
        CANARY.check("seat0@v1", 1, answer, "float16")

    assert str(caught.value) == f"adapter seat0@v1: {problem}"


def test_the_base_itself_has_a_canary_too() -> None:
    """It has no name, and the sentence has one for it."""
    with pytest.raises(AdapterMismatchError, match=r"adapter \(the base itself\): another adapter or base"):
        CANARY.check("", 0, (-3.0, -0.1), "float16")


def test_an_adapter_is_distinct_where_any_prompt_tells() -> None:
    """By more than four tolerances; one that was never trained never is."""
    untrained = Canary("b" * 16, "a" * 16, (LIKE, LIKE))

    assert [CANARY.distinct(dtype) for dtype in ("float32", "float16", "bfloat16")] == [True, True, False]
    assert not untrained.distinct("float32")


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=5), st.floats(0.001, 1))
def test_a_distance_is_the_largest_difference(answer: list[float], by: float) -> None:
    """And infinite to what is no such list."""
    moved = [*answer[:-1], answer[-1] - by]

    assert distance(moved, answer) == pytest.approx(by, abs=1e-9)
    assert distance(answer, answer) == 0
    assert distance([*answer, 0.0], answer) == inf


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """To the last bit."""
    write_canary(tmp_path, CANARY)

    assert read_canary(tmp_path) == CANARY
    assert [path.name for path in tmp_path.iterdir()] == ["canary.json"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "does not read as a canary: Input data was truncated"),
        ('{"base": "b", "adapter": "a"}', "does not read as a canary: Object missing required field `probes`"),
        ('{"base": "b", "adapter": "a", "probes": []}', "holds no whole probes"),
        (
            '{"base":"b","adapter":"a","probes":[{"prompt":[1],"among":[3,4],"adapter":[-1],"base":[-1,-1]}]}',
            "holds no whole probes",
        ),
        (
            '{"base":"b","adapter":"a","probes":[{"prompt":[1],"among":[],"adapter":[],"base":[]}]}',
            "holds no whole probes",
        ),
        (
            '{"base":"b","adapter":"a","probes":[{"prompt":[1],"among":[3],"adapter":[null],"base":[-1]}]}',
            "does not read",
        ),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(content: str, problem: str, tmp_path: Path) -> None:
    """It says whose it is."""
    (tmp_path / "canary.json").write_text(content)

    with pytest.raises(AdapterError) as caught:
        read_canary(tmp_path)

    assert str(caught.value).startswith(f"adapter {tmp_path}: canary.json {problem}")
