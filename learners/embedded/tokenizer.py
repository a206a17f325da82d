"""The tokenizer of the embedded base: whole words of our games, bytes for the rest.

Nothing is merged and nothing is trained. Text is cut by one pattern; a piece that is in the
vocabulary is one token, any other is spelled in bytes, so every text comes back as it was.
A place of a kitchen, `@5,1`, is one token; a larger one is two, `@20` and `,15`.
"""

from string import ascii_uppercase
from typing import Any, cast

from tokenizers import AddedToken, Regex, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PAD, START, END = "<|pad|>", "<|im_start|>", "<|im_end|>"
WIDE, HIGH = 16, 12
"""Places below these are one token."""
WIDEST, HIGHEST = 32, 24
"""Places below these are two."""
PATTERN = r"@(?:1[0-5]|\d),(?:1[01]|\d)(?!\d)|@\d{1,2}|,\d{1,2}| ?[A-Za-z_]+| ?\d{1,2}|\n"
TARGETED = _words(
    # The kitchen's three libraries, and the pantry's.
    "pick_onion pick_tomato pick_dish pick_up_from_counter drop_held place_in_pot start_cooking plate_soup deliver "
    "fetch take_up set_down fill cook dish_up serve stand_by "
    "load_onion load_tomato pass_onion pass_tomato pass_dish take discard hand_over bring_to_window "
    "plate_for_partner serve_soup open_hatch "
    # Of orchards and rivers.
    "eat_apple clean_dirt go_to_patch"
)
"""Options that may be aimed at a place."""
UNTARGETED = _words(
    "wait wash go_to_river go_to_orchard zap "
    "north south east west stay interact act noop forward backward left right turn_left turn_right "
    "step_left step_right up down fire clean eat"
)
"""Options that are aimed at nothing, primitive actions among them."""
WORDS = _words(
    "system user assistant answer intent letter option state json choice menu did nothing gain step actions "
    "overcooked pantry roles cooks players fill start plate deliver soup fetch open serve jar wash "
    "me mate pot on table hatch shut round onion tomato dish empty filling full ready cooking left far none "
    "ready_to_plate delivering fetching carrying opening serving washing "
    "orchard river harvest cleanup apple apples dirt patch patches tile near level beam frozen zapped ripe bare "
    "eating cleaning walking waiting growing inside outside yes no world cell wall floor free"
)
"""Words of the games, in lines of a prompt in brief."""
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def vocabulary() -> list[str]:
    """List the tokens in order of their ids: special ones, bytes, letters, words, numbers, places."""
    pieces = [
        *(f" {letter}" for letter in ascii_uppercase),
        *(f" {word}" for word in sorted({*TARGETED, *UNTARGETED, *WORDS})),
        *sorted(set(WORDS)),
        *(f" {number}" for number in range(100)),
        *(f"@{x},{y}" for y in range(HIGH) for x in range(WIDE)),
        *(f"@{x}" for x in range(WIDEST)),
        *(f",{y}" for y in range(HIGHEST)),
    ]
    return [PAD, START, END, *sorted(pre_tokenizers.ByteLevel.alphabet()), *map(_as_bytes, pieces)]


def _as_bytes(piece: str) -> str:
    """Write a piece as byte-level models do, a space as Ġ."""
    return piece.replace(" ", "Ġ")


def make_tokenizer() -> Any:
    """Build the tokenizer, with its chat template; a Hugging Face PreTrainedTokenizerFast."""
    vocab = {token: place for place, token in enumerate(vocabulary())}
    made = Tokenizer(BPE(vocab=vocab, merges=[], ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in (PAD, START, END)])
    return cast(Any, PreTrainedTokenizerFast)(
        tokenizer_object=made,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[START],
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
        chat_template=TEMPLATE,
    )
