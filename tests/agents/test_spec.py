"""From a name on the command line to an agent, or to what is wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.replayed import Replayed
from hocket.agents.spec import SCRIPTED, Cast, scripted_for
from hocket.games import registry
from hocket.replays.trace import encode_trace, make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.errors import AgentError, SettingError, TraceError, TracePathError, UnknownNameError
from hocket.runtime.events import EpisodeEnded, EpisodeStarted
from hocket.runtime.policy import Chooser, Policy

OWN = """
from hocket.runtime.policy import Choice

class Ada:
    async def choose(self, offer):
        return Choice(0)

class Bo:
    def choose_many(self, offers):
        return [Choice(0) for offer in offers]

class Silent:
    pass

class Prompt:
    def choose(self, offer):
        return Choice(0)

class Slow:
    async def choose_many(self, offers):
        return []

class Needy:
    def __init__(self, soup):
        pass

class Moody:
    def __init__(self):
        raise ValueError("not\\n  today")

class Gone:
    def __init__(self):
        raise SystemExit(3)

function = len
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module of the user's own, in the working folder."""
    name = "ada_and_bo"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield name
    sys.modules.pop(name, None)


def test_built_in_agents_go_by_their_names() -> None:
    """Seats of one name share one agent, so that they are asked together."""
    cast = Cast("overcooked")

    ada, bo, cy = cast.holder("random", 0), cast.holder("random", 1), cast.holder("idle", 2)

    assert isinstance(ada.agent, Random)
    assert ada.agent is bo.agent
    assert isinstance(cy.agent, Idle)
    assert (ada.name, cy.name) == ("random", "idle")


@pytest.mark.parametrize("name", SCRIPTED)
def test_every_scripted_agent_that_is_listed_can_play(name: str) -> None:
    """The list is written by hand and names modules that are imported late."""
    holder = Cast(SCRIPTED[name][0][0]).holder(f"scripted:{name}", 0)

    assert holder.name == f"scripted:{name}"
    assert isinstance(holder.agent, Chooser | Policy)


def test_a_kind_of_game_has_one_scripted_partner() -> None:
    """The one that works: an eater in Cleanup would leave the river to the others."""
    kinds = ("overcooked", "cleanup", "harvest", "pantry")

    assert [scripted_for(kind) for kind in kinds] == ["scripted:cook", "scripted:cleaner", "scripted:forager", None]


