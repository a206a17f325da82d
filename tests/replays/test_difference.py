"""Two sequences of events are compared one by one, down to the field."""

from hypothesis import given
from hypothesis import strategies as st

from hocket.replays.difference import Difference, between, first_difference, parting, shown
from hocket.runtime.events import EpisodeEnded, GameEvent, OptionStarted, Stepped

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def test_the_first_leaf_that_differs_is_named() -> None:
    """In a step of the world, that is one number of one game event."""
    ada = Stepped(3, (4, 5), (0.0, 1.0), (GameEvent("delivered", 1, "jar", (6, 2), 1.0),))
    bo = Stepped(3, (4, 5), (0.0, 1.0), (GameEvent("delivered", 1, "jar", (6, 1), 1.0),))

    difference = between(8, ada, bo)

    assert difference == Difference(8, 3, "events.0.at.1", 2, 1)


def test_events_of_two_kinds_differ_in_their_type() -> None:
    """Comparing their fields would say nothing."""
    one, other = OptionStarted(2, 0, "wait", 2), EpisodeEnded(2, "horizon", (0.0,))

    difference = between(5, one, other)

    assert difference is not None
    assert difference.sentence("for ada", "for bo") == (
        "event 5 (tick 2), field type: 'option_started' for ada, 'episode_ended' for bo"
    )


def test_a_sequence_that_goes_on_differs_where_the_other_ends() -> None:
    """What is missing is shown as nothing."""
    event = OptionStarted(2, 0, "wait", 2)

    difference = first_difference([event, event], [event], start=4)

    assert difference == Difference(5, 2, "type", "option_started", None)
    assert first_difference([event], [event]) is None


def test_a_renamed_key_goes_by_the_name_that_the_first_has() -> None:
    """In a damaged line, the first is what was written."""
    was, now = {"seat": 1, "tick": 2}, {"sebt": 1, "tick": 2}

    path = parting(was, now)

    assert path == ("seat", 1, None)


def test_a_long_value_is_cut() -> None:
    """A sentence with a whole layout in it is no sentence."""
    text = shown({"grid": "X" * 1000})

    assert len(text) < 200
    assert text.endswith("...")


def test_true_is_not_one() -> None:
    """Python takes them for equal; JSON does not."""
    path = parting({"old_dynamics": True}, {"old_dynamics": 1})

    assert path == ("old_dynamics", True, 1)


@given(_json, _json)
def test_values_that_differ_part_somewhere(one: object, other: object) -> None:
    """Whatever the two are, a path is found; and it leads back to the first of them."""
    path, was, _ = parting({"a": one}, {"a": other})

    assert (path == "") == (one == other and was == {"a": one})
    assert path in ("", "a") or path.startswith("a.")
