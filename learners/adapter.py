"""One agent's adapter while it learns: LoRA matrices in float32, and their optimiser.

Nothing of it is shared with another agent, so its loss can reach nothing else. It is read
from a PEFT folder and written to the next; folders are never changed.
"""

import json
from math import isfinite
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load, save
from torch.optim import AdamW

from hocket.agents.adapter import CONFIG, PREFIX, WEIGHTS, Adapter
from hocket.agents.fresh import write_adapter
from hocket.learners.config import Optimiser
from hocket.runtime.errors import AdapterError


class Learning:
    """An adapter that learns."""

    def __init__(self, adapter: Adapter, device: torch.device, settings: Optimiser) -> None:
        """Read an adapter from its folder.

        Raises:
            AdapterError: it is not plain LoRA with one rank and scale for all layers.
        """
        if adapter.dora or adapter.rslora or adapter.mixed_ranks:
            raise AdapterError(
                adapter=str(adapter.folder), problem="is DoRA, rsLoRA or of mixed ranks: cannot be trained"
            )
        self._config: dict[str, Any] = json.loads((adapter.folder / CONFIG).read_text("utf-8"))
        stored = load((adapter.folder / WEIGHTS).read_bytes())
        self.tensors = {
            name.removeprefix(PREFIX): stored[name].to(device, torch.float32, copy=True).requires_grad_()
            for name in sorted(stored)
        }
        """`LAYER.lora_A.weight`, shape [rank, in], and `LAYER.lora_B.weight`, shape [out, rank]."""
        self.scale = float(self._config["lora_alpha"]) / float(self._config["r"])
        self.layers = tuple(
            name.removesuffix(".lora_A.weight") for name in self.tensors if name.endswith(".lora_A.weight")
        )
        self.published = adapter
        """What it was last read from or written to."""
        self._optimiser = AdamW(
            list(self.tensors.values()),
            lr=settings.learning_rate,
            betas=settings.betas,
            eps=settings.epsilon,
            weight_decay=settings.weight_decay,
        )

    def change(self, layer: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Return A and B of a layer."""
        return self.tensors[f"{layer}.lora_A.weight"], self.tensors[f"{layer}.lora_B.weight"]

    def step(self, most: float) -> float:
        """Take a step along the gradient, clipped to a norm; return the norm before that.

        Where it is not finite, nothing is changed.
        """
        norm = float(torch.nn.utils.clip_grad_norm_(list(self.tensors.values()), most))
        if isfinite(norm):
            self._optimiser.step()
        self.forget()
        return norm

    @property
    def is_finite(self) -> bool:
        """Whether all of its weights are numbers."""
        return all(bool(torch.isfinite(each).all()) for each in self.tensors.values())

    def forget(self) -> None:
        """Drop the gradient."""
        self._optimiser.zero_grad(set_to_none=True)

    def write(self, folder: Path) -> None:
        """Write it as a PEFT folder, which must not be there yet.

        Raises:
            AdapterError: it cannot be written.
        """
        weights = {f"{PREFIX}{name}": tensor.detach().cpu().numpy() for name, tensor in self.tensors.items()}
        write_adapter(folder, json.dumps(self._config, indent=2, sort_keys=True) + "\n", weights)

    def optimiser_state(self) -> bytes:
        """Return the state of the optimiser, to be gone on with bit for bit."""
        held = self._optimiser.state_dict()["state"]
        names = list(self.tensors)
        return save(
            {
                f"{names[number]}:{part}": value.detach().cpu().contiguous()
                for number, parts in sorted(held.items())
                for part, value in sorted(parts.items())
            }
        )

    def restore(self, state: bytes) -> None:
        """Go on from a state of the optimiser."""
        numbers = {name: number for number, name in enumerate(self.tensors)}
        held: dict[int, dict[str, torch.Tensor]] = {}
        for key, value in load(state).items():
            name, _, part = key.rpartition(":")
            held.setdefault(numbers[name], {})[part] = value
        whole = self._optimiser.state_dict()
        self._optimiser.load_state_dict({**whole, "state": held})
