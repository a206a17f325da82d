"""Weights in memory: one frozen base, and what is computed with it.

The one place where transformers is called to compute. Axes: B prompts, L tokens, H width of
the model, n questions, m candidates.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from transformers import DynamicCache, DynamicLayer

from hocket.agents.attached import Attached
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.libraries import FAILURES, quiet
from hocket.agents.query import normalised
from hocket.agents.tree import Ids
from hocket.runtime.errors import ModelError
from hocket.runtime.fault import one_line

Keys = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of a prefix, one pair a layer, each of shape [1, heads, tokens, size]."""
_FEW = 3
_SMALL = 20_000_000
"""Parameters below which a base is computed in float32 on a CPU, whatever it is stored in."""


class Weights:
    """A base with its adapters."""

    def __init__(self, base: FrozenBase, device: str = "auto") -> None:
        """Load a base, frozen.

        Raises:
            ModelError: it cannot be loaded, or is not of a body and an output head.
        """
        chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        try:
            self.device = torch.device(chosen)
            small = base.parameters < _SMALL and self.device.type == "cpu"
            with quiet():
                load: Any = transformers.AutoModelForCausalLM
                model: Any = load.from_pretrained(
                    base.folder, dtype=torch.float32 if small else "auto", local_files_only=True
                )
            self._model: Any = model.to(self.device).eval().requires_grad_(False)
            self._body: Any = getattr(model, model.base_model_prefix)
            self.head: torch.Tensor = model.get_output_embeddings().weight
            """Output head, shape [vocabulary, H]."""
        except (*FAILURES, ImportError) as error:
            raise ModelError(model=str(base.folder), problem=f"cannot be loaded: {one_line(error)}") from error
        self.base = base
        self.ends = _ends(model)
        """Tokens that end a reply, as the model's own folder names them."""
        config = model.config.get_text_config()
        self.softcap: float | None = getattr(config, "final_logit_softcapping", None)
        """Where logits are bent, by tanh; None for nowhere."""
        self.attached = Attached(model)
        """The adapters beside it."""
        self.takes_masks = _attends_in_full(config)
        """Whether a mask of our own reaches every layer; layers with a window have one of theirs."""
        self.keeps_prefixes = self._caches_in_full()
        """Whether the keys of a prefix are all that is left of it in every layer."""

    @property
    def dtype(self) -> str:
        """Name of the number format, e.g. `float32`."""
        return str(self.head.dtype).removeprefix("torch.")

    @property
    def model(self) -> Any:
        """The base as transformers has it, with whatever peft has put into its layers."""
        return self._model

    def keys(self, adapter: str, prefix: Ids) -> Keys:
        """Compute the keys and values of a prefix, where they can be kept.

        Raises:
            AdapterError: the adapter is not loaded.
        """
        cache = self.empty_cache()
        self.advance(adapter, np.array([prefix]), cache)
        return [(layer.keys, layer.values) for layer in cache.layers]

    def empty_cache(self) -> Any:
        """Return a cache that holds nothing yet."""
        return DynamicCache(config=self._body.config)

    def states(
        self,
        adapter: str,
        ids: NDArray[np.int64],
        keys: Keys,
        *,
        mask: NDArray[np.bool_] | None = None,
        positions: NDArray[np.int64] | None = None,
    ) -> torch.Tensor:
        """Run tokens through the body.

        Args:
            adapter: name of one in memory; empty for the base itself.
            ids: token ids, shape [B, L].
            keys: of the prefix before them; empty for none.
            mask: which tokens each may attend to, shape [B, 1, L, prefix + L]; None for all before it.
            positions: of the tokens, shape [B, L]; None where they follow one another.

        Returns:
            The states before the output head, shape [B, L, H].

        Raises:
            AdapterError: the adapter is not loaded.
        """
        found, _ = self.advance(adapter, ids, self.cache(keys, len(ids)), mask=mask, positions=positions)
        return found

    def cache(self, keys: Keys, rows: int) -> Any:
        """Return a cache that holds the keys of a prefix for each of `rows` rows, or None for no prefix."""
        if not keys:
            return None
        expanded = [(one.expand(rows, -1, -1, -1), other.expand(rows, -1, -1, -1)) for one, other in keys]
        return DynamicCache(expanded, config=self._body.config)

    def advance(
        self,
        adapter: str,
        ids: NDArray[np.int64],
        cache: Any,
        *,
        mask: NDArray[np.bool_] | None = None,
        positions: NDArray[np.int64] | None = None,
    ) -> tuple[torch.Tensor, Any]:
        """Run tokens through the body behind a cache, which grows by them; return states and cache.

        Raises:
            AdapterError: the adapter is not loaded.
        """
        given: dict[str, Any] = {"cache": cache, "use_cache": cache is not None}
        if mask is not None:
            given["attention_mask"] = torch.from_numpy(mask).to(self.device)
        if positions is not None:
            given["position_ids"] = self._tensor(positions)
        self.attached.become(adapter)
        found: torch.Tensor = self._body(input_ids=self._tensor(ids), **given).last_hidden_state
        return found, cache

    def plain(self, ids: Ids) -> torch.Tensor:
        """Return the logits that the model itself gives the next token, without our doing; shape [vocabulary].

        Raises:
            ModelError: it cannot be run.
        """
        try:
            found: torch.Tensor = self._model(input_ids=self._tensor(np.array([ids])), use_cache=False).logits[0, -1]
        except FAILURES as error:
            raise ModelError(model=str(self.base.folder), problem=f"cannot be run: {one_line(error)}") from error
        return found.float()

    def log_probs(self, states: torch.Tensor, among: Sequence[Ids]) -> list[tuple[float, ...]]:
        """Apply the output head to some states, to the candidates of each alone.

        Args:
            states: shape [n, H].
            among: candidates of each, n of them.

        Returns:
            Natural log-probabilities over the candidates, one tuple a state.
        """
        most = max(map(len, among))
        padded = self._tensor(np.array([[*each, *[each[0]] * (most - len(each))] for each in among]))
        logits = torch.einsum("nh,nmh->nm", states.float(), self.head[padded].float())
        if self.softcap is not None:
            logits = torch.tanh(logits / self.softcap) * self.softcap
        rows: list[list[float]] = logits.double().tolist()
        return [normalised(row[: len(each)]) for row, each in zip(rows, among, strict=True)]

    def logits(self, state: torch.Tensor) -> torch.Tensor:
        """Apply the whole output head to one state, shape [H]; float32, shape [vocabulary]."""
        logits = self.head.float() @ state.float() if self.dtype == "float32" else (self.head @ state).float()
        return logits if self.softcap is None else torch.tanh(logits / self.softcap) * self.softcap

    def _caches_in_full(self) -> bool:
        """Find out what stays of a few tokens in the cache of each layer."""
        try:
            with torch.inference_mode():
                _, cache = self.advance("", np.array([range(_FEW)]), self.empty_cache())
        except FAILURES as error:
            raise ModelError(model=str(self.base.folder), problem=f"cannot be run: {one_line(error)}") from error
        return all(type(each) is DynamicLayer and each.get_seq_length() == _FEW for each in cache.layers)

    def _tensor(self, numbers: NDArray[np.int64]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers, dtype=np.int64)).to(self.device)


def _attends_in_full(config: Any) -> bool:
    """Tell whether every layer lets a token attend to all before it, by an attention that takes masks of bools."""
    kinds = getattr(config, "layer_types", None)
    windowed = getattr(config, "sliding_window", None) if kinds is None else {*kinds} != {"full_attention"}
    return config._attn_implementation == "sdpa" and not windowed


def _ends(model: Any) -> frozenset[int]:
    found = getattr(model.generation_config, "eos_token_id", None)
    return frozenset([found] if isinstance(found, int) else found or [])
