"""`hocket sglang`: how the model server is started, and started."""

import os
import signal
import subprocess
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hocket.agents.named_base import find_base, names_model, parse_model
from hocket.agents.sglang.launch import Device, Supervisor, check_port, launch
from hocket.runtime.errors import SettingError

_PROBE = """
import importlib.util, torch
if importlib.util.find_spec("sglang") is None:
    raise SystemExit("it has no sglang")
print("cuda" if torch.cuda.is_available() else "cpu")
"""


class Devices(StrEnum):
    """Where the server computes."""

    auto = "auto"
    cuda = "cuda"
    cpu = "cpu"


def sglang(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="The model that all adapters share: llm, llm:smollm2, or a folder.")
    ],
    adapters: Annotated[
        int, typer.Option("--adapters", "--seats", metavar="N", help="Adapters in use at one time, one a seat.")
    ] = 2,
    max_rank: Annotated[int, typer.Option(metavar="R", help="Largest rank of an adapter.")] = 16,
    port: Annotated[int, typer.Option(metavar="P", help="Where it listens, on this machine alone.")] = 30000,
    device: Annotated[Devices, typer.Option(help="auto asks the server's Python.")] = Devices.auto,
    python: Annotated[str, typer.Option(metavar="PATH", help="The Python that has SGLang installed.")] = "python3",
    run: Annotated[bool, typer.Option("--run", help="Start it, and again when it ends, until Ctrl-C.")] = False,
) -> int:
    """Print the command that starts a SGLang server for some seats, or run it.

    \b
    hocket sglang models/base --seats 2 --python ~/sglang/bin/python
    hocket sglang models/base --seats 2 --python ~/sglang/bin/python --run
    """
    where: Device = _found(python) if device is Devices.auto else "cuda" if device is Devices.cuda else "cpu"
    what = launch(_folder(base), adapters=adapters, rank=max_rank, port=port, device=where, python=python)
    if not run:
        typer.echo(what.shell)
        return 0
    check_port(port)
    handle, log = tempfile.mkstemp(prefix=f"hocket-sglang-{port}-", suffix=".log")
    os.close(handle)
    typer.echo(f"hocket: starting {what.url}; what it prints goes to {log}", err=True)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Supervisor(what, Path(log)) as server:
            server.start()
            typer.echo(what.url)
            server.watch()
    except KeyboardInterrupt:
        typer.echo("hocket: interrupted; the server is stopped", err=True)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)


def _found(python: str) -> Device:
    """Ask the server's interpreter whether it has a GPU."""
    command, environment = [python, "-c", _PROBE], os.environ | {"PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
    except subprocess.TimeoutExpired as error:
        problem = f"it gave no answer in {error.timeout:g} s"
    except subprocess.CalledProcessError as error:
        problem = (error.stderr.strip().splitlines() or ["it failed"])[-1]
    else:
        return "cuda" if done.stdout.strip().endswith("cuda") else "cpu"
    raise SettingError(setting="--python", value=python, right=f"a Python that has SGLang ({problem})")


def _folder(base: str) -> Path:
    """Return the folder of a model that is named as for a seat, or by its folder."""
    if not names_model(base):
        return Path(base)
    name, adapter = parse_model(base)
    if adapter:
        raise SettingError(setting="BASE", value=base, right="a model without an adapter")
    return find_base(name).folder
