"""One agent's private adapter: a PEFT folder that is never changed once it is there.

Its name is versioned (`seat1@v17`): a folder called so keeps its own name, any other
gets the beginning of its digest for a version. So a name means one set of weights.
"""

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from hocket.agents.canary import FILE, Canary, foreign_token, read_canary
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.style import Style, read_style
from hocket.agents.tensors import shapes
from hocket.runtime.errors import AdapterError, ModelError

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_VERSIONED = re.compile(r"[A-Za-z0-9_-]+@[A-Za-z0-9_-]+")
PREFIX = "base_model.model."
"""What peft puts before the name of a layer."""
_LORA = re.compile(r"(.+)\.lora_(A|B)\.weight")


class Adapter(msgspec.Struct, frozen=True):
    """What is known of an adapter without its weights in memory."""

    name: str
    """Versioned, and the same for the same weights under the same folder name."""
    folder: Path
    digest: str
    """Of configuration and weights, as 16 hexadecimal digits."""
    rank: int
    dora: bool
    rslora: bool
    mixed_ranks: bool
    """Whether some layers have ranks or scales of their own."""
    canary: Canary | None
    """What its answers are known by; None where it was saved without."""
    style: Style | None = None
    """How it was asked when it learned; None where that is not said, and then as its base."""


def read_adapter(folder: Path, base: FrozenBase, *, sealed: bool = True) -> Adapter:
    """Read an adapter and hold it against its base.

    Args:
        folder: in PEFT's form.
        base: that it is for.
        sealed: whether to read its canary; one that is about to be measured may have an old one.

    Raises:
        AdapterError: it is no LoRA adapter in PEFT's form, is damaged, or is one for another base.
    """
    config = _config(folder)
    if config.get("peft_type") != "LORA":
        raise AdapterError(adapter=str(folder), problem=f"is of type {config.get('peft_type')}, not LORA")
    try:
        found = shapes([folder / WEIGHTS], str(folder))
    except ModelError as error:
        raise AdapterError(adapter=str(folder), problem=error.problem) from error
    _check_fit(folder, found, base)
    digest = adapter_digest(folder)
    rank = max(shape[0] for name, shape in found.items() if ".lora_A." in name)
    canary = read_canary(folder) if sealed and (folder / FILE).is_file() else None
    if canary is not None and (canary.base, canary.adapter) != (base.digest, digest):
        other = "another base" if canary.base != base.digest else "other weights"
        raise AdapterError(adapter=str(folder), problem=f"its {FILE} was written for {other}")
    if canary is not None and (token := foreign_token(canary, base.vocabulary)) is not None:
        raise AdapterError(adapter=str(folder), problem=f"its {FILE} holds token {token}, which {base.name} has not")
    return Adapter(
        name=_name(folder, digest),
        folder=folder,
        digest=digest,
        rank=rank,
        dora=bool(config.get("use_dora")),
        rslora=bool(config.get("use_rslora")),
        mixed_ranks=bool(config.get("rank_pattern") or config.get("alpha_pattern")),
        canary=canary,
        style=_style(folder),
    )


def adapter_digest(folder: Path) -> str:
    """Return the digest of configuration and weights, as 16 hexadecimal digits.

    Raises:
        OSError: one of them cannot be read.
    """
    return blake2b((folder / CONFIG).read_bytes() + (folder / WEIGHTS).read_bytes(), digest_size=8).hexdigest()


def _style(folder: Path) -> Style | None:
    try:
        return read_style(folder)
    except ModelError as error:
        raise AdapterError(adapter=str(folder), problem=error.problem) from error


def _config(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise AdapterError(adapter=str(folder), problem="there is no such folder")
    try:
        config = json.loads((folder / CONFIG).read_text("utf-8"))
    except OSError as error:
        raise AdapterError(adapter=str(folder), problem=f"the folder has no {CONFIG} that can be read") from error
    except (ValueError, RecursionError) as error:
        raise AdapterError(adapter=str(folder), problem=f"{CONFIG} is no JSON: {error}") from error
    if not isinstance(config, dict):
        raise AdapterError(adapter=str(folder), problem=f"{CONFIG} holds no object")
    return config


def _check_fit(folder: Path, found: Mapping[str, tuple[int, ...]], base: FrozenBase) -> None:
    """Refuse what changes layers that the base does not have, or has in other sizes."""
    if not any(_LORA.fullmatch(name) for name in found):
        raise AdapterError(adapter=str(folder), problem="holds no LoRA weights")
    ranks: dict[str, dict[str, int]] = {}
    for name, shape in found.items():
        match = _LORA.fullmatch(name.removeprefix(PREFIX))
        if match is None:
            if "lora_magnitude_vector" in name:
                continue
            raise AdapterError(adapter=str(folder), problem=f"holds {name}, which is not LoRA's: no private copy of it")
        layer = base.shapes.get(f"{match[1]}.weight")
        if layer is None:
            raise AdapterError(adapter=str(folder), problem=f"is for another base: {base.name} has no {match[1]}")
        if "embed_tokens" in match[1] or "lm_head" in match[1]:
            raise AdapterError(adapter=str(folder), problem=f"changes {match[1]}: list the linear layers by name")
        if len(shape) != 2 or len(layer) != 2:
            raise AdapterError(adapter=str(folder), problem=f"changes {match[1]} by {name}, which is no matrix for it")
        ranks.setdefault(match[1], {})[match[2]] = shape[0] if match[2] == "A" else shape[1]
        side, ours = (1, layer[1]) if match[2] == "A" else (0, layer[0])
        if shape[side] != ours:
            problem = f"is for another base: {match[1]} takes {shape[side]} where {base.name} has {ours}"
            raise AdapterError(adapter=str(folder), problem=problem)
    for layer_name, sides in ranks.items():
        if len(sides) < 2 or sides["A"] != sides["B"]:
            raise AdapterError(adapter=str(folder), problem=f"is damaged: A and B of {layer_name} are no pair")


def _name(folder: Path, digest: str) -> str:
    own = folder.resolve().name
    return own if _VERSIONED.fullmatch(own) else f"{re.sub(r'[^A-Za-z0-9_-]', '-', own) or 'adapter'}@{digest[:8]}"
