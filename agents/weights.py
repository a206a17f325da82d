"""Weights in memory: one frozen base, adapters beside it, and what is computed with them.

The one place where transformers and peft are called to compute. Adapters add no copy of
the base. Axes: B prompts, L tokens, H width of the model, n questions, m candidates.
"""

import contextlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.tree import Ids
from hocket.runtime.errors import AdapterError, MissingExtraError, ModelError

Keys = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of a prefix, one pair a layer, each of shape [1, heads, tokens, size]."""
_SMALL = 20_000_000
"""Parameters below which a base is computed in float32 on a CPU, whatever it is stored in."""


class Weights:
    """A base with its adapters."""

    def __init__(self, base: FrozenBase, device: str = "auto") -> None:
        """Load a base, frozen.

        Raises:
            ModelError: it cannot be loaded.
            MissingExtraError: transformers is not installed.
        """
        try:
            from transformers import AutoModelForCausalLM
        except ImportError as error:
            raise MissingExtraError(extra="learn", needed_for="a language model in this process") from error
        chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        try:
            self.device = torch.device(chosen)
            small = base.parameters < _SMALL and self.device.type == "cpu"
            with _quiet():
                model: Any = AutoModelForCausalLM.from_pretrained(
                    base.folder, dtype=torch.float32 if small else "auto", local_files_only=True
                )
            self._model: Any = model.to(self.device).eval().requires_grad_(False)
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise ModelError(model=str(base.folder), problem=f"cannot be loaded: {_line(error)}") from error
        self.base = base
        self.head: torch.Tensor = model.get_output_embeddings().weight
        """Output head, shape [vocabulary, H]."""
        self.ends = _ends(model)
        """Tokens that end a reply, as the model's own folder names them."""
        config = model.config.get_text_config()
        self.takes_masks = not getattr(config, "sliding_window", None)
        """Whether a mask of our own reaches every layer; layers with a window have one of theirs."""
        self._softcap: float | None = getattr(config, "final_logit_softcapping", None)
        self._body: Any = getattr(model, model.base_model_prefix)
        self._peft: Any = None
        self._active: str | None = ""
        """The adapter that the body computes as, empty for none; None where peft may have changed it."""

    @property
    def adapters(self) -> tuple[str, ...]:
        """Names of the adapters that are in memory."""
        return tuple(self._peft.peft_config) if self._peft is not None else ()

    @property
    def dtype(self) -> str:
        """Name of the number format, e.g. `float32`."""
        return str(self.head.dtype).removeprefix("torch.")

    @property
    def model(self) -> Any:
        """The base as transformers has it, with whatever peft has put into its layers."""
        return self._model

    @property
    def peft(self) -> Any:
        """The model as peft wraps it; None before the first adapter."""
        return self._peft

    def add(self, adapter: Adapter) -> None:
        """Put an adapter beside the base.

        Raises:
            AdapterError: it cannot be loaded.
            MissingExtraError: peft is not installed.
        """
        if adapter.name in self.adapters:
            return
        try:
            from peft import PeftModel
        except ImportError as error:
            raise MissingExtraError(extra="learn", needed_for="an adapter") from error
        try:
            with _quiet():
                if self._peft is None:
                    self._peft = PeftModel.from_pretrained(
                        self._model, str(adapter.folder), adapter_name=adapter.name, autocast_adapter_dtype=False
                    ).eval()
                else:
                    self._peft.load_adapter(str(adapter.folder), adapter.name, autocast_adapter_dtype=False)
                    self._peft.eval()
        except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
            raise AdapterError(adapter=str(adapter.folder), problem=f"cannot be loaded: {_line(error)}") from error
        self._active = None

    def remove(self, name: str) -> None:
        """Let an adapter go."""
        if name not in self.adapters:
            return
        if len(self.adapters) == 1:
            self._model, self._peft = self._peft.unload(), None
            self._body = getattr(self._model, self._model.base_model_prefix)
        else:
            self._peft.delete_adapter(name)
        self._active = None

    def keys(self, adapter: str, prefix: Ids) -> Keys:
        """Compute the keys and values of a prefix."""
        cache = self.empty_cache()
        self.advance(adapter, np.array([prefix]), cache)
        return [(layer.keys, layer.values) for layer in cache.layers]

    def empty_cache(self) -> Any:
        """Return a cache that holds nothing yet."""
        from transformers import DynamicCache

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
        """
        found, _ = self.advance(adapter, ids, self.cache(keys, len(ids)), mask=mask, positions=positions)
        return found

    def cache(self, keys: Keys, rows: int) -> Any:
        """Return a cache that holds the keys of a prefix for each of `rows` rows, or None for no prefix."""
        from transformers import DynamicCache

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
        """Run tokens through the body behind a cache, which grows by them; return states and cache."""
        given: dict[str, Any] = {"cache": cache, "use_cache": cache is not None}
        if mask is not None:
            given["attention_mask"] = torch.from_numpy(mask).to(self.device)
        if positions is not None:
            given["position_ids"] = self._tensor(positions)
        self._become(adapter)
        found: torch.Tensor = self._body(input_ids=self._tensor(ids), **given).last_hidden_state
        return found, cache

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
        if self._softcap is not None:
            logits = torch.tanh(logits / self._softcap) * self._softcap
        rows: list[list[float]] = logits.double().tolist()
        return [_normalised(row[: len(each)]) for row, each in zip(rows, among, strict=True)]

    def logits(self, state: torch.Tensor) -> torch.Tensor:
        """Apply the whole output head to one state, shape [H]; float32, shape [vocabulary]."""
        logits = self.head.float() @ state.float() if self.dtype == "float32" else (self.head @ state).float()
        return logits if self._softcap is None else torch.tanh(logits / self._softcap) * self._softcap

    def _tensor(self, numbers: NDArray[np.int64]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers, dtype=np.int64)).to(self.device)

    def _become(self, adapter: str) -> None:
        """Let the body compute as one adapter from now on, or as the base itself."""
        if adapter == self._active:
            return
        if adapter not in self.adapters and adapter:
            raise AdapterError(adapter=adapter, problem="is not loaded")
        if adapter:
            self._peft.base_model.enable_adapter_layers()
            self._peft.base_model.set_adapter(adapter, inference_mode=True)
        elif self._peft is not None:
            self._peft.base_model.disable_adapter_layers()
        self._active = adapter


def _normalised(logits: Sequence[float]) -> tuple[float, ...]:
    values = np.array(logits, dtype=np.float64)
    values -= values.max()
    return tuple((values - np.log(np.exp(values).sum())).tolist())


def _ends(model: Any) -> frozenset[int]:
    found = getattr(model.generation_config, "eos_token_id", None)
    return frozenset([found] if isinstance(found, int) else found or [])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the libraries from drawing bars and from warning about what we have checked ourselves."""
    from transformers.utils import logging as untyped

    told: Any = untyped
    told.disable_progress_bar()
    before = logging.getLogger("transformers").level
    logging.getLogger("transformers").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.getLogger("transformers").setLevel(before)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
