"""`hocket play` with language models: what it does, and one sentence for each mistake."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.commands.conftest import Call

from hocket.agents.fresh import fresh_adapter
from hocket.agents.named_base import find_base
from hocket.replays.trace import read_trace
from hocket.runtime.events import AgentFailed, ChoiceRejected, OptionChosen

PLAY = ("play", "pantry", "--steps", "12", "--seed", "3", "--trace", "ada.jsonl")


@pytest.fixture
def embedded(tmp_path: Path) -> Path:
    """A copy of the base that comes with hocket, to be damaged."""
    folder = tmp_path / "base"
    shutil.copytree(find_base("").folder, folder)
    (folder / "canary.json").unlink()
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """An adapter of that base."""
    fresh_adapter(tmp_path / "ada@v2", find_base(""), rank=4, seed=1, spread=0.05)
    return tmp_path / "ada@v2"


def edited(path: Path, **changes: Any) -> None:
    """Change some keys of a file of JSON."""
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def test_two_models_with_one_base_play_and_the_trace_says_who_they_were(
    call: Call, adapter: Path, tmp_path: Path
) -> None:
    """One with an adapter, one without; the header marks both, receipts name them, no path is in it."""
    outcome = call(*PLAY, "--seat", f"0=llm#{adapter}", "--seat", "1=llm", "--json")

    trace = read_trace(tmp_path / "ada.jsonl")
    assert outcome.code == 0
    assert trace.header.seats == ("llm#ada@v2", "llm")
    assert trace.header.agents["llm#ada@v2"].adapter == "ada@v2"
    assert trace.header.agents["llm"].style["scorer"] == "two_line"
    chosen = [event for event in trace.events if isinstance(event, OptionChosen)]
    assert {(event.seat, event.receipt.adapter) for event in chosen if event.receipt} == {(0, "ada@v2"), (1, "")}
    assert str(tmp_path) not in (tmp_path / "ada.jsonl").read_text("utf-8")
    assert call("rerun", "ada.jsonl").code == 0
    lines = [json.loads(line) for line in (tmp_path / "ada.timing.jsonl").read_text("utf-8").splitlines()]
    assert sum(len(line["decisions"]) for line in lines) == len(chosen)


@pytest.mark.parametrize(
    ("flags", "decisions", "rejected"),
    [
        (("--interface", "native"), 24, 0),
        (("--interface", "json"), 24, 24),
        (("--interface", "json", "--grammar"), None, 0),
        (("--scorer", "generate", "--temperature", "0"), None, 0),
    ],
    ids=["native", "json", "json under a grammar", "generate"],
)
def test_interfaces_for_ablations(
    call: Call, tmp_path: Path, flags: tuple[str, ...], decisions: int | None, rejected: int
) -> None:
    """Each with the same agents and traces; a base that never saw JSON writes none, and the trace says so."""
    outcome = call(*PLAY, "--seat", "0=llm", "--seat", "1=llm", *flags)

    trace = read_trace(tmp_path / "ada.jsonl")
    assert outcome.code == 0
    assert sum(isinstance(event, ChoiceRejected) for event in trace.events) == rejected
    if decisions is not None:
        offered = sum(event.decision + 1 for event in _last_offers(trace.events))
        assert offered == decisions
    assert call("rerun", "ada.jsonl").code == 0


def _last_offers(events: Any) -> list[Any]:
    """The last offer of each seat: its number tells how many there were."""
    found = {event.seat: event for event in events if type(event).__name__ == "MenuOffered"}
    return list(found.values())


def test_a_prompt_longer_than_the_context_costs_the_seat_and_says_so(
    call: Call, embedded: Path, tmp_path: Path
) -> None:
    """Nobody can know before the first prompt; the episode goes on without the model."""
    edited(embedded / "config.json", max_position_embeddings=40)

    outcome = call(*PLAY, "--seat", f"0=llm:{embedded}", "--quiet")

    [failed] = [event for event in read_trace(tmp_path / "ada.jsonl").events if isinstance(event, AgentFailed)]
    assert outcome.code == 0
    assert "tokens, but base has a context of 40" in failed.error
    assert failed.error in outcome.out


def test_a_folder_that_is_no_model_is_one_sentence(call: Call, embedded: Path, tmp_path: Path) -> None:
    """Each thing that can be missing or wrong, and the trace that was there stays."""
    (tmp_path / "ada.jsonl").write_text("a trace of yesterday", "utf-8")
    nowhere = call(*PLAY, "--seat", f"0=llm:{tmp_path / 'nowhere'}")
    (embedded / "tokenizer.json").unlink()
    speechless = call(*PLAY, "--seat", f"0=llm:{embedded}")

    assert {nowhere.code, speechless.code} == {2}
    assert nowhere.err == f"hocket: model {tmp_path / 'nowhere'}: there is no such folder\n"
    assert speechless.err == f"hocket: model {embedded}: the folder has no tokenizer (tokenizer.json)\n"
    assert (tmp_path / "ada.jsonl").read_text("utf-8") == "a trace of yesterday"


def test_a_tokenizer_without_a_chat_template_is_one_sentence(call: Call, embedded: Path) -> None:
    """A base model that was never taught to chat."""
    settings = json.loads((embedded / "tokenizer_config.json").read_text("utf-8"))
    settings.pop("chat_template", None)
    (embedded / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")

    outcome = call(*PLAY, "--seat", f"0=llm:{embedded}")

    assert (outcome.code, outcome.err) == (2, f"hocket: model {embedded}: its tokenizer has no chat template\n")


def test_weights_that_are_none_are_one_sentence(call: Call, embedded: Path) -> None:
    """A download that broke off."""
    weights = embedded / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])

    outcome = call(*PLAY, "--seat", f"0=llm:{embedded}")

    assert outcome.code == 2
    assert outcome.err.startswith(f"hocket: model {embedded}: model.safetensors cannot be read: ")
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--seat", "0=llm", "--backend", "sglang"), "--backend is 'sglang', but must be given together with --url"),
        (
            ("--seat", "0=llm", "--url", "http://127.0.0.1:1"),
            "but must be left out, or given together with --backend sglang",
        ),
        (("--seat", "0=llm", "--backend", "sglang", "--url", "ada"), "address of a model server is 'ada', but must be"),
        (
            (
                "--seat",
                "0=llm#nowhere",
            ),
            "adapter nowhere: there is no such folder",
        ),
        (("--seat", "0=llm", "--temperature", "-1"), "temperature is -1.0, but must be 0 to 100"),
        (("--seat", "0=llm", "--interface", "json", "--scorer", "text"), "--scorer is 'text', but must be left out"),
        (("--seat", "0=llm", "--interface", "native", "--library", "x"), "--library is 'x', but must be left out"),
        (("--seat", "0=llm", "--threads", "0"), "--threads is 0, but must be 1 to 4096"),
        (
            (
                "--seat",
                "0=llmm",
            ),
            "there is no agent 'llmm'",
        ),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(call: Call, flags: tuple[str, ...], sentence: str) -> None:
    """Before anything is written."""
    outcome = call(*PLAY, *flags)

    assert outcome.code == 2
    assert sentence in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not Path("ada.jsonl").exists()


def test_a_canary_of_tokens_that_the_base_has_not_is_one_sentence(call: Call, adapter: Path) -> None:
    """A server would end over such a token; it is not sent."""
    assert call("adapter", "seal", adapter).code == 0
    canary = json.loads((adapter / "canary.json").read_text("utf-8"))
    canary["probes"][3]["prompt"] = [999999999] * 5
    (adapter / "canary.json").write_text(json.dumps(canary), "utf-8")

    outcome = call(*PLAY, "--seat", f"0=llm#{adapter}")

    assert outcome.code == 2
    assert outcome.err == f"hocket: adapter {adapter}: its canary.json holds token 999999999, which embedded has not\n"


def test_two_things_of_one_name_are_refused(call: Call, tmp_path: Path) -> None:
    """The trace could not say which of them answered."""
    for number in (1, 2):
        fresh_adapter(tmp_path / str(number) / "ada@v0", find_base(""), rank=4, seed=number, spread=0.05)

    outcome = call(*PLAY, "--seat", "0=llm#1/ada@v0", "--seat", "1=llm#2/ada@v0")

    assert outcome.code == 2
    assert "agent is 'llm#ada@v0', but must be another name than that of other weights" in outcome.err


def test_a_server_has_one_base(call: Call, embedded: Path) -> None:
    """A second one would be answered for by the first."""
    url = "http://127.0.0.1:9"

    outcome = call(*PLAY, "--seat", "0=llm", "--seat", f"1=llm:{embedded}", "--backend", "sglang", "--url", url)

    assert outcome.code == 2
    assert "--url is 'http://127.0.0.1:9', but must be the server of every base; it can have but one" in outcome.err


def test_at_live_pace_a_model_does_not_hold_up_the_others(call: Call, tmp_path: Path) -> None:
    """It computes in a thread; the trace runs again like any other."""
    outcome = call(*PLAY, "--seat", "0=llm", "--seat", "1=random", "--pace", "live", "--hz", "20")

    trace = read_trace(tmp_path / "ada.jsonl")
    assert outcome.code == 0
    assert {event.holder for event in trace.events if isinstance(event, OptionChosen)} == {"llm", "random"}
    assert call("rerun", "ada.jsonl").code == 0


def test_a_server_that_is_not_there_is_one_sentence(call: Call, tmp_path: Path) -> None:
    """Waited for as long as one says, and the trace that was there stays."""
    (tmp_path / "ada.jsonl").write_text("a trace of yesterday", "utf-8")

    outcome = call(*PLAY, "--seat", "0=llm", "--backend", "sglang", "--url", "http://127.0.0.1:9", "--patience", "0.5")

    assert (outcome.code, outcome.err) == (
        2,
        "hocket: model server http://127.0.0.1:9: not ready after 0.5 s: nothing listens there\n",
    )
    assert (tmp_path / "ada.jsonl").read_text("utf-8") == "a trace of yesterday"


@pytest.mark.parametrize(
    ("missing", "backend", "extra"),
    [
        (("torch", "onnxruntime"), "local", "learn"),
        (("transformers", "onnxruntime"), "local", "learn"),
        (("peft", "onnxruntime"), "local", "learn"),
        (("safetensors",), "local", "learn"),
        (("onnxruntime",), "onnx", "onnx"),
        (("tokenizers",), "onnx", "onnx"),
        (("jinja2",), "onnx", "onnx"),
        (("safetensors",), "onnx", "onnx"),
    ],
    ids=lambda each: "+".join(each) if isinstance(each, tuple) else None,
)
def test_without_the_extra_one_sentence_names_it(
    missing: tuple[str, ...], backend: str, extra: str, adapter: Path, tmp_path: Path
) -> None:
    """And no agent that needs none of it is kept from playing."""
    code = (
        f"import sys; sys.modules |= dict.fromkeys({missing!r}); "
        "sys.argv[0] = 'hocket'; from hocket.cli import main; main()"
    )

    def run(*seats: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-P", "-c", code, *PLAY, "--quiet", "--backend", backend, *seats]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    model, other = run("--seat", f"0=llm#{adapter}"), run("--seat", "0=random")

    assert model.returncode == 2
    assert f"needs the extra '{extra}': pip install 'hocket[{extra}]'" in model.stderr
    assert len(model.stderr.splitlines()) == 1
    assert other.returncode == 0


def test_onnxruntime_is_asked_for_no_other_device(call: Call) -> None:
    """It computes on the CPU; who asked for another would wait for a GPU in vain."""
    outcome = call(*PLAY, "--seat", "0=llm", "--backend", "onnx", "--device", "cuda")

    assert outcome.code == 2
    assert outcome.err == "hocket: --device is 'cuda', but must be auto or cpu with --backend onnx\n"


def test_onnxruntime_computes_no_base_of_another_kind(call: Call, embedded: Path) -> None:
    """The graph is of one architecture; a base of another is named, and nothing is played."""
    edited(embedded / "config.json", rms_norm_eps=1e-5)

    outcome = call(*PLAY, "--seat", f"0=llm:{embedded}", "--backend", "onnx")

    problem = "is not of the embedded base's architecture, and --backend onnx computes no other"
    assert (outcome.code, outcome.err) == (2, f"hocket: model {embedded}: {problem}\n")
