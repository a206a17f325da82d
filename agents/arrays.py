"""Weights as arrays of numpy: a base's own, and the same with an adapter merged in.

Read without torch. numpy has no bfloat16; its numbers are the upper halves of float32's.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize

from hocket.agents.adapter import CONFIG, PREFIX, WEIGHTS, Adapter
from hocket.runtime.errors import AdapterError, ModelError

Array: TypeAlias = NDArray[np.float32]
Arrays: TypeAlias = Mapping[str, Array]
"""Weights by name, as in the base's own files."""
_KINDS: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind) for name, kind in {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}.items()
}
_OTHER = ("use_dora", "rank_pattern", "alpha_pattern", "alora_invocation_tokens", "layer_replication", "use_qalora")
"""Settings of peft under which an adapter is more than one product of two matrices added to each layer."""


def read_arrays(paths: Sequence[Path], owner: str) -> Arrays:
    """Read safetensors files, in float32 whatever they are stored in.

    Args:
        paths: of the files.
        owner: the model or adapter that they belong to, for the sentence.

    Raises:
        ModelError: one of them is damaged, or holds other than floating point numbers.
    """
    found: dict[str, Array] = {}
    read: Any = deserialize
    for path in paths:
        try:
            stored = read(path.read_bytes())
        except (SafetensorError, OSError) as error:
            raise ModelError(model=owner, problem=f"{path.name} cannot be read: {error}") from error
        for name, each in stored:
            found[name] = _widened(each, owner, name)
    return found


def _widened(stored: Mapping[str, Any], owner: str, name: str) -> Array:
    kind, shape = stored["dtype"], stored["shape"]
    if kind not in _KINDS:
        raise ModelError(model=owner, problem=f"{name} is of type {kind}: weights are floating point numbers")
    numbers = np.frombuffer(stored["data"], dtype=_KINDS[kind])
    whole = (numbers.astype(np.uint32) << 16).view(np.float32) if kind == "BF16" else numbers.astype(np.float32)
    return whole.reshape(shape)


def merged(weights: Arrays, adapter: Adapter) -> Arrays:
    """Return the weights of a base with an adapter's change added to each layer that it changes.

    Raises:
        AdapterError: it is other than plain LoRA, or cannot be read.
    """
    scale = _scale(adapter)
    try:
        stored = read_arrays([adapter.folder / WEIGHTS], str(adapter.folder))
    except ModelError as error:
        raise AdapterError(adapter=str(adapter.folder), problem=error.problem) from error
    changed = dict(weights)
    for name, down in stored.items():
        layer, found, _ = name.removeprefix(PREFIX).partition(".lora_A.")
        if found:
            change = product("or,ri->oi", stored[f"{PREFIX}{layer}.lora_B.weight"], down)
            change *= scale
            changed[f"{layer}.weight"] = weights[f"{layer}.weight"] + change
    return changed


def _scale(adapter: Adapter) -> float:
    """Return what peft multiplies the product of A and B by."""
    try:
        config: dict[str, Any] = json.loads((adapter.folder / CONFIG).read_text("utf-8"))
        rank = float(config.get("r", 8))
        scale = float(config.get("lora_alpha", 8)) / (rank**0.5 if config.get("use_rslora") else rank)
    except (OSError, ValueError, TypeError, ZeroDivisionError) as error:
        raise AdapterError(adapter=str(adapter.folder), problem=f"its {CONFIG} says no scale: {error}") from error
    other = [name for name in _OTHER if config.get(name)]
    if other:
        raise AdapterError(adapter=str(adapter.folder), problem=f"has {other[0]}, which takes torch and peft")
    return scale


def product(axes: str, one: Array, other: Array) -> Array:
    """Return a product of two matrices, as einsum names it; its bits depend on no number of threads, as `@`'s may."""
    found: Array = np.einsum(axes, one, other, optimize=False)
    return found
