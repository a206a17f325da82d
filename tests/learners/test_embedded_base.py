"""The embedded base can be made again, and what is committed is what it should be."""

import json
from importlib.resources import files
from math import prod
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest
from safetensors import safe_open
from transformers import AutoTokenizer

from hocket.agents.frozen_base import read_base
from hocket.agents.grammar import letter_line, text_line
from hocket.agents.local import Local
from hocket.agents.named_base import find_base
from hocket.agents.prompt import make_prompt
from hocket.agents.seal import seal
from hocket.agents.style import Scorer, Style
from hocket.games import registry
from hocket.games.overcooked.layout import layout_names
from hocket.learners.embedded.lessons import trained_layouts
from hocket.learners.embedded.model import make_base
from hocket.learners.embedded.prompts import HELD_OUT, LIBRARIES, Writer, made_menu, play_offers, sketch
from hocket.learners.embedded.recipe import Recipe
from hocket.learners.embedded.tokenizer import TARGETED, UNTARGETED, make_tokenizer
from hocket.runtime.menu import Menu, letters
from hocket.runtime.policy import Offer

FOLDER = Path(str(files("hocket.agents") / "embedded"))
BRIEF = Style("brief", "two_line")


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """The committed one, loaded as anybody would."""
    return cast(Any, AutoTokenizer).from_pretrained(FOLDER, local_files_only=True)


@pytest.fixture(scope="module")
def writer(tokenizer: Any) -> Writer:
    """Writes with the committed tokenizer."""
    return Writer(tokenizer)


def some_offers() -> list[Offer]:
    """A few of every game, made up ones among them."""
    dice = Random(7)
    played = [play_offers(f"overcooked:{name}", "default", dice) for name in ("cramped_room", "large_room")]
    pantries = [play_offers(name, "default", dice, share=1) for name in ("pantry", "pantry:roles")]
    return [offer for offers in (*played, *pantries) for offer in offers[:20]] + [sketch(dice) for _ in range(40)]


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    """What is committed can be made again; five steps go once through every kind of lesson."""
    recipe = Recipe(steps=5, episodes=1, layouts=("cramped_room",))
    made = []
    for name in ("ada", "bo"):
        make_base(tmp_path / name, recipe)
        made.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})

    assert made[0] == made[1]
    assert {*made[0], "adapters", "decoder.onnx"} == {path.name for path in FOLDER.iterdir()}


def test_a_base_is_made_over_another(tmp_path: Path) -> None:
    """Whose canary goes with its weights."""
    recipe = Recipe(steps=1, episodes=1, layouts=("cramped_room",))
    for seed in (0, 1):
        make_base(tmp_path, msgspec.structs.replace(recipe, seed=seed))

    base = read_base(tmp_path, "embedded")

    assert base.canary is not None


def test_the_committed_canary_is_what_the_committed_weights_answer() -> None:
    """So a server that answers with other weights is found out, also where seats have no adapter."""
    base = find_base("")
    assert base.canary is not None

    measured = seal(Local(base))

    assert (measured.base, measured.adapter, measured.dtype) == (base.digest, "", "float32")
    assert [probe.prompt for probe in measured.probes] == [probe.prompt for probe in base.canary.probes]
    base.canary.check_all("", [probe.base for probe in measured.probes], "float32")


def test_the_committed_base_is_small() -> None:
    """It comes with every clone and plays on any machine."""
    with safe_open(FOLDER / "model.safetensors", "pt") as weights:
        parts = [weights.get_tensor(name) for name in weights.keys()]  # noqa: SIM118

    assert sum(part.numel() for part in parts) < 1_000_000
    assert {str(part.dtype) for part in parts} == {"torch.bfloat16"}
    assert (FOLDER / "model.safetensors").stat().st_size <= 2 * 1024 * 1024
    assert not list(FOLDER.glob("*.py"))


def test_the_committed_folder_says_how_to_ask() -> None:
    """In two lines, since from a letter alone nothing is learned by so small a model."""
    style = json.loads((FOLDER / "style.json").read_text("utf-8"))

    assert Style(**style) == BRIEF
    assert json.loads((FOLDER / "config.json").read_text("utf-8"))["dtype"] == "float32"


