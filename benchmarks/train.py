"""One update of seven agents, in time and memory, beside TRL's GRPO step.

Adapters of rank 16 on all linear layers, 200 decisions each of 350 tokens, of which 150 are the same
everywhere, and a menu of eight letters. One pass over them forward and backward in pieces of 20, and one step
of AdamW an adapter. Each side is a process of its own, and they take turns. TRL's loss is its trainer's own,
fed with the same rows; it has one adapter, which stands for all. Memory is of the whole process, with what it
imports. Not installed: ours alone.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

DECISIONS, TOKENS, SHARED, MENU, ROWS, RANK = 200, 350, 150, 8, 20, 16
TURNS = 3
BARS = (1.5, 0.7)
"""Times as fast, and share of the memory."""
MODELS = {"embedded": 7, "qwen3-256x4": 1}
"""With the number of agents; what one costs is what each costs."""
Numbers = dict[str, Any]


def base_folder(name: str, scratch: Path) -> Path:
    """The base that comes along, or a larger one at random: 256 wide, 4 layers, 8,192 tokens."""
    from hocket.agents.named_base import find_base

    own = find_base("").folder
    if name == "embedded":
        return own
    import shutil

    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    shape: Numbers = {"vocab_size": 8192, "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4}
    heads: Numbers = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32}
    shape["max_position_embeddings"] = 2048
    folder = scratch / name
    Qwen3ForCausalLM(Qwen3Config(**shape, **heads, tie_word_embeddings=True)).save_pretrained(folder)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(own / file, folder / file)
    return folder


def rows() -> np.ndarray[Any, Any]:
    """Token ids, [decisions, tokens]; all begin alike."""
    dice = np.random.default_rng(5)
    found = dice.integers(10, 800, (DECISIONS, TOKENS))
    found[:, :SHARED] = found[0, :SHARED]
    return found


def ours(folder: Path, count: int) -> Numbers:
    from hocket.agents.adapter import read_adapter
    from hocket.agents.fresh import fresh_adapter
    from hocket.agents.frozen_base import read_base
    from hocket.agents.local import Local
    from hocket.learners.adapter import Learning
    from hocket.learners.batch import pack_decision
    from hocket.learners.body import make_body
    from hocket.learners.config import Optimiser, UpdatePart
    from hocket.learners.decision import Decision, Draw, Node
    from hocket.learners.magrpo import Sample, update
    from hocket.runtime.events import Receipt
    from hocket.runtime.seed import Streams

    base = read_base(folder, "bench")
    local = Local(base)
    body = make_body(local.weights)
    prefix = tuple(rows()[0, :SHARED].tolist())
    entries = tuple(((0, place),) for place in range(MENU))
    draw = Draw((Node((), tuple(range(20, 20 + MENU))),), entries, 3)
    items = [
        pack_decision(Decision(0, number, 0, "", tuple(ids), (draw,), 0.0, Receipt()), [prefix], trees=body.trees)
        for number, ids in enumerate(rows().tolist())
    ]
    samples = [Sample(item, 1.0 if place % 2 else -1.0, 1.0, -2.0794) for place, item in enumerate(items)]
    settings = UpdatePart(epochs=1, minibatch=DECISIONS, rows=ROWS)
    with tempfile.TemporaryDirectory() as scratch:
        agents = []
        for number in range(count):
            fresh_adapter(Path(scratch) / f"a{number}@v0", base, rank=RANK, seed=number)
            adapter = read_adapter(Path(scratch) / f"a{number}@v0", base)
            agents.append(Learning(adapter, body.device, Optimiser(learning_rate=1e-4)))
        update(body, agents[0], None, samples[:ROWS], settings, 1.0, Streams(0).stream("minibatches", 0), 0)
        before = peak()
        began = time.perf_counter()
        for agent in agents:
            update(body, agent, None, samples, settings, 1.0, Streams(0).stream("minibatches", 0), 0)
        return {"seconds": time.perf_counter() - began, "peak": peak(), "before": before}


def theirs(folder: Path, count: int) -> Numbers:
    trl, datasets, peft = (import_module(name) for name in ("trl", "datasets", "peft"))
    from transformers import AutoModelForCausalLM, AutoTokenizer

    load: Any = AutoModelForCausalLM
    model = load.from_pretrained(folder, dtype=torch.float32)
    targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    with tempfile.TemporaryDirectory() as scratch:
        trainer: Any = trl.GRPOTrainer(
            model=model,
            reward_funcs=lambda **known: [],
            args=trl.GRPOConfig(
                output_dir=scratch,
                per_device_train_batch_size=ROWS,
                num_generations=2,
                max_completion_length=1,
                use_cpu=True,
                bf16=False,
                gradient_checkpointing=False,
                report_to=[],
                beta=0.0,
            ),
            train_dataset=datasets.Dataset.from_list([{"prompt": "a"}]),
            processing_class=AutoTokenizer.from_pretrained(folder),
            peft_config=peft.LoraConfig(r=RANK, lora_alpha=2 * RANK, target_modules=targets, task_type="CAUSAL_LM"),
        )
        trainer.current_gradient_accumulation_steps = 1
        learned = [each for each in trainer.model.parameters() if each.requires_grad]
        optimiser = torch.optim.AdamW(learned, lr=1e-4)
        ids = torch.from_numpy(rows())

        def step(few: torch.Tensor) -> None:
            for start in range(0, len(few), ROWS):
                some = few[start : start + ROWS]
                signs = torch.tensor([1.0 if place % 2 else -1.0 for place in range(len(some))])
                given = {
                    "prompt_ids": some,
                    "prompt_mask": torch.ones_like(some),
                    "completion_ids": torch.full((len(some), 1), 23),
                    "completion_mask": torch.ones((len(some), 1), dtype=torch.long),
                    "advantages": signs,
                    "num_items_in_batch": torch.tensor(len(few)),
                }
                trainer.compute_loss(trainer.model, given).backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimiser.step()
            optimiser.zero_grad()

        step(ids[:ROWS])
        before = peak()
        began = time.perf_counter()
        for _ in range(count):
            step(ids)
        return {"seconds": time.perf_counter() - began, "peak": peak(), "before": before}


def peak() -> float:
    """Most memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(side: str, folder: Path, count: int) -> Numbers:
    command = [sys.executable, "-W", "ignore", __file__, side, str(folder), str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: Numbers = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    sides = ["ours"] + (["theirs"] if find_spec("trl") else [])
    held = True
    with tempfile.TemporaryDirectory() as scratch:
        for name, count in MODELS.items():
            folder = base_folder(name, Path(scratch))
            told: dict[str, list[Numbers]] = {side: [] for side in sides}
            for _ in range(TURNS):
                for side in sides:
                    told[side].append(measured(side, folder, count))
            for side, each in told.items():
                seconds, most = (median(one[part] for one in each) for part in ("seconds", "peak"))
                added = median(one["peak"] - one["before"] for one in each)
                rate = count * DECISIONS / seconds
                print(
                    f"train: {name}: {side}: {seconds:.2f} s an update, {rate:.0f} decisions/s, "
                    f"peak {most:.0f} MiB, of which the update added {added:.0f}"
                )
            if len(sides) == 2:
                pairs = list(zip(told["ours"], told["theirs"], strict=True))
                faster = median(other["seconds"] / mine["seconds"] for mine, other in pairs)
                memory = median(mine["peak"] / other["peak"] for mine, other in pairs)
                held = held and faster >= BARS[0] and memory <= BARS[1]
                print(
                    f"train: {name}: {faster:.2f} times as fast (bar {BARS[0]}), "
                    f"{memory:.2f} of the memory (bar {BARS[1]})"
                )
    return 0 if held else 1


if __name__ == "__main__":
    torch.set_num_threads(1)
    if len(sys.argv) == 4:
        print(json.dumps({"ours": ours, "theirs": theirs}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        sys.exit(main())
