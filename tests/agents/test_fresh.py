"""Fresh adapters, written without a model."""

import json
import math
import resource
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from hocket.agents.adapter import read_adapter
from hocket.agents.fresh import TARGETS, fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.style import Style
from hocket.runtime.errors import AdapterError, HocketError, SettingError

TOY = FrozenBase(
    "toy",
    Path("toy"),
    "0" * 16,
    0,
    64,
    Style(),
    {
        "model.layers.0.self_attn.q_proj.weight": (6, 4),
        "model.layers.0.mlp.down_proj.weight": (4, 8),
        "model.layers.0.mlp.down_proj.bias": (4,),
        "model.layers.0.input_layernorm.weight": (4,),
        "model.embed_tokens.weight": (9, 4),
    },
)


def test_what_is_written_is_read_again(embedded: FrozenBase, tmp_path: Path) -> None:
    """By the code that reads any adapter, for the base that comes with hocket."""
    fresh_adapter(tmp_path / "seat0@v0", embedded, rank=8)

    adapter = read_adapter(tmp_path / "seat0@v0", embedded)

    assert (adapter.name, adapter.rank, adapter.canary) == ("seat0@v0", 8, None)
    assert (adapter.dora, adapter.rslora, adapter.mixed_ranks) == (False, False, False)


def test_every_linear_layer_gets_a_pair_of_matrices_and_b_is_zero(tmp_path: Path) -> None:
    """So nothing is changed before it is trained."""
    fresh_adapter(tmp_path / "a", TOY, rank=2)

    weights = load_file(tmp_path / "a" / "adapter_model.safetensors")
    assert {name: each.shape for name, each in weights.items()} == {
        "base_model.model.model.layers.0.mlp.down_proj.lora_A.weight": (2, 8),
        "base_model.model.model.layers.0.mlp.down_proj.lora_B.weight": (4, 2),
        "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight": (2, 4),
        "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight": (6, 2),
    }
    for name, each in weights.items():
        assert each.dtype == np.float32
        assert each.any() == ("lora_A" in name)
        assert abs(each).max() <= 1 / np.sqrt(each.shape[1])


def test_its_configuration_is_peft_s(tmp_path: Path) -> None:
    """Whole, and without a path: equal adapters are equal bytes on any machine."""
    fresh_adapter(tmp_path / "a", TOY, rank=2, targets=("q_proj",))

    assert json.loads((tmp_path / "a" / "adapter_config.json").read_text()) == {
        "base_model_name_or_path": "toy",
        "bias": "none",
        "inference_mode": True,
        "lora_alpha": 4,
        "lora_dropout": 0.0,
        "peft_type": "LORA",
        "r": 2,
        "target_modules": ["q_proj"],
        "task_type": "CAUSAL_LM",
    }


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """And another seed others."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        fresh_adapter(tmp_path / name, TOY, rank=2, seed=seed)

    a, b, c = ((tmp_path / name / "adapter_model.safetensors").read_bytes() for name in "abc")
    configs = {(tmp_path / name / "adapter_config.json").read_bytes() for name in "abc"}

    assert a == b != c
    assert len(configs) == 1


def test_with_a_spread_it_answers_otherwise(tmp_path: Path) -> None:
    """To test with: B is then of that standard deviation, and A as without."""
    fresh_adapter(tmp_path / "a", TOY, rank=512, spread=0.05)

    weights = load_file(tmp_path / "a" / "adapter_model.safetensors")
    for name, each in weights.items():
        if "lora_B" in name:
            assert 0.045 < each.std() < 0.055


def test_a_folder_that_exists_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """Even an empty one: adapters are never changed."""
    (tmp_path / "a").mkdir()

    with pytest.raises(AdapterError) as caught:
        fresh_adapter(tmp_path / "a", TOY)

    assert str(caught.value) == f"adapter {tmp_path / 'a'}: is there already, and adapters are never changed"
    assert list(tmp_path.rglob("*")) == [tmp_path / "a"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rank": 0}, "rank is 0, but must be 1 to 1024"),
        ({"rank": 1025}, "rank is 1025, but must be 1 to 1024"),
        ({"alpha": 0.0}, "alpha is 0.0, but must be above 0, and 1,000,000 at most"),
        ({"alpha": -16.0}, "alpha is -16.0, but must be above 0, and 1,000,000 at most"),
        ({"alpha": math.nan}, "alpha is nan, but must be above 0, and 1,000,000 at most"),
        ({"alpha": math.inf}, "alpha is inf, but must be above 0, and 1,000,000 at most"),
        ({"seed": -1}, "seed is -1, but must be 0 to 2^63 - 1"),
        ({"seed": 2**63}, "seed is 9223372036854775808, but must be 0 to 2^63 - 1"),
        ({"spread": -0.1}, "spread is -0.1, but must be 0 to 1000"),
        ({"spread": math.nan}, "spread is nan, but must be 0 to 1000"),
        ({"spread": math.inf}, "spread is inf, but must be 0 to 1000"),
        ({"targets": ("qkv", "c_fc")}, "adapter {}: toy has no layer for qkv and c_fc"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    """Before anything is written."""
    with pytest.raises((AdapterError, SettingError)) as caught:
        fresh_adapter(tmp_path / "a", TOY, **given)

    assert str(caught.value) == sentence.format(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_where_it_cannot_be_written_it_says_so(tmp_path: Path) -> None:
    """A file in the way."""
    (tmp_path / "file").touch()

    with pytest.raises(AdapterError, match=r"cannot be written: (file exists|not a directory)"):
        fresh_adapter(tmp_path / "file" / "a", TOY)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither half an adapter nor a temporary folder."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signalled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        with pytest.raises(HocketError, match="cannot be written: "):
            fresh_adapter(tmp_path / "a", TOY, rank=512)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, signalled)

    assert list(tmp_path.iterdir()) == []


def test_the_layers_are_those_of_the_usual_architectures(embedded: FrozenBase) -> None:
    """All seven of a block are found in the base that comes with hocket."""
    found = {name.removesuffix(".weight").rpartition(".")[2] for name in embedded.shapes}

    assert set(TARGETS) <= found
