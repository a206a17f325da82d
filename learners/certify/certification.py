"""Everything that a certificate is played from, in a folder where it is gone on with.

scores/             of each condition
traces/             of the team, by seed
absences/           what the team would have earned without one seat
team.json           which team it is: a folder holds one
certificate.json    what came of it
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from hocket.learners.certify.absence import Absence, Question, absence
from hocket.learners.certify.certificate import Certificate, Played, observe
from hocket.learners.certify.conditions import Conditions
from hocket.learners.contest import pieces, play_all
from hocket.learners.match import Match, Score, trace_of
from hocket.learners.results import Results
from hocket.replays.workers import shared
from hocket.runtime.errors import FileError
from hocket.runtime.whole_file import writable, write_whole

CERTIFICATE = "certificate.json"
_TEAM = "team.json"


class Certification:
    """Plays a team and its seats beside others."""

    def __init__(self, matches: Conditions, folder: Path) -> None:
        """Begin in a folder, or go on in it; it is made.

        Raises:
            FileError: it cannot be, or is that of another team.
        """
        self._matches, self._folder = matches, folder
        self._kept = Results(folder / "scores")
        self._traces, self._absences = folder / "traces", folder / "absences"
        with writable(folder):
            for room in (self._traces, self._absences):
                room.mkdir(parents=True, exist_ok=True)
            self._claim(msgspec.json.encode(msgspec.structs.replace(matches.team, seeds=()), order="sorted"))

    @property
    def traces(self) -> list[Path]:
        """Where the team's episodes are recorded, in order of the seeds."""
        return [trace_of(self._traces, seed) for seed in self._matches.team.seeds]

    @property
    def pieces(self) -> int:
        """How many are played where nothing is there yet, each absence being one."""
        team, others = self._matches.team, self._matches.others
        return (1 + len(others)) * len(pieces(team)) + len(team.agents) * len(team.seeds)

    def play(self, processes: int, progress: Callable[[], object]) -> Played:
        """Play what is not there yet.

        Args:
            processes: how many share the work; what comes of it is the same whatever their number.
            progress: called whenever a piece is over.

        Raises:
            UsageError: an agent that cannot be loaded, or a trace that is damaged or does not run again.
            HocketError: the game, the options or the scheduler failed.
        """
        [team] = self._scores([self._matches.team], processes, progress, [self._traces])
        others = iter(self._scores(self._matches.others, processes, progress))
        alone, random, scripted = (
            tuple(next(others) for _ in matches)
            for matches in (self._matches.alone, self._matches.random, self._matches.scripted)
        )
        absences = tuple(self._without(processes, progress))
        episodes = len(self._matches.team.seeds)
        by_seat = tuple(absences[start : start + episodes] for start in range(0, len(absences), episodes))
        return Played(team, alone, random, scripted, by_seat, *observe(self.traces))

    def write(self, certificate: Certificate) -> None:
        """Keep what came of it.

        Raises:
            FileError: it cannot be written.
        """
        with writable(self._folder):
            write_whole(self._folder / CERTIFICATE, msgspec.json.format(msgspec.json.encode(certificate)) + b"\n")

    def _claim(self, team: bytes) -> None:
        """Let the folder be that of one team: traces are named by their seeds alone."""
        path = self._folder / _TEAM
        if not path.exists():
            write_whole(path, team)
        elif path.read_bytes() != team:
            problem = "holds the certificate of another team, or of this one on other terms; a new folder is needed"
            raise FileError(path=self._folder, problem=problem)

    def _scores(
        self, matches: Sequence[Match], processes: int, progress: Callable[[], object], folders: Sequence[Path] = ()
    ) -> list[Score]:
        return play_all(
            matches, processes=processes, kept=self._kept, folders=folders, progress=lambda number: progress()
        )

    def _without(self, processes: int, progress: Callable[[], object]) -> Iterator[Absence]:
        """Yield what would have been without each seat, seat by seat."""
        team, kept = self._matches.team, str(self._absences)
        asked = [Question(team, str(path), seat, kept) for seat in range(len(team.agents)) for path in self.traces]
        several = min(processes, len(asked))
        for found in map(absence, asked) if several < 2 else shared(absence, asked, several):
            progress()
            yield found
