"""The two bodies of a policy: transformers' own, and the small decoder.

Both take an adapter's tensors as they are: in transformers' body they are added behind each linear
layer, in the small decoder they are merged into its weights, which costs less there. Nothing is shared between
adapters, and without one the base itself answers.
"""

from functools import partial
from typing import Any

import torch
from torch.nn.functional import linear
from torch.nn.utils.rnn import pad_sequence

from hocket.agents.decoder import Decoder, Keys, Tensors
from hocket.agents.packing import Row
from hocket.agents.shape import read_shape
from hocket.agents.tree import Ids
from hocket.agents.weights import Weights
from hocket.learners.adapter import Learning
from hocket.learners.batch import Rows
from hocket.runtime.errors import AdapterError


class DecoderBody:
    """The small decoder, in float32."""

    softcap = None
    trees = True

    def __init__(self, weights: Weights) -> None:
        """Take the weights of a base that is of its kind."""
        shape = read_shape(weights.base.folder)
        assert shape is not None
        self.device, self.base_digest = weights.device, weights.base.digest
        own = weights.model.state_dict()
        self._weights = {name.replace(".base_layer", ""): own[name].float() for name in own if ".lora_" not in name}
        self.head = weights.head.float()
        self._decoder = Decoder(shape)
        self._is_upper = partial(_is_of_block, shape.num_hidden_layers - 1)
        self._kept: dict[tuple[str, Ids], tuple[Tensors, Keys]] = {}
        self._lowered: dict[Row, torch.Tensor] = {}

    def states(self, adapter: Learning | None, rows: Rows) -> torch.Tensor:
        """Return the states before the output head at the asked places.

        In inference mode what depends on the adapter alone is kept until `release`.
        """
        if not torch.is_inference_mode_enabled():
            weights, keys = self._merged(adapter, rows.prefix)
        else:
            which = ("" if adapter is None else adapter.published.name, rows.prefix)
            if which not in self._kept:
                self._kept[which] = self._merged(adapter, rows.prefix)
            weights, keys = self._kept[which]
        hidden = self._lower(adapter, weights, rows, keys)
        return self._decoder.upper(weights, hidden, rows.places, rows.mask, keys, rows.asked)

    def release(self) -> None:
        """Forget what was kept; the base was never changed."""
        self._kept.clear()
        self._lowered.clear()

    def _lower(self, adapter: Learning | None, weights: Tensors, rows: Rows, keys: Keys) -> torch.Tensor:
        """Run rows through the lower layers; once and for all, where no adapter changes these."""
        if adapter is None or torch.is_inference_mode_enabled() or not all(map(self._is_upper, adapter.layers)):
            return self._decoder.lower(weights, rows.ids, rows.places, rows.mask, keys)
        if any(row not in self._lowered for row in rows.of):
            with torch.no_grad():
                found = self._decoder.lower(weights, rows.ids, rows.places, rows.mask, keys)
            for row, each in zip(rows.of, found, strict=True):
                self._lowered[row] = each[: len(row.tokens)].clone()
        return pad_sequence([self._lowered[row] for row in rows.of], batch_first=True)

    def _merged(self, adapter: Learning | None, prefix: Ids) -> tuple[Tensors, Keys]:
        weights = dict(self._weights)
        for layer in adapter.layers if adapter is not None else ():
            assert adapter is not None
            down, up = adapter.change(layer)
            weights[f"{layer}.weight"] = weights[f"{layer}.weight"] + adapter.scale * (up @ down)
        whole = self._decoder.prepared(weights)
        return whole, self._decoder.keys(whole, prefix)


class ModelBody:
    """A model of transformers, in its own number format; the adapter's numbers stay float32."""

    def __init__(self, weights: Weights, *, checkpointing: bool = False) -> None:
        """Take a base.

        Args:
            weights: in memory.
            checkpointing: whether layers are computed again for the gradient instead of kept; prefixes are
                then not shared.
        """
        self._weights, self._checkpointing = weights, checkpointing
        self.head, self.softcap, self.device = weights.head, weights.softcap, weights.device
        self.trees, self.base_digest = weights.takes_masks, weights.base.digest
        self._modules = dict(weights.model.named_modules())
        self._hooks: list[Any] = []

    def states(self, adapter: Learning | None, rows: Rows) -> torch.Tensor:
        """Return the states before the output head at the asked places.

        The adapter stays behind its layers until the next call, since what is computed again for a gradient needs it.
        """
        self.release()
        self._weights.attached.become("")
        self._graft(adapter)
        states = self._recomputed(rows) if self._checkpointing else self._run(rows)
        return states.gather(1, rows.asked[..., None].expand(-1, -1, states.shape[-1]))

    def release(self) -> None:
        """Leave nothing of an adapter in the base."""
        while self._hooks:
            self._hooks.pop().remove()

    def _run(self, rows: Rows) -> torch.Tensor:
        keys = self._weights.keys("", rows.prefix) if rows.prefix else []
        ids, places, mask = (each.cpu().numpy() for each in (rows.ids, rows.places, rows.mask))
        masked: dict[str, Any] = {"mask": mask, "positions": places} if rows.branches else {}
        return self._weights.states("", ids, keys, **masked)

    def _recomputed(self, rows: Rows) -> torch.Tensor:
        """Run whole prompts, keeping nothing of a layer but what goes in."""
        model, before = self._weights.model, len(rows.prefix)
        count, size = rows.ids.shape
        prefix = torch.tensor(rows.prefix, dtype=torch.long, device=self.device).expand(count, -1)
        ids = torch.cat((prefix, rows.ids), 1)
        given: dict[str, Any] = {}
        if rows.branches:
            places = torch.arange(before, device=self.device).expand(count, -1)
            seen = torch.ones(before, before + size, dtype=torch.bool, device=self.device).tril()
            given["position_ids"] = torch.cat((places, rows.places), 1)
            given["attention_mask"] = torch.cat((seen.expand(count, 1, -1, -1), rows.mask), 2)
        model.activation_checkpointing_enable({"use_reentrant": False})
        model.train()
        try:
            body: Any = getattr(model, model.base_model_prefix)
            found: torch.Tensor = body(input_ids=ids, use_cache=False, **given).last_hidden_state
        finally:
            model.eval()
            model.activation_checkpointing_disable()
        return found[:, before:]

    def _graft(self, adapter: Learning | None) -> None:
        """Put an adapter behind the linear layers of the base."""
        if adapter is None:
            return
        for layer in adapter.layers:
            module = self._modules.get(layer)
            if module is None:
                self.release()
                raise AdapterError(adapter=adapter.published.name, problem=f"the base has no layer {layer}")
            inner: Any = getattr(module, "base_layer", module)
            self._hooks.append(inner.register_forward_hook(partial(_add, adapter, layer)))


def _add(adapter: Learning, layer: str, module: Any, inner: tuple[torch.Tensor], found: torch.Tensor) -> torch.Tensor:
    down, up = (each.to(found.dtype) for each in adapter.change(layer))
    return found + adapter.scale * linear(linear(inner[0], down), up)


def _is_of_block(number: int, layer: str) -> bool:
    return f".layers.{number}." in layer


def make_body(weights: Weights, *, checkpointing: bool = False) -> DecoderBody | ModelBody:
    """Return the body that suits a base: the small decoder where it is one and stands on a CPU in float32."""
    if (
        read_shape(weights.base.folder)
        and weights.device.type == "cpu"
        and weights.dtype == "float32"
        and not checkpointing
    ):
        return DecoderBody(weights)
    return ModelBody(weights, checkpointing=checkpointing)
