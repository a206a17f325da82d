"""The option that every game has: stand still for a few ticks."""

from collections.abc import Sequence

from hocket.runtime.option import Failure, Feature, Instance, Plan, instance


class Wait:
    """Always possible, always a success; so no menu is empty."""

    name = "wait"
    private = True
    replans = False
    slack = 0
    fixed = True
    reads: tuple[Feature, ...] = ()
    senses: tuple[Feature, ...] = ()

    def __init__(self, noop: int, ticks: int) -> None:
        """Say how it is done.

        Args:
            noop: the primitive action that does nothing.
            ticks: how long it takes.
        """
        self._only = (instance("wait", None, f"wait {ticks} tick{'s' * (ticks > 1)}"),)
        self._plan = (noop,) * ticks

    def read(self, instance: Instance, facts: object, seat: int) -> tuple[int, ...]:
        """Read nothing: it depends on nothing."""
        return ()

    sense = read

    def instances(self, facts: object, seat: int) -> Sequence[Instance]:
        """Return the one instance."""
        return self._only

    def expand(self, instance: Instance, facts: object, seat: int) -> Plan | Failure:
        """Do nothing, as often as it says."""
        return self._plan

    def effect(self, instance: Instance, before: object, after: object, seat: int) -> bool:
        """Promise nothing and keep it."""
        return True
