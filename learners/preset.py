"""Presets: training runs as TOML files, each key with where its value comes from.

    [rollouts]
    cohort = { value = 6, source = "paper" }

`source` is `paper` for what the PA-MAGRPO paper states of that run, `ours` for what it leaves
open. A preset may begin from another (`extends`) and say only what differs.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

import msgspec

from hocket.learners.config import Config
from hocket.runtime.errors import PresetError, SettingError, UnknownNameError

Source: TypeAlias = Literal["paper", "ours", "given"]
SOURCES = ("paper", "ours")
"""What may stand in a file; `given` is for what was set on the command line."""


class Value(msgspec.Struct, frozen=True):
    """One key of a preset."""

    value: Any
    source: Source


class Preset(msgspec.Struct, frozen=True):
    """A run, and where each of its numbers comes from."""

    name: str
    config: Config
    sources: dict[str, Source]
    """Of each key that the preset sets, e.g. `rollouts.cohort`; a key that is not here has our default."""

    def listing(self) -> Iterator[tuple[str, object, Source]]:
        """List every key with its value and source, in the order of the configuration."""
        yield from _walk(self.config, self.sources)


def names() -> tuple[str, ...]:
    """Return the presets that come with hocket."""
    folder = files("hocket.learners") / "presets"
    return tuple(sorted(each.name.removesuffix(".toml") for each in folder.iterdir() if each.name.endswith(".toml")))


def read_preset(name: str, changes: Sequence[str] = ()) -> Preset:
    """Read a preset by name, or a file of one's own, and change keys of it.

    Args:
        name: of one that comes with hocket, or a path that ends in `.toml`.
        changes: `key=value` each; a value is JSON where it reads as such, else text.

    Raises:
        UnknownNameError: no such preset, or a key that there is not.
        PresetError: it does not read, or a value is not of its key's kind.
        SettingError: a change that is not of that form.
    """
    try:
        told = _collect(name, [])
    except RecursionError as error:
        raise PresetError(preset=name, problem="is nested too deeply") from error
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not key:
            raise SettingError(setting="--set", value=change, right="KEY=VALUE, e.g. rollouts.cohort=4")
        told[key] = Value(_parsed(text), "given")
    known = set(_known_keys(Config))
    for key in told:
        if key not in known and not key.startswith("game.settings."):
            raise UnknownNameError(kind=f"key of {name}", name=key, known=known)
    return Preset(name, _config(name, told), {key: each.source for key, each in told.items()})


def _parsed(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def _collect(name: str, seen: list[str]) -> dict[str, Value]:
    """Return every key of a preset and of those that it begins from, flat."""
    if name in seen:
        raise PresetError(preset=name, problem=f"begins from itself: {' -> '.join([*seen, name])}")
    tree = _tree(name)
    base = tree.pop("extends", None)
    told = {} if base is None else _collect(str(base), [*seen, name])
    return told | dict(_flat(name, tree, ""))


def _tree(name: str) -> dict[str, Any]:
    try:
        if name.endswith(".toml"):
            content = Path(name).read_bytes()
        elif name in names():
            content = (files("hocket.learners") / "presets" / f"{name}.toml").read_bytes()
        else:
            raise UnknownNameError(kind="preset", name=name, known=names())
        return tomllib.loads(content.decode())
    except OSError as error:
        raise PresetError(preset=name, problem=(error.strerror or "cannot be read").lower()) from error
    except ValueError as error:  # TOMLDecodeError, UnicodeDecodeError, a number of thousands of digits, a NUL in a name
        raise PresetError(preset=name, problem=f"is no TOML: {error}") from error


def _flat(name: str, tree: Mapping[str, Any], where: str) -> Iterator[tuple[str, Value]]:
    for key, each in tree.items():
        path = f"{where}{key}"
        if not isinstance(each, dict):
            raise PresetError(preset=name, problem=f'{path} must be {{ value = ..., source = "paper" or "ours" }}')
        if "source" not in each and "value" not in each:
            yield from _flat(name, each, f"{path}.")
        elif set(each) != {"value", "source"} or each["source"] not in SOURCES:
            raise PresetError(preset=name, problem=f'{path} must have a value and a source, "paper" or "ours"')
        else:
            yield path, Value(each["value"], each["source"])


def _config(name: str, told: Mapping[str, Value]) -> Config:
    tree: dict[str, Any] = {}
    for key, each in told.items():
        *parts, last = key.split(".")
        inner = tree
        for part in parts:
            inner = inner.setdefault(part, {})
            if not isinstance(inner, dict):
                raise PresetError(preset=name, problem=f"{key} is set, and so is what it would be a part of")
        inner[last] = each.value
    try:
        return msgspec.convert(tree, Config, strict=True)
    except msgspec.ValidationError as error:
        said, _, at = str(error).partition(" - at `$")
        where = at.rstrip("`").lstrip(".") or "it"
        raise PresetError(preset=name, problem=f"{where}: {said[:1].lower()}{said[1:]}") from error


def _known_keys(kind: type, where: str = "") -> Iterator[str]:
    for field, hint in get_type_hints(kind).items():
        inner = next((each for each in (hint, *get_args(hint)) if _is_part(each)), None)
        if inner is not None:
            yield from _known_keys(inner, f"{where}{field}.")
        else:
            yield f"{where}{field}"


def _is_part(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _walk(part: msgspec.Struct, sources: Mapping[str, Source], where: str = "") -> Iterator[tuple[str, object, Source]]:
    for key in part.__struct_fields__:
        path, each = f"{where}{key}", getattr(part, key)
        if isinstance(each, msgspec.Struct):
            yield from _walk(each, sources, f"{path}.")
        else:
            within = (name for name in sources if name == path or name.startswith(f"{path}."))
            first = next(within, None)
            yield path, msgspec.to_builtins(each), "ours" if first is None else sources[first]
