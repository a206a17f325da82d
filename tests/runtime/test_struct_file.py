"""Files that are read as what they should be."""

from pathlib import Path

import msgspec
import pytest

from hocket.runtime.errors import FileError
from hocket.runtime.struct_file import fitted, read_json, read_toml


class Order(msgspec.Struct, frozen=True):
    soups: int
    guests: tuple[str, ...] = ()


def test_what_fits_is_read(tmp_path: Path) -> None:
    """JSON as a struct, TOML as it stands and then as one."""
    path = tmp_path / "order"
    path.write_text('{"soups": 2, "guests": ["ada"]}')
    assert read_json(path, Order, "order") == Order(2, ("ada",))
    path.write_text('soups = 3\nguests = ["bo"]')
    assert fitted(path, read_toml(path), Order) == Order(3, ("bo",))


@pytest.mark.parametrize("content", ["", "[", "[1]", '{"soups": "two"}', "[" * 100_000])
def test_what_is_no_such_file_is_named(tmp_path: Path, content: str) -> None:
    """With what it should have been."""
    path = tmp_path / "order.json"
    path.write_text(content)

    with pytest.raises(FileError, match=r"order.json: is no order that this version reads: "):
        read_json(path, Order, "order")


@pytest.mark.parametrize("content", [b"soups = ", b"\xff\xfe", b"a = " + b"1" * 5000, b"a = " + b"[" * 100_000])
def test_what_is_no_toml_is_named(tmp_path: Path, content: bytes) -> None:
    """Half a line, other letters, numbers and depths that nothing can hold."""
    path = tmp_path / "order.toml"
    path.write_bytes(content)

    with pytest.raises(FileError, match=r"order.toml: is no TOML: "):
        read_toml(path)


@pytest.mark.parametrize("read", [lambda path: read_json(path, Order, "order"), read_toml])
def test_what_is_not_there_is_named(tmp_path: Path, read: "object") -> None:
    """And so is a folder."""
    assert callable(read)
    with pytest.raises(FileError, match="nowhere: no such file or directory"):
        read(tmp_path / "nowhere")
    with pytest.raises(FileError, match="is a directory"):
        read(tmp_path)


def test_a_value_of_another_kind_is_named_where_it_stands(tmp_path: Path) -> None:
    """In words that the caller may put otherwise."""
    path = tmp_path / "order.toml"

    with pytest.raises(FileError, match=r"order.toml: guests\[1\]: expected `str`, got `int`"):
        fitted(path, {"soups": 1, "guests": ["ada", 2]}, Order)
    with pytest.raises(FileError, match=r"order.toml: at the table: expected"):
        fitted(path, {"soups": "two"}, Order, lambda at: "at the table")
    with pytest.raises(FileError, match=r"order.toml: it: object missing required field `soups`"):
        fitted(path, {}, Order)
