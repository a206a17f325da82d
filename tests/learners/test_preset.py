"""Presets: each reads, says where its numbers come from, and names what is right."""

from pathlib import Path
from typing import get_args

import pytest

from hocket.learners.config import Starts
from hocket.learners.preset import SOURCES, names, read_preset
from hocket.runtime.errors import PresetError, SettingError, UnknownNameError
from hocket.runtime.game import STARTS

OVERCOOKED = {"lora.rank": 16, "optimiser.learning_rate": 2e-5, "rollouts.cohort": 6, "rollouts.temperature": 0.9}
MELTING_POT = {"lora.rank": 32, "optimiser.learning_rate": 5e-5, "rollouts.cohort": 4, "rollouts.temperature": 0.7}


def written(folder: Path, text: str) -> str:
    """Write a preset of one's own; return its path."""
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("name", names())
def test_every_preset_reads(name: str) -> None:
    """One that does not would be found by its user, on a rented machine."""
    preset = read_preset(name)

    assert preset.config.about
    assert {source for _, _, source in preset.listing()} <= set(SOURCES)


@pytest.mark.parametrize(
    "text",
    [
        'extends = "a\\u0000.toml"',
        f'seed = {{ value = {"9" * 5000}, source = "ours" }}',
        f"x = {'[' * 3000}{']' * 3000}",
        f"{'a.' * 3000}a = 1",
        '[update]\ngradient_clip = { value = inf, source = "ours" }',
        '[game]\nbest_return = { value = nan, source = "ours" }',
    ],
    ids=["a NUL", "a long number", "deep lists", "deep keys", "no end", "no number"],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    """By a sentence, and before anything is begun."""
    with pytest.raises((PresetError, UnknownNameError)):
        read_preset(written(tmp_path, text))


@pytest.mark.parametrize("base", ["qwen3-4b", "qwen3.5-2b", "gemma-4-e4b", "gemma-4-e2b"])
@pytest.mark.parametrize(
    ("game", "numbers"),
    [
        ("overcooked-aa", OVERCOOKED | {"update.kl": 0.05, "rollouts.steps": 400}),
        ("overcooked-fc", OVERCOOKED | {"update.kl": 0.05, "rollouts.steps": 400}),
        ("cleanup", MELTING_POT | {"rollouts.steps": 150}),
        ("harvest", MELTING_POT | {"rollouts.steps": 400}),
    ],
)
def test_a_published_run_has_the_papers_numbers(game: str, base: str, numbers: dict[str, float]) -> None:
    """Section 6.1 of the paper, for every game and backbone."""
    told = {key: (value, source) for key, value, source in read_preset(f"{game}-{base}").listing()}

    always = {"update.epochs": 2, "update.clip": 0.2, "update.gradient_clip": 1.0, "update.advantage": "episode"}
    for key, value in (numbers | always).items():
        assert told[key] == (value, "paper"), key


@pytest.mark.parametrize("key", ["rounds", "lora.alpha", "lora.targets", "optimiser.betas", "update.minibatch"])
def test_what_the_paper_leaves_open_is_ours(key: str) -> None:
    """A number of ours must not pass for a published one."""
    told = {name: source for name, _, source in read_preset("cleanup-qwen3-4b").listing()}

    assert told[key] == "ours"
    assert told["update.kl"] == "ours"  # given for Overcooked alone


def test_the_ablations_differ_in_their_cell_alone() -> None:
    """No per-method tuning, as the paper says."""
    full = dict(_values("overcooked-aa-qwen3-4b"))

    for cell, changed in {
        "native": {"cell.interface"},
        "shared": {"cell.capacity"},
        "frozen": {"cell.capacity"},
        "frozen-native": {"cell.interface", "cell.capacity"},
        "json": {"cell.interface", "model.scorer", "update.credit"},
    }.items():
        other = dict(_values(f"overcooked-aa-qwen3-4b-{cell}"))
        assert {key for key in full if full[key] != other[key]} == changed | {"about"}


def _values(name: str) -> list[tuple[str, object]]:
    return [(key, value) for key, value, _ in read_preset(name).listing()]


def test_a_change_is_marked_as_given() -> None:
    """It stands in the listing beside what it replaced."""
    preset = read_preset("pantry-tiny", ["rollouts.cohort=4", "lora.blocks=[1]", "model.scorer=letter"])

    told = {key: (value, source) for key, value, source in preset.listing()}
    assert told["rollouts.cohort"] == (4, "given")
    assert preset.config.lora.blocks == (1,)
    assert preset.config.model.scorer == "letter"


def test_a_setting_of_the_game_can_be_given() -> None:
    """Games have settings of their own, which no list here knows."""
    preset = read_preset("overcooked-aa-tiny", ["game.settings.old_dynamics=true"])

    assert preset.config.game.settings == {"old_dynamics": True}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("rollouts.cohorts=4", "'rollouts.cohorts' (nearest: rollouts.cohort"),
        ("update.clip=2", "update.clip: expected `float` < 1.0"),
        ("rollouts.cohort=1", "rollouts.cohort: expected `int` >= 2"),
        ("update.spread=wide", "update.spread: invalid enum value 'wide'"),
        ("rounds=many", "rounds: expected `int`, got `str`"),
        ("rounds", "--set is 'rounds', but must be KEY=VALUE"),
        ("=3", "--set is '=3', but must be KEY=VALUE"),
        ("update=3", "'update' ("),
    ],
)
def test_a_wrong_change_says_what_is_right(change: str, said: str) -> None:
    """A misspelt key names the nearest; a value names its bounds."""
    with pytest.raises((UnknownNameError, PresetError, SettingError)) as error:
        read_preset("pantry-tiny", [change])

    assert said in str(error.value)


def test_an_unknown_preset_names_the_nearest() -> None:
    """Thirty names are more than one remembers."""
    with pytest.raises(UnknownNameError, match="overcooked-aa-tiny"):
        read_preset("overcooked-aa-tinny")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rounds = 3", "rounds must be { value = ..., source"),
        ("rounds = { value = 3 }", 'rounds must have a value and a source, "paper" or "ours"'),
        ('rounds = { value = 3, source = "mine" }', 'rounds must have a value and a source, "paper" or "ours"'),
        ("rounds = {", "is no TOML"),
        ('extends = "pantry-tiny"\nround = { value = 3, source = "ours" }', "'round' (nearest: rounds"),
        ('extends = "nothing"', "there is no preset 'nothing'"),
        ('rounds = { value = 3, source = "ours" }', "missing required field"),
    ],
)
def test_a_preset_that_is_wrong_says_where(tmp_path: Path, text: str, said: str) -> None:
    """One sentence, with the key."""
    with pytest.raises((PresetError, UnknownNameError)) as error:
        read_preset(written(tmp_path, text))

    assert said in str(error.value)


def test_a_preset_cannot_begin_from_itself(tmp_path: Path) -> None:
    """Else it would never be read."""
    path = written(tmp_path, "")
    Path(path).write_text(f'extends = "{path}"', "utf-8")

    with pytest.raises(PresetError, match="begins from itself"):
        read_preset(path)


@pytest.mark.parametrize("name", ["none.toml", "."])
def test_a_file_that_is_not_there(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one sentence, whatever stands in its place."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises((PresetError, UnknownNameError)):
        read_preset(name)


def test_a_preset_takes_the_starts_that_games_have() -> None:
    """A type cannot be made from a list, so they stand twice."""
    assert get_args(Starts) == STARTS
