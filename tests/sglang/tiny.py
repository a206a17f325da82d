"""A model of half a million parameters, adapters for it, and what transformers makes of both.

It has what a server may get wrong: tied embeddings, biases in the attention, a rotary base
of its own, norms that are not 1. Everything is a function of the seeds below.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

Reference: TypeAlias = Callable[[int | None, Sequence[int], Sequence[int]], tuple[float, ...]]

ADAPTERS = 7
RANK = 8
CONTEXT = 2048
SPECIAL = ("<|pad|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
ADAPTED = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def make_base(folder: Path) -> Path:
    """Write the base and its tokenizer into a folder."""
    tokenizer = _tokenizer()
    torch.manual_seed(7)
    model: Any = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=320,
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=32,
            attention_bias=True,
            tie_word_embeddings=True,
            rope_parameters={"rope_type": "default", "rope_theta": 1000.0},
            max_position_embeddings=CONTEXT,
            initializer_range=0.08,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    for name, weight in model.named_parameters():
        if weight.ndim == 1:
            weight.data.copy_(torch.randn(weight.shape) * 0.1 + (0 if name.endswith("bias") else 1))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """Bytes for everything but the three special tokens."""
    vocabulary = {piece: place for place, piece in enumerate([*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    made = Tokenizer(BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    kind: Any = PreTrainedTokenizerFast
    tokenizer = kind(tokenizer_object=made, pad_token=SPECIAL[0], eos_token=SPECIAL[2], model_max_length=CONTEXT)
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def make_adapters(base: Path, folder: Path, count: int = ADAPTERS) -> list[Path]:
    """Write adapters of random A and B beside each other, one PEFT folder each."""
    made = []
    for number in range(count):
        model: Any = get_peft_model(
            Qwen3ForCausalLM.from_pretrained(base, dtype=torch.float32),
            LoraConfig(r=RANK, lora_alpha=16, target_modules=list(ADAPTED), task_type="CAUSAL_LM"),
        )
        dice = torch.Generator().manual_seed(100 + number)
        for name, weight in model.named_parameters():
            if "lora_" in name:
                weight.data.copy_(torch.randn(weight.shape, generator=dice) * 0.1)
        made.append(folder / f"adapter{number}")
        model.save_pretrained(made[-1])
    return made


def make_reference(base: Path, adapters: Sequence[Path]) -> Reference:
    """Return what transformers and peft say: log-probabilities of some next tokens, over these alone."""
    model: Any = Qwen3ForCausalLM.from_pretrained(base, dtype=torch.float32)
    for number, folder in enumerate(adapters):
        if number == 0:
            model = PeftModel.from_pretrained(model, str(folder), adapter_name="0")
        else:
            model.load_adapter(str(folder), adapter_name=str(number))

    model.eval()

    @torch.no_grad()
    def log_probs(adapter: int | None, prompt: Sequence[int], among: Sequence[int]) -> tuple[float, ...]:
        asked = torch.tensor([list(prompt)])
        if adapter is None:
            with model.disable_adapter():
                logits = model(input_ids=asked).logits[0, -1]
        else:
            model.set_adapter(str(adapter))
            logits = model(input_ids=asked).logits[0, -1]
        return tuple(logits[list(among)].double().log_softmax(-1).tolist())

    return log_probs
