"""A frozen base: a language model's folder, read without loading it."""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from hocket.agents.canary import FILE as CANARY
from hocket.agents.canary import Canary, foreign_token, read_canary
from hocket.agents.style import Style, read_style
from hocket.agents.tensors import shapes
from hocket.runtime.errors import AdapterError, ModelError, PromptError

_ONE_TOKEN = 10**9
"""Parameters from which on a base goes from an intent to a shuffled letter in one token."""
_BLOCK = 1 << 20
_UNTOLD = {"transformers_version", "_name_or_path", "dtype", "torch_dtype"}
"""What a configuration says of its writer, of its place and of the format that one computes in."""


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
    vocabulary: int = 0
    """Tokens that it knows: ids are below this; 0 where its weights do not say."""
    canary: Canary | None = None
    """What its own answers are known by; None where nobody has measured them."""

    def check_length(self, tokens: int) -> None:
        """Refuse a prompt with its reply that is longer than the context.

        Raises:
            PromptError: it is.
        """
        if tokens > self.context:
            problem = f"a prompt of {tokens} tokens, but {self.name} has a context of {self.context}"
            raise PromptError(problem=problem)


def read_base(folder: Path, name: str) -> FrozenBase:
    """Read what a folder says of its model.

    Raises:
        ModelError: it lacks a configuration, weights in safetensors, or a tokenizer, or they cannot be
            read, or its canary is of other weights.
        MissingExtraError: safetensors is not installed.
    """
    if not folder.is_dir():
        raise ModelError(model=str(folder), problem="there is no such folder")
    config = _object(folder, "config.json")
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
    vocabulary = max((shape[0] for name_, shape in known.items() if name_.endswith("embed_tokens.weight")), default=0)
    digest = _digest(folder, weights)
    try:
        canary = read_canary(folder) if (folder / CANARY).is_file() else None
    except AdapterError as error:
        raise ModelError(model=str(folder), problem=error.problem) from error
    if canary is not None and canary.base != digest:
        raise ModelError(model=str(folder), problem=f"its {CANARY} was written for other weights")
    if canary is not None and (token := foreign_token(canary, vocabulary)) is not None:
        raise ModelError(model=str(folder), problem=f"its {CANARY} holds token {token}, which it has not")
    style = _style(folder, parameters)
    return FrozenBase(name, folder, digest, parameters, context, style, known, vocabulary, canary)


def _object(folder: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads((folder / name).read_text("utf-8"))
    except OSError as error:
        raise ModelError(model=str(folder), problem=f"the folder has no {name} that can be read") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(model=str(folder), problem=f"{name} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ModelError(model=str(folder), problem=f"{name} holds no object")
    return found


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    """Return the part that describes the language model, where others stand beside it."""
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def _style(folder: Path, parameters: int) -> Style:
    """Return the style that the folder names, else the one that a base of its size can learn with."""
    return read_style(folder) or Style(scorer="letter" if parameters >= _ONE_TOKEN else "text")


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def _digest(folder: Path, weights: list[Path]) -> str:
    """Hash all that answers depend on; JSON by what it says, so that who saves a model again has the same one."""
    hashed = blake2b(digest_size=8)
    for name in ("config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json"):
        if (folder / name).is_file():
            said = _object(folder, name)
            told = _told(said) if name == "config.json" else {**said, "transformers_version": None}
            text = json.dumps(told, sort_keys=True)
            hashed.update(f"{name} {len(text)}\n{text}".encode())
    others = [folder / name for name in ("chat_template.jinja", "tokenizer.model") if (folder / name).is_file()]
    for path in (*others, *weights):
        with path.open("rb") as file:
            hashed.update(f"{path.name} {path.stat().st_size}\n".encode())
            while block := file.read(_BLOCK):
                hashed.update(block)
    return hashed.hexdigest()


def _told(config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration without what changes no answer, in its parts as well."""
    parts = {name: value for name, value in config.items() if name not in _UNTOLD}
    return {name: _told(value) if isinstance(value, dict) else value for name, value in parts.items()}
