"""`hocket rerun`: does a trace come about again?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.replays.trace import encode_trace, read_trace
from hocket.runtime.events import OptionChosen, Receipt, Stepped
from hocket.runtime.game import GameSpec

Call = Callable[..., Any]


@pytest.fixture
def played(call: Call) -> Path:
    """An episode of two random cooks."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "20", "--trace", "ada.jsonl")
    return Path("ada.jsonl")


def _tampered(path: Path) -> int:
    """Double the reward of tick 3, hashes and all; return the event's number."""
    trace = read_trace(path)
    events = list(trace.events)
    number = next(place for place, event in enumerate(events) if isinstance(event, Stepped) and event.tick == 3)
    events[number] = msgspec.structs.replace(events[number], rewards=(2.0, 0.0))
    path.write_bytes(encode_trace(trace.header, events))
    return number + 1


def test_a_trace_that_agrees_gives_exit_code_0(played: Path, call: Call) -> None:
    """Compressed or not."""
    call("play", "pantry", "--seed", "3", "--trace", "bo.jsonl.zst")

    outcomes = [call("rerun", name) for name in ("ada.jsonl", "bo.jsonl.zst")]

    assert [(outcome.code, outcome.err) for outcome in outcomes] == [(0, ""), (0, "")]
    assert outcomes[0].out.startswith(f"ada.jsonl agrees: {len(read_trace(played).events)} events, return ")


def test_a_trace_that_parts_gives_exit_code_1(played: Path, call: Call) -> None:
    """The first event that differs is named, with its tick and field."""
    number = _tampered(played)

    outcome = call("rerun", played)

    assert outcome.code == 1
    assert outcome.out == (
        f"ada.jsonl does not agree: event {number} (tick 3), field rewards.0: 2.0 in the trace, 0.0 in the rerun\n"
    )


def test_a_verdict_as_json_is_one_object(played: Path, call: Call) -> None:
    """Whether it agrees or not."""
    good = call("rerun", played, "--json")
    number = _tampered(played)
    bad = call("rerun", played, "--json")

    verdict = msgspec.json.decode(bad.out)
    assert (good.code, bad.code) == (0, 1)
    assert msgspec.json.decode(good.out)["agrees"] is True
    assert (verdict["agrees"], verdict["events"]) == (False, number - 1)
    assert verdict["difference"] == {"number": number, "tick": 3, "field": "rewards.0", "one": 2.0, "other": 0.0}


def test_a_changed_byte_gives_exit_code_2(played: Path, call: Call) -> None:
    """Damage is no disagreement: what was recorded is not known any more."""
    content = played.read_bytes()
    played.write_bytes(content.replace(b'"joint":[4', b'"joint":[3', 1))

    outcome = call("rerun", played)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("hocket: ada.jsonl, event ")
    assert "field joint.0: is 3, but was recorded as 4" in outcome.err


def test_a_torn_trace_agrees_with_a_note(played: Path, call: Call) -> None:
    """The note goes to standard error."""
    played.write_bytes(played.read_bytes()[:-20])
    count = len(read_trace(played).events)

    outcome = call("rerun", played)

    assert outcome.code == 0
    assert outcome.err == f"note: the trace is torn: it was cut after event {count}\n"


def test_a_trace_of_another_game_is_refused_in_one_sentence(played: Path, call: Call) -> None:
    """Of one that is not installed, or a kitchen that cannot be built."""
    trace = read_trace(played)
    said = []
    for spec in (GameSpec("chess", "chess", {}), GameSpec("overcooked", "overcooked:x", {"layout": {"grid": []}})):
        played.write_bytes(encode_trace(msgspec.structs.replace(trace.header, game=spec), trace.events))
        said.append(call("rerun", played))

    assert [(outcome.code, outcome.out, outcome.err.count("\n")) for outcome in said] == [(2, "", 1)] * 2
    assert said[0].err == "hocket: there is no game 'chess' (nearest: harvest)\n"


