"""How a language model is asked, and how its answer is read."""

from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from hocket.runtime.errors import ModelError, SettingError, UnknownNameError, UsageError

Profile: TypeAlias = Literal["full", "brief"]
"""Prompts in sentences, or in a few fixed words for a model that knows no others."""
Scorer: TypeAlias = Literal["letter", "text", "two_line", "paper", "generate", "json"]
"""How a distribution over the menu, or an answer, comes out of the model; see scoring.py."""
PROFILES: tuple[str, ...] = get_args(Profile)
SCORERS: tuple[str, ...] = get_args(Scorer)
WRITTEN = ("generate", "json")
"""Scorers whose answers are written out and parsed, so that they can fail."""


FILE = "style.json"
"""Where a base, or an adapter, says how it is to be asked."""


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked of one model."""

    profile: Profile = "full"
    scorer: Scorer = "letter"
    temperature: float = 1.0
    """Of the choice; 0 takes the likeliest."""
    grammar: bool = False
    """Whether what is written out can be nothing but a well-formed answer."""
    most_tokens: int = 48
    """Length of what is written out, in tokens."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense, and keep numbers as they are read back from a file.

        Raises:
            UnknownNameError: no such scorer or profile.
            SettingError: a number out of bounds.
        """
        if self.scorer not in SCORERS:
            raise UnknownNameError(kind="scorer", name=self.scorer, known=SCORERS)
        if self.profile not in PROFILES:
            raise UnknownNameError(kind="prompt profile", name=self.profile, known=PROFILES)
        if not 0 <= self.temperature <= 100:
            raise SettingError(setting="temperature", value=self.temperature, right="0 to 100")
        if not 1 <= self.most_tokens <= 4096 or self.most_tokens != int(self.most_tokens):
            raise SettingError(setting="most_tokens", value=self.most_tokens, right="1 to 4096")
        msgspec.structs.force_setattr(self, "temperature", float(self.temperature))
        msgspec.structs.force_setattr(self, "grammar", bool(self.grammar))
        msgspec.structs.force_setattr(self, "most_tokens", int(self.most_tokens))


def read_style(folder: Path) -> Style | None:
    """Read how the model of a folder is to be asked; None where it does not say.

    Raises:
        ModelError: it says so, but that is no style.
    """
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Style)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UsageError) as error:
        raise ModelError(model=str(folder), problem=f"{FILE} does not read as a style: {error}") from error
