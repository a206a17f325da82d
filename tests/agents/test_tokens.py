"""Prompts and replies as token ids."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.agents.frozen_base import FrozenBase
from hocket.agents.prompt import Prompt
from hocket.agents.tokens import load_tokens
from hocket.runtime.errors import ModelError

REFUSES = (
    "{% for each in messages %}{% if each.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}{% endfor %}"
)


@pytest.fixture
def toy(embedded: FrozenBase, tmp_path: Path) -> FrozenBase:
    """The embedded base in a folder that may be damaged."""
    folder = tmp_path / "toy"
    shutil.copytree(embedded.folder, folder)
    return msgspec.structs.replace(embedded, folder=folder)


def _set(**settings: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))

    return change


def test_a_chat_is_rendered_up_to_where_the_reply_begins(embedded: FrozenBase) -> None:
    """And what the system message fills is the beginning of every such prompt."""
    tokens = load_tokens(embedded)

    prompt, prefix = tokens.prompt(Prompt("menu", "wait")), tokens.prefix("menu")

    assert tokens.text(prompt).endswith("<|im_start|>assistant\n")
    assert prompt[: len(prefix)] == prefix
    assert tokens.text(prefix) == "<|im_start|>system\nmenu<|im_end|>\n<|im_start|>user\n"


def _without(part: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "tokenizer.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {part: {"type": "BPE"}}))

    return change


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "its tokenizer cannot be loaded: "),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "its tokenizer cannot be loaded: "),
        (lambda folder: (folder / "tokenizer.json").write_bytes(b"\x00\xff" * 9), "its tokenizer cannot be loaded: "),
        (_without("model"), "its tokenizer cannot be loaded: "),
        (_set(chat_template=None), "its tokenizer has no chat template"),
        (_set(eos_token=None), "its tokenizer has no token that ends a reply"),
        (
            _set(chat_template=REFUSES),
            "its chat template takes no system and user message: System role not supported",
        ),
        (_set(chat_template="{% for"), "its chat template takes no system and user message: "),
        (_set(chat_template="{{ messages[7].role.x }}"), "its chat template takes no system and user message: "),
    ],
)
@pytest.mark.parametrize("plain", [False, True], ids=["transformers", "plain"])
def test_a_tokenizer_that_makes_no_chats_is_refused_in_a_sentence(
    toy: FrozenBase, damage: Callable[[Path], object], problem: str, plain: bool
) -> None:
    """When it is loaded: at the first prompt, an episode would already have begun."""
    damage(toy.folder)

    with pytest.raises(ModelError) as caught:
        load_tokens(toy, plain=plain)

    assert str(caught.value).startswith(f"model {toy.folder}: {problem}")
    assert "\n" not in str(caught.value)
