"""Names and shapes of the tensors in safetensors files, without their contents."""

from collections.abc import Sequence
from pathlib import Path

from hocket.runtime.errors import MissingExtraError, ModelError


def shapes(paths: Sequence[Path], owner: str) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of some files, by name.

    Args:
        paths: of safetensors files.
        owner: the model or adapter that they belong to, for the sentence.

    Raises:
        ModelError: one of them is damaged or no such file.
        MissingExtraError: safetensors is not installed.
    """
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtraError(extra="learn", needed_for="a language model") from error
    found: dict[str, tuple[int, ...]] = {}
    for path in paths:
        try:
            with safe_open(path, framework="np") as file:
                found |= {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise ModelError(model=owner, problem=f"{path.name} cannot be read: {error}") from error
    return found
