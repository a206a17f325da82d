"""The committed graph is the embedded base's architecture, and nothing else."""

import re

import onnx

from hocket.agents.exported import EMBEDDED, GRAPH
from hocket.agents.shape import read_shape
from hocket.learners.embedded.graph import make_graph


def test_the_committed_graph_can_be_made_again() -> None:
    """From the configuration of the committed base alone."""
    shape = read_shape(EMBEDDED)
    assert shape is not None

    made = make_graph(shape)

    assert made == onnx.load(GRAPH)


def test_it_holds_no_weights_and_says_nothing_of_where_it_was_made() -> None:
    """Weights are inputs; what a graph can say beside that is empty."""
    model = onnx.load(GRAPH)
    names = [name for node in model.graph.node for name in (*node.input, *node.output)]

    assert GRAPH.stat().st_size < 20_000
    assert sum(len(constant.raw_data) for constant in model.graph.initializer) < 500
    assert not any((model.producer_name, model.doc_string, model.metadata_props, model.graph.metadata_props))
    assert not any(node.name or node.doc_string or node.metadata_props for node in model.graph.node)
    assert all(re.fullmatch(r"[a-z][a-z0-9_.]*", name) for name in names)
