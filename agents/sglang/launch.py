"""How a SGLang server is started, watched and stopped.

The command is data, so that it can be printed and run by hand on another machine. The
server has an interpreter of its own, and on a CPU a launcher of its own (cpu.py).
"""

import os
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Never, TypeAlias

import httpx
import msgspec

from hocket.agents.fresh import TARGETS
from hocket.runtime.errors import ModelError, ServerError, SettingError

Device: TypeAlias = Literal["cuda", "cpu"]

HOST = "127.0.0.1"
_SPARE = 2
"""Slots beside the adapters: the base has one, and one is for a version that is on its way in."""
_CPU = (
    "--device",
    "cpu",
    "--dtype",
    "float32",
    "--attention-backend",
    "torch_native",
    "--lora-backend",
    "torch_native",
)
_CPU_TOKENS = "65536"
"""Without a bound, the cache of a server on a CPU takes most of the machine's memory."""
_POLL_SECONDS = 0.25
_STOP_SECONDS = 10.0
_FREE_SECONDS = 5.0
"""How long a process that was killed may go on holding the port."""


class Launch(msgspec.Struct, frozen=True):
    """A server that can be started."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    """What is set beside what the caller's own environment holds."""
    port: int

    @property
    def url(self) -> str:
        """Where it will listen."""
        return f"http://{HOST}:{self.port}"

    @property
    def shell(self) -> str:
        """The same as a line for a shell."""
        return " ".join(
            [*(f"{name}={shlex.quote(text)}" for name, text in self.environment.items()), shlex.join(self.command)]
        )


def launch(
    base: Path,
    *,
    adapters: int,
    rank: int,
    port: int,
    device: Device,
    python: str,
) -> Launch:
    """Put together how a server for some seats is started.

    Args:
        base: folder of the model.
        adapters: how many are used at one time, one a seat.
        rank: largest of an adapter.
        port: where it is to listen, on this machine alone.
        device: where it is to compute.
        python: the interpreter that has SGLang.

    Raises:
        ModelError: no model in that folder.
        SettingError: a number that makes no sense.
    """
    if not (base / "config.json").is_file():
        raise ModelError(model=str(base), problem="there is no model: it has no config.json")
    for name, value, most in (("adapters", adapters, 1024), ("rank", rank, 1024), ("port", port, 65535)):
        if not 1 <= value <= most:
            raise SettingError(setting=name, value=value, right=f"1 to {most}")
    command = [python, str(Path(__file__).resolve().with_name("cpu.py"))]
    command = command if device == "cpu" else [python, "-m", "sglang.launch_server"]
    command += ["--model-path", str(base.resolve()), "--host", HOST, "--port", str(port)]
    command += ["--enable-lora", "--max-loras-per-batch", str(adapters + _SPARE), "--max-lora-rank", str(rank)]
    command += ["--lora-target-modules", *TARGETS]
    environment = {"HF_HUB_OFFLINE": "1", "PYTHONSAFEPATH": "1"}
    if device == "cpu":
        command += [*_CPU, "--max-running-requests", "64", "--max-total-tokens", _CPU_TOKENS]
        environment["OMP_NUM_THREADS"] = "1"
    return Launch(tuple(command), environment, port)


class Supervisor:
    """Keeps one server running: a process group that is started, waited for, started again, and stopped whole."""

    def __init__(self, what: Launch, log: Path, *, patience: float = 180.0, restarts: int = 3) -> None:
        """Take note of a server.

        Args:
            what: the server.
            log: file to which what it prints is added.
            patience: seconds for it to become ready.
            restarts: how often it is started again in all.
        """
        self.launch, self.log = what, log
        self._patience, self._left = patience, restarts
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process, and the group, of the server that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it is ready.

        Raises:
            SettingError: something listens on its port, or its interpreter cannot be run.
            ServerError: it ended, or was not ready in time; it is stopped then.
        """
        check_port(self.launch.port)
        try:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    self.launch.command,
                    env=os.environ | self.launch.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            right = f"an interpreter that has SGLang ({error.strerror})"
            raise SettingError(setting="python of the server", value=self.launch.command[0], right=right) from error
        try:
            self._await_ready(self._process)
        except BaseException:
            self.stop()
            raise

    def watch(self) -> Never:
        """Start the server again whenever it ends; left only by an exception.

        Raises:
            ServerError: it ended once too often, or did not come up again.
            SettingError: something else listens on its port by now, or its interpreter is gone.
        """
        while True:
            assert self._process is not None
            self._process.wait()
            self.revive()

    def revive(self) -> None:
        """Start the server again after it ended; what is left of its group is stopped first.

        Raises:
            ServerError: it was started again too often, or did not come up.
            SettingError: something else listens on its port by now, or its interpreter is gone.
        """
        self.stop()
        if not self._left:
            raise ServerError(server=self.launch.url, problem=f"it ended once too often; {self._tail()}")
        self._left -= 1
        self._await_port()
        self.start()

    def stop(self) -> None:
        """Stop the server with all its processes; nothing if none runs."""
        process = self._process
        if process is None:
            return
        try:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
        finally:  # whoever is asked twice to stop leaves nobody behind either
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            self._process = None
            process.wait()

    def _await_port(self) -> None:
        deadline = time.monotonic() + _FREE_SECONDS
        while time.monotonic() < deadline:
            try:
                check_port(self.launch.port)
            except SettingError:
                time.sleep(_POLL_SECONDS)
            else:
                return

    def _await_ready(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + self._patience
        with httpx.Client(base_url=self.launch.url, timeout=5, trust_env=False) as client:
            while process.poll() is None:
                with suppress(httpx.RequestError):
                    if client.get("/ready").status_code == 200:
                        return
                if time.monotonic() > deadline:
                    problem = f"not ready after {self._patience:g} s; {self._tail()}"
                    raise ServerError(server=self.launch.url, problem=problem)
                time.sleep(_POLL_SECONDS)
        raise ServerError(server=self.launch.url, problem=f"it ended with code {process.returncode}; {self._tail()}")

    def _tail(self) -> str:
        """Say where its log is and what stands last in it."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 4096))
            lines = log.read().decode("utf-8", "replace").split("\n")
        last = " | ".join([line.strip() for line in lines if line.strip()][-3:])
        return f"{self.log} ends: {last[-400:]}"


def check_port(port: int) -> None:
    """Refuse a port on which something listens.

    Raises:
        SettingError: it is taken, or may not be listened on.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            right = f"a free port of {HOST} ({(error.strerror or str(error)).lower()})"
            raise SettingError(setting="port", value=port, right=right) from error
