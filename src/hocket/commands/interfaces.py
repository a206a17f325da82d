"""What a seat chooses from, and what a language model is asked, on the command line."""

from enum import StrEnum

from hocket.games.primitives import NAME as PRIMITIVES
from hocket.runtime.errors import SettingError
from hocket.runtime.guard import Guard


class Interfaces(StrEnum):
    """What a seat chooses from."""

    menu = "menu"
    json = "json"
    native = "native"


class Backends(StrEnum):
    """Where a language model runs."""

    local = "local"
    onnx = "onnx"
    sglang = "sglang"


class Scorers(StrEnum):
    """How a choice comes out of a language model; `json` is an interface of its own."""

    letter = "letter"
    text = "text"
    two_line = "two_line"
    paper = "paper"
    generate = "generate"


def library_name(interface: Interfaces, library: str) -> str:
    """Return the option library of an interface.

    Raises:
        SettingError: native play with a library of options.
    """
    if interface is not Interfaces.native:
        return library
    if library != "default":
        raise SettingError(setting="--library", value=library, right="left out with --interface native")
    return PRIMITIVES


def style_changes(
    interface: Interfaces, scorer: Scorers | None, temperature: float | None, grammar: bool | None
) -> dict[str, object]:
    """Return what the style of every language model is changed in.

    Raises:
        SettingError: a scorer where the interface is written out.
    """
    if interface is Interfaces.json and scorer is not None:
        raise SettingError(setting="--scorer", value=scorer.value, right="left out with --interface json")
    asked = "json" if interface is Interfaces.json else scorer and scorer.value
    given = {"scorer": asked, "temperature": temperature, "grammar": grammar}
    return {name: value for name, value in given.items() if value is not None}


def no_guards(interface: Interfaces, guards: str) -> tuple[Guard, ...]:
    """Return what hides nothing, for an interface that has no menu to guard.

    Raises:
        SettingError: a guard file beside it.
    """
    if guards not in ("own", "none"):
        raise SettingError(setting="--guards", value=guards, right=f"left out with --interface {interface.value}")
    return ()
