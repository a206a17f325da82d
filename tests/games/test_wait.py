"""The option that every game has."""

from hocket.games.wait import Wait

STAY = 4


def test_waiting_takes_the_ticks_that_it_says() -> None:
    """The line on the menu is for people and models: one tick is no ticks."""
    one, two = Wait(STAY, 1), Wait(STAY, 2)

    assert [each.instances(None, 0)[0].words for each in (one, two)] == ["wait 1 tick", "wait 2 ticks"]
    assert one.expand(one.instances(None, 0)[0], None, 0) == (STAY,)
    assert two.expand(two.instances(None, 0)[0], None, 0) == (STAY, STAY)
    assert two.effect(two.instances(None, 0)[0], None, None, 0)
