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
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.contestants import contestants
from hocket.learners.cells.measure import measured
from hocket.learners.cells.pairs import pairs
from hocket.learners.cells.place import Place, grid
from hocket.learners.cells.plan import Plan
from hocket.learners.cells.published import deviations
from hocket.learners.cells.report import Report
from hocket.learners.contest import pieces, play_all
from hocket.learners.match import Match, Score, Terms
from hocket.learners.results import Results
from hocket.replays.statistics import scipy_stats
from hocket.replays.trace import installed_versions
from hocket.runtime.whole_file import writable


class Ablation:
    """One ablation, checked before anything is played."""

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
        self._scores = Results(out / "scores")
        self._adapters = AdapterStore(out.resolve() / "adapters")
        self._playing = [(each, self._kept(each, each.match)) for each in self.contestants if each.match is not None]

    @property
    def pieces(self) -> int:
        """How many are played where nothing is there yet."""
        return sum(len(pieces(match)) for _, match in self._playing)

    def play(self, processes: int, progress: Callable[[int], object]) -> Report:
        """Play what is missing, and sum up.

        Args:
            processes: how many share the work; the report is the same whatever their number.
            progress: called whenever a piece is over.

        Raises:
            HocketError: an agent, a game, or the disk failed.
        """
        matches, folders = [match for _, match in self._playing], [self._traces(each) for each, _ in self._playing]
        scores = play_all(matches, processes=processes, kept=self._scores, folders=folders, progress=progress)
        teams = [
            (each, self._team(each, match, score)) for (each, match), score in zip(self._playing, scores, strict=True)
        ]
        places = [each.place for each in self.contestants if each.place is not None]
        return self._report([self._cell(place, teams) for place in grid(places)])

    def _kept(self, contestant: Contestant, match: Match) -> Match:
        """Make room for what a contestant plays, with its adapters kept beside it; return what it plays."""
        with writable(self._out):
            self._traces(contestant).mkdir(parents=True, exist_ok=True)
        agents = []
        for agent, digest in zip(match.agents, contestant.weights, strict=True):
            base, _, adapter = agent.partition("#")
            agents.append(f"{base}#{self._adapters.keep(Path(adapter), digest)}" if digest else agent)
        return msgspec.structs.replace(match, agents=tuple(agents))

    def _traces(self, contestant: Contestant) -> Path:
        return self._out / "cells" / contestant.folder_name / "traces"

    def _team(self, contestant: Contestant, match: Match, score: Score) -> Team:
        traces = self._traces(contestant)
        return Team(
            source=contestant.source,
            adapters=contestant.adapters,
            round=contestant.round,
            training_return=contestant.training_return,
            library=match.terms.library.name,
            traces=traces.relative_to(self._out).as_posix(),
            values=tuple(measured(match, score, traces)),
            returns=tuple(score.team),
            failed=score.failed,
        )

    def _cell(self, place: Place, teams: Sequence[tuple[Contestant, Team]]) -> Cell:
        mine = [each for each in self.contestants if each.place == place]
        played = [team for each, team in teams if each.place == place]
        return cell(place, mine, played, f"not in {self._plan.path.name}")

    def _report(self, cells: Sequence[Cell]) -> Report:
        steps = {each.place.game: each.steps for each in cells if each.steps is not None}
        return Report(
            about=self._plan.about,
            protocol=self._plan.protocol,
            deviations=deviations(self._plan.protocol, steps),
            cells=tuple(cells),
            pairs=tuple(pairs(cells)),
            notes=tuple([line for each in self.contestants for line in each.notes] + _notes(cells)),
            unplaced=tuple(each.why for each in self.contestants if each.place is None),
            versions=installed_versions(),
        )


def _notes(cells: Sequence[Cell]) -> list[str]:
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
        FileError: two entries for one cell, two runs with the same adapters, or one name for two games or bases.
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
