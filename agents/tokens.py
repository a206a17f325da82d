"""Prompts and replies as token ids, by the tokenizer that comes with a model.

A chat is rendered by the tokenizer's own template; what its system message fills is
the prefix that all prompts of a game share. Replies are encoded by themselves: they
follow the template's opening of an assistant's message, which ends in a token of its own.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from hocket.agents.frozen_base import FrozenBase
from hocket.agents.grammar import letter_line
from hocket.agents.prompt import Prompt
from hocket.agents.style import Style
from hocket.agents.tree import Ids
from hocket.runtime.errors import MissingExtraError, ModelError, PromptError
from hocket.runtime.fault import one_line
from hocket.runtime.menu import letters

Load: TypeAlias = Callable[[Path], Any]
"""Reads a tokenizer from the folder of its model."""
_KEPT = 4096
"""Replies whose tokens are kept at hand."""


def load_tokens(base: FrozenBase, *, plain: bool = False) -> "Tokens":
    """Load the tokenizer of a base, by transformers where that is installed.

    Args:
        base: that it comes with.
        plain: whether to do without transformers in any case: quicker, for tokenizers that allow it.

    Raises:
        ModelError: it cannot be loaded, or lacks what chats need.
        MissingExtraError: what it is loaded with is not installed.
    """
    load = (None if plain else _usual()) or _plain("onnx" if plain else "learn")
    try:
        tokenizer = load(base.folder)
    except Exception as error:  # a damaged file is an Exception and no more to the library that reads it
        problem = f"its tokenizer cannot be loaded: {one_line(error)[:200]}"
        raise ModelError(model=str(base.folder), problem=problem) from error
    return Tokens(tokenizer, str(base.folder))


def _usual() -> Load | None:
    """Return the loader of transformers; None where that is not installed."""
    try:
        from transformers import AutoTokenizer

        from hocket.agents.libraries import quiet
    except ImportError:
        return None

    def load(folder: Path) -> Any:
        with quiet():
            return AutoTokenizer.from_pretrained(folder, local_files_only=True)

    return load


def _plain(extra: str) -> Load:
    try:
        from hocket.agents.plain_tokenizer import PlainTokenizer
    except ImportError as error:
        raise MissingExtraError(extra=extra, needed_for="a language model") from error
    return PlainTokenizer


class Tokens:
    """The tokenizer of one model."""

    def __init__(self, tokenizer: Any, model: str) -> None:
        """Take a tokenizer of transformers, or a PlainTokenizer, into use.

        Raises:
            ModelError: it has no chat template, or one that takes no system message, or no token that
                ends a reply.
        """
        if not tokenizer.chat_template:
            raise ModelError(model=model, problem="its tokenizer has no chat template")
        if tokenizer.eos_token_id is None:
            raise ModelError(model=model, problem="its tokenizer has no token that ends a reply")
        self.tokenizer = tokenizer
        """As it was loaded."""
        self.end: int = tokenizer.eos_token_id
        """The token that ends a reply."""
        self.reply = lru_cache(_KEPT)(self._reply)
        """Token ids of a reply, or of its beginning."""
        self.letters = lru_cache(256)(self._letters)
        """What comes before the letter, and one token for each letter of a menu of some size."""
        self.prefix = lru_cache(16)(self._prefix)
        """The tokens with which every prompt of one system message begins."""
        try:
            self._chat("x", "x")
        except Exception as error:  # a template is a program, and this one is not ours
            problem = f"its chat template takes no system and user message: {one_line(error)[:200]}"
            raise ModelError(model=model, problem=problem) from error

    def prompt(self, prompt: Prompt) -> Ids:
        """Return the token ids of a chat, up to where the reply begins."""
        return self._chat(prompt.system, prompt.user)

    def ended(self, text: str) -> Ids:
        """Return the token ids of a whole reply with the token that ends it."""
        return (*self.reply(text), self.end)

    def text(self, ids: Ids) -> str:
        """Return what token ids say."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def _chat(self, system: str, user: str) -> Ids:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return tuple(self.tokenizer.encode(text, add_special_tokens=False))

    def _reply(self, text: str) -> Ids:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False))

    def _prefix(self, system: str) -> Ids:
        pairs = zip(self._chat(system, "x"), self._chat(system, "7"), strict=False)
        return tuple(one for one, other in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def _letters(self, size: int, style: Style) -> tuple[Ids, Ids]:
        found = [self.reply(letter_line(letter, style)) for letter in letters(size)]
        head = found[0][:-1]
        tokens = [each[-1] for each in found]
        single = sum(each[:-1] == head for each in found)
        if single < size or len(set(tokens)) < size:
            problem = (
                f"a menu of {size} options, but the tokenizer has {min(single, len(set(tokens)))} letters of one token"
            )
            raise PromptError(problem=problem)
        return head, tuple(tokens)
