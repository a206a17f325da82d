"""`hocket adapter`: a fresh one, a sealed one, and one sentence for each mistake."""

import errno
import shutil
from pathlib import Path

import pytest
from tests.commands.conftest import Call

from hocket.agents.adapter import read_adapter
from hocket.agents.canary import FILE
from hocket.agents.named_base import find_base


def test_a_fresh_adapter_is_sealed_and_says_that_it_is_its_base(call: Call, tmp_path: Path) -> None:
    """What nobody has trained answers as the base does, and its canary knows that."""
    outcome = call("adapter", "new", "ada@v0", "--rank", "4", "--seed", "1")

    adapter = read_adapter(tmp_path / "ada@v0", find_base(""))
    assert (outcome.code, outcome.out) == (0, "ada@v0: ada@v0 for embedded, rank 4, its answers are its base's\n")
    assert adapter.canary is not None
    assert len(adapter.canary.probes) == 8


def test_an_adapter_is_sealed_again_after_its_canary_was_lost(call: Call, tmp_path: Path) -> None:
    """As for one that was trained elsewhere: the same values come out."""
    call("adapter", "new", "bo@v3", "--rank", "4", "--spread", "0.05")
    before = (tmp_path / "bo@v3" / FILE).read_bytes()
    (tmp_path / "bo@v3" / FILE).unlink()

    outcome = call("adapter", "seal", "bo@v3")

    assert (outcome.code, outcome.out) == (0, "bo@v3: bo@v3, rank 4, its answers differ from its base's\n")
    assert (tmp_path / "bo@v3" / FILE).read_bytes() == before


def test_a_mistake_is_one_sentence(call: Call, tmp_path: Path) -> None:
    """What is there is never changed, and what is none is named."""
    call("adapter", "new", "ada@v0", "--rank", "4")
    before = {path.name: path.read_bytes() for path in (tmp_path / "ada@v0").iterdir()}

    again = call("adapter", "new", "ada@v0", "--rank", "4")
    wide = call("adapter", "new", "bo@v0", "--rank", "0")
    nowhere = call("adapter", "seal", "nowhere")
    model = call("adapter", "new", "bo@v0", "--base", "llm:nowhere")
    part = call("adapter", "new", "bo@v0", "--base", "llm:")
    other = call("adapter", "new", "bo@v0", "--base", "llm#ada@v0")

    assert {outcome.code for outcome in (again, wide, nowhere, model, part, other)} == {2}
    assert part.err.startswith("hocket: model is 'llm:', but must be llm, llm:MODEL")
    assert other.err == "hocket: --base is 'llm#ada@v0', but must be a model without an adapter\n"
    assert again.err == "hocket: adapter ada@v0: is there already, and adapters are never changed\n"
    assert wide.err == "hocket: rank is 0, but must be 1 to 1024\n"
    assert nowhere.err == "hocket: adapter nowhere: there is no such folder\n"
    assert model.err == "hocket: model nowhere: there is no such folder\n"
    assert {path.name: path.read_bytes() for path in (tmp_path / "ada@v0").iterdir()} == before
    assert not (tmp_path / "bo@v0").exists()


def test_nothing_is_begun_for_a_base_that_cannot_be_loaded(call: Call, tmp_path: Path) -> None:
    """Else an adapter without a canary would stand in the way of the next attempt."""
    base = tmp_path / "base"
    shutil.copytree(find_base("").folder, base)
    (base / "canary.json").unlink()
    (base / "tokenizer.json").write_text("{}")

    outcome = call("adapter", "new", "ada@v0", "--base", "llm:base")

    assert outcome.code == 2
    assert outcome.err.startswith("hocket: model base: its tokenizer cannot be loaded: ")
    assert [path.name for path in tmp_path.iterdir()] == ["base"]


def test_nothing_is_left_where_an_adapter_cannot_be_sealed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk, which shows when the canary is written."""

    def full(folder: Path, canary: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))

    monkeypatch.setattr("hocket.commands.adapter.write_canary", full)

    outcome = call("adapter", "new", "ada@v0", "--rank", "4")

    assert (outcome.code, outcome.err) == (2, "hocket: no space left on device: ada@v0\n")
    assert list(tmp_path.iterdir()) == []


def test_a_canary_of_other_weights_is_measured_anew(call: Call, tmp_path: Path) -> None:
    """As after a change of format: playing with it is refused, sealing it is what helps."""
    call("adapter", "new", "ada@v0", "--rank", "4")
    canary = tmp_path / "ada@v0" / FILE
    canary.write_text(canary.read_text("utf-8").replace('"base": "', '"base": "00'), "utf-8")

    refused = call("play", "pantry", "--seat", "0=llm#ada@v0", "--steps", "4")
    sealed = call("adapter", "seal", "ada@v0")

    assert refused.err == f"hocket: adapter ada@v0: its {FILE} was written for another base\n"
    assert sealed.code == 0
    assert read_adapter(tmp_path / "ada@v0", find_base("")).canary is not None
