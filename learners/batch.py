"""Decisions as tensors: rows of tokens, the places that are scored, and the draws made there.

Axes: R rows, L tokens of a row, P tokens of the prefix, a asked places of a row, N nodes, m candidates,
D draws, e entries, d shares of an entry, S decisions.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from hocket.agents.packing import Row, pack
from hocket.agents.query import Query
from hocket.agents.tree import Ids
from hocket.learners.decision import Decision, Draw


class Item(msgspec.Struct, frozen=True, eq=False):
    """One decision, packed once and put into many batches."""

    decision: Decision
    rows: tuple[Row, ...]
    nodes: tuple[tuple[int, int, Ids], ...]
    """Row, place in the row and candidates of each node, over all its draws in order."""

    @property
    def size(self) -> int:
        """Tokens of its longest row."""
        return max(len(row.tokens) for row in self.rows)


def pack_decision(decision: Decision, prefixes: Sequence[Ids], *, trees: bool) -> Item:
    """Put a decision into rows.

    Args:
        decision: with one draw or more.
        prefixes: known beginnings of prompts; the longest that fits is split off.
        trees: whether a row may branch.
    """
    nodes = [node for draw in decision.draws for node in draw.nodes]
    rows = pack([Query("", decision.prompt, node.then, node.among) for node in nodes], prefixes, trees=trees)
    found = {number: (place, row) for row, each in enumerate(rows) for number, place in each.asked}
    return Item(
        decision=decision,
        rows=tuple(rows),
        nodes=tuple((found[number][1], found[number][0], node.among) for number, node in enumerate(nodes)),
    )


class Rows(msgspec.Struct, frozen=True, eq=False):
    """Rows of tokens behind one prefix."""

    of: tuple[Row, ...]
    prefix: Ids
    ids: torch.Tensor
    """Shape [R, L]."""
    places: torch.Tensor
    """In their own sequences, prefix included; shape [R, L]."""
    mask: torch.Tensor
    """Which tokens each may attend to, shape [R, 1, L, P + L]."""
    branches: bool
    """Whether some token follows another than the one before it."""
    asked: torch.Tensor
    """Places in L, shape [R, a]."""


class Batch(msgspec.Struct, frozen=True, eq=False):
    """Several decisions behind one prefix."""

    rows: Rows
    node_at: torch.Tensor
    """Place of each node in [R, a], flattened; shape [N]."""
    among: torch.Tensor
    """Candidates, shape [N, m]; 0 where there are fewer, and for a whole vocabulary."""
    among_mask: torch.Tensor
    """Shape [N, m]."""
    entries: torch.Tensor
    """Shares of each entry, as places in [N, m] flattened, or its size for none; shape [D, e, d]."""
    entries_mask: torch.Tensor
    """Shape [D, e]."""
    whole: torch.Tensor
    """Node of each draw out of a whole vocabulary, -1 for others; shape [D]."""
    chosen: torch.Tensor
    """Shape [D]."""
    owner: torch.Tensor
    """Which decision each draw belongs to, shape [D]."""
    size: int
    """S, how many decisions there are."""


def make_rows(rows: Sequence[Row], asked: Sequence[Sequence[int]], device: torch.device) -> Rows:
    """Put rows of one prefix together.

    Args:
        rows: of tokens.
        asked: places in each, one or more.
        device: where the tensors are to be.
    """
    before, most = len(rows[0].prefix), max(map(len, asked))
    longest = max(len(row.tokens) for row in rows)
    ids = np.zeros((len(rows), longest), dtype=np.int64)
    places = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros((len(rows), 1, longest, before + longest), dtype=bool)
    for number, row in enumerate(rows):
        size = len(row.tokens)
        ids[number, :size], places[number, :size] = row.tokens, row.positions()
        mask[number, 0, :size, : before + size] = row.mask()
        mask[number, 0, size:, 0] = True  # what stands behind a row attends to something, and nobody to it
    padded = np.array([[*each, *[each[0]] * (most - len(each))] for each in asked], dtype=np.int64)
    return Rows(
        of=tuple(rows),
        prefix=rows[0].prefix,
        ids=torch.from_numpy(ids).to(device),
        places=torch.from_numpy(places).to(device),
        mask=torch.from_numpy(mask).to(device),
        branches=any(row.branches for row in rows),
        asked=torch.from_numpy(padded).to(device),
    )


def make_batch(items: Sequence[Item], device: torch.device) -> Batch:
    """Put packed decisions together; all must have the same prefix."""
    asked, node_at = _asked(items)
    among, among_mask = _padded([node[2] for item in items for node in item.nodes])
    draws = [draw for item in items for draw in item.decision.draws]
    entries, entries_mask, whole = _entries(draws, among.shape)

    def tensor(numbers: NDArray[np.int64] | NDArray[np.bool_]) -> torch.Tensor:
        return torch.from_numpy(numbers).to(device)

    return Batch(
        rows=make_rows([row for item in items for row in item.rows], asked, device),
        node_at=tensor(node_at),
        among=tensor(among),
        among_mask=tensor(among_mask),
        entries=tensor(entries),
        entries_mask=tensor(entries_mask),
        whole=tensor(whole),
        chosen=tensor(np.array([draw.chosen for draw in draws], dtype=np.int64)),
        owner=tensor(np.repeat(np.arange(len(items)), [len(item.decision.draws) for item in items])),
        size=len(items),
    )


def _asked(items: Sequence[Item]) -> tuple[list[list[int]], NDArray[np.int64]]:
    """Return the asked places of every row, and where each node's stands among them."""
    by_row: list[list[int]] = []
    node_at: list[tuple[int, int]] = []
    for item in items:
        first = len(by_row)
        by_row += [[] for _ in item.rows]
        for row, place, _ in item.nodes:
            node_at.append((first + row, len(by_row[first + row])))
            by_row[first + row].append(place)
    most = max(map(len, by_row))
    return by_row, np.array([row * most + slot for row, slot in node_at], dtype=np.int64)


def _padded(among: Sequence[Ids]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    most = max(1, *map(len, among))
    found, mask = np.zeros((len(among), most), dtype=np.int64), np.zeros((len(among), most), dtype=bool)
    for number, each in enumerate(among):
        found[number, : len(each)], mask[number, : len(each)] = each, True
    mask[~mask.any(1), 0] = True
    return found, mask


def _entries(
    draws: Sequence[Draw], among: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    nodes, width = among
    most = max(1, *(len(draw.entries) for draw in draws))
    deep = max([1, *(len(entry) for draw in draws for entry in draw.entries)])
    found = np.full((len(draws), most, deep), nodes * width, dtype=np.int64)
    mask, whole = np.zeros((len(draws), most), dtype=bool), np.full(len(draws), -1, dtype=np.int64)
    first = 0
    for number, draw in enumerate(draws):
        for place, entry in enumerate(draw.entries):
            mask[number, place] = True
            for share, (node, candidate) in enumerate(entry):
                found[number, place, share] = (first + node) * width + candidate
        if not draw.entries:
            whole[number], mask[number, 0] = first, True
        first += len(draw.nodes)
    return found, mask, whole
