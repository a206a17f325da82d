"""Cleanup and Commons Harvest as lines in the table of games."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from hocket.games.guard_files import committed_guards
from hocket.games.meltingpot.cleanup import cleanup_library
from hocket.games.meltingpot.ground import MOST, Ground
from hocket.games.meltingpot.harvest import harvest_library
from hocket.games.meltingpot.machine import needed
from hocket.games.meltingpot.order import SUBSTRATES
from hocket.games.meltingpot.sources import VERSION, digest, substrates
from hocket.games.meltingpot.terrain import read_terrain
from hocket.games.meltingpot.world import Family, MeltingPot, order_of
from hocket.runtime.errors import SettingError, SubstratesError, UnknownNameError
from hocket.runtime.game import Game, GameSpec
from hocket.runtime.option import Library

FEWEST, MOST_SEATS = 2, 12
NO_THINNING = 0.025
"""Chance of an apple to grow in a step of `harvest:no_thinning`: our reading, see docs/meltingpot.md."""
LIBRARIES = ("default", "zap")
_TARGETS = ("view", "world")


class MeltingPotKind:
    """All substrates of one family."""

    def __init__(self, name: Family, about: str, library: Callable[[str, Ground], Library[Any]]) -> None:
        self.name, self.about, self._library = name, about, library
        full = [known for known in SUBSTRATES if known.partition(":")[0] == name]
        self._variants = tuple(known.partition(":")[2] for known in full)

    def variants(self) -> tuple[str, ...]:
        """Return what may stand behind the colon."""
        return self._variants

    def make(self, variant: str, settings: Mapping[str, object]) -> Game[Any]:
        """Build a world.

        Settings: `seats`, 2 to 12; `targets`, `view` or `world`: what options may be aimed at; `nearest`, 1 to 8:
        targets of a class; of `no_thinning` also `regrowth`, 0 to 1.

        Raises:
            UnknownNameError: no such substrate or setting.
            SettingError: a value that makes no sense.
            MissingExtraError: the packages of the extra are missing.
            SubstratesError: Melting Pot's own files are missing.
        """
        if variant not in self._variants:
            if not variant:
                right = f"{self.name}:NAME, one of {', '.join(self._variants)}"
                raise SettingError(setting="game", value=self.name, right=right)
            if self._variants == ("",):
                raise SettingError(
                    setting="game", value=f"{self.name}:{variant}", right=f"{self.name}, which is one game"
                )
            raise UnknownNameError(kind=f"variant of {self.name}", name=variant, known=self._variants)
        name = f"{self.name}:{variant}" if variant else self.name
        usual = _usual(name)
        for setting in settings:
            if setting not in usual:
                raise UnknownNameError(kind=f"setting of {name}", name=setting, known=usual)
        chosen = usual | dict(settings)
        _check(chosen)
        needed()
        folder = substrates()
        terrain = read_terrain(folder / "meltingpot" / "configs" / "substrates" / f"{SUBSTRATES[name]}.py")
        whole = chosen | {"map": list(terrain.rows), "version": VERSION, "digest": digest(folder)}
        return MeltingPot(GameSpec(self.name, name, whole), order_of(name, folder, whole), terrain)

    def rebuild(self, spec: GameSpec) -> Game[Any]:
        """Build the world of a trace.

        Raises:
            SubstratesError: Melting Pot's files are not those that it was recorded with.
        """
        given = {key: value for key, value in spec.settings.items() if key not in ("map", "version", "digest")}
        game = self.make(spec.name.partition(":")[2], given)
        was, now = (each.settings for each in (spec, game.spec))
        if (was["version"], was["digest"]) != (now["version"], now["digest"]):
            problem = (
                f"were of version {was['version']} ({was['digest']}) when this was recorded, but installed is "
                f"version {now['version']} ({now['digest']})"
            )
            raise SubstratesError(problem=problem)
        return game

    def rules(self, spec: GameSpec) -> GameSpec:
        """Return the spec with the usual settings: what an option does depends on none of them."""
        return GameSpec(spec.kind, spec.name, spec.settings | _usual(spec.name))

    def guards(self, game: Game[Any], library: str) -> bytes | None:
        """Return the guard file of a substrate, where one is committed."""
        return committed_guards("hocket.games.meltingpot", library, game.spec.name)

    def library(self, game: Game[Any], name: str) -> Library[Any]:
        """Return an option library: `default`, or `zap` with zapping as well."""
        if name not in LIBRARIES:
            raise UnknownNameError(kind="option library", name=name, known=LIBRARIES)
        return self._library(name, cast(MeltingPot, game).ground)


def _usual(name: str) -> dict[str, object]:
    """Return what is set where nothing is said."""
    usual: dict[str, object] = {"seats": 7, "targets": "view", "nearest": MOST}
    return usual | {"regrowth": NO_THINNING} if name == "harvest:no_thinning" else usual


def _check(settings: Mapping[str, object]) -> None:
    seats, nearest, targets = settings["seats"], settings["nearest"], settings["targets"]
    if type(seats) is not int or not FEWEST <= seats <= MOST_SEATS:
        raise SettingError(setting="seats", value=seats, right=f"{FEWEST} to {MOST_SEATS}")
    if type(nearest) is not int or not 1 <= nearest <= MOST:
        raise SettingError(setting="nearest", value=nearest, right=f"1 to {MOST}")
    if targets not in _TARGETS:
        raise SettingError(setting="targets", value=targets, right=" or ".join(_TARGETS))
    chance = settings.get("regrowth", 0.0)
    if type(chance) not in (int, float) or not 0 <= cast(float, chance) <= 1:
        raise SettingError(setting="regrowth", value=chance, right="a chance of 0 to 1")


CLEANUP = MeltingPotKind("cleanup", "Melting Pot Cleanup: clean the river, or no apple grows", cleanup_library)
HARVEST = MeltingPotKind(
    "harvest", "Melting Pot Commons Harvest: eat apples, and leave some to regrow", harvest_library
)
