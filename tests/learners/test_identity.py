"""Agents of one name that are not the same."""

import shutil
from importlib.resources import files
from pathlib import Path

from hocket.agents.fresh import fresh_adapter
from hocket.agents.named_base import find_base
from hocket.games import registry
from hocket.learners import identity
from hocket.learners.identity import identities
from hocket.learners.match import Match, Terms
from hocket.replays.trace import LibraryMark


def match(*agents: str) -> Match:
    """A match of these agents in a kitchen for which adapters come along."""
    game = registry.make("overcooked:asymmetric_advantages")
    library = registry.library(game)
    return Match(Terms(game.spec, LibraryMark(library.name, library.version, library.digest), (), 10), agents, (0,))


def test_those_that_come_along_are_known_by_their_name() -> None:
    """Their version is kept beside the score."""
    assert identities(match("random", "scripted:cook")) == ("", "")


def test_a_base_and_an_adapter_are_known_by_their_weights(tmp_path: Path) -> None:
    """The base alone, the adapter of each seat that comes along, and one in a folder that changes."""
    base = find_base("")
    for seed in (1, 2):
        fresh_adapter(tmp_path / str(seed), base, rank=2, seed=seed)
    place = tmp_path / "mine"
    shutil.copytree(tmp_path / "1", place)

    plain, own = identities(match("llm#none", "llm"))
    first, other = identities(match("llm", f"llm#{place}"))
    shutil.rmtree(place)
    shutil.copytree(tmp_path / "2", place)
    changed = identities(match("llm", f"llm#{place}"))[1]

    assert all(each.startswith(base.digest) for each in (plain, own, first, other, changed))
    assert len({plain, own, first, other, changed}) == 5


def test_a_base_in_a_folder_is_known_by_its_weights(tmp_path: Path) -> None:
    """Not by where it lies."""
    place = tmp_path / "base"
    shutil.copytree(Path(str(files("hocket.agents") / "embedded")), place, ignore=shutil.ignore_patterns("adapters"))

    [one, _] = identities(match(f"llm:{place}#none", "idle"))

    assert one == identities(match("llm#none", "idle"))[0]
    assert identity._base.cache_info().currsize > 0


def test_what_is_replayed_is_known_by_its_content(tmp_path: Path) -> None:
    """The same name may stand for another recording tomorrow."""
    path = tmp_path / "kept.jsonl"
    found = []
    for content in ("one", "another"):
        path.write_text(content)
        found.append(identities(match(f"replayed:{path}", "nowhere.at:All"))[0])

    assert found[0] != found[1]
    assert identities(match("replayed:gone.jsonl", "nowhere.at:All")) == ("", "")
