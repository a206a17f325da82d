"""A fresh LoRA adapter for a base: a PEFT folder whose answers are the base's own.

The A matrices are drawn from a seed, the B matrices are zero, as in peft; so the adapter
changes nothing until it is trained, and two seeds part as soon as it is. Written without
loading the base.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

import numpy as np

from hocket.agents.adapter import CONFIG, PREFIX, WEIGHTS
from hocket.agents.frozen_base import FrozenBase
from hocket.runtime.errors import AdapterError, SettingError

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""Every linear layer of a block, by the names that the usual architectures give them."""
MOST_RANK = 1024
_BLOCK = re.compile(r"\.layers\.(\d+)\.")
_MOST_ALPHA = 1_000_000
_SEEDS, _MOST_SPREAD = 2**63, 1000


def fresh_adapter(
    folder: Path,
    base: FrozenBase,
    *,
    rank: int = 16,
    alpha: float | None = None,
    seed: int = 0,
    spread: float = 0.0,
    targets: tuple[str, ...] = TARGETS,
    blocks: tuple[int, ...] | None = None,
) -> None:
    """Write a fresh adapter.

    Args:
        folder: that does not exist yet; `NAME@vROUND` keeps its name.
        base: that it is for.
        rank: of every layer.
        alpha: scale of the change, alpha / rank; twice the rank unless one says otherwise.
        seed: of the A matrices, and of B.
        spread: standard deviation of B; anything but 0 makes an adapter that answers otherwise, to test with.
        targets: layers, by the last part of their names; of those that stand here, a base need not have all.
        blocks: numbers of the blocks that are changed; None for all.

    Raises:
        AdapterError: the folder is there, or cannot be written, or a target or block fits no layer.
        SettingError: a rank, alpha, seed or spread that makes no sense.
    """
    if not 1 <= rank <= MOST_RANK:
        raise SettingError(setting="rank", value=rank, right=f"1 to {MOST_RANK}")
    if alpha is not None and not 0 < alpha <= _MOST_ALPHA:
        raise SettingError(setting="alpha", value=alpha, right=f"above 0, and {_MOST_ALPHA:,} at most")
    if not 0 <= seed < _SEEDS:
        raise SettingError(setting="seed", value=seed, right="0 to 2^63 - 1")
    if not 0 <= spread <= _MOST_SPREAD:
        raise SettingError(setting="spread", value=spread, right=f"0 to {_MOST_SPREAD}")
    layers = {
        name.removesuffix(".weight"): shape
        for name, shape in sorted(base.shapes.items())
        if len(shape) == 2
        and name.removesuffix(".weight").rpartition(".")[2] in targets
        and (blocks is None or _block(name) in blocks)
    }
    called = {layer.rpartition(".")[2] for layer in layers}
    idle = [each for each in targets if each not in called and (targets != TARGETS or not layers)]
    idle += [f"block {each}" for each in blocks or () if each not in map(_block, layers)]
    if idle:
        raise AdapterError(adapter=str(folder), problem=f"{base.name} has no layer for {' and '.join(idle)}")
    if folder.exists():
        raise AdapterError(adapter=str(folder), problem="is there already, and adapters are never changed")
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": 2 * rank if alpha is None else alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted({layer.rpartition(".")[2] for layer in layers}),
        "inference_mode": True,
        "base_model_name_or_path": base.name,
    } | ({} if blocks is None else {"layers_to_transform": sorted(blocks)})
    write_adapter(folder, json.dumps(config, indent=2, sort_keys=True) + "\n", _weights(layers, rank, seed, spread))


def _block(name: str) -> int:
    found = _BLOCK.search(name)
    return int(found[1]) if found else -1


def _weights(layers: Mapping[str, tuple[int, ...]], rank: int, seed: int, spread: float) -> dict[str, np.ndarray]:
    dice = np.random.default_rng(np.random.SeedSequence(seed))
    weights: dict[str, np.ndarray] = {}
    for layer, (out, into) in layers.items():
        bound = 1 / sqrt(into)
        name = f"{PREFIX}{layer}"
        weights[f"{name}.lora_A.weight"] = dice.uniform(-bound, bound, (rank, into)).astype(np.float32)
        weights[f"{name}.lora_B.weight"] = (spread * dice.standard_normal((out, rank))).astype(np.float32)
    return weights


def write_adapter(folder: Path, config: str, weights: dict[str, np.ndarray]) -> None:
    """Write a PEFT folder under another name, then give it its own.

    Raises:
        AdapterError: it cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    temporary: str | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.mkdtemp(prefix=".adapter-", dir=folder.parent)
        Path(temporary).chmod(0o755)
        (Path(temporary) / CONFIG).write_text(config, "utf-8")
        save_file(weights, Path(temporary) / WEIGHTS, metadata={"format": "pt"})
        (Path(temporary) / WEIGHTS).chmod((Path(temporary) / CONFIG).stat().st_mode & 0o777)  # a server reads it too
        Path(temporary).replace(folder)
    except (OSError, SafetensorError) as error:
        problem = f"cannot be written: {(getattr(error, 'strerror', None) or str(error)).lower()}"
        raise AdapterError(adapter=str(folder), problem=problem) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
