"""A base's folder, read without loading it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from hocket.agents.canary import Canary, Probe, write_canary
from hocket.agents.frozen_base import read_base
from hocket.agents.named_base import find_base, names_model, parse_model
from hocket.agents.style import Style
from hocket.runtime.errors import ModelError, SettingError


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
    for name in ("generation_config.json", "tokenizer_config.json"):
        (folder / name).write_text('{"eos_token_id": 1}')
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    before = read_base(folder, "toy").digest
    digests = {before}
    names = ["model.safetensors", "chat_template.jinja", "config.json", "tokenizer.json"]
    names += ["generation_config.json", "tokenizer_config.json"]

    for name in names:
        content = (folder / name).read_bytes()
        flipped = content[:-1] + bytes([content[-1] ^ 1])
        said = json.loads(content) | {"max_window_layers": 3} if name.endswith(".json") else None
        (folder / name).write_bytes(flipped if said is None else json.dumps(said).encode())
        digests.add(read_base(folder, "toy").digest)
        (folder / name).write_bytes(content)
    (folder / "style.json").write_text('{"scorer": "letter"}')

    assert len(digests) == 1 + len(names)
    assert read_base(folder, "elsewhere").digest == before


def test_the_digest_stays_when_a_model_is_saved_again(folder: Path) -> None:
    """By another version, from another place, in another order, to be computed in another format."""
    config = {"max_position_embeddings": 64, "rope": {"theta": 1.0, "dtype": "float32"}, "layers": [2, 1]}
    others = {"transformers_version": "5.0", "_name_or_path": "there", "dtype": "bfloat16", "torch_dtype": "float16"}
    vocabulary = {"model": {"vocab": {"dtype": 0, "b": 1}, "merges": ["a b", "b c"]}}
    digests = set()

    for extra, indent in ((others, 2), ({}, None)):
        said = {**extra, **config} if extra else dict(reversed(config.items()))
        (folder / "config.json").write_text(json.dumps(said, indent=indent))
        (folder / "tokenizer.json").write_text(json.dumps(vocabulary, indent=indent))
        version = {"transformers_version": "5.0"} if extra else {}
        (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 2, **version}))
        digests.add(read_base(folder, "toy").digest)

    assert len(digests) == 1


def test_a_word_that_is_called_as_a_setting_is_a_word(folder: Path) -> None:
    """What a configuration may keep to itself, a vocabulary may not."""
    digests = set()
    for number in (1, 2):
        (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"dtype": number}}}))
        digests.add(read_base(folder, "toy").digest)

    assert len(digests) == 2


def test_what_stands_in_one_file_does_not_pass_for_another_s(folder: Path) -> None:
    """The same content under another name is another base."""
    (folder / "chat_template.jinja").write_text("x")
    one = read_base(folder, "toy").digest
    (folder / "chat_template.jinja").rename(folder / "tokenizer.model")

    assert read_base(folder, "toy").digest != one


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("llm", ("", "")),
        ("llm:smollm2", ("smollm2", "")),
        ("llm:models/a b:c", ("models/a b:c", "")),
        ("llm#adapters/ada@v1", ("", "adapters/ada@v1")),
        ("llm:smollm2#adapters/ada@v1", ("smollm2", "adapters/ada@v1")),
        ("llm:m#a#b", ("m", "a#b")),
    ],
)
def test_a_model_is_named_as_for_a_seat(spec: str, found: tuple[str, str]) -> None:
    """What `find_base` takes, and the adapter's folder."""
    assert names_model(spec)
    assert parse_model(spec) == found


@pytest.mark.parametrize(
    "spec", ["llm:", "llm#", "llm:#", "llm:m#", "llm:#a", "llmx", "smollm2", "", "LLM", "llm m", "llm\n"]
)
def test_a_name_that_is_none_is_refused(spec: str) -> None:
    """In a sentence that says how one looks; above all, no part that was forgotten means the embedded base."""
    with pytest.raises(SettingError) as caught:
        parse_model(spec)

    right = "llm, llm:MODEL, llm#ADAPTER or llm:MODEL#ADAPTER"
    assert str(caught.value) == f"model is {spec!r}, but must be {right}"


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
        (_write("tokenizer.json", "{"), "tokenizer.json is no JSON: Expecting property name"),
        (_write("generation_config.json", "[]"), "generation_config.json holds no object"),
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
