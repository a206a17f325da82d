"""The terms of a seat, as text, and what a late seat goes on with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.contract import MOST, Contract, check_contract, read_contract
from hocket.runtime.errors import SettingError
from hocket.runtime.menu import Menu
from hocket.runtime.option import instance

MENU = Menu.of(
    [
        instance("wait", None, "wait"),
        instance("fetch", (5, 1), "fetch"),
        instance("fetch", (0, 2), "fetch"),
        instance("wait_long", None, "wait long"),
    ]
)

PARTS = st.fixed_dictionaries(
    {},
    optional={
        "deadline": st.integers(0, MOST),
        "meanwhile": st.sampled_from(["wait", "fetch@5,1", "fetch@0,2", "open_hatch"]),
        "misses": st.integers(1, MOST),
        "back": st.integers(1, MOST),
    },
)


@given(PARTS.filter(bool).flatmap(lambda parts: st.permutations(list(parts.items()))))
def test_terms_are_read_in_any_order(parts: list[tuple[str, object]]) -> None:
    """Every part may be left out, and the comma of a target parts nothing."""
    contract = read_contract(",".join(f"{key}:{value}" for key, value in parts))

    assert contract == Contract(**dict(parts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        *("", ",", "deadline", "deadline:", ":20", "deadline:x", "deadline:-1", "deadline:1.5", "deadline: 1"),
        *("deadline:20,", "deadline:20,deadline:30", "dedline:20", "deadline:20;misses:3", "meanwhile:"),
        *("misses:0", "back:0", f"deadline:{MOST + 1}", "deadline:99999999999", "deadline:\N{ARABIC-INDIC DIGIT TWO}"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str) -> None:
    """With an example of what would."""
    with pytest.raises(SettingError) as refused:
        read_contract(text)

    assert str(refused.value) == (
        f"contract is {text!r}, but must be e.g. deadline:20,meanwhile:wait,misses:3,back:50, "
        "whole numbers, of misses and back 1 or more"
    )


@pytest.mark.parametrize("contract", [Contract(deadline=-1), Contract(misses=0), Contract(back=0), Contract(back=-3)])
def test_a_contract_in_code_is_held_to_the_same(contract: Contract) -> None:
    """Numbers that make no sense are refused where they come in."""
    with pytest.raises(SettingError, match="contract is Contract"):
        check_contract(contract)


@pytest.mark.parametrize("contract", [Contract(), Contract(deadline=0, misses=1, back=1), Contract(deadline=MOST)])
def test_the_narrowest_terms_are_terms(contract: Contract) -> None:
    """No tick to answer in is harsh, and fair."""
    assert check_contract(contract) is contract


@pytest.mark.parametrize(
    ("meanwhile", "key"),
    [
        ("", ""),
        ("wait", "wait"),
        ("fetch", "fetch@5,1"),
        ("fetch@0,2", "fetch@0,2"),
        ("fetch@9,9", ""),
        ("serve", ""),
        ("wai", ""),
    ],
)
def test_a_late_seat_goes_on_with_what_its_menu_has(meanwhile: str, key: str) -> None:
    """An instance by its key; an option by its name, at the target that comes first; else nothing."""
    assert Contract(meanwhile=meanwhile).instead(MENU) == key
