"""One substrate in dmlab2d, stepped and read; lives in a process of its own.

`import meltingpot` would load TensorFlow, so the package is put among the modules without
being run: only its configurations are imported, which need none of it.
"""

import importlib
import sys
import types
from importlib.resources import files
from typing import Any

import dmlab2d
import numpy as np
from dmlab2d import runfiles_helper
from ml_collections import config_dict
from numpy.typing import NDArray

from hocket.games.meltingpot.facts import OUT, Facts, Happening, Moment
from hocket.games.meltingpot.order import Order, Start

_FOREVER = 2**30
"""Frames after which a substrate may end by itself: the length of an episode is for its driver to count."""
_PARTS = ("move", "turn", "fireZap", "fireClean")
_APPLE, _DIRT, _AVATAR = 1, 2, 3
"""What sprites are counted as; an avatar as `_AVATAR` + 4 * seat + heading."""


class Lab:
    """One world, built but not begun."""

    def __init__(self, order: Order) -> None:
        """Build it, which takes about a second.

        Args:
            order: which substrate, and where its files are.
        """
        settings, self.actions = _settings(order)
        self._seats = order.seats
        self.raw = dmlab2d.Lab2d(runfiles_helper.find(), settings)
        """The world as dmlab2d has it."""
        self.raw.start(0, 1)
        self._controls, self._joint = self._wiring()
        self._codes = np.array([_code(name) for name in self._sprites()], dtype=np.uint8)
        self.width, self._layers = map(int, self.raw.observation("WORLD.LAYER").shape[1:])
        self._counts = {kind: [0] * order.seats for kind in ("ate", "cleaned", "zapped")}
        self._latest: Facts | None = None

    def begin(self, start: Start) -> Moment:
        """Place everything and throw the dice; once."""
        self.raw.write_property("begin", f"{start.start} {start.play} {start.apples} {start.dirt}")
        self.raw.events()
        return self._moment(begun=True)

    def step(self, joint: bytes) -> Moment:
        """Carry out one action a seat, as indices into `actions`; whoever calls has checked them."""
        self._joint[self._controls] = self.actions[np.frombuffer(joint, dtype=np.uint8)]
        self.raw.act_discrete(self._joint)
        self.raw.advance()
        return self._moment()

    def rgb(self) -> NDArray[np.uint8]:
        """Return the substrate's own picture, shape [height, width, 3], 8 pixels a cell."""
        picture: NDArray[np.uint8] = self.raw.observation("WORLD.RGB")
        return picture

    def close(self) -> None:
        """Do nothing: it ends with its process."""

    def read(self, name: str) -> NDArray[Any]:
        """Return one of dmlab2d's observations, for tests."""
        observation: NDArray[Any] = self.raw.observation(name)
        return observation

    def _wiring(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Return which control each part of each seat's action is; dmlab2d's order differs from world to world."""
        names = self.raw.action_discrete_names()
        parts = _PARTS[: self.actions.shape[1]]
        controls = [[names.index(f"{seat + 1}.{part}") for part in parts] for seat in range(self._seats)]
        return np.array(controls), np.zeros(len(names), dtype=np.int32)

    def _moment(self, *, begun: bool = False) -> Moment:
        codes = self._codes.take(self.raw.observation("WORLD.LAYER")).ravel()
        places = codes.nonzero()[0]
        kinds, cells = codes[places], places // self._layers
        before, happenings = self._latest, []
        for name, told in () if begun else self.raw.events():
            happening = self._happening(name, told)
            if happening is not None:
                happenings.append(happening)
                self._counts[happening.kind][happening.seat] += 1
        zap, clean, reward = self.raw.observation("WORLD.TIMERS").T.tolist()
        where, headings = [OUT] * self._seats, list(before.headings) if before else [0] * self._seats
        avatars = kinds >= _AVATAR
        for kind, cell in zip(kinds[avatars].tolist(), cells[avatars].tolist(), strict=True):
            seat, heading = divmod(kind - _AVATAR, 4)
            where[seat], headings[seat] = cell, heading
        facts = self._latest = Facts(
            tuple(where),
            tuple(headings),
            tuple(zap),
            tuple(clean),
            tuple(cells[kinds == _APPLE].tolist()),
            tuple(cells[kinds == _DIRT].tolist()),
            tuple(self._counts["ate"]),
            tuple(self._counts["cleaned"]),
            tuple(self._counts["zapped"]),
        )
        return Moment(facts, tuple(map(float, reward)), tuple(happenings))

    def _sprites(self) -> list[str]:
        """Return the name of each sprite with its heading, in order of the numbers in WORLD.LAYER."""
        names: bytes = self.raw.observation("WORLD.SPRITE_NAMES")
        return names.decode().split("\n")

    def _happening(self, name: str, told: list[Any]) -> Happening | None:
        if not name.startswith("hocket_"):
            return None
        fields = {told[place].decode(): int(told[place + 1]) for place in range(1, len(told), 2)}
        at = fields["y"] * self.width + fields["x"]
        return Happening(name.removeprefix("hocket_"), fields["seat"] - 1, at, fields.get("other", 0) - 1)


def _code(sprite: str) -> int:
    name, _, heading = sprite.rpartition(".")
    if name in ("Apple", "Dirt"):
        return _APPLE if name == "Apple" else _DIRT
    seat = name.removeprefix("Avatar")
    return _AVATAR + 4 * (int(seat) - 1) + "NESW".index(heading) if name != seat and seat.isdecimal() else 0


def _settings(order: Order) -> tuple[dict[str, str], NDArray[np.int32]]:
    """Return what dmlab2d is built with, and the actions as rows of their parts, shape [actions, 3 or 4]."""
    package = types.ModuleType("meltingpot")
    package.__path__ = [f"{order.folder}/meltingpot"]
    sys.modules.setdefault("meltingpot", package)
    builder = importlib.import_module("meltingpot.utils.substrates.builder")
    module = importlib.import_module(f"meltingpot.configs.substrates.{order.substrate}")
    config = module.get_config()
    settings: Any = config_dict.ConfigDict(module.build(roles=("default",) * order.seats, config=config)).unlock()
    settings.maxEpisodeLengthFrames = _FOREVER
    for component in settings.simulation.scene["components"]:
        if component["component"] == "StochasticIntervalEpisodeEnding":
            component["kwargs"]["minimumFramesPerEpisode"] = _FOREVER
    changes = {"apple": {"DensityRegrow": {"regrowthProbabilities": list(order.regrowth)}}} if order.regrowth else None
    builder.apply_prefab_overrides(settings, changes)
    builder.maybe_build_and_add_avatar_objects(settings)
    builder.locate_and_overwrite_level_directory(settings)
    flat = builder.parse_python_settings_for_dmlab2d(settings)
    script = files("hocket.games.meltingpot").joinpath("level.lua").read_text(encoding="utf-8")
    flat["levelName"] = f'=LEVEL = "{order.level}"\n{script}'
    flat["env_seed"] = "1"
    parts = [part for part in _PARTS if part in module.ACTION_SET[0]]
    return flat, np.array([[action[part] for part in parts] for action in module.ACTION_SET], dtype=np.int32)