def test_by_position_menus_may_change(call: Call) -> None:
    """As where guards were taken away: the letters are others, the behaviour is not."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "20", "--trace", "ada.jsonl")
    trace = read_trace("ada.jsonl")
    bare = msgspec.structs.replace(trace.header, guards=())
    Path("ada.jsonl").write_bytes(encode_trace(bare, trace.events))

    keyed, positional = call("rerun", "ada.jsonl"), call("rerun", "ada.jsonl", "--mode", "positional")

    assert trace.header.guards
    assert (keyed.code, positional.code) == (1, 0)
    assert "field menu" in keyed.out


@pytest.fixture
def llm(call: Call) -> Path:
    """An episode of the embedded base beside a random cook."""
    words = ("--seat", "0=llm", "--seat", "1=random", "--steps", "20", "--backend", "onnx", "--trace", "bo.jsonl")
    assert call("play", "pantry", *words).code == 0
    return Path("bo.jsonl")


def test_a_model_is_asked_again(llm: Path, call: Call) -> None:
    """It answers to the last bit as it did; by another backend within a tolerance, which is said."""
    answers = [event for event in read_trace(llm).events if isinstance(event, OptionChosen) and event.seat == 0]

    exact, near = call("rerun", llm, "--with-model"), call("rerun", llm, "--with-model", "--backend", "local")

    assert (exact.code, exact.err) == (0, "")
    assert exact.out.endswith(f"; {len(answers)} answers given again\n")
    assert (near.code, near.err) == (0, "note: log-probabilities of llm may be off by 0.0001\n")
    assert msgspec.json.decode(call("rerun", llm, "--with-model", "--json").out)["asked"] == len(answers)


def test_a_changed_receipt_is_found_with_its_model(llm: Path, call: Call) -> None:
    """Under right hashes; each of its fields, at the first answer and at the last."""
    trace = read_trace(llm)
    places = [place for place, event in enumerate(trace.events) if getattr(event, "receipt", None) is not None]
    changes: dict[str, object] = {
        "log_prob": -9.0,
        "backend": "sglang",
        "base": "",
        "adapter": "seat0@v9",
        "adapter_digest": "x",
        "check": "x",
        "scorer": "letter",
        "temperature": 0.5,
        "prompt": (),
        "menu": (),
        "intent": 99,
        "intents": (),
        "reply": (1,),
        "position": 99,
        "draws": 99,
    }

    assert changes.keys() == {field.name for field in msgspec.structs.fields(Receipt)}
    for field, value in changes.items():
        for place in (places[0], places[-1]):
            event = trace.events[place]
            assert isinstance(event, OptionChosen)
            receipt = msgspec.structs.replace(event.receipt or Receipt(), **{field: value})
            forged = msgspec.structs.replace(event, receipt=receipt)
            llm.write_bytes(encode_trace(trace.header, (*trace.events[:place], forged, *trace.events[place + 1 :])))
            outcome = call("rerun", llm, "--with-model")
            assert outcome.code == 1
            assert f"does not agree: event {place + 1} (tick {event.tick}), field receipt.{field}: " in outcome.out
    assert call("rerun", llm).code == 0


def test_another_model_of_the_name_is_told_by_the_header(llm: Path, call: Call) -> None:
    """Before it is asked anything."""
    trace = read_trace(llm)
    mark = msgspec.structs.replace(trace.header.agents["llm"], base_digest="ba5e")
    llm.write_bytes(encode_trace(msgspec.structs.replace(trace.header, agents={"llm": mark}), trace.events))

    outcome = call("rerun", llm, "--with-model")
    told = msgspec.json.decode(call("rerun", llm, "--with-model", "--json").out)

    assert outcome.code == 1
    assert (told["agrees"], told["asked"], told["events"], told["returns"]) == (False, 0, 0, [])
    assert "bo.jsonl does not agree: the header, field agents.llm.base_digest: 'ba5e' in the trace, " in outcome.out


def test_an_agent_that_is_no_model_is_asked_again_where_it_is_named(played: Path, call: Call) -> None:
    """A script is a function of its offers as well; another one is told from it."""
    same = call("rerun", played, "--with-model", "--seat", "0=random")
    Path("rerun_cooks.py").write_text(
        "from hocket.agents.random import Random\nclass Ada(Random):\n    pass\n"
        "class Bo:\n    async def choose(self, offer): ...\n",
        "utf-8",
    )
    call(
        "play",
        "pantry",
        "--seat",
        "0=rerun_cooks:Ada",
        "--seat",
        "1=rerun_cooks:Bo",
        "--steps",
        "9",
        "--trace",
        "cy.jsonl",
    )
    own = call("rerun", "cy.jsonl", "--with-model", "--seat", "0=rerun_cooks:Ada")
    slow = call("rerun", "cy.jsonl", "--with-model", "--seat", "1=rerun_cooks:Bo")

    assert (same.code, own.code) == (0, 0)
    assert " answers given again" in same.out
    problem = "it answers in its own time, and only one that answers at once can be asked again"
    assert (slow.code, slow.err) == (2, f"hocket: agent 'rerun_cooks:Bo': {problem}\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--with-model",), "--seat N=AGENT is missing: no language model has played in ada.jsonl; say who is to be "),
        (("--with-model", "--mode", "positional"), "--mode is 'positional', but must be keyed with --with-model"),
        (("--seat", "0=random"), "--seat is ['0=random'], but must be left out, or given together with --with-model"),
        (("--tolerance", "1"), "--tolerance is 1.0, but must be left out, or given together with --with-model"),
        (("--with-model", "--tolerance", "-1"), "--tolerance is -1.0, but must be 0 or more"),
        (("--with-model", "--seat", "2=random"), "seat 2 is not there: pantry has seats 0 to 1"),
        (("--with-model", "--seat", "0=idle"), "--seat is '0=idle', but must be one that has held seat 0: random"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    words: tuple[str, ...], sentence: str, played: Path, call: Call
) -> None:
    """Before anything is run again."""
    outcome = call("rerun", played, *words)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"hocket: {sentence}")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("command", ["rerun", "timeline", "diff"])
@pytest.mark.parametrize("content", [None, b"", b"\x89PNG\r\n", b'{"kind":"recipe"}\n', b"[" * 100_000])
def test_what_is_no_trace_is_refused_in_one_sentence(command: str, content: bytes | None, call: Call) -> None:
    """By each command that reads one; None is a folder."""
    path = Path("bo.jsonl")
    path.mkdir() if content is None else path.write_bytes(content)

    outcome = call(command, path, *([path] if command == "diff" else []))

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("hocket: bo.jsonl: is ")
    assert outcome.err.count("\n") == 1