def test_the_committed_tokenizer_is_the_one_that_is_made(tokenizer: Any) -> None:
    """Who adds a word makes the base again."""
    assert tokenizer.get_vocab() == make_tokenizer().get_vocab()
    assert tokenizer.backend_tokenizer.to_str() == make_tokenizer().backend_tokenizer.to_str()


def test_every_option_letter_and_near_place_is_one_token(writer: Writer) -> None:
    """As a choice costs a pass a token."""
    libraries = [registry.library(registry.make("overcooked:cramped_room"), name) for name in LIBRARIES]
    pantries = [registry.library(registry.make(name)) for name in ("pantry", "pantry:roles")]
    options = {option.name for library in (*libraries, *pantries) for option in library.options}
    places = [f"@{x},{y}" for x in range(16) for y in range(12)]

    pieces = [f" {piece}" for piece in (*options, *TARGETED, *UNTARGETED, *letters(26))] + places
    assert options <= {*TARGETED, *UNTARGETED}
    assert not [piece for piece in pieces if len(writer.encode(piece)) != 1]
    assert len(writer.encode("@29,21")) == 2


def test_a_place_is_cut_where_it_ends(tokenizer: Any) -> None:
    """A larger place is no smaller one with a digit after it."""
    assert tokenizer.tokenize("@15,11@16,3@3,12@1,110") == ["@15,11", "@16", ",3", "@3", ",12", "@1", ",11", "0"]


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "é 🙂 日本", "wait_a_bit@-1,2\t0.5", "A) pick up an onion @ (0, 1)", "@160,2 1e+09"]
)
def test_any_text_comes_back(tokenizer: Any, text: str) -> None:
    """What is no word is spelled in bytes."""
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_prompts_of_every_game_are_made_of_known_words(tokenizer: Any, writer: Writer) -> None:
    """A word that is spelled in bytes is one that the base cannot read."""
    spelled = set()
    for offer in some_offers():
        ids = writer.prompt(offer, "two_line")
        spelled |= {token for token in tokenizer.convert_ids_to_tokens(ids) if len(token) == 1 and token.isalpha()}
        text = tokenizer.decode(ids)
        assert writer.encode(text) == ids

    assert spelled == {"Ċ"}


def test_prompts_are_those_of_the_chat_template(tokenizer: Any, writer: Writer) -> None:
    """What is trained on is what is asked later."""
    offer = some_offers()[0]
    said = make_prompt(offer, BRIEF)
    messages = [{"role": "system", "content": said.system}, {"role": "user", "content": said.user}]

    asked = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    assert writer.encode(asked) == writer.prompt(offer, "two_line")


@pytest.mark.parametrize("scorer", ["two_line", "text", "letter", "paper"])
def test_what_may_follow_adds_up_to_one_and_has_what_does_follow(writer: Writer, scorer: Scorer) -> None:
    """Each place of a reply is taught a distribution, and the text goes on with one of its tokens."""
    for offer in some_offers():
        text = writer.full(offer, scorer, Random(1), replies=2)
        for place in {place for place, _, _ in text.targets}:
            spread = {token: chance for at, token, chance in text.targets if at == place}
            assert sum(spread.values()) == pytest.approx(1)
            assert text.ids[place + 1] in spread


def test_intents_are_taught_evenly_and_letters_follow_from_them(writer: Writer) -> None:
    """Each entry of the menu has the same probability, over all tokens of its line."""
    dice = Random(3)
    for _ in range(50):
        menu = Menu.of(made_menu(dice, 8))
        text = writer.drill(menu, dice, 1)
        drawn = [chance for place, token, chance in text.targets if text.ids[place + 1] == token]

        [letter] = text.letters
        assert prod(drawn) == pytest.approx(1 / len(menu))
        assert [chance for place, _, chance in text.targets if place == letter] == [1]
        written = [
            writer.encode(f"{text_line(entry, BRIEF, 'intent')}\n{letter_line(sign, BRIEF)}<|im_end|>\n")
            for entry, sign in zip(menu.entries, menu.letters, strict=True)
        ]
        assert text.ids[text.prompt :] in written


def test_held_out_layouts_are_not_trained_on() -> None:
    """Else they would be no test."""
    assert set(HELD_OUT) < set(layout_names())
    assert not {*trained_layouts()} & {*HELD_OUT}
    assert {"asymmetric_advantages", "cramped_room", "forced_coordination"} <= {*trained_layouts()}
