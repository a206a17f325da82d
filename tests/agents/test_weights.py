"""Bases of other architectures, and adapters beside a base: right numbers, or a sentence."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
import transformers

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase, read_base
from hocket.agents.local import Local
from hocket.agents.query import Query, Writing
from hocket.runtime.errors import AdapterError, ModelError

SIZES: dict[str, Any] = {
    "vocab_size": 861,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": 2,
}
WINDOWS = {"sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]}
CONFIGS = {"Gemma3": "Gemma3Text"}
"""Where the part that is a language model has a configuration of another name."""
Made = Callable[..., FrozenBase]


@pytest.fixture
def made(embedded: FrozenBase, tmp_path: Path) -> Made:
    """Make a tiny model of some architecture at random, with the words of the embedded base."""

    def make(kind: str, **settings: Any) -> FrozenBase:
        folder = tmp_path / kind
        torch.manual_seed(5)
        config: Any = getattr(transformers, f"{CONFIGS.get(kind, kind)}Config")(**SIZES, **settings)
        model: Any = getattr(transformers, f"{kind}ForCausalLM")(config)
        if getattr(model.lm_head, "bias", None) is not None:
            torch.nn.init.normal_(model.lm_head.bias)
        model.save_pretrained(folder)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(embedded.folder / name, folder)
        return read_base(folder, kind.lower())

    return make


def off(local: Local) -> float:
    """How far answers are from the model's own: prompts longer than a window, branches, a prefix."""
    prompt = tuple(range(40, 60))
    local.prefixes[:] = [prompt[:9]]
    thens = [(), (7,), (7, 8), (7, 9), (11,), (11, 12, 13)]
    among = tuple(range(100, 140))
    found = local.score([Query("", prompt, then, among) for then in thens])
    differences = []
    with torch.inference_mode():
        for then, answer in zip(thens, found, strict=True):
            plain = local.weights.plain((*prompt, *then))[list(among)].double().log_softmax(0)
            differences.append(float((plain - torch.tensor(answer, dtype=torch.float64)).abs().max()))
    return max(differences)


@pytest.mark.parametrize(
    ("kind", "settings", "masks", "prefixes"),
    [
        ("Qwen3", {"head_dim": 32}, True, True),
        ("Qwen3", {"head_dim": 32, "sliding_window": 4, "use_sliding_window": False}, True, True),
        ("Qwen3", {"head_dim": 32, "use_sliding_window": True, **WINDOWS}, False, False),
        ("Llama", {}, True, True),
        ("Mistral", {"sliding_window": 4}, False, False),
        ("Mistral", {"sliding_window": None}, True, True),
        ("Gemma2", {"head_dim": 32, "final_logit_softcapping": 2.0, **WINDOWS}, False, False),
        ("Gemma3", {"head_dim": 32, **WINDOWS}, False, False),
    ],
)
def test_a_base_is_computed_as_its_layers_are(
    made: Made, kind: str, settings: dict[str, Any], masks: bool, prefixes: bool
) -> None:
    """With windows, each question is a row of its own and no prefix is kept; the numbers are the model's."""
    local = Local(made(kind, **settings))

    assert (local.weights.takes_masks, local.weights.keeps_prefixes) == (masks, prefixes)
    assert off(local) < 1e-4


def test_a_text_is_written_through_windows(made: Made) -> None:
    """Token by token, behind a cache of the model's own kind: what it says of the whole text at once."""
    local = Local(made("Gemma2", head_dim=32, **WINDOWS))
    prompt = tuple(range(40, 60))

    [written] = local.write([Writing("", prompt, "", 12, 0.0, lambda place: 0.0)])

    said: tuple[int, ...] = ()
    with torch.inference_mode():
        while len(said) < len(written.ids):
            said += (int(local.weights.plain((*prompt, *said)).argmax()),)
    assert len(said) > 3
    assert written.ids == said


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("Granite", {"logits_scaling": 8.0}),
        ("Cohere", {"logit_scale": 0.0625}),
        ("Phi", {}),
    ],
)
def test_a_base_whose_head_does_more_is_refused(made: Made, kind: str, settings: dict[str, Any]) -> None:
    """A scale or a bias behind the head would be left out without a word."""
    base = made(kind, **settings)

    with pytest.raises(ModelError) as caught:
        Local(base)

    problem = "its answers are not reproduced here: it has something beyond a plain output head"
    assert str(caught.value) == f"model {base.folder}: {problem}"


