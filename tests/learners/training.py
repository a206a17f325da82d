"""Short runs for tests: the game of two roles, on the base that comes with hocket."""

from pathlib import Path

from hocket.learners.loop import Training
from hocket.learners.metrics import Telling
from hocket.learners.preset import read_preset

SHORT = ("rounds=3", "rollouts.cohort=4", "evaluation.episodes=2", "evaluation.greedy=false", "lora.rank=4")


def training(folder: Path, *changes: str, preset: str = "pantry-tiny", **how: object) -> Training:
    """Open a short run."""
    chosen = read_preset(preset, [*SHORT, *changes])
    return Training(preset, chosen.config, folder, **how)  # type: ignore[arg-type]


def trained(folder: Path, *changes: str, preset: str = "pantry-tiny", **how: object) -> list[Telling]:
    """Carry one out; return what its rounds told."""
    told: list[Telling] = []
    with training(folder, *changes, preset=preset, **how) as run:
        run.run(told.append)
    return told


def adapters(folder: Path) -> dict[str, bytes]:
    """Return the weights of every adapter of a run, by name."""
    return {path.parent.name: path.read_bytes() for path in sorted(folder.glob("adapters/*/adapter_model.safetensors"))}
