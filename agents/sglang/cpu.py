"""SGLang on a machine without a GPU: a launcher for tests.

It is run by path, by the server's interpreter, and takes the server's own arguments:

    OMP_NUM_THREADS=1 .../bin/python agents/cpu.py --model-path BASE --device cpu ...

SGLang is what PyPI has, unchanged; on a GPU it is started as its makers mean it, and
this file has no part in it. What is mended here is what the wheels take for granted:

torchvision   PyPI's is linked with CUDA, so its operators do not load beside torch for CPUs,
              and its fake versions of two of them ask for schemas that are then missing.
sgl_kernel    The wheel is for CUDA only. Of what SGLang imports from it on a CPU, one
              function is called; it is written out below, the others say that they are absent.
pinned memory SGLang's adapters are staged in page-locked memory, which torch refuses where
              there is no accelerator (SGLang issue 31894).

Every process of the server runs this file first: multiprocessing's `spawn` imports the main
module anew in each. Nothing in hocket imports it.
"""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    sys.path.pop(0)  # this folder, in which sglang.py and random.py are not those that are meant

import importlib.abc
import importlib.machinery
import importlib.util
import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_ABSENT = (
    "assign_draft_cache_locs_contiguous_cpu",
    "assign_extend_cache_locs_cpu",
    "build_tree_kernel_efficient_cpu",
    "copy_all_layer_kv_cache_cpu",
    "fill_accept_out_cache_loc_cpu",
    "fill_bonus_tokens_cpu",
    "rotate_input_ids_cpu",
    "verify_tree_greedy_cpu",
)
_MAKES = ("arange", "empty", "full", "ones", "tensor", "zeros")
"""Functions of torch that can be asked for pinned memory."""


def mend() -> Any:
    """Put right in this process what keeps SGLang from running on its CPU.

    Returns:
        What has to be kept for as long as the process lives.
    """
    os.environ["SGLANG_USE_CPU_ENGINE"] = "1"
    import torch

    if importlib.util.find_spec("sgl_kernel") is None:
        sys.modules["sgl_kernel"] = _kernel()
    if not torch.accelerator.is_available():
        torch.Tensor.pin_memory = lambda tensor, *_, **__: tensor  # type: ignore[method-assign]
        sys.meta_path.insert(0, _LoraFinder())
    return _vision_operators(torch) if torch.version.cuda is None else None


def _vision_operators(torch: Any) -> Any:
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library


def _kernel() -> ModuleType:
    module = ModuleType("sgl_kernel")
    module.__spec__ = importlib.machinery.ModuleSpec("sgl_kernel", None)
    vars(module)["assign_req_to_token_pool_cpu"] = _assign_to_pool
    vars(module).update({name: _absent(name) for name in _ABSENT})
    return module


def _assign_to_pool(rows: Any, pool: Any, starts: Any, ends: Any, places: Any, width: int | None = None) -> None:
    """Write down where in the cache the new tokens of each request stand.

    Args:
        rows: row of the pool for each request, shape [requests].
        pool: place of each token of each request, shape [rows, width]; changed.
        starts: first new token of each request, shape [requests].
        ends: one past the last, shape [requests].
        places: places of all new tokens, request after request, shape [sum(ends - starts)].
        width: unused; the kernel needs it to address the pool.
    """
    taken = 0
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        pool[row, start:end] = places[taken : taken + end - start].to(pool.dtype)
        taken += end - start


def _absent(name: str) -> Callable[..., None]:
    def absent(*_: object, **__: object) -> None:
        raise NotImplementedError(f"sgl_kernel.{name} is not there on this CPU")

    return absent


class _Unpinned:
    """The module torch, except that what it makes is never pinned."""

    def __getattr__(self, name: str) -> Any:
        import torch

        found = getattr(torch, name)
        return _unpinned(found) if name in _MAKES else found


def _unpinned(make: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, pin_memory: bool = False, **named: Any) -> Any:
        return make(*args, **named)

    return made


class _LoraFinder(importlib.abc.MetaPathFinder):
    """Gives SGLang's modules on adapters, and no others, a torch that pins nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find such a module where it would have been found, and change its name `torch` once it is loaded."""
        if not fullname.startswith("sglang.srt.lora."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _then_unpin(spec.loader.exec_module)  # type: ignore[method-assign, assignment]
        return spec


def _then_unpin(load: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    def loaded(module: ModuleType) -> None:
        load(module)
        if hasattr(module, "torch"):
            vars(module)["torch"] = _Unpinned()

    return loaded


def main() -> None:
    """Run the server until it is told to stop, and leave none of its processes behind."""
    launch = importlib.import_module("sglang.launch_server")
    try:
        launch.run_server(launch.prepare_server_args(sys.argv[1:]))
    finally:
        launch.kill_process_tree(os.getpid(), include_parent=False)


if __name__ in ("__main__", "__mp_main__"):
    _kept = mend()
if __name__ == "__main__":
    main()
