"""Layout files as people write them.

Two forms, told apart by trying: JSON, and the Python literal of overcooked-ai
(read as data, never run). Two vocabularies, which may be mixed: the fields of
`Layout`, and the package's keys (`start_all_orders` with `{"ingredients": ...}`,
a grid in one string, states as its `to_dict()` writes them). Keys that the
package itself ignores are ignored here.
"""

import ast
import json
from pathlib import Path
from typing import Any

from hocket.games.overcooked.package_state import plain_orders, plain_state
from hocket.runtime.errors import LayoutError

LARGEST = 1 << 20
"""Longest file, in bytes."""
IGNORED = ("rew_shaping_params", "num_items_for_soup")
RENAMED = {"start_all_orders": "all_orders", "start_bonus_orders": "bonus_orders", "layout_name": "name"}


def read_text(path: Path) -> str:
    """Text of a layout file.

    Raises:
        LayoutError: it is not there, not readable, too long or not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise LayoutError(layout=str(path), problem=f"cannot be read: {getattr(error, 'strerror', error)}") from None
    if len(data) > LARGEST:
        raise LayoutError(layout=str(path), problem=f"the file is longer than {LARGEST} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LayoutError(layout=str(path), problem="the file is not UTF-8 text") from None


def layout_fields(text: str, *, source: str) -> dict[str, Any]:
    """Fields of a `Layout` from the text of a file, not yet checked.

    Raises:
        LayoutError: it is neither JSON nor a Python literal, or not a dict.
    """
    parsed = _parsed(text, source)
    if not isinstance(parsed, dict) or not all(isinstance(key, str) for key in parsed):
        raise LayoutError(layout=source, problem=f"it holds a {type(parsed).__name__}, but must hold a dict of keys")
    fields: dict[str, Any] = {}
    for key, value in parsed.items():
        name = RENAMED.get(str(key), str(key))
        if name in fields:
            raise LayoutError(layout=source, problem=f"it gives {name!r} twice, as {key!r} too")
        if key not in IGNORED:
            fields[name] = value
    for key in ("all_orders", "bonus_orders"):
        if key in fields:
            fields[key] = plain_orders(fields[key])
    if isinstance(fields.get("grid"), str):
        fields["grid"] = [row.strip() for row in fields["grid"].split("\n")]
    if isinstance(fields.get("start_state"), dict):
        try:
            fields["start_state"] = plain_state(fields["start_state"])
        except ValueError as error:
            raise LayoutError(layout=source, problem=f"in its start state {error}") from None
    return fields


def _parsed(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(_Infinity().visit(ast.parse(text.strip(), mode="eval")))
    except SyntaxError as error:
        problem = f"neither JSON nor a Python literal: {error.msg} (line {error.lineno})"
    except (ValueError, TypeError, RecursionError, MemoryError):
        problem = "neither JSON nor a Python literal: it may hold only dicts, lists, texts and numbers"
    raise LayoutError(layout=source, problem=problem)


class _Infinity(ast.NodeTransformer):
    """Reads `float("inf")`, which the package's own tutorial_3 holds, as the text `inf`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace that one call; `literal_eval` refuses every other."""
        return ast.Constant("inf") if ast.unparse(node) == "float('inf')" else node
