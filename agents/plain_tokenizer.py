"""A tokenizer that is all in its tokenizer.json, with its chat template: no transformers needed.

It gives what transformers gives for the same folder. Where transformers would build a
tokenizer of some other class, or add tokens to it, it is refused.
"""

import json
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from jinja2 import Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

_CLASSES = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""What transformers calls one that is all in its file."""


class PlainTokenizer:
    """What a model's own folder says of its tokens and chats; called as transformers' tokenizers are."""

    def __init__(self, folder: Path) -> None:
        """Read a tokenizer.

        Raises:
            ValueError: it is not all in its file.
            Exception: as tokenizers has it, for a file that is damaged.
        """
        settings: dict[str, Any] = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        if settings.get("tokenizer_class") not in _CLASSES:
            raise ValueError(f"a {settings.get('tokenizer_class')} needs transformers")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        named = {name: _content(settings[name]) for name in settings if name.endswith("_token")}
        self._named = {name: content for name, content in named.items() if content is not None}
        known = {token.content for token in self._tokenizer.get_added_tokens_decoder().values()}
        more = [_content(each) for each in settings.get("extra_special_tokens") or ()]
        foreign = [each for each in (*self._named.values(), *more) if each not in known]
        if foreign:
            raise ValueError(f"tokenizer.json has no special token {foreign[0]!r}")
        end = self._named.get("eos_token")
        self.eos_token_id: int | None = None if end is None else self._tokenizer.token_to_id(end)
        self.chat_template: str | None = _template(folder, settings)

    def __len__(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Return the token ids of a text."""
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return found

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        """Return what token ids say; there is nothing to clean up."""
        assert not clean_up_tokenization_spaces
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))

    def apply_chat_template(
        self, messages: Sequence[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool
    ) -> str:
        """Return a chat as text.

        Raises:
            Exception: whatever the template makes of it.
        """
        assert not tokenize
        return self._compiled.render(
            **self._named, messages=messages, tools=None, documents=None, add_generation_prompt=add_generation_prompt
        )

    @cached_property
    def _compiled(self) -> Template:
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _json
        environment.globals.update(raise_exception=_refuse, strftime_now=time.strftime)
        return environment.from_string(self.chat_template or "")


def _content(token: Any) -> str | None:
    """Return the text of a token, which may stand there with its settings."""
    found = token["content"] if isinstance(token, dict) else token
    if found is not None and not isinstance(found, str):
        raise ValueError(f"{found!r} is no token")
    return found


def _template(folder: Path, settings: dict[str, Any]) -> str | None:
    """Return the template in a file of its own, else the one among the settings."""
    path = folder / "chat_template.jinja"
    if path.is_file():
        return path.read_text("utf-8")
    found = settings.get("chat_template")
    if isinstance(found, list):
        found = {each["name"]: each["template"] for each in found}.get("default")
    return None if found is None else str(found)


def _json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON as transformers lets templates do it: jinja's own would escape what HTML minds."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
