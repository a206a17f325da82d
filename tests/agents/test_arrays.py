"""Weights without torch: read as they are, and merged as peft merges them."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.arrays import merged, product, read_arrays
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.weights import Weights
from hocket.runtime.errors import AdapterError, ModelError


def reset(adapter: Adapter, **settings: Any) -> None:
    """Change the configuration of an adapter."""
    path = adapter.folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | settings), "utf-8")


@pytest.fixture
def adapter(embedded: FrozenBase, tmp_path: Path) -> Adapter:
    """One that may be changed."""
    fresh_adapter(tmp_path / "ada@v1", embedded, rank=4, alpha=6, seed=1, spread=0.05)
    return read_adapter(tmp_path / "ada@v1", embedded)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_numbers_are_widened_exactly(kind: torch.dtype, tmp_path: Path) -> None:
    """As torch does it, the smallest, the largest and those that are none included."""
    numbers = torch.tensor([[0.0, -0.0, 1 / 3, -7.25], [1e-7, 6e4, torch.inf, torch.nan]]).to(kind)
    save_file({"ada": numbers}, tmp_path / "ada.safetensors")

    found = read_arrays([tmp_path / "ada.safetensors"], "ada")["ada"]

    assert found.tobytes() == numbers.float().numpy().tobytes()


def test_what_is_no_weight_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """Whole numbers are those of a quantised model; a file that is none is named."""
    save_file({"ada": torch.tensor([1, 2])}, tmp_path / "ada.safetensors")
    (tmp_path / "bo.safetensors").write_bytes(b"no such file")

    with pytest.raises(ModelError, match="model ada: ada is of type I64: weights are floating point numbers"):
        read_arrays([tmp_path / "ada.safetensors"], "ada")
    with pytest.raises(ModelError, match=r"model bo: bo\.safetensors cannot be read: "):
        read_arrays([tmp_path / "bo.safetensors"], "bo")


@pytest.mark.parametrize("rslora", [False, True])
def test_an_adapter_is_merged_as_peft_merges_it(embedded: FrozenBase, adapter: Adapter, rslora: bool) -> None:
    """Layer by layer, to rounding; what it does not change is the base's own memory."""
    reset(adapter, use_rslora=rslora)
    own = read_arrays([embedded.folder / "model.safetensors"], "embedded")
    weights = Weights(embedded)
    weights.attached.add(adapter)
    weights.attached.become(adapter.name)

    found = merged(own, adapter)

    layers = {name: module for name, module in weights.model.named_modules() if hasattr(module, "get_delta_weight")}
    assert len(layers) == 14
    for name, layer in layers.items():
        expected = layer.base_layer.weight + layer.get_delta_weight(adapter.name)
        assert np.abs(found[f"{name}.weight"] - expected.detach().numpy()).max() < 1e-6
    kept = own.keys() - {f"{name}.weight" for name in layers}
    assert all(found[name] is own[name] for name in kept)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"use_dora": True}, "has use_dora, which takes torch and peft"),
        ({"rank_pattern": {"q_proj": 2}}, "has rank_pattern, which takes torch and peft"),
        ({"r": 0}, "its adapter_config.json says no scale: "),
        ({"lora_alpha": None}, "its adapter_config.json says no scale: "),
    ],
)
def test_what_is_more_than_one_product_is_refused(adapter: Adapter, settings: dict[str, Any], problem: str) -> None:
    """Else it would answer as another adapter than the one that was trained."""
    reset(adapter, **settings)

    with pytest.raises(AdapterError) as caught:
        merged({}, adapter)

    assert str(caught.value).startswith(f"adapter {adapter.folder}: {problem}")


def test_an_adapter_whose_weights_are_gone_is_refused(adapter: Adapter, tmp_path: Path) -> None:
    """Between the look at a folder and the reading of it, it may have been moved."""
    moved = msgspec.structs.replace(adapter, folder=tmp_path / "moved")
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "adapter_config.json").write_bytes((adapter.folder / "adapter_config.json").read_bytes())

    with pytest.raises(AdapterError, match=r"adapter_model\.safetensors cannot be read: "):
        merged({}, moved)


def test_a_product_is_that_of_two_matrices() -> None:
    """To rounding."""
    dice = np.random.default_rng(1)
    one, other = (dice.normal(size=(8, 8)).astype(np.float32) for _ in range(2))

    assert np.allclose(product("or,ri->oi", one, other), one @ other, atol=1e-6)
