"""Replies on a cassette: who gets them, what a miss says, which files are refused."""

import asyncio
import pickle
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.replays.cassette import Cassette
from hocket.replays.tape import Exchange, Tape, encode_tape
from hocket.runtime.errors import CassetteError, CassetteMissError

SEATS = 7


def recorded(path: Path, *exchanges: Exchange, seats: int = 2) -> Cassette:
    """A cassette that plays these."""
    path.write_bytes(encode_tape(Tape(seats, exchanges)))
    return Cassette.play(path)


async def take_seats(order: list[int], ask: Callable[[int], object]) -> dict[int, object]:
    """Seven seats ask at once; each waits its turns of the loop first, so that they come in another order."""

    async def one(seat: int) -> object:
        for _ in range(order.index(seat)):
            await asyncio.sleep(0)
        return ask(seat)

    return dict(enumerate(await asyncio.gather(*(one(seat) for seat in range(SEATS)))))


@given(st.lists(st.permutations(range(SEATS)), min_size=4, max_size=4))
def test_seven_seats_of_one_prompt_each_get_their_own_replies(
    tmp_path_factory: pytest.TempPathFactory, orders: list[list[int]]
) -> None:
    """Whatever the order in which they were recorded, and in which they ask now: none reaches another seat."""
    path = tmp_path_factory.mktemp("seven") / "seven.jsonl"
    with Cassette.record(path, seats=SEATS) as cassette:
        for decision, order in enumerate(orders[:2]):
            asyncio.run(
                take_seats(order, lambda seat, now=decision: cassette.put(seat, now, "which way?", [seat, now]))  # type: ignore[misc]
            )

    with Cassette.play(path, seats=SEATS) as cassette:
        played = [
            asyncio.run(take_seats(order, lambda seat, now=decision: cassette.get(seat, now, "which way?")))  # type: ignore[misc]
            for decision, order in enumerate(orders[2:])
        ]

    assert played == [{seat: [seat, decision] for seat in range(SEATS)} for decision in range(2)]


def test_the_order_in_which_replies_came_leaves_no_mark(tmp_path: Path) -> None:
    """A cassette that is recorded again is the same file, and a change of it in version control says something."""
    for name, seats in (("one", (0, 1)), ("other", (1, 0))):
        with Cassette.record(tmp_path / name, seats=2) as cassette:
            for seat in seats:
                cassette.put(seat, 0, ("rules", f"you are {seat}"), "A")

    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_file_holds_each_text_once(tmp_path: Path) -> None:
    """Rules are long, the same for every decision, and stand above the first reply that names them."""
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        cassette.put(0, 0, ("rules", "now"), {"choice": "B"})
        cassette.put(0, 1, ("rules", "later"), None)

    rules, now, later = (blake2b(text, digest_size=16).hexdigest() for text in (b"rules", b"now", b"later"))
    assert (tmp_path / "ada.jsonl").read_text("utf-8").splitlines() == [
        '{"schema":1,"seats":2,"type":"cassette"}',
        f'{{"digest":"{rules}","text":"rules","type":"text"}}',
        f'{{"digest":"{now}","text":"now","type":"text"}}',
        f'{{"asked":["{rules}","{now}"],"decision":0,"question":0,"reply":{{"choice":"B"}},"seat":0,"type":"reply"}}',
        f'{{"digest":"{later}","text":"later","type":"text"}}',
        f'{{"asked":["{rules}","{later}"],"decision":1,"question":0,"reply":null,"seat":0,"type":"reply"}}',
    ]


def test_a_decision_that_is_asked_again_gets_its_next_reply(tmp_path: Path) -> None:
    """A rejected reply leaves its offer open; the question is the same, the reply is not."""
    cassette = recorded(
        tmp_path / "ada.jsonl", Exchange(0, 3, 0, ("which?",), "none"), Exchange(0, 3, 1, ("which?",), "A")
    )

    replies = [cassette.get(0, 3, "which?"), cassette.get(0, 3, "which?")]

    assert replies == ["none", "A"]
    with pytest.raises(CassetteMissError, match="it is asked for reply 3, and 2 recorded\n"):
        cassette.get(0, 3, "which?")


