"""Places on the menu, beside chance."""

import pytest
from tests.replays.audits.played import Letter, pair

from hocket.agents.random import Random
from hocket.replays.audits.letters import Letters, letters
from hocket.replays.audits.record import Record
from hocket.replays.audits.sign import signs


def test_whoever_chooses_by_letter_is_found() -> None:
    """And whoever draws from its menu is not."""
    found = letters(Record(pair(Letter(1), Random(), steps=400)))

    assert isinstance(found, Letters)
    bound, free = found.bias(0), found.bias(1)
    assert bound is not None
    assert free is not None
    assert bound > 0.5
    assert free < 0.15
    assert [sign.name for sign in signs([found])] == ["letters"]
    assert "seat 0 chooses by letter: B" in signs([found])[0].sentence


def test_expected_letters_are_one_over_the_length_of_each_menu() -> None:
    """They add up to the choices from menus with something to choose."""
    record = Record(pair(Random(), Random()))
    found = letters(record)

    assert isinstance(found, Letters)
    for seat in (0, 1):
        assert sum(found.expected[seat]) == pytest.approx(sum(found.chosen[seat]))
        assert list(found.expected[seat]) == sorted(found.expected[seat], reverse=True)
