"""Guards as data: which option instances are hidden from a menu, and why.

A guard names an option and what to hide it for: one or two features of an instance
that have certain values (`inferred`), or a reason for which its expansion fails
(`explicit`, tried anew for every menu). Features are declared by the option and are
functions of the facts. Where guards come from is not known here.

Source: section 5.1, stages 3 and 4, of the PA-MAGRPO paper.
"""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec

from hocket.runtime.errors import GuardError
from hocket.runtime.option import Failure, Feature, Instance, Library, Option

F = TypeVar("F")

Channel: TypeAlias = Literal["explicit", "inferred"]
REASON = "__reason__"
"""Stands in `when` of an explicit guard, for the reason that it hides."""


class Guard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hides the instances of one option that it matches."""

    option: str
    channel: Channel
    when: dict[str, str]
    """Feature to value, one or two; or REASON to the reason of a failure."""
    support: int
    """Logged failures that it explains."""

    def words(self) -> str:
        """Say what it hides."""
        if self.channel == "explicit":
            return f"{self.option} where it fails as {self.when[REASON]}"
        return f"{self.option} where " + " and ".join(f"{name} is {value}" for name, value in sorted(self.when.items()))


class _Gate(Generic[F]):
    """All guards of one option."""

    def __init__(self, option: Option[F]) -> None:
        self.option = option
        self.hidden: set[tuple[int, ...]] = set()
        self.reasons: set[str] = set()

    def add(self, guard: Guard) -> None:
        if guard.channel == "explicit":
            self.reasons.add(guard.when[REASON])
            return
        wanted = {name: feature.values.index(guard.when[name]) for name, feature in _named(self.option, guard).items()}
        domain = [
            (wanted[feature.name],) if feature.name in wanted else range(len(feature.values))
            for feature in self.option.reads
        ]
        self.hidden.update(product(*domain))

    def passes(self, instance: Instance, facts: F, seat: int) -> bool:
        if self.hidden and self.option.read(instance, facts, seat) in self.hidden:
            return False
        if not self.reasons:
            return True
        plan = self.option.expand(instance, facts, seat)
        return not (isinstance(plan, Failure) and plan.reason in self.reasons)


class GuardSet(Generic[F]):
    """Guards ready to be asked, for one library."""

    def __init__(self, library: Library[F], guards: Iterable[Guard]) -> None:
        """Look the guards' options and features up.

        Raises:
            GuardError: an option or feature that the library does not have, a value that a
                feature cannot have, or a guard on `wait`, which would let a menu be empty.
        """
        self.guards = tuple(guards)
        self._gates: dict[str, _Gate[F]] = {}
        for guard in self.guards:
            check(guard, library)
            option = library.by_name[guard.option]
            self._gates.setdefault(guard.option, _Gate(option)).add(guard)

    def filter(self, option: Option[F], instances: Sequence[Instance], facts: F, seat: int) -> Sequence[Instance]:
        """Return the instances of `option` that no guard hides, in their order."""
        gate = self._gates.get(option.name)
        if gate is None:
            return instances
        return [instance for instance in instances if gate.passes(instance, facts, seat)]


def check(guard: Guard, library: Library[F]) -> None:
    """Refuse a guard that does not fit a library.

    Raises:
        GuardError: says what does not fit.
    """
    if guard.option not in library.by_name:
        raise GuardError(guard=guard.option, problem=f"the library {library.name!r} has no such option")
    option = library.by_name[guard.option]
    if guard.option == "wait":
        raise GuardError(guard=guard.option, problem="wait is always possible, so that no menu is empty")
    if guard.channel == "explicit":
        if set(guard.when) != {REASON}:
            raise GuardError(guard=guard.option, problem=f"an explicit guard has {REASON} and nothing else")
        return
    if not 1 <= len(guard.when) <= 2:
        raise GuardError(guard=guard.option, problem=f"a guard has 1 or 2 literals, not {len(guard.when)}")
    known = {feature.name: feature for feature in option.reads}
    for name, value in guard.when.items():
        if name not in known:
            raise GuardError(guard=guard.option, problem=f"it reads no feature {name!r} (it reads {', '.join(known)})")
        if value not in known[name].values:
            right = ", ".join(known[name].values)
            raise GuardError(guard=guard.option, problem=f"{name} is never {value!r} (it is one of {right})")


def _named(option: Option[F], guard: Guard) -> dict[str, Feature]:
    return {feature.name: feature for feature in option.reads if feature.name in guard.when}