def test_a_miss_shows_what_is_asked_now_beside_what_was(tmp_path: Path) -> None:
    """Most misses are a prompt that somebody has changed, and the change is what they want to see."""
    path = tmp_path / "ada.jsonl"
    cassette = recorded(path, Exchange(0, 3, 0, ("cook soup\nwait your turn", "onions: 2\npots: 1\nchoose"), "A"))

    with pytest.raises(CassetteMissError) as missed:
        cassette.get(0, 3, ("cook soup\nwait your turn", "onions: 3\npots: 1\nchoose"))

    assert str(missed.value).splitlines() == [
        f"cassette {path} has no reply for decision 3 of seat 0: something else was asked when it was recorded",
        *("--- recorded: seat 0, decision 3", "+++ asked now"),
        *("@@ -2,3 +2,3 @@", " wait your turn", "-onions: 2", "+onions: 3", " pots: 1"),
    ]
    assert (missed.value.seat, missed.value.decision) == (0, 3)
    assert str(pickle.loads(pickle.dumps(missed.value))) == str(missed.value)


@pytest.mark.parametrize(
    ("seat", "decision", "asked", "problem"),
    [
        (0, 0, "to the right", "something else was asked when it was recorded"),
        (0, 3, "to the left", "that decision was not recorded, the nearest is decision 0"),
        (0, 5, "onwards", "that decision was not recorded, the nearest is decision 4"),
        (1, 0, "to the left", "nothing was recorded for this seat"),
        (9, 0, "to the left", "nothing was recorded for this seat"),
    ],
)
def test_only_the_very_question_of_the_very_seat_and_decision_is_answered(
    seat: int, decision: int, asked: str, problem: str, tmp_path: Path
) -> None:
    """What was asked word for word comes before what is near in time; another seat's recordings are never looked at."""
    cassette = recorded(
        tmp_path / "ada.jsonl", Exchange(0, 0, 0, ("to the left",), "A"), Exchange(0, 4, 0, ("on",), "B")
    )

    with pytest.raises(CassetteMissError) as missed:
        cassette.get(seat, decision, asked)

    assert missed.value.problem == problem
    assert ("to the left" in missed.value.difference) == (seat == 0 and asked == "to the right")
    assert ("word for word" in missed.value.difference) == (seat == 0 and asked == "to the left")


def test_the_same_words_in_other_messages_are_another_question(tmp_path: Path) -> None:
    """What stands in the rules is read otherwise than what stands in the question."""
    cassette = recorded(tmp_path / "ada.jsonl", Exchange(0, 0, 0, ("cook", "now"), "A"))

    with pytest.raises(CassetteMissError):
        cassette.get(0, 0, "cook\nnow")


def test_a_long_difference_is_cut(tmp_path: Path) -> None:
    """It is to be read in a terminal."""
    cassette = recorded(tmp_path / "ada.jsonl", Exchange(0, 0, 0, ("\n".join(map(str, range(100))),), "A"))

    with pytest.raises(CassetteMissError) as missed:
        cassette.get(0, 0, "\n".join("abcdefgh"))

    lines = missed.value.difference.splitlines()
    assert (len(lines), lines[-1]) == (31, "... and 81 more lines")


def test_a_miss_that_was_swallowed_is_raised_where_the_block_ends(tmp_path: Path) -> None:
    """An episode goes on without an agent that raised, and a test of it would pass."""
    recorded(tmp_path / "ada.jsonl", Exchange(0, 0, 0, ("which?",), "A"))

    def play() -> None:
        with Cassette.play(tmp_path / "ada.jsonl") as cassette:
            for decision in (0, 1, 2):
                try:
                    cassette.get(0, decision, "which?")
                except CassetteMissError:
                    continue

    with pytest.raises(CassetteMissError, match="decision 1 of seat 0"):
        play()


def test_a_miss_is_told_beside_what_it_has_led_to(tmp_path: Path) -> None:
    """The assertion that does not hold is what happened; the miss is why."""
    recorded(tmp_path / "ada.jsonl", seats=2)

    def play() -> None:
        with Cassette.play(tmp_path / "ada.jsonl") as cassette:
            with pytest.raises(CassetteMissError):
                cassette.get(0, 0, "which?")
            raise AssertionError("no soup")

    with pytest.raises(AssertionError, match="no soup") as failed:
        play()
    assert "nothing was recorded for this seat" in failed.value.__notes__[0]


