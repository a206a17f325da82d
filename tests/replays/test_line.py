"""The form of one line, and its hash."""

import pytest

from hocket.replays.line import chain, is_sound, put_together, take_apart


@pytest.mark.parametrize("number", [0, 1, 9, 10, 123456])
def test_what_is_put_together_comes_apart(number: int) -> None:
    """Numbers of any length; line 0 has another form than all others."""
    line = put_together(b'{"tick":3}', chain(b"ada", b'{"tick":3}'), number)

    body, digest = take_apart(line, number)

    assert (body, digest) == (b'{"tick":3}', chain(b"ada", b'{"tick":3}'))
    assert is_sound(line, number, b"ada")
    assert not is_sound(line, number, b"bo")
    assert not is_sound(line, number + 1, b"ada")


@pytest.mark.parametrize("line", [b"", b"\n", b"{}\n", b"x" * 47 + b"\n", b'{"event":\n'])
@pytest.mark.parametrize("number", [0, 1])
def test_what_is_no_line_is_not_sound(line: bytes, number: int) -> None:
    """Shorter than any line may be, it comes apart all the same."""
    assert not is_sound(line, number, b"")
