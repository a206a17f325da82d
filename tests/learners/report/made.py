"""Folders to report: real episodes and a certificate; an evaluation and a training, written down."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from hocket.agents.random import Random
from hocket.agents.scripted.cook import Cook
from hocket.games import registry
from hocket.learners.cells.cell import Team, cell
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.pairs import pairs
from hocket.learners.cells.place import Place, grid
from hocket.learners.cells.plan import Protocol
from hocket.learners.cells.report import Report
from hocket.learners.certify.certificate import certificate
from hocket.learners.certify.certification import Certification
from hocket.learners.certify.conditions import Partner, conditions
from hocket.learners.certify.thresholds import Thresholds
from hocket.learners.match import Match, Terms
from hocket.replays.episodes import Episodes
from hocket.replays.trace import LibraryMark, Trace, encode_trace

BACKBONE, KITCHEN = "Qwen3-4B-Instruct-2507", "overcooked:asymmetric_advantages"
ONE = {"private": [(1.0, 3.0)]}


def played(game: str, names: Sequence[str], seed: int = 0, steps: int = 40) -> Trace:
    """Play an episode of cooks in a kitchen, and of agents that choose anything elsewhere."""
    agents = [Cook() if game.startswith("overcooked") else Random() for _ in names]
    return Episodes()(game, agents, seed=seed, steps=steps, starts="varied", names=names)


def written(trace: Trace, path: Path) -> Path:
    """Write a trace down."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_trace(trace.header, trace.events))
    return path


def recorded(folder: Path, game: str = "pantry", names: Sequence[str] = ("ada", "bo"), count: int = 3) -> Path:
    """Play episodes into a folder."""
    for seed in range(count):
        written(played(game, names, seed), folder / f"{seed}.jsonl")
    return folder


def certified(folder: Path) -> Path:
    """Certify a random pair in the pantry."""
    game = registry.make("pantry")
    library = registry.library(game)
    terms = Terms(game.spec, LibraryMark(library.name, library.version, library.digest), (), 30, "scattered")
    partner = Partner(None, "nobody comes with the pantry")
    matches = conditions(terms, ["random", "random"], partner, range(3))
    folder.mkdir(parents=True)
    certification = Certification(matches, folder)
    found = certificate(matches, partner, certification.play(1, lambda: None), Thresholds())
    certification.write(found)
    return folder


def evaluated(folder: Path, count: int = 2, values: Mapping[str, Sequence[Sequence[float]]] = ONE) -> Path:
    """Write down an evaluation with the rest of its grid missing, and so many traces of its cells.

    Args:
        folder: for it.
        count: of traces.
        values: of each training seed and episode of a cell with menus, by its capacity.
    """
    folder.mkdir(parents=True)
    recorded(folder / "cells" / "full" / "traces", KITCHEN, count=count)
    teams = {Place(BACKBONE, KITCHEN, "menu", capacity): list(map(_team, rows)) for capacity, rows in values.items()}
    cells = tuple(
        cell(each, [_contestant(each)] * len(teams.get(each, ())), teams.get(each, ()), "not in the file")
        for each in grid(teams)
    )
    found = Report(
        about="one cell",
        protocol=Protocol(episodes=2),
        deviations=("2 episodes",),
        cells=cells,
        pairs=tuple(pairs(cells)),
        notes=("runs/aa: its training seeds cannot be known",),
        unplaced=(),
        versions={},
    )
    (folder / "results.json").write_bytes(msgspec.json.encode(found))
    return folder


def _team(values: Sequence[float]) -> Team:
    return Team(
        source="runs/aa",
        adapters={"seat0@v3": "0011223344556677"},
        round=3,
        training_return=40.0,
        library="default",
        traces="cells/full/traces",
        values=tuple(values),
        returns=tuple(20 * value for value in values),
        failed=0,
    )


def _contestant(place: Place) -> Contestant:
    game = registry.make(KITCHEN)
    library = registry.library(game)
    terms = Terms(game.spec, LibraryMark(library.name, library.version, library.digest), (), 400)
    return Contestant(entry=0, place=place, source="runs/aa", match=Match(terms, ("ada", "bo"), (0, 1)))


def trained(folder: Path, rounds: int = 3, *, over: bool = True) -> Path:
    """Write down a training that becomes better with every round."""
    folder.mkdir(parents=True)
    config = {"about": "a test", "game": {"name": "pantry", "settings": {}}, "rounds": rounds}
    run = {
        "preset": "pantry-tiny",
        "config": config,
        "versions": {"hocket": "0.1.0"},
        "base": "00ff",
        "library": "default",
    }
    (folder / "run.json").write_bytes(msgspec.json.encode(run))
    lines = [
        {
            "round": each,
            "team_return": each + 0.5,
            "returns": [float(each), each + 1.0],
            "events": {"delivered": each + 0.5},
            "shares": {"0": {"wait": 1 / (each + 1)}, "1": {"hand_over": 1.0}},
            "updated": {"seat0": {"entropy": 1.5 - each / 10, "kl": each / 100}},
        }
        for each in range(rounds)
    ]
    (folder / "metrics.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    if over:
        result = {"returns": [2.0, 3.0], "best_round": rounds - 1, "greedy_return": 3.0, "solo_returns": {"0": 0.0}}
        (folder / "result.json").write_bytes(msgspec.json.encode(result))
    return folder