def test_a_reply_may_be_edited_by_hand_and_a_text_may_not(tmp_path: Path) -> None:
    """To try another reply is what such a file is for; to change a question is to lie about it."""
    path = tmp_path / "ada.jsonl"
    recorded(path, Exchange(0, 0, 0, ("which way?",), "left"))

    path.write_text(path.read_text("utf-8").replace('"left"', ' "right"'), "utf-8")
    reply = Cassette.play(path).get(0, 0, "which way?")
    path.write_text(path.read_text("utf-8").replace("which way?", "which way now?"), "utf-8")

    assert reply == "right"
    with pytest.raises(CassetteError) as refused:
        Cassette.play(path)
    assert str(refused.value) == (
        f"cassette {path}, line 2: its text is not the one of its digest: what was asked cannot be edited, "
        "record it anew"
    )


HEADER = '{"schema":1,"seats":2,"type":"cassette"}\n'
REPLY = '{{"asked":[{asked}],"decision":{decision},"question":{question},"reply":0,"seat":{seat},"type":"reply"}}\n'


def reply(seat: int = 0, question: int = 0, asked: str = "") -> str:
    """A line of a file."""
    return REPLY.format(asked=asked, decision=0, question=question, seat=seat)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", ": is empty"),
        ("two onions\n", ": is no cassette: its first line is no header"),
        ("[" * 100_000, ": is no cassette: its first line is no header"),
        (reply(), ": is no cassette: its first line is no header"),
        ('{"hash":"7d52","header":{},"n":0}\n', ": is no cassette: its first line is no header"),
        (HEADER.replace("1", "2"), ", line 1: is of schema 2, but this version reads up to 1"),
        (HEADER + HEADER, ", line 2: is a second header"),
        (HEADER + reply()[:-9], ", line 2: the file ends in the middle of it; record it anew"),
        (HEADER + "\n" + reply(), ", line 2: does not read: Input data was truncated"),
        (HEADER + reply(seat=2), ", line 2: there is no seat 2: the cassette is of 2"),
        (HEADER + reply(seat=-1), ", line 2: there is no seat -1: the cassette is of 2"),
        (HEADER + reply() * 2, ", line 3: question 0 of decision 0 of seat 0 stands where 1 is due"),
        (HEADER + reply(question=1), ", line 2: question 1 of decision 0 of seat 0 stands where 0 is due"),
        (HEADER + reply(asked='"beef"'), ", line 2: no text above it has the digest 'beef'"),
    ],
)
def test_a_file_that_is_no_whole_cassette_is_refused_in_one_sentence(
    content: str, problem: str, tmp_path: Path
) -> None:
    """With the line, where one is wrong."""
    path = tmp_path / "ada.jsonl"
    path.write_text(content, "utf-8")

    with pytest.raises(CassetteError) as refused:
        Cassette.play(path)

    assert str(refused.value) == f"cassette {path}{problem}"


def test_a_file_that_is_cut_anywhere_is_refused_or_ends_with_a_whole_line(tmp_path: Path) -> None:
    """No half reply is ever played."""
    path = tmp_path / "ada.jsonl"
    exchanges = tuple(Exchange(0, each, 0, ("rules", str(each)), {"choice": [each]}) for each in range(3))
    whole = encode_tape(Tape(2, exchanges))

    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            cassette = Cassette.play(path)
        except CassetteError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert whole[length : length + 1] in (b"\n", b"{")
            assert cassette.exchanges == exchanges[: len(cassette.exchanges)]


def test_what_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """No file, a folder: each is told apart."""
    with pytest.raises(CassetteError, match=r"none\.jsonl: no such file or directory$"):
        Cassette.play(tmp_path / "none.jsonl")
    with pytest.raises(CassetteError, match=r": is a directory$"):
        Cassette.play(tmp_path)


def test_a_cassette_of_another_number_of_seats_is_refused(tmp_path: Path) -> None:
    """It was recorded in another game, and would miss with every seat."""
    path = tmp_path / "ada.jsonl"
    recorded(path, seats=2)

    with pytest.raises(CassetteError) as refused:
        Cassette.play(path, seats=7)

    assert str(refused.value) == f"cassette {path}: was recorded for 2 seats, not for 7"


def test_a_place_where_nothing_can_be_written_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    """Replies may be dear."""
    with pytest.raises(CassetteError, match=r": is a folder; name a file$"):
        Cassette.record(tmp_path, seats=2)
    with pytest.raises(CassetteError, match=r": the folder .*/none is not there$"):
        Cassette.record(tmp_path / "none" / "ada.jsonl", seats=2)


