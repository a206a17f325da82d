"""`hocket play` with the adapters that come along: `llm` alone is a team that was trained."""

import json
from pathlib import Path

import pytest
from tests.commands.conftest import Call

from hocket.replays.trace import read_trace


@pytest.mark.parametrize(
    ("game", "library", "least"),
    [("overcooked:asymmetric_advantages", "default", 40.0), ("overcooked:forced_coordination", "errands", 20.0)],
)
def test_llm_alone_plays_with_what_was_trained(
    call: Call, tmp_path: Path, game: str, library: str, least: float
) -> None:
    """By onnxruntime, as where there is no torch; the bare base goes by another name, and makes less of it."""
    play = ("play", game, "--library", library, "--steps", "200", "--seed", "7", "--backend", "onnx", "--json")

    team = call(*play, "--seat", "0=llm", "--seat", "1=llm", "--trace", "team.jsonl")
    bare = call(*play, "--seat", "0=llm#none", "--seat", "1=llm#none", "--trace", "bare.jsonl")

    first, second = read_trace(tmp_path / "team.jsonl").header.seats
    assert first.startswith("llm#seat0@v")
    assert second.startswith("llm#seat1@v")
    assert read_trace(tmp_path / "bare.jsonl").header.seats == ("llm", "llm")
    assert json.loads(team.out)["return"] >= max(least, json.loads(bare.out)["return"] + 20)


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("--scorer", "text"), "llm#seat0@v"),
        (("--temperature", "0"), "llm#seat0@v"),
        (("--scorer", "letter"), "llm"),
        (("--interface", "native"), "llm"),
        (("--set", "cook_time=5"), "llm"),
    ],
)
def test_an_adapter_plays_only_where_it_is_asked_as_it_learned(
    call: Call, tmp_path: Path, flags: tuple[str, ...], name: str
) -> None:
    """Elsewhere the base itself sits there, under its own name."""
    call("play", "overcooked:asymmetric_advantages", "--seat", "0=llm", "--steps", "3", "--trace", "it.jsonl", *flags)

    held = read_trace(tmp_path / "it.jsonl").header.seats[0]
    assert held.rstrip("0123456789") == name
