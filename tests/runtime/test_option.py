"""Options: their instances, and the library that holds them."""

from pathlib import Path

from hocket.games.wait import Wait
from hocket.runtime.option import Instance, Library, instance, source_digest


def test_an_instance_is_named_for_its_target() -> None:
    """Two shelves are two entries, on the menu as in the trace."""
    assert instance("fetch", (0, 2), "fetch a jar") == Instance("fetch", (0, 2), "fetch a jar @ (0, 2)", "fetch@0,2")
    assert instance("wait", None, "wait 2 ticks") == Instance("wait", None, "wait 2 ticks", "wait")


def test_a_digest_speaks_for_every_source(tmp_path: Path) -> None:
    """A trace that was recorded with other options can tell that they were others."""
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("ada")
    other.write_text("bo")
    before = source_digest(str(one), str(other))

    again = source_digest(str(one), str(other))
    other.write_text("bob")
    after = source_digest(str(one), str(other))

    assert before == again != after
    assert len(before) == 16 == len(bytes.fromhex(before)) * 2


def test_a_library_keeps_its_options_in_order_and_finds_them_by_name() -> None:
    """The order is that of the menu before it is shuffled, so it is part of the episode."""
    wait = Wait(4, 2)

    library: Library[object] = Library(name="default", version=1, digest="00", options=[wait])

    assert library.options == (wait,)
    assert library.by_name == {"wait": wait}