@pytest.mark.parametrize("error", [AssertionError("no soup"), KeyboardInterrupt()])
def test_a_recording_that_is_interrupted_leaves_what_was_there_and_stands_beside_it(
    error: BaseException, tmp_path: Path
) -> None:
    """Half a cassette takes no whole one's place; but what was asked for an hour is not lost."""
    path, partial = tmp_path / "ada.jsonl", tmp_path / "ada.jsonl.partial"
    recorded(path, Exchange(0, 0, 0, ("which?",), "of yesterday"))

    def fail_after_a_question() -> None:
        with Cassette.record(path, seats=2) as cassette:
            cassette.put(0, 0, "which?", "of today")
            raise error

    with pytest.raises(type(error)) as failed:
        fail_after_a_question()

    assert failed.value.__notes__ == [f"cassette {path} was not finished: what was recorded is kept as {partial}"]
    assert Cassette.play(path).get(0, 0, "which?") == "of yesterday"
    assert Cassette.play(partial).get(0, 0, "which?") == "of today"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ada.jsonl", "ada.jsonl.partial"]


def test_a_recording_that_is_interrupted_before_the_first_question_leaves_nothing(tmp_path: Path) -> None:
    """There is nothing to keep."""
    path = tmp_path / "ada.jsonl"

    with pytest.raises(NameError) as failed, Cassette.record(path, seats=2):
        raise NameError("aad")

    assert not hasattr(failed.value, "__notes__")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_recording_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    """In a note: the error that interrupted it is the one that goes on."""
    path = tmp_path / "ada.jsonl"
    (tmp_path / "ada.jsonl.partial").mkdir()

    def fail_after_a_question() -> None:
        with Cassette.record(path, seats=2) as cassette:
            cassette.put(0, 0, "which?", "of today")
            raise AssertionError("no soup")

    with pytest.raises(AssertionError, match="no soup") as failed:
        fail_after_a_question()

    assert failed.value.__notes__ == [f"cassette {path}.partial: cannot be written: is a directory"]


@pytest.mark.parametrize("reply", [object(), "\ud800", {1j: 2}])
def test_what_cannot_be_kept_is_refused_at_once(reply: object, tmp_path: Path) -> None:
    """Not when the file is written, after everything was asked."""
    cassette = Cassette.record(tmp_path / "ada.jsonl", seats=2)

    with pytest.raises(CassetteError, match="decision 4 of seat 1 cannot be written as JSON: "):
        cassette.put(1, 4, "which?", reply)
    with pytest.raises(CassetteError, match="there is no seat 2: it is recorded for 2"):
        cassette.put(2, 4, "which?", "A")

    assert cassette.exchanges == ()


def test_what_is_played_is_what_was_put_not_what_has_become_of_it(tmp_path: Path) -> None:
    """A reply that its agent goes on changing is kept as it was."""
    counts = {"onions": 1}
    cassette = Cassette.record(tmp_path / "ada.jsonl", seats=1)

    cassette.put(0, 0, "how many?", counts)
    counts["onions"] = 2
    cassette.close()

    assert Cassette.play(tmp_path / "ada.jsonl").get(0, 0, "how many?") == {"onions": 1}


def test_a_cassette_is_recorded_or_played_and_never_both(tmp_path: Path) -> None:
    """Whoever mixes the two up hears of it."""
    playing = recorded(tmp_path / "ada.jsonl")
    recording = Cassette.record(tmp_path / "bo.jsonl", seats=2)

    with pytest.raises(CassetteError, match="is being played, so nothing can be recorded on it"):
        playing.put(0, 0, "which?", "A")
    with pytest.raises(CassetteError, match="is being recorded, so nothing can be played from it"):
        recording.get(0, 0, "which?")


ENCODER = msgspec.json.Encoder(order="sorted")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.text(), max_size=3), JSON)
def test_any_text_and_any_json_value_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, asked: list[str], reply: object
) -> None:
    """Line ends of every kind included."""
    path = tmp_path_factory.mktemp("any") / "any.jsonl"

    with Cassette.record(path, seats=1) as cassette:
        cassette.put(0, 0, tuple(asked), reply)
    with Cassette.play(path) as cassette:
        found = cassette.get(0, 0, tuple(asked))

    assert ENCODER.encode(found) == ENCODER.encode(reply)
    assert cassette.exchanges[0].asked == tuple(asked)