def test_an_agent_of_the_users_own_is_found_in_the_working_folder(own: str) -> None:
    """Nobody has to make a package for one file; each seat gets an agent of its own."""
    cast = Cast("overcooked")

    ada, again, bo = (cast.holder(f"{own}:{name}", seat) for seat, name in enumerate(("Ada", "Ada", "Bo")))

    assert isinstance(ada.agent, Policy)
    assert isinstance(bo.agent, Chooser)
    assert ada.agent is not again.agent
    assert ada.name == f"{own}:Ada"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Nobody", "module 'ada_and_bo' has no class 'Nobody'"),
        ("function", "module 'ada_and_bo' has no class 'function'"),
        ("Silent", "Silent needs `async def choose(self, offer)` or `def choose_many(self, offers)`"),
        ("Prompt", "Prompt needs `async def choose(self, offer)` or `def choose_many(self, offers)`"),
        ("Slow", "Slow needs `async def choose(self, offer)` or `def choose_many(self, offers)`"),
        ("Needy", "Needy() failed: TypeError: Needy.__init__() missing 1 required positional argument: 'soup'"),
        ("Moody", "Moody() failed: ValueError: not today"),
        ("Gone", "Gone() failed: SystemExit: 3"),
    ],
)
def test_a_class_that_cannot_play_is_refused_with_the_reason(own: str, name: str, problem: str) -> None:
    """Before the episode begins, in one sentence, whatever the class does."""
    with pytest.raises(AgentError) as refused:
        Cast("overcooked").holder(f"{own}:{name}", 0)

    assert str(refused.value) == f"agent '{own}:{name}': {problem}"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import soup_that_nobody_cooked", "ModuleNotFoundError: No module named 'soup_that_nobody_cooked'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError: invalid syntax"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
    ],
)
def test_a_module_that_does_not_import_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, problem: str
) -> None:
    """Its own mistake is named, not where we tripped over it."""
    (tmp_path / "broken_kitchen.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    with pytest.raises(AgentError) as refused:
        Cast("overcooked").holder("broken_kitchen:Ada", 0)

    assert str(refused.value).startswith(
        f"agent 'broken_kitchen:Ada': module 'broken_kitchen' does not import: {problem}"
    )


def test_a_module_that_is_not_there_is_refused() -> None:
    """The module is named, so a misspelt one can be seen."""
    with pytest.raises(AgentError) as refused:
        Cast("overcooked").holder("no_such_kitchen:Ada", 0)

    problem = "module 'no_such_kitchen' does not import: ModuleNotFoundError: No module named 'no_such_kitchen'"
    assert str(refused.value) == f"agent 'no_such_kitchen:Ada': {problem}"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("randm", "there is no agent 'randm' (nearest: random)"),
        ("Idle", "there is no agent 'Idle' (nearest: idle)"),
        ("replayed", "there is no agent 'replayed' (nearest: replayed:TRACE)"),
        ("replayed:", "there is no agent 'replayed:' (nearest: replayed:TRACE)"),
        ("scripted:cok", "there is no scripted agent 'cok' (nearest: cook)"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(spec: str, message: str) -> None:
    """A typing mistake is mended at one glance."""
    with pytest.raises(UnknownNameError) as refused:
        Cast("overcooked").holder(spec, 0)

    assert str(refused.value) == message


@pytest.mark.parametrize("spec", ["", ":", ":Ada", "scripted", "xyzzy"])
def test_a_name_that_is_like_none_is_answered_with_all_of_them(spec: str) -> None:
    """Whoever does not know what there is, learns it."""
    with pytest.raises(UnknownNameError, match=r"\(known: .*cook"):
        Cast("overcooked").holder(spec, 0)


def test_a_recorded_agent_goes_by_what_was_recorded(tmp_path: Path) -> None:
    """The trace names it by the digest of its recording, and no folder of this machine."""
    game = registry.make("pantry")
    header = make_header(game, registry.library(game), seed=0, starts="standard", steps=9, seats=("ada", "bo"))
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    for path in (one, other):
        path.write_bytes(encode_trace(header, ()))

    ada, bo = Cast("overcooked").holder(f"replayed:{one}", 0), Cast("overcooked").holder(f"replayed:{other}", 1)

    assert isinstance(ada.agent, Replayed)
    assert ada.name == bo.name
    assert ada.name.startswith("replayed:")
    assert "one" not in ada.name


def test_a_recording_goes_by_one_name_however_it_is_stored(tmp_path: Path) -> None:
    """Compressed or not it is one recording; cut short it is another."""
    game = registry.make("pantry")
    header = make_header(game, registry.library(game), seed=0, starts="standard", steps=9, seats=("ada", "bo"))
    events = (EpisodeStarted(0, ("ada", "bo"), 9), EpisodeEnded(0, "failed", (0.0, 0.0)))
    for name, recorded in (("plain.jsonl", events), ("packed.jsonl.zst", events), ("short.jsonl", events[:1])):
        writer = TraceWriter(tmp_path / name, header)
        for event in recorded:
            writer.write(event)
        writer.close()

    plain, packed, short = (
        Cast("pantry").holder(f"replayed:{tmp_path / name}", 0).name
        for name in ("plain.jsonl", "packed.jsonl.zst", "short.jsonl")
    )

    assert plain == packed != short


def test_a_scripted_agent_is_refused_in_a_game_that_it_does_not_play() -> None:
    """It would find nothing on the menu that it knows."""
    with pytest.raises(AgentError) as refused:
        Cast("pantry").holder("scripted:cook", 0)

    assert str(refused.value) == "agent 'scripted:cook': it plays overcooked, not pantry"


def test_what_is_to_be_replayed_must_be_a_trace_that_is_there(tmp_path: Path) -> None:
    """No file, a folder, a file of another kind: each is told apart."""
    notes = tmp_path / "notes.txt"
    notes.write_text("two onions\n")

    with pytest.raises(TracePathError, match="no such file"):
        Cast("overcooked").holder(f"replayed:{tmp_path / 'none.jsonl'}", 0)
    with pytest.raises(TracePathError, match="is a folder, not a trace"):
        Cast("overcooked").holder(f"replayed:{tmp_path}", 0)
    with pytest.raises(TraceError, match="is not a trace"):
        Cast("overcooked").holder(f"replayed:{notes}", 0)


def test_the_fallback_is_an_agent_that_needs_no_model() -> None:
    """A language model would need a seat of its own to be prepared for."""
    cast = Cast("pantry")

    assert isinstance(cast.fallback("random").agent, Random)
    with pytest.raises(SettingError, match="fallback is 'llm', but must be an agent that is no language model"):
        cast.fallback("llm")
    with pytest.raises(UnknownNameError, match=r"there is no agent 'idel' \(nearest: idle\)"):
        cast.fallback("idel")
