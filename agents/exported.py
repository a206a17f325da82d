"""A frozen base in this process without torch: one graph, computed by onnxruntime.

The graph is of the embedded base's architecture and holds no weights. They are among its
inputs: an adapter is merged into a copy of the layers that it changes, and one session serves
all. A row of questions (`packing.py`) is a run of its own on one thread, prefix and all: no
number depends on what else was asked.

Axes: L tokens of a row, a asked places of a row, V vocabulary, N heads, D size of a head.
"""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from hocket.agents.adapter import Adapter
from hocket.agents.arrays import Array, Arrays, merged, product, read_arrays
from hocket.agents.canary import FILE as CANARY
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.packing import pack
from hocket.agents.query import Query, Writing, Written, normalised
from hocket.agents.shape import Shape, read_shape
from hocket.agents.tensors import shapes
from hocket.agents.tokens import load_tokens
from hocket.agents.tree import Ids
from hocket.agents.writer import Follow, write_out
from hocket.runtime.errors import AdapterError, AdapterMismatchError, ModelError

EMBEDDED = Path(str(files("hocket.agents") / "embedded"))
"""The base whose architecture the graph is of."""
GRAPH = EMBEDDED / "decoder.onnx"
ROW = ("ids", "places", "mask", "asked")
"""Inputs of the graph that are no weights."""
_TIED = {"lm_head.weight"}
"""What some files hold a second time."""
_ERRORS_ONLY = 3


class Exported:
    """One base with its adapters, as a backend."""

    name = "onnx"
    packages = ("onnxruntime",)
    dtype = "float32"

    def __init__(self, base: FrozenBase, *, threads: int = 1) -> None:
        """Load a base.

        Args:
            base: to load.
            threads: of onnxruntime; more than one may change the last bits.

        Raises:
            ModelError: it cannot be loaded, is of another architecture, or does not answer as its canary says.
            MissingExtraError: what its tokens are read with is not installed.
        """
        shape = read_shape(base.folder)
        if shape is None or not self.computes(base):
            problem = "is not of the embedded base's architecture, and --backend onnx computes no other"
            raise ModelError(model=str(base.folder), problem=problem)
        self.base, self._shape = base, shape
        self.tokens = load_tokens(base, plain=True)
        self.prefixes: list[Ids] = []
        """Not used: they are a small part of what this base is asked."""
        self._ends = frozenset({self.tokens.end, *_ends(base.folder)})
        self._session = _session(threads)
        self._weights = read_arrays(sorted(base.folder.glob("model*.safetensors")), str(base.folder))
        self._given = {"": self._inputs(self._weights)}
        """Inputs that are weights, by adapter."""
        self._digests: dict[str, str] = {}
        self._check()

    @staticmethod
    def computes(base: FrozenBase) -> bool:
        """Tell whether a base is of the embedded one's kind, by its configuration and the names of its weights."""
        own = shapes([EMBEDDED / "model.safetensors"], "embedded")
        return read_shape(base.folder) == read_shape(EMBEDDED) and base.shapes.keys() - _TIED == own.keys()

    def load(self, adapter: Adapter) -> None:
        """Take an adapter in beside the others.

        Raises:
            AdapterError: it cannot be loaded, or its name stands for other weights.
        """
        known = self._digests.get(adapter.name, adapter.digest)
        if known != adapter.digest:
            raise AdapterError(adapter=adapter.name, problem="stands for other weights already")
        if adapter.name not in self._digests:
            self._given[adapter.name] = self._inputs(merged(self._weights, adapter))
            self._digests[adapter.name] = adapter.digest

    def score(self, queries: Sequence[Query]) -> list[tuple[float, ...]]:
        """Answer questions.

        Returns:
            For each, natural log-probabilities of its candidates, in their order, over them alone.

        Raises:
            PromptError: a prompt is longer than the context of the base.
            AdapterError: an adapter is not loaded.
        """
        for query in queries:
            self.base.check_length(len(query.prompt) + len(query.then))
        answers: list[tuple[float, ...]] = [()] * len(queries)
        for row in pack(queries, (), trees=True):
            asked = list(dict.fromkeys(place for _, place in row.asked))
            found = dict(
                zip(asked, self._run(row.adapter, row.tokens, row.positions(), row.mask(), asked), strict=True)
            )
            for number, place in row.asked:
                answers[number] = normalised(found[place][[*queries[number].among]].tolist())
        return answers

    def write(self, writings: Sequence[Writing]) -> list[Written]:
        """Write texts out, token by token, each by itself.

        Raises:
            PromptError: a prompt with its reply is longer than the context of the base.
            AdapterError: an adapter is not loaded.
        """
        for writing in writings:
            self.base.check_length(len(writing.prompt) + writing.most)
        return [write_out(self._following(each.adapter), self.tokens, self._ends, each) for each in writings]

    def _following(self, adapter: str) -> Follow:
        """Return the model as what writes a text asks it; it reads the whole text again for every token."""
        read: list[int] = []

        def follow(ahead: Ids) -> Array:
            read.extend(ahead)
            size = len(read)
            logits: Array = self._run(adapter, read, range(size), np.tri(size, dtype=bool), [size - 1])[0]
            return logits

        return follow

    def _run(
        self, adapter: str, ids: Sequence[int], places: Sequence[int], mask: NDArray[np.bool_], asked: Sequence[int]
    ) -> Array:
        """Return the logits of what follows the asked places of a row, shape [a, V]."""
        given = self._given.get(adapter)
        if given is None:
            raise AdapterError(adapter=adapter, problem="is not loaded")
        row = (np.array(ids), np.array(places), mask, np.array(asked))
        found: Any = self._session.run(None, {**given, **dict(zip(ROW, row, strict=True))})
        logits: Array = found[0]
        return logits

    def _inputs(self, weights: Arrays) -> Arrays:
        """Return what the graph takes of some weights, the first layer's tables among it."""
        ready = {**weights, **_tables(weights, self._shape)}
        names = [each.name for each in self._session.get_inputs() if each.name not in ROW]
        return {name: np.ascontiguousarray(ready[name]) for name in names}

    def _check(self) -> None:
        """Hold the answers against the base's canary, where it has one."""
        if self.base.canary is None:
            return
        answers = self.score(self.base.canary.queries(""))
        try:
            self.base.canary.check_all("", answers, self.dtype)
        except AdapterMismatchError as error:
            raise ModelError(model=str(self.base.folder), problem=f"does not answer as its {CANARY} says") from error


