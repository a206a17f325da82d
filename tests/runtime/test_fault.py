"""What a failure leaves in a trace, and what a chooser is held to."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from hocket.games import registry
from hocket.runtime.fault import Fault, ask, fault
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.scheduler import Scheduler


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Answers:
    """Gives what it was told to give, or raises it."""

    def __init__(self, answer: Callable[[Sequence[Offer]], Any]) -> None:
        self.answer = answer

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        answer = self.answer(offers)
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[no-any-return]


def offers() -> Sequence[Offer]:
    """What ada and bo are asked first in a pantry."""
    game = registry.make("pantry")
    return Scheduler(game, registry.library(game), seed=0, holders=("ada", "bo"), steps=9).due()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("too much  salt\n  in the soup"), "ValueError: too much salt in the soup"),
        (SystemExit(), "SystemExit"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyError("pot"), "KeyError: 'pot'"),
        (MuteError(), "MuteError: its message cannot be read: RuntimeError"),
        (ValueError("\ud800"), "ValueError: \\ud800"),
        (ValueError(f"<Soup at 0x{0x7F3A5C2B1D40:x}>"), "ValueError: <Soup at 0x?>"),
        (
            FileNotFoundError(2, "No such file", "/tmp/ada/kitchen/salt.txt"),
            "FileNotFoundError: [Errno 2] No such file: 'salt.txt'",
        ),
        (ValueError("(/tmp/ada/salt.txt)"), "ValueError: (salt.txt)"),
        (ValueError("/tmp/salt.txt, not pepper/salt.txt"), "ValueError: salt.txt, not pepper/salt.txt"),
        (
            ValueError("see https://example.org/soup/salt or ./soup/salt"),
            "ValueError: see https://example.org/soup/salt or ./soup/salt",
        ),
        (ValueError("2 / 3 of a soup, and 1/2 onion"), "ValueError: 2 / 3 of a soup, and 1/2 onion"),
    ],
)
def test_a_failure_is_told_in_one_line(error: BaseException, text: str) -> None:
    """It goes into the trace, so it has to be text, whatever an agent raises."""
    assert fault(error) == Fault(text)
    assert msgspec.json.decode(msgspec.json.encode(fault(error)))["error"] == text


def test_a_failure_is_told_in_brief() -> None:
    """An agent that raises the whole of its prompt does not fill the trace with it."""
    assert len(fault(ValueError("salt " * 10_000)).error) < 1100


def test_a_failure_is_told_alike_on_every_machine() -> None:
    """Wherever the recipes are kept, the trace says the same."""
    told = {fault(ValueError(f"no {folder}/recipes/soup.md")) for folder in ("/tmp/ada", "/tmp/bo/desk")}

    assert told == {Fault("ValueError: no soup.md")}


def test_a_chooser_is_asked_once_for_all_of_its_seats() -> None:
    """What it answers is handed on as it is, good or not: a seat judges that."""
    assert list(ask(Answers(lambda asked: [Choice(1), "salt"]), offers())) == [Choice(1), "salt"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda asked: ValueError("salt"), "ValueError: salt"),
        (lambda asked: SystemExit(2), "SystemExit: 2"),
        (lambda asked: [Choice(0)], "ValueError: 2 offers, but 1 choices"),
        (lambda asked: (Choice(0) for _ in iter(int, 1)), "ValueError: 2 offers, but more choices"),
        (lambda asked: 7, "TypeError: 'int' object is not iterable"),
    ],
)
def test_a_chooser_that_fails_has_failed_in_every_seat(answer: Callable[[Sequence[Offer]], Any], text: str) -> None:
    """One of its answers is no better than another; even an endless one comes to an end."""
    assert ask(Answers(answer), offers()) == [Fault(text)] * 2


def test_whoever_interrupts_is_no_agent() -> None:
    """Ctrl-C ends the episode, not a seat."""
    with pytest.raises(KeyboardInterrupt):
        ask(Answers(lambda asked: KeyboardInterrupt()), offers())


def test_an_exception_in_the_place_of_a_choice_is_the_failure_of_that_seat() -> None:
    """The other offers of the same question are answered."""
    answers = ask(Answers(lambda offers: [Choice(0), ValueError("no second")]), offers())

    assert answers == [Choice(0), Fault("ValueError: no second")]
