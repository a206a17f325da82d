"""`hocket serve` and `hocket join`: links, and one sentence for a mistake."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

Call = Callable[..., Any]
Start = Callable[..., "subprocess.Popen[str]"]


def test_every_awaited_seat_has_a_link_on_this_machine_alone(start: Start) -> None:
    """And there is one for those who watch and one for the host."""
    server = start("serve", "pantry", "--seat", "1=human", "--tables", "2", "--port", "0", "--json")
    assert server.stdout is not None

    links = msgspec.json.decode(server.stdout.readline())["links"]
    server.send_signal(signal.SIGINT)
    code = server.wait(20)

    assert code == 130
    assert [(each["table"], each["role"], each["seat"]) for each in links] == [
        (table, *who) for table in (0, 1) for who in (("seat", 1), ("watcher", None), ("host", None))
    ]
    assert all(each["url"].startswith("http://127.0.0.1:") for each in links)
    assert len({each["url"] for each in links}) == 6


def test_a_port_that_is_taken_is_said_at_once(call: Call) -> None:
    """Before anybody is given a link that leads elsewhere."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = call("serve", "pantry", "--seat", "0=human", "--port", port)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"hocket: port {port} of 127.0.0.1 cannot be listened on: address already in use; "
        "--port 0 takes any that is free\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serve", "pantry"), "--seat N=human or N=remote is missing: nobody would come"),
        (("serve", "pantry", "--seat", "0=random"), "--seat N=human or N=remote is missing"),
        (("serve", "pantry", "--seat", "2=human"), "seat 2 is not there: pantry has seats 0 to 1"),
        (("serve", "pantry", "--seat", "0=human", "--seat", "0=remote"), "seat 0 is named twice"),
        (("serve", "pantry", "--seat", "0=human", "--seat", "1=idel"), "there is no agent 'idel' (nearest: idle"),
        (("serve", "pantry", "--seat", "0=human", "--hz", "0"), "hz is 0.0, but must be"),
        (("serve", "pantry", "--seat", "0=human", "--grace", "-1"), "--grace is -1.0, but must be"),
        (("serve", "pantry", "--seat", "0=human", "--tables", "0"), "--tables is 0, but must be 1 to 4096"),
        (("serve", "pantry", "--seat", "0=human", "--port", "99999"), "--port is 99999, but must be 0 to 65,535"),
        (("serve", "pantry", "--seat", "0=human", "--interface", "json"), "must be menu or native"),
        (("serve", "pantry", "--seat", "0=human", "--host", "192.0.2.1", "--port", "0"), "cannot be listened on"),
        (("serve", "pantri", "--seat", "0=human"), "there is no game 'pantri' (nearest: pantry"),
        (("join", "http://127.0.0.1:1/seat/x"), "--agent AGENT is missing: it says who sits there"),
        (("join", "nonsense", "--agent", "idle"), "URL is 'nonsense', but must be the link of a seat"),
        (("join", "http://127.0.0.1:1/seat/x", "--agent", "idle"), "the table at 127.0.0.1:1: cannot be reached"),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, no traceback."""
    outcome = call(*words)

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert said in outcome.err


def test_a_person_at_the_terminal_types_letters(kitchen: Path, command: Path) -> None:
    """What is on no menu is asked again; when there is nothing more to read, the seat is the fallback's."""
    words = ("play", "pantry", "--seat", "0=human:terminal", "--seat", "1=random", "--steps", "12", "--json")

    played = subprocess.run(
        [command, *words, "--trace", "ada.jsonl"],
        input="?\na\nB\n",
        capture_output=True,
        text=True,
        cwd=kitchen,
        env=dict(os.environ, PYTHONSAFEPATH="1"),
        check=False,
        timeout=60,
    )

    told = msgspec.json.decode(played.stdout)
    assert played.returncode == 0
    assert "'?' is not on the menu" in played.stderr
    assert "A) " in played.stderr
    assert any("nobody is at the terminal any more" in each for each in told["complaints"])


def test_a_person_at_the_terminal_plays_in_lockstep(call: Call) -> None:
    """The world would run away from whoever reads."""
    outcome = call("play", "pantry", "--seat", "0=human:terminal", "--pace", "live")

    assert outcome.code == 2
    assert outcome.err == "hocket: --pace is 'live', but must be lockstep with a person at the terminal\n"
