"""A small decoder of Qwen3's kind, written out: what transformers computes, less what nobody asks for.

The first layer's queries, keys and values are worked out once a token of the vocabulary; the last
layer has queries at the asked places alone. For a base of two layers that is a third of the
work, which matters where it learns on a CPU. Its numbers are those of transformers to rounding.

Axes: B rows, L tokens of a row, P tokens of the prefix, a asked places of a row, H width, V vocabulary.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import torch
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from hocket.agents.shape import Shape

Tensors: TypeAlias = Mapping[str, torch.Tensor]
"""Weights by name, as in the base's own files."""
Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]
"""Keys and values of some tokens in one layer, each of shape [B, heads, tokens, size]."""
Keys: TypeAlias = list[Pair | None]
"""Those of a prefix, one pair a layer, or None for no prefix; with B = 1."""


class Decoder:
    """The computation; weights are its argument."""

    def __init__(self, shape: Shape) -> None:
        self._shape, self._last = shape, shape.num_hidden_layers - 1
        theta = float(str(shape.rope_parameters["rope_theta"]))
        self._rates = 1.0 / theta ** (torch.arange(0, shape.head_dim, 2, dtype=torch.float32) / shape.head_dim)

    def prepared(self, weights: Tensors) -> Tensors:
        """Return weights with the first layer's queries, keys and values of every token of the vocabulary."""
        name = "model.layers.0"
        entries = self._norm(weights["model.embed_tokens.weight"], weights[f"{name}.input_layernorm.weight"])
        return {**weights, **{part: self._project(weights, f"{name}.self_attn", part, entries) for part in "qkv"}}

    def keys(self, weights: Tensors, prefix: Sequence[int]) -> Keys:
        """Return the keys and values of a prefix."""
        size = len(prefix)
        if not size:
            return [None] * self._shape.num_hidden_layers
        places = torch.arange(size)[None]
        mask = torch.ones(size, size, dtype=torch.bool).tril()[None, None]
        kept: Keys = []
        hidden = self._lower(weights, torch.tensor([list(prefix)]), places, mask, [None] * self._last, kept)
        kept.append(self._own(weights, self._last, self._entering(weights, self._last, hidden), self._turn(places)))
        return kept

    def lower(
        self, weights: Tensors, ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor, keys: Keys
    ) -> torch.Tensor:
        """Run tokens through all layers but the last.

        Args:
            weights: prepared.
            ids: of tokens, shape [B, L].
            places: of tokens in their own sequences, shape [B, L].
            mask: which tokens each may attend to, shape [B, 1, L, P + L].
            keys: of the prefix.

        Returns:
            Shape [B, L, H].
        """
        return self._lower(weights, ids, places, mask, keys, [])

    def upper(
        self,
        weights: Tensors,
        hidden: torch.Tensor,
        places: torch.Tensor,
        mask: torch.Tensor,
        keys: Keys,
        asked: torch.Tensor,
    ) -> torch.Tensor:
        """Run what `lower` returns through the last layer, and return the states before the output head.

        Args:
            weights: prepared.
            hidden: shape [B, L, H].
            places: shape [B, L].
            mask: shape [B, 1, L, P + L].
            keys: of the prefix.
            asked: places in L, shape [B, a].

        Returns:
            Shape [B, a, H].
        """
        turn, at = self._turn(places), asked[..., None]
        inner = self._entering(weights, self._last, hidden)
        own = self._own(weights, self._last, inner, turn)
        wide = at.expand(-1, -1, hidden.shape[-1])
        query = self._project(weights, f"{self._name(self._last)}.self_attn", "q", inner.gather(1, wide))
        turn = tuple(each.gather(2, at[:, None].expand(-1, -1, -1, each.shape[-1])) for each in turn)
        mask = mask.gather(2, at[:, None].expand(-1, -1, -1, mask.shape[-1]))
        found = self._leaving(
            weights, self._last, hidden.gather(1, wide), self._turned(query, turn), own, mask, keys[self._last]
        )
        return self._norm(found, weights["model.norm.weight"])

    def _lower(
        self,
        weights: Tensors,
        ids: torch.Tensor,
        places: torch.Tensor,
        mask: torch.Tensor,
        keys: Keys,
        kept: Keys,
    ) -> torch.Tensor:
        turn = self._turn(places)
        hidden = weights["model.embed_tokens.weight"][ids]
        for layer in range(self._last):
            if layer == 0:
                query = weights["q"][ids]
                own = self._turned(weights["k"][ids], turn), weights["v"][ids].transpose(1, 2)
            else:
                inner = self._entering(weights, layer, hidden)
                query = self._project(weights, f"{self._name(layer)}.self_attn", "q", inner)
                own = self._own(weights, layer, inner, turn)
            kept.append(own)
            hidden = self._leaving(weights, layer, hidden, self._turned(query, turn), own, mask, keys[layer])
        return hidden

    def _turn(self, places: torch.Tensor) -> tuple[torch.Tensor, ...]:
        angles = places[..., None].float() * self._rates
        return angles.cos()[:, None], angles.sin()[:, None]

    def _name(self, layer: int) -> str:
        return f"model.layers.{layer}"

    def _entering(self, weights: Tensors, layer: int, hidden: torch.Tensor) -> torch.Tensor:
        return self._norm(hidden, weights[f"{self._name(layer)}.input_layernorm.weight"])

    def _own(self, weights: Tensors, layer: int, inner: torch.Tensor, turn: tuple[torch.Tensor, ...]) -> Pair:
        """Return keys and values of a layer's own tokens, each of shape [B, heads, L, size]."""
        name = f"{self._name(layer)}.self_attn"
        key, value = (self._project(weights, name, part, inner) for part in "kv")
        return self._turned(key, turn), value.transpose(1, 2)

    def _leaving(
        self,
        weights: Tensors,
        layer: int,
        hidden: torch.Tensor,
        query: torch.Tensor,
        own: Pair,
        mask: torch.Tensor,
        before: Pair | None,
    ) -> torch.Tensor:
        """Attend, and think: what a layer makes of the places that its queries are of."""
        name, shape = self._name(layer), self._shape
        key, value = own
        if before is not None:
            key, value = (
                torch.cat((one.expand(len(other), -1, -1, -1), other), 2)
                for one, other in zip(before, own, strict=True)
            )
        if shape.num_key_value_heads != shape.num_attention_heads:
            more = shape.num_attention_heads // shape.num_key_value_heads
            key, value = key.repeat_interleave(more, 1), value.repeat_interleave(more, 1)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        hidden = hidden + self._linear(weights, f"{name}.self_attn.o_proj", seen.transpose(1, 2).flatten(2))
        inner = self._norm(hidden, weights[f"{name}.post_attention_layernorm.weight"])
        gate = silu(self._linear(weights, f"{name}.mlp.gate_proj", inner))
        gate = gate * self._linear(weights, f"{name}.mlp.up_proj", inner)
        return hidden + self._linear(weights, f"{name}.mlp.down_proj", gate)

    def _project(self, weights: Tensors, name: str, part: str, inner: torch.Tensor) -> torch.Tensor:
        """Return queries, keys or values before they are turned; shape [..., heads, size]."""
        found = self._linear(weights, f"{name}.{part}_proj", inner)
        found = found.reshape(*found.shape[:-1], -1, self._shape.head_dim)
        return found if part == "v" else self._norm(found, weights[f"{name}.{part}_norm.weight"])

    def _norm(self, inner: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return rms_norm(inner, (inner.shape[-1],), weight, self._shape.rms_norm_eps)

    def _turned(self, inner: torch.Tensor, turn: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Turn pairs of numbers by their places; from [B, L, heads, size] to [B, heads, L, size]."""
        cos, sin = turn
        one, other = inner.transpose(1, 2).chunk(2, -1)
        return torch.cat((one * cos - other * sin, other * cos + one * sin), -1)

    def _linear(self, weights: Tensors, name: str, inner: torch.Tensor) -> torch.Tensor:
        return linear(inner, weights[f"{name}.weight"], weights.get(f"{name}.bias"))
