"""How a model is asked."""

import math

import msgspec
import pytest

from hocket.agents.style import PROFILES, SCORERS, WRITTEN, Style
from hocket.runtime.errors import SettingError, UnknownNameError


def test_every_scorer_and_profile_makes_a_style() -> None:
    """The words of the command line are those of the code."""
    styles = [Style(profile, scorer) for profile in PROFILES for scorer in SCORERS]  # type: ignore[arg-type]

    assert len(set(styles)) == 12
    assert set(WRITTEN) < set(SCORERS)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"scorer": "leter"}, "there is no scorer 'leter' (nearest: letter)"),
        ({"profile": "short"}, "there is no prompt profile 'short' (known: brief, full)"),
    ],
)
def test_a_word_that_is_none_is_refused(wrong: dict[str, str], sentence: str) -> None:
    """With the nearest that there is."""
    with pytest.raises(UnknownNameError) as caught:
        Style(**wrong)  # type: ignore[arg-type]

    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"temperature": -0.1}, "temperature is -0.1, but must be 0 to 100"),
        ({"temperature": 101.0}, "temperature is 101.0, but must be 0 to 100"),
        ({"temperature": math.nan}, "temperature is nan, but must be 0 to 100"),
        ({"temperature": math.inf}, "temperature is inf, but must be 0 to 100"),
        ({"most_tokens": 0}, "most_tokens is 0, but must be 1 to 4096"),
        ({"most_tokens": 1.5}, "most_tokens is 1.5, but must be 1 to 4096"),
        ({"most_tokens": 5000}, "most_tokens is 5000, but must be 1 to 4096"),
    ],
)
def test_a_number_out_of_bounds_is_refused(wrong: dict[str, float], sentence: str) -> None:
    """Not-a-number is out of all bounds."""
    with pytest.raises(SettingError) as caught:
        Style(**wrong)  # type: ignore[arg-type]

    assert str(caught.value) == sentence


def test_a_style_is_read_back_as_it_was() -> None:
    """Whole numbers for shares and truths, as a caller may write them, would come back from a trace as others."""
    style = Style(temperature=0, grammar=1, most_tokens=8.0)  # type: ignore[arg-type]

    told = msgspec.json.encode(style)

    assert told == msgspec.json.encode(Style(temperature=0.0, grammar=True, most_tokens=8))
    assert msgspec.json.encode(msgspec.json.decode(told, type=Style)) == told
    assert [type(each) for each in msgspec.to_builtins(style).values()] == [str, str, float, bool, int]
