"""A folder of scores, an episode a file, so that none is played twice."""

from hashlib import blake2b
from pathlib import Path

import msgspec

from hocket.learners.identity import identities
from hocket.learners.match import Match, Score
from hocket.replays.trace import installed_versions
from hocket.runtime.whole_file import writable, write_whole


class Results:
    """Scores in a folder; each file is named for its team, what they play, and the seed."""

    def __init__(self, folder: Path) -> None:
        """Keep them there; the folder is made.

        Raises:
            FileError: it cannot be.
        """
        self.folder = folder
        with writable(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def read(self, match: Match) -> dict[int, Score]:
        """Return the scores of the episodes of a match that were played before, by seed.

        Played before means by these very agents, of these versions.
        """
        found = {}
        for seed, path in self._paths(match).items():
            try:
                found[seed] = msgspec.json.decode(path.read_bytes(), type=Score)
            except (OSError, msgspec.MsgspecError):
                continue
        return found

    def write(self, match: Match, score: Score) -> None:
        """Keep the score of every episode of a match.

        Raises:
            FileError: it cannot be written.
        """
        with writable(self.folder):
            for path, episode in zip(self._paths(match).values(), score.episodes(), strict=True):
                write_whole(path, msgspec.json.encode(episode))

    def _paths(self, match: Match) -> dict[int, Path]:
        """Return where the score of each seed is kept."""
        team = msgspec.structs.replace(match, seeds=())
        said = msgspec.json.encode([team, installed_versions(), identities(match)], order="sorted")
        name = blake2b(said, digest_size=8).hexdigest()
        return {seed: self.folder / f"{name}-{seed}.json" for seed in match.seeds}