def test_a_model_of_another_kind_is_refused_in_a_sentence(made: Made) -> None:
    """Its configuration says so, or its weights."""
    base = made("Llama")
    path = base.folder / "config.json"
    config = json.loads(path.read_text())

    for change in ({"model_type": "ada"}, {"num_attention_heads": 7}, {"hidden_size": 32}):
        path.write_text(json.dumps(config | change))
        with pytest.raises(ModelError, match=r"^model \S+: (its tokenizer )?cannot be (loaded|run): [^\n]+$"):
            Local(base)


def test_a_name_stands_for_one_set_of_weights(embedded: FrozenBase, adapters: list[Adapter]) -> None:
    """Other weights under a name that is there are refused; the same again change nothing."""
    local = Local(embedded)
    local.load(adapters[0])
    query = Query(adapters[0].name, (3, 4, 5), (), (6, 7))
    before = local.score([query])
    local.load(adapters[0])

    with pytest.raises(AdapterError) as caught:
        local.load(msgspec.structs.replace(adapters[1], name=adapters[0].name))

    assert str(caught.value) == f"adapter {adapters[0].name}: stands for other weights already"
    assert local.score([query]) == before
    local.unload(adapters[0].name)
    local.load(msgspec.structs.replace(adapters[1], name=adapters[0].name))
    assert local.score([query]) != before


@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "adapter_model.safetensors").unlink(),
        lambda folder: (folder / "adapter_model.safetensors").write_bytes(b"\x09" * 99),
        lambda folder: (folder / "adapter_config.json").write_text("{}"),
        lambda folder: (folder / "adapter_config.json").write_text(
            (folder / "adapter_config.json").read_text().replace("q_proj", "input_layernorm")
        ),
        lambda folder: (folder / "adapter_config.json").write_text(
            (folder / "adapter_config.json").read_text().replace('"r": 4', '"r": 5')
        ),
    ],
)
def test_an_adapter_that_does_not_load_leaves_nothing_behind(
    embedded: FrozenBase, adapters: list[Adapter], tmp_path: Path, others: int, damage: Callable[[Path], object]
) -> None:
    """Neither in the layers nor under its name: the others answer as before, and it may come again, whole."""
    local = Local(embedded)
    for adapter in adapters[:others]:
        local.load(adapter)
    names = ["", *(adapter.name for adapter in adapters[:others])]
    asked = [Query(name, (3, 4, 5), (), (6, 7, 8)) for name in names]
    before = local.score(asked)
    parameters = sum(each.numel() for each in local.weights.model.parameters())
    fresh_adapter(tmp_path / "ada@v0", embedded, rank=4, spread=0.05)
    ada = read_adapter(tmp_path / "ada@v0", embedded)
    shutil.copytree(tmp_path / "ada@v0", tmp_path / "whole")
    damage(tmp_path / "ada@v0")

    with pytest.raises(AdapterError, match=r"^adapter \S+ada@v0: cannot be loaded: [^\n]+$"):
        local.load(ada)

    assert sum(each.numel() for each in local.weights.model.parameters()) == parameters
    assert local.score(asked) == before
    with pytest.raises(AdapterError, match="ada@v0: is not loaded"):
        local.score([Query("ada@v0", (3, 4, 5), (), (6, 7))])
    local.load(msgspec.structs.replace(ada, folder=tmp_path / "whole"))
    fine = Local(embedded)
    fine.load(msgspec.structs.replace(ada, folder=tmp_path / "whole"))
    query = Query("ada@v0", (3, 4, 5), (), (6, 7, 8))
    assert local.score([query]) == fine.score([query]) != [before[0]]
    assert local.score(asked) == before
