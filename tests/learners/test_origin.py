"""What a run depends on: told apart by content, whatever it is called."""

from pathlib import Path

import msgspec
import pytest

from hocket.agents.style import Style
from hocket.games import registry
from hocket.learners.origin import Origin, game_digest
from hocket.learners.preset import read_preset


def origin(*changes: str, **content: object) -> Origin:
    """A run on a base and in a kitchen of one's own."""
    own = ["model.base=llm:bases/one", "game.name=overcooked:kitchens/one.layout"]
    config = read_preset("overcooked-aa-tiny", [*own, *changes]).config
    plain = Origin("mine.toml", config, "ba5e", Style(), "9a3e", "default", {"numpy": "2"})
    return msgspec.structs.replace(plain, **content)


@pytest.mark.parametrize(
    "other",
    [
        origin(preset="folder/mine.toml"),
        origin("model.base=llm:elsewhere/one"),
        origin("game.name=overcooked:elsewhere/one.layout"),
    ],
    ids=["the preset", "the base", "the layout"],
)
def test_another_path_to_the_same_is_no_difference(other: Origin) -> None:
    """Who starts a run from another folder goes on with it."""
    assert origin().differences(other) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (origin(base="0ther"), ['base was "ba5e" and is "0ther"']),
        (origin(game="0ther"), ['game was "9a3e" and is "0ther"']),
        (origin(style=Style(scorer="text")), ['style.scorer was "letter" and is "text"']),
        (
            origin("model.base=llm:two", base="0ther"),
            ['base was "ba5e" and is "0ther"', 'model.base was "llm:bases/one" and is "llm:two"'],
        ),
        (origin("seed=3", versions={"numpy": "3"}), ["seed was 0 and is 3", 'versions.numpy was "2" and is "3"']),
    ],
    ids=["base", "game", "style", "base and its name", "seed and version"],
)
def test_other_content_is_one_whatever_its_name(other: Origin, said: list[str]) -> None:
    """A file that was changed where it lies makes another run."""
    assert origin().differences(other) == said


def test_where_rollouts_come_from_is_a_difference_unless_it_was_not_written_down() -> None:
    """A run of before that can still be gone on with."""
    played, read, old = (origin(recorded=each) for each in (False, True, None))

    assert played.differences(read) == ["recorded was false and is true"]
    assert read.differences(played) == ["recorded was true and is false"]
    assert old.differences(read) == old.differences(played) == []


def test_an_origin_of_before_still_reads() -> None:
    """Without a word of where its rollouts came from."""
    said = msgspec.json.decode(msgspec.json.encode(origin()))
    del said["recorded"]

    read = msgspec.convert(said, Origin)

    assert read == origin()
    assert read.recorded is None


def test_a_game_is_known_by_all_that_it_is_built_from(tmp_path: Path) -> None:
    """Its layout may be a file: moved, it is the same kitchen; changed, it is another."""
    layout = msgspec.json.encode(registry.make("overcooked:cramped_room").spec.settings["layout"])
    one, moved, changed = (tmp_path / name / "mine.json" for name in ("one", "moved", "changed"))
    for path in (one, moved, changed):
        path.parent.mkdir()
        path.write_bytes(layout if path != changed else layout.replace(b'"cook_time":null', b'"cook_time":5'))

    digests = [game_digest(registry.make(f"overcooked:{path}").spec) for path in (one, moved, changed)]

    assert digests[0] == digests[1] != digests[2]
