"""The evaluation protocol: every cell on the same held-out seeds, with intervals and tests.

    OUT/cells/CELL-DIGEST/traces/SEED.jsonl.zst     every episode
    OUT/adapters/DIGEST/NAME                        what they were played with
    OUT/scores/                                     so that nothing is played twice
    OUT/results.json, table.md, table.csv

Source: PA-MAGRPO paper, section 6.1, "Evaluation protocol and statistics". The correction for many
pairs is ours: the paper says nothing of one.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hocket.learners.cells.adapter_store import AdapterStore
from hocket.learners.cells.cell import Cell, Team, cell
from hocket.learners.cells.company import contestants
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.measure import measured
from hocket.learners.cells.pairs import Pair, pairs
from hocket.learners.cells.place import Place, grid
from hocket.learners.cells.plan import Plan, Protocol
from hocket.learners.contest import AT_ONCE, play_all
from hocket.learners.match import Match, Score, Terms
from hocket.learners.results import Results
from hocket.replays.statistics import scipy_stats
from hocket.replays.trace import installed_versions
from hocket.runtime.whole_file import writable


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an evaluation."""

    about: str
    protocol: Protocol
    deviations: tuple[str, ...]
    """In what it is not the paper's protocol; none where it is."""
    cells: tuple[Cell, ...]
    """The whole grid of every backbone and game that the file names."""
    pairs: tuple[Pair, ...]
    """Of all cells of one game, in order of the cells."""
    said: tuple[str, ...]
    """What a reader of the numbers must know."""
    unplaced: tuple[str, ...]
    """Entries whose cell cannot be told, and why."""
    versions: dict[str, str]


class _Player(msgspec.Struct, frozen=True):
    """A contestant who plays."""

    contestant: Contestant
    match: Match
    folder: Path
    """For traces."""


class Evaluation:
    """One evaluation, checked before anything is played."""

    def __init__(self, plan: Plan, out: Path) -> None:
        """Find out who plays.

        Args:
            plan: what it is of.
            out: folder of everything that comes of it; what was played there before is not played again.

        Raises:
            MissingExtraError: SciPy is not installed.
            UsageError: an entry that cannot be meant, cells that cannot be compared, or a folder that cannot be made.
        """
        scipy_stats()
        self._plan, self._out = plan, out
        self.contestants = contestants(plan)
        _check_alike(plan, self.contestants)
        self._kept = Results(out / "scores")
        self._adapters = AdapterStore(out.resolve() / "adapters")
        self._players = [self._player(each, each.match) for each in self.contestants if each.match is not None]

    @property
    def shares(self) -> int:
        """How many shares of episodes are played, each of them at once."""
        return sum(-(-len(each.match.seeds) // AT_ONCE) for each in self._players)

    def play(self, processes: int, progress: Callable[[int], object] = lambda number: None) -> Report:
        """Play what is missing, and sum up.

        Args:
            processes: how many share the work; the report is the same whatever their number.
            progress: called whenever a share of episodes is over.

        Raises:
            HocketError: an agent, a game, or the disk failed.
        """
        matches, folders = [each.match for each in self._players], [each.folder for each in self._players]
        scores = play_all(matches, processes=processes, kept=self._kept, folders=folders, progress=progress)
        teams = [self._team(each, score) for each, score in zip(self._players, scores, strict=True)]
        return self._report([(each.contestant, team) for each, team in zip(self._players, teams, strict=True)])

    def _player(self, contestant: Contestant, match: Match) -> _Player:
        """Make room for what a contestant plays, with its adapters kept beside it."""
        folder = self._out / "cells" / contestant.folder / "traces"
        with writable(self._out):
            folder.mkdir(parents=True, exist_ok=True)
        agents = []
        for agent, digest in zip(match.agents, contestant.seats, strict=True):
            base, _, adapter = agent.partition("#")
            agents.append(f"{base}#{self._adapters.keep(Path(adapter), digest)}" if digest else agent)
        return _Player(contestant, msgspec.structs.replace(match, agents=tuple(agents)), folder)

    def _team(self, player: _Player, score: Score) -> Team:
        contestant = player.contestant
        return Team(
            source=contestant.source,
            adapters=contestant.adapters,
            round=contestant.round,
            training_return=contestant.training_return,
            library=player.match.terms.library.name,
            traces=player.folder.relative_to(self._out).as_posix(),
            values=tuple(measured(player.match, score, player.folder)),
            returns=tuple(score.team),
            failed=score.failed,
        )

    def _report(self, teams: Sequence[tuple[Contestant, Team]]) -> Report:
        unnamed = f"not in {self._plan.path.name}"
        places = [each.place for each in self.contestants if each.place is not None]
        cells = []
        for place in grid(places):
            those = [each for each in self.contestants if each.place == place]
            cells.append(cell(place, those, [team for each, team in teams if each.place == place], unnamed))
        return Report(
            about=self._plan.about,
            protocol=self._plan.protocol,
            deviations=self._plan.protocol.deviations(),
            cells=tuple(cells),
            pairs=tuple(pairs(cells)),
            said=tuple([line for each in self.contestants for line in each.said] + _said(cells)),
            unplaced=tuple(each.why for each in self.contestants if each.place is None),
            versions=installed_versions(),
        )


def _said(cells: Sequence[Cell]) -> list[str]:
    """Say what stands in no table: teams that are not there, and agents that failed."""
    lines = []
    for each in cells:
        if each.teams:
            lines += [f"{each.place}: without {why}" for why in each.why]
        if each.teams and each.collapsed:
            said = f"{each.collapsed} of its training seeds collapsed, and count as 0 in the mean over them"
            lines.append(f"{each.place}: {said}")
        if failed := sum(team.failed for team in each.teams):
            lines.append(f"{each.place}: agents failed {failed} times, and their seats went to nobody")
    return lines


def _check_alike(plan: Plan, contestants: Sequence[Contestant]) -> None:
    """Refuse cells that cannot stand in one table.

    Raises:
        PresetError: two entries for one cell, two runs with the same adapters, or one name for two games or bases.
    """
    entries: dict[Place, int] = {}
    teams: dict[tuple[Place, tuple[str, ...]], str] = {}
    games: dict[str, tuple[int, Terms]] = {}
    bases: dict[str, tuple[int, str]] = {}
    for each in contestants:
        place, match = each.place, each.match
        if place is None:
            continue
        first = entries.setdefault(place, each.entry)
        if first != each.entry:
            raise plan.problem(
                each.entry, f"it is {place}, as cell {first + 1}; training seeds of one cell are its runs"
            )
        if match is None:
            continue
        other = teams.setdefault((place, tuple(each.adapters.values())), each.source)
        if other != each.source:
            raise plan.problem(each.entry, f"{each.source} plays with what {other} plays with: they are one run")
        number, base = bases.setdefault(place.backbone, (each.entry, each.base))
        if base != each.base:
            problem = f"its base {place.backbone} is {each.base}, but that of cell {number + 1} is {base}"
            raise plan.problem(each.entry, problem)
        number, terms = games.setdefault(place.game, (each.entry, match.terms))
        if terms.game != match.terms.game:
            raise plan.problem(each.entry, f"{place.game} is set otherwise than in cell {number + 1}")
        if terms.steps != match.terms.steps:
            problem = f"it plays {match.terms.steps} ticks of {place.game}, but cell {number + 1} {terms.steps}"
            raise plan.problem(each.entry, f"{problem}: protocol.steps sets one length")
