"""What transformers and peft raise and print, brought into our form."""

import contextlib
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import transformers
from safetensors import SafetensorError

FAILURES = (
    OSError,
    ValueError,
    RuntimeError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    SafetensorError,
)
"""What the libraries raise where a file is damaged or a model is of another kind."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries from drawing bars and from warning about what we have checked ourselves."""
    told: Any = transformers.utils.logging
    told.disable_progress_bar()
    before = logging.getLogger("transformers").level
    logging.getLogger("transformers").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.getLogger("transformers").setLevel(before)
