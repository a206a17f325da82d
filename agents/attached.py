"""Adapters in memory, beside one base: peft puts them into its layers.

They add no copy of the base. A name stands for one set of weights, from its first mention
until it is removed.
"""

from typing import Any

from peft import PeftModel
from peft.tuners.tuners_utils import BaseTunerLayer

from hocket.agents.adapter import Adapter
from hocket.agents.libraries import FAILURES, quiet
from hocket.runtime.errors import AdapterError
from hocket.runtime.fault import one_line


class Attached:
    """The adapters of one model."""

    def __init__(self, model: Any) -> None:
        """Begin with none beside a model of transformers."""
        self._model = model
        self._peft: Any = None
        self._digests: dict[str, str] = {}
        """Of the adapters in memory, by name."""
        self._active: str | None = ""
        """The adapter that the model computes as, empty for none; None where peft may have changed it."""

    def add(self, adapter: Adapter) -> None:
        """Put an adapter beside the base.

        Raises:
            AdapterError: it cannot be loaded, or its name stands for other weights; all is as before then.
        """
        known = self._digests.get(adapter.name, adapter.digest)
        if known != adapter.digest:
            raise AdapterError(adapter=adapter.name, problem="stands for other weights already")
        if adapter.name in self._digests:
            return
        self._active = None
        try:
            with quiet():
                self._insert(adapter)
        except BaseException as error:
            self._take_out(adapter.name)
            if not isinstance(error, FAILURES):
                raise
            raise AdapterError(adapter=str(adapter.folder), problem=f"cannot be loaded: {one_line(error)}") from error
        self._digests[adapter.name] = adapter.digest

    def remove(self, name: str) -> None:
        """Let an adapter go."""
        if self._digests.pop(name, None) is not None:
            self._active = None
            self._take_out(name)

    def _insert(self, adapter: Adapter) -> None:
        folder = str(adapter.folder)
        if self._peft is None:
            self._peft = PeftModel.from_pretrained(
                self._model, folder, adapter_name=adapter.name, autocast_adapter_dtype=False
            )
        else:
            self._peft.load_adapter(folder, adapter.name, autocast_adapter_dtype=False)
        self._peft.eval()

    def _take_out(self, name: str) -> None:
        """Leave nothing of an adapter, however much of it is there: peft enters it layer by layer, then reads it."""
        if not self._digests:
            _strip(self._model)
            self._peft = None
            return
        with quiet():
            for layer in list(self._model.modules()):
                if isinstance(layer, BaseTunerLayer):
                    layer.delete_adapter(name)
        self._peft.peft_config.pop(name, None)

    def become(self, adapter: str) -> None:
        """Let the model compute as one adapter from now on, or as the base itself.

        Raises:
            AdapterError: the adapter is not loaded.
        """
        if adapter == self._active:
            return
        if adapter and adapter not in self._digests:
            raise AdapterError(adapter=adapter, problem="is not loaded")
        if adapter:
            self._peft.base_model.enable_adapter_layers()
            self._peft.base_model.set_adapter(adapter, inference_mode=True)
        elif self._peft is not None:
            self._peft.base_model.disable_adapter_layers()
        self._active = adapter


def _strip(model: Any) -> None:
    """Put the model's own layers back where peft has put others around them."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, BaseTunerLayer):
                setattr(module, name, child.get_base_layer())
    if hasattr(model, "peft_config"):
        del model.peft_config
