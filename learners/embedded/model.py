"""Makes the embedded base: a tiny Qwen3 that reads menus and prefers nothing.

Run as `python -m hocket.learners.embedded.model OUT`. What it learns is what `lessons.py`
teaches; what it starts from is in `start.py`.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from hocket.agents.canary import FILE as CANARY
from hocket.agents.canary import write_canary
from hocket.agents.frozen_base import read_base
from hocket.agents.local import Local
from hocket.agents.seal import seal
from hocket.learners.embedded.lessons import Lessons
from hocket.learners.embedded.prompts import Writer
from hocket.learners.embedded.recipe import Recipe
from hocket.learners.embedded.start import make_model
from hocket.learners.embedded.tokenizer import make_tokenizer
from hocket.learners.embedded.training import train

STYLE = {"profile": "brief", "scorer": "two_line", "temperature": 1.0}


def make_base(out: Path, recipe: Recipe) -> None:
    """Train a base and write its folder: a plain Hugging Face one, weights in bfloat16, with its canary.

    Raises:
        OSError: the folder cannot be written.
    """
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    tokenizer = make_tokenizer()
    model = make_model(recipe, len(tokenizer), tokenizer.pad_token_id, tokenizer.eos_token_id)
    train(model, recipe, Lessons(recipe, Writer(tokenizer)))
    save(model, tokenizer, out)
    write_canary(out, seal(Local(read_base(out, "embedded"))))


def save(model: Any, tokenizer: Any, out: Path) -> None:
    """Write the folder; the configuration asks for float32, in which the weights are to be used.

    Raises:
        OSError: the folder cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / CANARY).unlink(missing_ok=True)  # one of other weights
    kept = {name: part.to(torch.bfloat16).contiguous() for name, part in model.state_dict().items()}
    kept.pop("lm_head.weight")
    save_file(kept, out / "model.safetensors", metadata={"format": "pt"})
    (out / "model.safetensors").chmod(0o644)
    config = model.config.to_dict() | {"architectures": ["Qwen3ForCausalLM"], "dtype": "float32"}
    _write_json(out / "config.json", config)
    tokenizer.save_pretrained(out, save_jinja_files=False)
    settings = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    _write_json(out / "tokenizer_config.json", settings | {"tokenizer_class": "PreTrainedTokenizerFast"})
    _write_json(out / "style.json", STYLE)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def main() -> None:
    """Read the command line and make a base."""
    parser = argparse.ArgumentParser(prog="python -m hocket.learners.embedded.model", description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write")
    for name in ("seed", "steps"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Recipe(), name))
    asked = vars(parser.parse_args())
    make_base(asked.pop("out"), Recipe(**asked))


if __name__ == "__main__":
    main()
