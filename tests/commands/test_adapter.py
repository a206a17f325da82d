"""`hocket adapter`: a fresh one, a sealed one, and one sentence for each mistake."""

from pathlib import Path

from tests.commands.conftest import Call

from hocket.agents.adapter import read_adapter
from hocket.agents.canary import FILE
from hocket.agents.frozen_base import find_base


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

    assert {outcome.code for outcome in (again, wide, nowhere, model)} == {2}
    assert again.err == "hocket: adapter ada@v0: is there already, and adapters are never changed\n"
    assert wide.err == "hocket: rank is 0, but must be 1 to 1024\n"
    assert nowhere.err == "hocket: adapter nowhere: there is no such folder\n"
    assert model.err == "hocket: model nowhere: there is no such folder\n"
    assert {path.name: path.read_bytes() for path in (tmp_path / "ada@v0").iterdir()} == before
    assert not (tmp_path / "bo@v0").exists()