def _session(threads: int) -> onnxruntime.InferenceSession:
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.use_deterministic_compute = True
    settings.enable_mem_pattern = False  # one would be kept for every length of a row
    settings.log_severity_level = _ERRORS_ONLY
    return onnxruntime.InferenceSession(GRAPH, settings, providers=["CPUExecutionProvider"])


def _tables(weights: Arrays, shape: Shape) -> Arrays:
    """Return the first layer's queries, keys and values of every token, before they are turned; shape [V, N, D]."""
    name, least = "model.layers.0", np.float32(shape.rms_norm_eps)

    def norm(inner: Array, by: str) -> Array:
        size = np.sqrt((inner * inner).mean(-1, keepdims=True) + least)
        normed: Array = inner / size * weights[f"{name}.{by}.weight"]
        return normed

    def heads(part: str) -> Array:
        layer = f"{name}.self_attn.{part}"
        found = product("vi,oi->vo", entering, weights[f"{layer}_proj.weight"]) + weights[f"{layer}_proj.bias"]
        found = found.reshape(len(found), -1, shape.head_dim)
        return found if part == "v" else norm(found, f"self_attn.{part}_norm")

    entering = norm(weights["model.embed_tokens.weight"], "input_layernorm")
    return {part: heads(part) for part in "qkv"}


def _ends(folder: Path) -> list[int]:
    """Return the tokens at which a model's folder says that a reply ends."""
    path = next(path for path in (folder / "generation_config.json", folder / "config.json") if path.is_file())
    found = json.loads(path.read_text("utf-8")).get("eos_token_id")
    return [found] if isinstance(found, int) else list(found or [])
