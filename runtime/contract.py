"""What a seat owes the episode, and what follows when it does not answer.

No seat ever stalls another: an offer that is not answered by its deadline lapses, the
seat stands still or goes on with a default option, and an agent that misses too often
loses the seat to the fallback, for a while or for good.
"""

import re

import msgspec

from hocket.runtime.errors import SettingError
from hocket.runtime.menu import Menu

MOST = 1_000_000_000
"""Ticks, or misses, beyond which a number makes no sense."""
_PARTS = re.compile(r",(?=[a-z]+:)")
"""Between the parts of a contract's text; the comma of a target (`pick_onion@5,1`) is none."""


class Contract(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The terms of one seat; by default, no terms at all."""

    deadline: int | None = None
    """Ticks that an offer stands open: a choice that would take effect later is late. None for as long as it takes."""
    meanwhile: str = ""
    """Option, or key of an instance, that a late seat goes on with where its menu has it; empty to stand still."""
    misses: int | None = None
    """Offers in a row that lapse or are rejected before the seat goes to the fallback; None for never."""
    back: int | None = None
    """Ticks after which the seat goes back to its agent; None for never."""

    def instead(self, menu: Menu) -> str:
        """Return the key on `menu` that a late seat goes on with, empty where there is none."""
        if self.meanwhile in menu.keys:
            return self.meanwhile
        return next((entry.key for entry in menu.entries if entry.option == self.meanwhile), "")


PATIENT = Contract(deadline=40)
"""The terms of every seat in virtual time, where nothing else is said: what is lost must lapse some time."""


def read_contract(text: str, default: Contract | None = None) -> Contract:
    """Read `deadline:20,meanwhile:wait,misses:3,back:50`, any part of it; what is left out is as in `default`.

    A deadline may be `never`.

    Raises:
        SettingError: it is not of that form.
    """
    fields: dict[str, object] = {}
    for part in _PARTS.split(text):
        key, _, value = part.partition(":")
        if key not in Contract.__struct_fields__ or key in fields or not value:
            raise _wrong(text)
        if (key, value) == ("deadline", "never"):
            fields[key] = None
            continue
        if key != "meanwhile" and not (value.isascii() and value.isdecimal() and len(value) <= 10):
            raise _wrong(text)
        fields[key] = value if key == "meanwhile" else int(value)
    return check_contract(msgspec.structs.replace(default or Contract(), **fields), text)


def check_contract(contract: Contract, text: str = "") -> Contract:
    """Refuse numbers that make no sense.

    Raises:
        SettingError: a negative deadline, or no miss at all, or no tick until the seat comes back.
    """
    for number, least in ((contract.deadline, 0), (contract.misses, 1), (contract.back, 1)):
        if number is not None and not least <= number <= MOST:
            raise _wrong(text or contract)
    return contract


def _wrong(value: object) -> SettingError:
    right = "e.g. deadline:20,meanwhile:wait,misses:3,back:50, whole numbers, of misses and back 1 or more"
    return SettingError(setting="contract", value=value, right=right)
