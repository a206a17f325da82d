"""A folder of PNG files: one a tick, and nothing else in it."""

from pathlib import Path

import numpy as np
import pytest
from tests.lamp import lit

from hocket.runtime.errors import FilmError

pytest.importorskip("PIL", reason="needs the extra meltingpot")

from PIL import Image

from hocket.pngs import Pngs


def test_each_frame_is_a_file_named_for_its_tick(tmp_path: Path) -> None:
    """Pixel for pixel, in a folder that is made or that was empty."""
    for name in ("new", "empty"):
        folder = tmp_path / name
        if name == "empty":
            folder.mkdir()
        pngs = Pngs(folder)
        for tick in range(3):
            pngs.take(tick, lit(tick))
        pngs.close()

        found = sorted(folder.iterdir())
        assert [path.name for path in found] == ["00000.png", "00001.png", "00002.png"]
        assert all(np.array_equal(np.array(Image.open(path)), lit(tick)) for tick, path in enumerate(found))


def test_frames_go_to_a_folder_of_their_own(tmp_path: Path) -> None:
    """Among other files nobody could tell which belong to the film."""
    (tmp_path / "notes.txt").write_text("mine")
    sentences = []
    for place in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(FilmError) as refused:
            Pngs(place)
        sentences.append(str(refused.value))

    assert sentences == [
        f"{tmp_path}: is not empty, and frames go to a folder of their own; name another",
        f"{tmp_path / 'notes.txt'}: is no folder; name one",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_a_frame_everything_is_as_it_was(tmp_path: Path) -> None:
    """A folder that was made goes, one that was there stays; closing twice does nothing."""
    made, found = Pngs(tmp_path / "made"), tmp_path / "found"
    found.mkdir()

    for pngs in (made, made, Pngs(found)):
        pngs.close()

    assert list(tmp_path.iterdir()) == [found]
