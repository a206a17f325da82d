"""The embedded base's architecture as one ONNX graph, in which there are no weights.

Run as `python -m hocket.learners.embedded.graph`, which puts it beside the base. It computes
what `agents/decoder.py` computes for one row: the first layer's queries, keys and values
are looked up in tables, the last layer has queries at the asked places alone. Weights are
inputs, named and shaped as in the base's own files; so one graph serves every adapter.

Axes: L tokens of the row, a asked places, V vocabulary, N heads, D size of a head.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from hocket.agents.exported import EMBEDDED, GRAPH, ROW
from hocket.agents.shape import Shape, read_shape
from hocket.runtime.whole_file import write_whole

Value: TypeAlias = str
"""A value of the graph is known by its name."""
_OPSET, _IR = 21, 10
"""The newest that onnxruntime 1.20 reads."""


def make_graph(shape: Shape) -> onnx.ModelProto:
    """Write the architecture down.

    Args:
        shape: of a base with as many heads of keys as of queries.

    Returns:
        A graph from `ids` [L], `places` [L], `mask` [L, L], `asked` [a], the tables `q`, `k`, `v` [V, N, D]
        and weights to `logits` [a, V].
    """
    assert shape.num_attention_heads == shape.num_key_value_heads
    model = _Graph(shape).model()
    onnx.checker.check_model(model, full_check=True)
    return model


class _Graph:
    """A graph in the making."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[Value, onnx.TensorProto] = {}
        self._inputs: dict[Value, onnx.ValueInfoProto] = {}

    def model(self) -> onnx.ModelProto:
        """Compute row by row, and return what was made."""
        logits = self._logits(*(self._input(name, kind, sizes) for name, (kind, sizes) in zip(ROW, _ROW, strict=True)))
        output = helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["a", "V"])
        constants = list(self._constants.values())
        graph = helper.make_graph(self._nodes, "decoder", list(self._inputs.values()), [output], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)

    def _logits(self, ids: Value, places: Value, mask: Value, asked: Value) -> Value:
        last = self._shape.num_hidden_layers - 1
        turn = self._turn(places)
        seen = self._op("Where", mask, self._number("nothing", 0.0), self._number("never", -inf))
        embedding = self._weight("model.embed_tokens", 2)
        hidden = self._op("Gather", embedding, ids)
        for layer in range(last):
            if layer == 0:
                parts = [
                    self._op("Gather", self._input(part, TensorProto.FLOAT, ["V", "N", "D"]), ids) for part in "qkv"
                ]
            else:
                inner = self._entering(layer, hidden)
                parts = [self._heads(layer, part, inner) for part in "qkv"]
            query, key, value = parts
            hidden = self._leaving(layer, hidden, self._turned(query, turn), self._turned(key, turn), value, seen)
        inner = self._entering(last, hidden)
        key, value = (self._heads(last, part, inner) for part in "kv")
        query = self._heads(last, "q", self._op("Gather", inner, asked))
        query = self._turned(query, [self._op("Gather", each, asked) for each in turn])
        hidden, seen = (self._op("Gather", each, asked) for each in (hidden, seen))
        hidden = self._leaving(last, hidden, query, self._turned(key, turn), value, seen)
        return self._op("Gemm", self._norm(hidden, "model.norm"), embedding, into="logits", transB=1)

    def _turn(self, places: Value) -> list[Value]:
        """Return cosines and sines of the places, each of shape [L, 1, D / 2]."""
        size, theta = self._shape.head_dim, float(str(self._shape.rope_parameters["rope_theta"]))
        rates = 1.0 / theta ** (np.arange(0, size, 2, dtype=np.float32) / np.float32(size))
        column = self._op("Unsqueeze", self._op("Cast", places, to=TensorProto.FLOAT), self._whole("behind", 1, 2))
        angles = self._op("Mul", column, self._constant("rates", rates.astype(np.float32)))
        return [self._op("Cos", angles), self._op("Sin", angles)]

    def _turned(self, inner: Value, turn: Sequence[Value]) -> Value:
        """Turn pairs of numbers by their places."""
        half, (cos, sin) = self._shape.head_dim // 2, turn
        one, other = f"{inner}.one", f"{inner}.other"
        halves = self._whole("halves", half, half)
        self._nodes.append(helper.make_node("Split", [inner, halves], [one, other], axis=-1))
        ahead = self._op("Sub", self._op("Mul", one, cos), self._op("Mul", other, sin))
        aside = self._op("Add", self._op("Mul", other, cos), self._op("Mul", one, sin))
        return self._op("Concat", ahead, aside, axis=-1)

    def _entering(self, layer: int, hidden: Value) -> Value:
        return self._norm(hidden, f"model.layers.{layer}.input_layernorm")

    def _heads(self, layer: int, part: str, inner: Value) -> Value:
        """Return queries, keys or values before they are turned; shape [L or a, N, D]."""
        name = f"model.layers.{layer}.self_attn.{part}"
        found = self._linear(f"{name}_proj", inner, bias=True)
        found = self._op("Reshape", found, self._whole("heads", 0, -1, self._shape.head_dim))
        return found if part == "v" else self._norm(found, f"{name}_norm")

    def _leaving(self, layer: int, hidden: Value, query: Value, key: Value, value: Value, seen: Value) -> Value:
        """Attend, and think: what a layer makes of the places that its queries are of."""
        name = f"model.layers.{layer}"
        query = self._op("Mul", query, self._number("scale", 1 / sqrt(self._shape.head_dim)))
        query, value = (self._op("Transpose", each, perm=[1, 0, 2]) for each in (query, value))
        scores = self._op("MatMul", query, self._op("Transpose", key, perm=[1, 2, 0]))
        shares = self._op("Softmax", self._op("Add", scores, seen), axis=-1)
        found = self._op("Transpose", self._op("MatMul", shares, value), perm=[1, 0, 2])
        found = self._op("Reshape", found, self._whole("flat", 0, -1))
        hidden = self._op("Add", hidden, self._linear(f"{name}.self_attn.o_proj", found, bias=True))
        inner = self._norm(hidden, f"{name}.post_attention_layernorm")
        gate = self._linear(f"{name}.mlp.gate_proj", inner)
        gate = self._op("Mul", gate, self._op("Sigmoid", gate))
        gate = self._op("Mul", gate, self._linear(f"{name}.mlp.up_proj", inner))
        return self._op("Add", hidden, self._linear(f"{name}.mlp.down_proj", gate))

    def _norm(self, inner: Value, name: str) -> Value:
        mean = self._op("ReduceMean", self._op("Mul", inner, inner), self._whole("last", -1))
        size = self._op("Sqrt", self._op("Add", mean, self._number("epsilon", self._shape.rms_norm_eps)))
        return self._op("Mul", self._op("Div", inner, size), self._weight(name, 1))

    def _linear(self, name: str, inner: Value, *, bias: bool = False) -> Value:
        more = [self._input(f"{name}.bias", TensorProto.FLOAT, [None])] if bias else []
        return self._op("Gemm", inner, self._weight(name, 2), *more, transB=1)

    def _weight(self, name: str, axes: int) -> Value:
        return self._input(f"{name}.weight", TensorProto.FLOAT, [None] * axes)

    def _input(self, name: str, kind: int, sizes: Sequence[str | None]) -> Value:
        self._inputs.setdefault(name, helper.make_tensor_value_info(name, kind, sizes))
        return name

    def _number(self, name: str, value: float) -> Value:
        return self._constant(name, np.array(value, dtype=np.float32))

    def _whole(self, name: str, *values: int) -> Value:
        return self._constant(name, np.array(values, dtype=np.int64))

    def _constant(self, name: str, values: NDArray[np.generic]) -> Value:
        self._constants.setdefault(name, numpy_helper.from_array(values, name))
        return name

    def _op(self, kind: str, *inputs: Value, into: str = "", **settings: Any) -> Value:
        """Add an operation and return what comes out of it."""
        name = into or f"{kind.lower()}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **settings))
        return name


_ROW: tuple[tuple[int, list[str | None]], ...] = (
    (TensorProto.INT64, ["L"]),
    (TensorProto.INT64, ["L"]),
    (TensorProto.BOOL, ["L", "L"]),
    (TensorProto.INT64, ["a"]),
)
"""Kinds and shapes of the inputs that are no weights."""

if __name__ == "__main__":
    embedded = read_shape(EMBEDDED)
    assert embedded is not None
    write_whole(GRAPH, make_graph(embedded).SerializeToString(deterministic=True))
