"""PEFT folders, and what is said of those that are none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from hocket.agents.adapter import read_adapter
from hocket.agents.canary import Canary, Probe, write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.style import Style
from hocket.runtime.errors import AdapterError

LAYER = "model.layers.0.self_attn.q_proj"
TOY = FrozenBase(
    "toy",
    Path("toy"),
    "0" * 16,
    0,
    64,
    Style(),
    {f"{LAYER}.weight": (6, 4), "model.norm.weight": (4,), "model.embed_tokens.weight": (9, 4)},
)
PREFIX = "base_model.model."
Damage = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound adapter of rank 2."""
    fresh_adapter(tmp_path / "seat0@v7", TOY, rank=2)
    return tmp_path / "seat0@v7"


def configured(**fields: Any) -> Damage:
    """Change the configuration."""

    def damage(folder: Path) -> None:
        path = folder / "adapter_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))

    return damage


def weighted(**shapes: tuple[int, ...] | None) -> Damage:
    """Add matrices of some shapes, or take them away; two underscores stand for a dot."""

    def damage(folder: Path) -> None:
        path = folder / "adapter_model.safetensors"
        weights = load_file(path)
        for name, shape in shapes.items():
            full = name.replace("__", ".").replace("LAYER", PREFIX + LAYER).replace("BASE", PREFIX.rstrip("."))
            weights.pop(full, None)
            if shape is not None:
                weights[full] = np.zeros(shape, np.float32)
        save_file(weights, path)

    return damage


def written(name: str, content: bytes) -> Damage:
    """Write a file."""
    return lambda folder: (folder / name).write_bytes(content)


def without(name: str) -> Damage:
    """Remove a file."""
    return lambda folder: (folder / name).unlink()


def test_a_versioned_folder_keeps_its_name(folder: Path) -> None:
    """So traces and servers speak of the same thing as the file system."""
    assert read_adapter(folder, TOY).name == "seat0@v7"


@pytest.mark.parametrize(("own", "shown"), [("ada", "ada"), ("ada's best", "ada-s-best"), ("a@b@c", "a-b-c")])
def test_any_other_gets_its_digest_for_a_version(folder: Path, own: str, shown: str) -> None:
    """A name means one set of weights, and can stand in a URL."""
    folder.rename(folder.parent / own)

    adapter = read_adapter(folder.parent / own, TOY)

    assert adapter.name == f"{shown}@{adapter.digest[:8]}"


def test_the_digest_is_of_configuration_and_weights(folder: Path) -> None:
    """The scale stands in the one and the matrices in the other; a canary beside them is no part of it."""
    before = read_adapter(folder, TOY).digest
    write_canary(folder, Canary(TOY.digest, before, (Probe((1,), (2, 3), (-1.0, -1.0), (-1.0, -1.0)),)))
    sealed = read_adapter(folder, TOY)
    (folder / "canary.json").unlink()

    configured(lora_alpha=5)(folder)
    scaled = read_adapter(folder, TOY).digest
    weighted(LAYER__lora_A__weight=(2, 4))(folder)
    zeroed = read_adapter(folder, TOY).digest

    assert sealed.digest == before
    assert sealed.canary is not None
    assert len({before, scaled, zeroed}) == 3


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (False, False, False)),
        ({"use_dora": True}, (True, False, False)),
        ({"use_rslora": True}, (False, True, False)),
        ({"rank_pattern": {"q_proj": 4}}, (False, False, True)),
        ({"alpha_pattern": {"q_proj": 4}}, (False, False, True)),
        ({"use_dora": None, "rank_pattern": {}, "alpha_pattern": None}, (False, False, False)),
    ],
)
def test_what_not_every_server_can_do_is_known(
    folder: Path, fields: dict[str, Any], expected: tuple[bool, ...]
) -> None:
    """DoRA, scaling by the root of the rank, and ranks that differ between layers."""
    configured(**fields)(folder)

    adapter = read_adapter(folder, TOY)

    assert (adapter.dora, adapter.rslora, adapter.mixed_ranks) == expected


def test_dora_s_magnitudes_are_no_foreign_weights(folder: Path) -> None:
    """They belong to the adapter."""
    weighted(LAYER__lora_magnitude_vector=(6,))(folder)

    assert read_adapter(folder, TOY).rank == 2


