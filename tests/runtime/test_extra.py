"""Packages of optional extras."""

import sys

import pytest

from hocket.runtime.errors import MissingExtraError
from hocket.runtime.extra import imported


def test_what_is_installed_is_returned() -> None:
    """By its full name, not by that of the package that it is part of."""
    assert imported("json.decoder", extra="none", needed_for="letters") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["nowhere_at_all", "nowhere_at_all.part", "json.nowhere"])
def test_what_is_not_is_told_with_what_to_install(module: str) -> None:
    """One sentence."""
    with pytest.raises(MissingExtraError, match=r"figures needs the extra 'report': pip install 'hocket\[report\]'"):
        imported(module, extra="report", needed_for="figures")
