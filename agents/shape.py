"""What a configuration says of a small decoder of Qwen3's kind, and whether it is one."""

from pathlib import Path

import msgspec

_ARCHITECTURE = "Qwen3ForCausalLM"
_MOST_LAYERS = 4
"""More layers gain nothing by being written out."""


class Shape(msgspec.Struct, frozen=True):
    """What a configuration says of such a decoder."""

    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float
    architectures: tuple[str, ...]
    rope_parameters: dict[str, object]
    tie_word_embeddings: bool
    hidden_act: str = "silu"
    use_sliding_window: bool = False

    @property
    def known(self) -> bool:
        """Whether it is of the kind that is written out here."""
        plain = self.rope_parameters.get("rope_type") == "default" and self.hidden_act == "silu"
        few = 2 <= self.num_hidden_layers <= _MOST_LAYERS and self.tie_word_embeddings
        return self.architectures == (_ARCHITECTURE,) and plain and few and not self.use_sliding_window


def read_shape(folder: Path) -> Shape | None:
    """Read the configuration of a base; None where it is not of this kind."""
    try:
        shape = msgspec.json.decode((folder / "config.json").read_bytes(), type=Shape)
    except (msgspec.DecodeError, OSError):
        return None
    return shape if shape.known else None