def test_the_rank_is_the_largest_of_its_matrices(folder: Path) -> None:
    """A server has to make room for it, whatever the configuration says."""
    weighted(LAYER__lora_A__weight=(5, 4), LAYER__lora_B__weight=(6, 5))(folder)

    assert read_adapter(folder, TOY).rank == 5


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (without("adapter_config.json"), "the folder has no adapter_config.json that can be read"),
        (without("adapter_model.safetensors"), "adapter_model.safetensors cannot be read: "),
        (written("adapter_config.json", b"{"), "adapter_config.json is no JSON: "),
        (written("adapter_config.json", b"\xff"), "adapter_config.json is no JSON: "),
        (written("adapter_config.json", b"[" * 100_000), "adapter_config.json is no JSON: "),
        (written("adapter_config.json", b"3"), "adapter_config.json holds no object"),
        (written("adapter_model.safetensors", b""), "adapter_model.safetensors cannot be read: "),
        (written("adapter_model.safetensors", b"\0" * 99), "adapter_model.safetensors cannot be read: "),
        (configured(peft_type="IA3"), "is of type IA3, not LORA"),
        (configured(peft_type=None), "is of type None, not LORA"),
        (
            weighted(LAYER__lora_A__weight=None, LAYER__lora_B__weight=None),
            "holds no LoRA weights",
        ),
        (
            weighted(LAYER__lora_A__weight=(2, 5)),
            f"is for another base: {LAYER} takes 5 where toy has 4",
        ),
        (
            weighted(LAYER__lora_B__weight=(7, 2)),
            f"is for another base: {LAYER} takes 7 where toy has 6",
        ),
        (
            weighted(BASE__model__layers__1__mlp__up_proj__lora_A__weight=(2, 4)),
            "is for another base: toy has no model.layers.1.mlp.up_proj",
        ),
        (
            weighted(BASE__lm_head__weight=(9, 4)),
            "holds base_model.model.lm_head.weight, which is not LoRA's: no private copy of it",
        ),
        (
            weighted(BASE__model__embed_tokens__lora_A__weight=(2, 4)),
            "changes model.embed_tokens: list the linear layers by name",
        ),
        (weighted(LAYER__lora_A__weight=(8,)), f"changes {LAYER} by {PREFIX}{LAYER}.lora_A.weight, which is no matrix"),
        (weighted(BASE__model__norm__lora_A__weight=(2, 4)), "changes model.norm by "),
        (weighted(LAYER__lora_A__weight=None), f"is damaged: A and B of {LAYER} are no pair"),
        (weighted(LAYER__lora_B__weight=None), f"is damaged: A and B of {LAYER} are no pair"),
        (weighted(LAYER__lora_B__weight=(6, 3)), f"is damaged: A and B of {LAYER} are no pair"),
        (written("canary.json", b"{"), "canary.json does not read as a canary: "),
    ],
)
def test_what_is_no_adapter_of_this_base_is_refused_in_a_sentence(folder: Path, damage: Damage, problem: str) -> None:
    """It says which folder, and what is wrong with it."""
    damage(folder)

    with pytest.raises(AdapterError) as caught:
        read_adapter(folder, TOY)

    assert str(caught.value).startswith(f"adapter {folder}: {problem}")
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """By its whole path."""
    with pytest.raises(AdapterError) as caught:
        read_adapter(tmp_path / "nowhere", TOY)

    assert str(caught.value) == f"adapter {tmp_path / 'nowhere'}: there is no such folder"


def test_a_canary_of_other_weights_is_refused(folder: Path) -> None:
    """It says whether adapter or base has changed since."""
    adapter = read_adapter(folder, TOY)
    canary = Canary(TOY.digest, adapter.digest, (Probe((1,), (2, 3), (-1.0, -1.0), (-1.0, -1.0)),))
    problems = []

    for field in ("adapter", "base"):
        write_canary(folder, msgspec.structs.replace(canary, **{field: "f" * 16}))
        with pytest.raises(AdapterError) as caught:
            read_adapter(folder, TOY)
        problems.append(caught.value.problem)

    assert problems == [f"its canary.json was written for {what}" for what in ("other weights", "another base")]
