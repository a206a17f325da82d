"""A folder in which scores are kept, so that no episode is played twice."""

from hashlib import blake2b
from pathlib import Path

import msgspec

from hocket.learners.match import Match, Score
from hocket.replays.trace import installed_versions
from hocket.runtime.whole_file import writable, write_whole


class Results:
    """Scores in a folder, each in a file that is named for its match."""

    def __init__(self, folder: Path) -> None:
        """Keep them there; the folder is made.

        Raises:
            FileError: it cannot be.
        """
        self._folder = folder
        with writable(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def read(self, match: Match) -> Score | None:
        """Return the score of a match that was played before, with these versions; None where there is none."""
        try:
            return msgspec.json.decode(self._path(match).read_bytes(), type=Score)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, match: Match, score: Score) -> None:
        """Keep a score.

        Raises:
            FileError: it cannot be written.
        """
        with writable(self._folder):
            write_whole(self._path(match), msgspec.json.format(msgspec.json.encode(score)))

    def _path(self, match: Match) -> Path:
        said = msgspec.json.encode([match, installed_versions(), _weights(match)], order="sorted")
        return self._folder / f"{blake2b(said, digest_size=8).hexdigest()}.json"


def _weights(match: Match) -> list[str]:
    """Digest the adapters that are named by their folders: other weights under the same name are other agents."""
    folders = [Path(agent.partition("#")[2]) for agent in dict.fromkeys(match.agents) if "#" in agent]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.safetensors"))]
    return [blake2b(file.read_bytes(), digest_size=8).hexdigest() for file in files]
