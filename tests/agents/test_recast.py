"""From the names in a trace to the agents that held its seats."""

from pathlib import Path

import msgspec
import pytest

from hocket.agents.fresh import fresh_adapter
from hocket.agents.idle import Idle
from hocket.agents.models import Models
from hocket.agents.named_base import find_base
from hocket.agents.random import Random
from hocket.agents.recast import Recast
from hocket.games import registry
from hocket.replays.trace import AgentMark, Header, make_header
from hocket.runtime.errors import AgentError, SettingError

KITCHEN = "overcooked:asymmetric_advantages"


def _header(*seats: str, game: str = "pantry", models: Models | None = None) -> Header:
    """A header of seats that are cast as on the command line, and go by the names that this gives them."""
    world = registry.make(game)
    names = list(seats)
    if models is not None:
        names = [models.holder(spec, seat).name for seat, spec in enumerate(seats)]
    marks = None if models is None else models.marks()
    return make_header(world, registry.library(world), seed=1, starts="standard", steps=9, seats=names, agents=marks)


def _recast(header: Header) -> Recast:
    return Recast(header, registry.rebuild(header.game))


def test_an_agent_without_a_model_goes_by_its_name() -> None:
    """As on the command line."""
    recast = _recast(_header("random", "idle"))

    assert isinstance(recast.again("random", 0).agent, Random)
    assert isinstance(recast.again("idle", 1).agent, Idle)
    assert recast.named("random", 1).name == "random"
    assert recast.marks == {}


@pytest.mark.parametrize("name", ["ada", "replayed:0123456789ab", "taped:0123456789ab", "llm#ada@v2"])
def test_a_name_that_does_not_say_who_it_was_is_one_sentence(name: str) -> None:
    """Traces hold no paths; who asks has to say where it is."""
    with pytest.raises(AgentError) as refused:
        _recast(_header(name, "idle")).again(name, 0)

    assert str(refused.value).startswith(f"agent {name!r}: ")
    assert str(refused.value).endswith("; say who is to be asked by --seat 0=AGENT")


def test_the_models_that_come_with_hocket_are_found_by_their_names() -> None:
    """The base itself and the adapter of a seat, asked as they were in the recording."""
    world = registry.make(KITCHEN)
    models = Models(world, backend="onnx", shipped="default", style={"temperature": 0.5})
    header = _header("llm", "llm#none", game=KITCHEN, models=models)
    recast = _recast(header)

    holders = [recast.again(name, seat) for seat, name in enumerate(header.seats)]

    assert header.seats[0].startswith("llm#seat0@v")
    assert tuple(holder.name for holder in holders) == header.seats
    assert dict(recast.marks) == header.agents
    assert [recast.difference(name) for name in header.seats] == [None, None]
    assert [recast.tolerance(name) for name in header.seats] == [0.0, 0.0]
    assert recast.again(header.seats[0], 0) is holders[0]


def test_an_adapter_of_ones_own_has_to_be_said(tmp_path: Path) -> None:
    """It is asked as its namesake in the trace was; another of that name is told from it."""
    for seed in (1, 2):
        fresh_adapter(tmp_path / str(seed) / "ada@v2", find_base(""), rank=4, seed=seed, spread=0.05)
    models = Models(registry.make("pantry"), backend="onnx", style={"scorer": "letter"})
    header = _header(f"llm#{tmp_path / '1' / 'ada@v2'}", "llm", models=models)
    recast, other = _recast(header), _recast(header)

    with pytest.raises(AgentError, match="its name does not say where it is"):
        recast.again("llm#ada@v2", 0)
    holder = recast.named(f"llm#{tmp_path / '1' / 'ada@v2'}", 0)
    other.named(f"llm#{tmp_path / '2' / 'ada@v2'}", 0)

    difference = other.difference("llm#ada@v2")
    assert holder.name == "llm#ada@v2"
    assert recast.marks["llm#ada@v2"].style["scorer"] == "letter"
    assert recast.difference("llm#ada@v2") is None
    assert difference is not None
    assert difference.field == "agents.llm#ada@v2.adapter_digest"
    with pytest.raises(SettingError, match="another name than that of other weights"):
        recast.named(f"llm#{tmp_path / '2' / 'ada@v2'}", 1)


def test_numbers_may_be_off_where_something_else_computes_them() -> None:
    """Another backend, other versions or another number format; by as much as canaries allow."""
    header = _header("llm", "llm", models=Models(registry.make("pantry"), backend="onnx"))

    def tolerance(**changes: object) -> float:
        mark: AgentMark = msgspec.structs.replace(header.agents["llm"], **changes)
        recast = _recast(msgspec.structs.replace(header, agents={"llm": mark}))
        recast.again("llm", 0)
        assert recast.difference("llm") is None
        return recast.tolerance("llm")

    style = header.agents["llm"].style
    assert tolerance() == 0
    assert tolerance(versions={"onnxruntime": "0.1"}) == 1e-4
    assert tolerance(style=style | {"dtype": "bfloat16"}) == 0.5
