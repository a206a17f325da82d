"""GIFs: every pixel, how long each frame lasts, and what is left when something goes wrong."""

import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.lamp import HEIGHT, WIDTH, lit

from hocket.runtime.errors import FilmError

pytest.importorskip("PIL", reason="needs the extra meltingpot")

from PIL import Image

from hocket.gif import Gif

Frame = NDArray[np.uint8]
FILM = Path("ada.gif")


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _taken(frames: Sequence[Frame], hz: float = 8) -> None:
    gif = Gif(FILM, hz)
    for tick, frame in enumerate(frames):
        gif.take(tick, frame)
    gif.close()


def _shown(path: Path = FILM) -> list[tuple[Frame, int]]:
    """Return the frames that a viewer draws, at one pixel a square, and how many milliseconds each lasts."""
    with Image.open(path) as film:
        times, found = film.width // WIDTH, []
        for number in range(getattr(film, "n_frames", 1)):
            film.seek(number)
            squares = np.array(film.convert("RGB"))
            small = squares[::times, ::times]
            assert np.array_equal(small.repeat(times, axis=0).repeat(times, axis=1), squares)
            found.append((small, film.info["duration"]))
        assert film.info["loop"] == 0
        assert (film.width, film.height) == (times * WIDTH, times * HEIGHT)
        assert film.width >= 400
        return found


def _taken_until_full(gif: Gif) -> int:
    """Return how many frames were taken."""
    for tick in range(99):
        try:
            gif.take(tick, lit(tick))
        except OSError:
            return tick
    raise AssertionError


@contextmanager
def _files_no_longer_than(size: int) -> Iterator[None]:
    """What a full disk is like."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_film_shows_every_pixel_of_every_frame() -> None:
    """Though a frame holds what has changed alone, and nothing at all has changed in the third."""
    frames = [lit(0), lit(1), lit(1), lit(2)]

    _taken(frames)

    assert all(np.array_equal(shown, frame) for (shown, _), frame in zip(_shown(), frames, strict=True))


def test_what_is_rounded_off_a_frame_does_not_add_up() -> None:
    """An eighth of a second is 12.5 of the hundredths that the format counts in."""
    _taken([lit(tick) for tick in range(8)])

    lasting = [each for _, each in _shown()]
    assert set(lasting) == {120, 130}
    assert sum(lasting) == 1000


@pytest.mark.parametrize(("hz", "lasting"), [(1000, 20), (0.001, 655350)])
def test_no_frame_lasts_longer_or_shorter_than_a_viewer_shows_it(hz: float, lasting: int) -> None:
    """The format holds 0 hundredths as well, which viewers take for a tenth of a second."""
    _taken([lit(0), lit(1)], hz)

    assert [each for _, each in _shown()] == [lasting] * 2


@pytest.mark.parametrize(("colours", "off"), [(255, 0), (1000, 24)])
def test_a_frame_has_255_colours(colours: int, off: int) -> None:
    """Where there are more, each becomes one that is near."""
    dice = np.random.default_rng(7)
    palette = dice.permutation(32**3)[:colours]
    colourful = np.stack([palette // 1024, palette // 32 % 32, palette % 32], axis=1).astype(np.uint8) * 8
    frame = np.resize(colourful, (40, 50, 3))

    _taken([frame, frame[::-1]])

    with Image.open(FILM) as film:
        film.seek(1)
        shown = np.array(film.convert("RGB"))[::8, ::8]
    assert np.abs(shown.astype(int) - frame[::-1]).mean() <= off


def test_a_full_disk_leaves_the_frames_before() -> None:
    """Half a frame is cut off again; the film is whole, and in its place."""
    gif = Gif(FILM, 8)

    with _files_no_longer_than(4000):
        kept = _taken_until_full(gif)
    gif.close()

    assert 1 < kept < 20
    assert [shown.tolist() for shown, _ in _shown()] == [lit(tick).tolist() for tick in range(kept)]
    assert list(Path().iterdir()) == [FILM]


def test_the_file_beside_the_film_is_one_after_every_frame() -> None:
    """So a process that is killed leaves it, under another name; the old film stands until the end."""
    _taken([lit(9)])
    gif = Gif(FILM, 8)

    gif.take(0, lit(0))
    gif.take(1, lit(1))
    [beside] = set(Path().iterdir()) - {FILM}
    meanwhile = (len(_shown(beside)), len(_shown()))
    gif.close()
    gif.close()

    assert meanwhile == (2, 1)
    assert len(_shown()) == 2
    assert not beside.exists()


def test_without_a_frame_there_is_no_file() -> None:
    """And an older film stays."""
    Gif(FILM, 8).close()
    nothing = list(Path().iterdir())
    _taken([lit(0)])

    Gif(FILM, 8).close()

    assert (nothing, len(_shown())) == ([], 1)


def test_through_a_link_the_film_itself_is_written() -> None:
    """The link stays one."""
    FILM.symlink_to("bo.gif")

    _taken([lit(0)])

    assert FILM.is_symlink()
    assert len(_shown(Path("bo.gif"))) == 1


@pytest.mark.parametrize("place", ["folder", "notes.txt", "/dev/null"])
def test_nothing_is_replaced_that_is_no_film(place: str) -> None:
    """It would be lost; a device is no place for a film either."""
    Path("folder").mkdir()
    Path("notes.txt").write_text("of a year's work")

    with pytest.raises(FilmError) as refused:
        Gif(Path(place), 8)

    problem = "is there and is no GIF, so it is not replaced; name another file"
    assert str(refused.value) == f"{place}: {problem}"
    assert Path("notes.txt").read_text() == "of a year's work"
    assert len(list(Path().iterdir())) == 2


def test_what_has_come_into_its_place_since_is_kept() -> None:
    """A trace of the same name is worth more than a film of it."""
    gif = Gif(FILM, 8)
    gif.take(0, lit(0))
    FILM.write_text("a trace")

    with pytest.raises(FileExistsError):
        gif.close()

    assert FILM.read_text() == "a trace"
    assert list(Path().iterdir()) == [FILM]
