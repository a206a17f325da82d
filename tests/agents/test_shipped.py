"""The adapters that come with hocket: they are what a run made that can be repeated."""

import json
from pathlib import Path

import msgspec
import pytest

from hocket.agents.adapter import read_adapter
from hocket.agents.named_base import find_base
from hocket.agents.shipped import shipped_adapter
from hocket.games import registry
from hocket.learners.config import Config
from hocket.learners.preset import read_preset

GAMES = [
    ("overcooked:asymmetric_advantages", "default"),
    ("overcooked:forced_coordination", "errands"),
    ("cleanup", "default"),
    ("harvest:no_thinning", "default"),
]
"""With the option library that each was trained on."""
MOST_BYTES = 2 << 20


def shipped(game: str, library: str) -> list[Path]:
    """The folders of a team."""
    world = registry.make(game)
    found = [shipped_adapter(world.spec, library, seat) for seat in range(world.seats)]
    return [each for each in found if each is not None]


@pytest.mark.parametrize(("game", "library"), GAMES)
def test_adapters_are_those_of_the_run_on_record(game: str, library: str) -> None:
    """A preset that is committed, on the base that comes along; the outcome names these very folders."""
    folders = shipped(game, library)
    record = folders[0].parent
    run, result = (json.loads((record / name).read_bytes()) for name in ("run.json", "result.json"))
    config = msgspec.convert(run["config"], Config)

    assert config == read_preset(run["preset"]).config
    assert config.game.name == game
    assert run["library"] == library
    assert run["base"] == find_base("").digest
    assert [Path(each).name for each in result["adapters"].values()] == [each.name for each in folders]
    assert len((record / "metrics.jsonl").read_text("utf-8").splitlines()) == result["rounds"]
    digests = {read_adapter(each, find_base("")).digest for each in folders}
    assert len(digests) == len(folders)


def test_they_take_little_room() -> None:
    """Everything that is shipped is in every wheel."""
    root = shipped(*GAMES[0])[0].parents[2]

    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("game", "library", "settings"),
    [
        ("overcooked:asymmetric_advantages", "stations", {}),
        ("overcooked:asymmetric_advantages", "default", {"cook_time": 5}),
        ("overcooked:cramped_room", "default", {}),
        ("overcooked:asymmetric_advantages", "", {}),
    ],
)
def test_nothing_comes_for_another_game_library_or_setting(
    game: str, library: str, settings: dict[str, object]
) -> None:
    """An adapter that never saw a menu of this kind would be presented as one that was trained."""
    assert shipped_adapter(registry.make(game, settings).spec, library, 0) is None
