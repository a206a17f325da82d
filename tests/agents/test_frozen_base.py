"""A base's folder, read without loading it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from hocket.agents.canary import Canary, Probe, write_canary
from hocket.agents.frozen_base import find_base, read_base
from hocket.agents.style import Style
from hocket.runtime.errors import ModelError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of one layer with 12 parameters."""
    folder = tmp_path / "toy model"
    folder.mkdir()
    (folder / "config.json").write_text('{"max_position_embeddings": 64}')
    (folder / "tokenizer.json").write_text("{}")
    save_file({"model.q_proj.weight": np.zeros((3, 4), np.float32)}, folder / "model.safetensors")
    return folder


def test_the_embedded_base_is_there() -> None:
    """By the empty name; it knows how it is to be asked."""
    base = find_base("")

    assert base.name == "embedded"
    assert base.style.profile == "brief"
    assert base.parameters == sum(int(np.prod(shape)) for shape in base.shapes.values()) > 100_000
    assert base.context >= 1024
    assert len(base.digest) == 16


def test_a_folder_is_called_by_its_last_part(folder: Path) -> None:
    """In letters that a trace, a name on a server and a file can hold; without its path."""
    base = find_base(str(folder))

    assert (base.name, base.parameters, base.context) == ("toy-model", 12, 64)
    assert base.shapes == {"model.q_proj.weight": (3, 4)}
    assert base.canary is None


def test_a_small_base_answers_by_text_and_a_large_one_by_letter(folder: Path) -> None:
    """From a thousand million parameters on; it is the shapes that are counted, nothing is read."""
    small = read_base(folder, "toy")
    header = json.dumps({"w": {"dtype": "U8", "shape": [32_000, 32_000], "data_offsets": [0, 1_024_000_000]}}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + 1_024_000_000)

    large = read_base(folder, "toy")

    assert small.style == Style(scorer="text")
    assert large.style == Style(scorer="letter")
    assert large.parameters == 1_024_000_000


def test_a_style_that_stands_in_the_folder_is_taken(folder: Path) -> None:
    """A base that was trained in one style is asked in it."""
    (folder / "style.json").write_text('{"profile": "brief", "scorer": "two_line", "temperature": 0.5}')

    assert read_base(folder, "toy").style == Style("brief", "two_line", 0.5)


def test_the_digest_is_of_every_byte_that_answers_depend_on(folder: Path) -> None:
    """One byte of weights, configuration or tokenizer, and it is another base; a canary or style is no part of it."""
    before = read_base(folder, "toy").digest
    digests = {before}

    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        content = (folder / name).read_bytes()
        changed = content[:-1] + bytes([content[-1] ^ 1]) if name == "model.safetensors" else content + b" "
        (folder / name).write_bytes(changed)
        digests.add(read_base(folder, "toy").digest)
        (folder / name).write_bytes(content)
    (folder / "style.json").write_text('{"scorer": "letter"}')

    assert len(digests) == 4
    assert read_base(folder, "elsewhere").digest == before


def test_the_context_may_stand_in_a_part_of_its_own(folder: Path) -> None:
    """As with models that see as well."""
    (folder / "config.json").write_text('{"text_config": {"max_position_embeddings": 32}}')

    assert read_base(folder, "toy").context == 32


def test_a_canary_of_these_weights_comes_with_them(folder: Path) -> None:
    """And one of other weights is refused: the folder is not what it was."""
    probe = Probe((1, 2), (3, 4), (-0.1, -2.4), (-0.1, -2.4))
    write_canary(folder, Canary(read_base(folder, "toy").digest, "", (probe,)))
    sound = read_base(folder, "toy")
    write_canary(folder, Canary("0" * 16, "", (probe,)))

    with pytest.raises(ModelError) as caught:
        read_base(folder, "toy")

    assert sound.canary is not None
    assert str(caught.value) == f"model {folder}: its canary.json was written for other weights"


def _write(name: str, content: str | bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def _without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (_without("config.json"), "the folder has no config.json that can be read"),
        (_without("tokenizer.json"), "the folder has no tokenizer (tokenizer.json)"),
        (_without("model.safetensors"), "the folder has no weights (model*.safetensors)"),
        (_write("config.json", "{"), "config.json is no JSON: Expecting property name"),
        (_write("config.json", b"\xff\xfe"), "config.json is no JSON: "),
        (_write("config.json", "[" * 100_000), "config.json is no JSON: "),
        (_write("config.json", "[]"), "config.json holds no object"),
        (_write("config.json", "{}"), "config.json does not say max_position_embeddings"),
        (
            _write("config.json", '{"max_position_embeddings": "64"}'),
            "config.json does not say max_position_embeddings",
        ),
        (_write("model.safetensors", b""), "model.safetensors cannot be read: "),
        (_write("model.safetensors", b"\x89PNG" * 99), "model.safetensors cannot be read: "),
        (_write("model-2.safetensors", b"x"), "model-2.safetensors cannot be read: "),
        (_write("style.json", "{"), "style.json does not read as a style: "),
        (
            _write("style.json", '{"scorer": "leter"}'),
            "style.json does not read as a style: Invalid enum value 'leter'",
        ),
        (_write("style.json", '{"colour": 1}'), "style.json does not read as a style: Object contains unknown field"),
        (
            _write("style.json", '{"temperature": 101}'),
            "style.json does not read as a style: temperature is 101.0, but",
        ),
        (_write("style.json", '{"most_tokens": 0}'), "style.json does not read as a style: most_tokens is 0, but"),
        (_write("canary.json", "{"), "canary.json does not read as a canary: "),
    ],
)
def test_a_folder_that_lacks_something_is_refused_in_a_sentence(
    folder: Path, damage: Callable[[Path], object], problem: str
) -> None:
    """It says which folder, and what of it."""
    damage(folder)

    with pytest.raises(ModelError) as caught:
        read_base(folder, "toy")

    assert str(caught.value).startswith(f"model {folder}: {problem}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [1, 7, 8, 40, 100])
def test_weights_that_are_cut_anywhere_are_refused(folder: Path, size: int) -> None:
    """As after a download that broke off."""
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])

    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        read_base(folder, "toy")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Nor a file in its place."""
    (tmp_path / "file").touch()

    for name in ("nowhere", "file"):
        with pytest.raises(ModelError) as caught:
            find_base(str(tmp_path / name))
        assert str(caught.value) == f"model {tmp_path / name}: there is no such folder"
