"""How a server is started and kept, with a small real process in its place."""

import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hocket.agents.sglang.launch import Launch, Supervisor, check_port, launch
from hocket.runtime.errors import ModelError, ServerError, SettingError

READY = """
import http.server, subprocess, sys
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
print("ada is up", flush=True)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("child", child.pid, flush=True)
http.server.HTTPServer(("127.0.0.1", {port}), Ready).serve_forever()
"""
BUSY = "import time; print('loading', flush=True); time.sleep(60)"
BROKEN = "raise SystemExit('no room on the device')"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A model, as far as the launcher looks into one."""
    (tmp_path / "config.json").write_text("{}")
    return tmp_path


@pytest.fixture
def port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
    return found


@pytest.fixture
def supervisors() -> Iterator[list[Supervisor]]:
    """Those that a test made; no process outlives it."""
    made: list[Supervisor] = []
    yield made
    for each in made:
        each.stop()


def supervised(script: str, port: int, log: Path, made: list[Supervisor], patience: float = 20.0) -> Supervisor:
    """Put a script in the server's place."""
    what = Launch((sys.executable, "-c", script.replace("{port}", str(port))), {}, port)
    made.append(Supervisor(what, log, patience=patience, restarts=1))
    return made[-1]


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be fetched does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def test_a_server_on_a_gpu_is_the_stock_one(base: Path) -> None:
    """With a slot for each adapter, for the base, and for a version on its way in."""
    what = launch(base, adapters=2, rank=16, port=30000, device="cuda", python="python3")

    assert what.shell == (
        f"HF_HUB_OFFLINE=1 PYTHONSAFEPATH=1 python3 -m sglang.launch_server --model-path {base.resolve()} "
        "--host 127.0.0.1 --port 30000 --enable-lora --max-loras-per-batch 4 --max-lora-rank 16 "
        "--lora-target-modules q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"
    )
    assert what.url == "http://127.0.0.1:30000"


def test_a_server_on_a_cpu_has_a_launcher_and_bounds(base: Path) -> None:
    """One thread, or it is twenty times slower; a bounded cache, or it takes the machine's memory."""
    what = launch(base, adapters=2, rank=8, port=30000, device="cpu", python="a python")

    assert what.shell.startswith("HF_HUB_OFFLINE=1 PYTHONSAFEPATH=1 OMP_NUM_THREADS=1 'a python' ")
    assert Path(what.command[1]).name == "cpu.py"
    assert Path(what.command[1]).is_file()
    assert what.command[-4:] == ("--max-running-requests", "64", "--max-total-tokens", "65536")


@pytest.mark.parametrize("wrong", [{"adapters": 0}, {"rank": 0}, {"port": 0}, {"port": 65536}])
def test_a_number_that_makes_no_sense_is_refused(wrong: dict[str, int], base: Path) -> None:
    """With its name and what would be right."""
    with pytest.raises(SettingError, match=f"{next(iter(wrong))} is .*, but must be 1 to"):
        launch(base, device="cpu", python="python3", **({"adapters": 2, "rank": 8, "port": 30000} | wrong))


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    """Before a server has spent half a minute on it."""
    with pytest.raises(ModelError, match=r"there is no model: it has no config\.json"):
        launch(tmp_path / "nowhere", adapters=2, rank=8, port=30000, device="cpu", python="python3")


def test_a_port_in_use_is_one_sentence(base: Path, tmp_path: Path, supervisors: list[Supervisor]) -> None:
    """Nothing is started beside what listens there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(SettingError, match=rf"port is {port}, but must be a free port of 127.0.0.1 \(address"):
            check_port(port)
        with pytest.raises(SettingError, match="must be a free port"):
            supervised(READY, port, tmp_path / "log.txt", supervisors).start()

    assert not (tmp_path / "log.txt").exists()


def test_a_server_is_started_waited_for_and_stopped_whole(
    port: int, tmp_path: Path, supervisors: list[Supervisor]
) -> None:
    """Its children go with it, and its port is free again."""
    server = supervised(READY, port, tmp_path / "log.txt", supervisors)

    server.start()
    child = re.search(r"child (\d+)", (tmp_path / "log.txt").read_text())
    assert child
    pids = [server.pid, int(child[1])]
    assert all(map(alive, pids))
    server.stop()

    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))
    check_port(port)


def test_a_server_that_ends_says_why(port: int, tmp_path: Path, supervisors: list[Supervisor]) -> None:
    """With its code and the end of what it printed."""
    server = supervised(BROKEN, port, tmp_path / "log.txt", supervisors)

    with pytest.raises(ServerError, match=rf":{port}: it ended with code 1; .*log.txt ends: no room on the device$"):
        server.start()


def test_a_server_that_is_never_ready_is_stopped(port: int, tmp_path: Path, supervisors: list[Supervisor]) -> None:
    """After the patience that it was given."""
    server = supervised(BUSY, port, tmp_path / "log.txt", supervisors, patience=0.6)

    with pytest.raises(ServerError, match=r"not ready after 0.6 s; .*log.txt ends: loading$"):
        server.start()

    server.stop()


def test_an_interpreter_that_is_not_there_is_one_sentence(
    port: int, tmp_path: Path, supervisors: list[Supervisor]
) -> None:
    """It is what the user named."""
    supervisors.append(Supervisor(Launch(("nowhere/python",), {}, port), tmp_path / "log.txt"))

    with pytest.raises(SettingError, match=r"'nowhere/python', but must be an interpreter that has SGLang \(No such"):
        supervisors[0].start()


def test_a_server_that_was_killed_is_started_again_but_not_for_ever(
    port: int, tmp_path: Path, supervisors: list[Supervisor]
) -> None:
    """On the same port; once too often is an error that ends the watch."""
    server = supervised(READY, port, tmp_path / "log.txt", supervisors)
    server.start()
    first = server.pid
    ended: list[str] = []

    def watch() -> None:
        try:
            server.watch()
        except ServerError as error:
            ended.append(str(error))

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.killpg(first, signal.SIGKILL)
    while (tmp_path / "log.txt").read_text().count("GET /ready") < 2:
        time.sleep(0.05)
    os.killpg(server.pid, signal.SIGKILL)
    watcher.join(30)

    assert not watcher.is_alive()
    assert "it ended once too often; " in ended[0]


def test_an_impatient_interrupt_leaves_no_process_behind(
    port: int, tmp_path: Path, supervisors: list[Supervisor]
) -> None:
    """Ctrl-C, and Ctrl-C again while a server that will not listen is asked to end."""
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + READY
    server = supervised(deaf, port, tmp_path / "log.txt", supervisors)
    server.start()
    child = re.search(r"child (\d+)", (tmp_path / "log.txt").read_text())
    assert child
    pids = [server.pid, int(child[1])]
    again = threading.Timer(0.3, partial(os.kill, os.getpid(), signal.SIGINT))
    again.start()

    with pytest.raises(KeyboardInterrupt):
        server.stop()

    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))


def test_a_server_comes_back_once_its_port_is_free(port: int, tmp_path: Path, supervisors: list[Supervisor]) -> None:
    """What was killed may hold the port a moment longer; it is not taken for somebody else."""
    server = supervised(READY, port, tmp_path / "log.txt", supervisors)
    with socket.socket() as dying:
        dying.bind(("127.0.0.1", port))
        dying.listen()
        threading.Timer(0.5, dying.close).start()

        server.revive()

    assert alive(server.pid)


def test_a_port_that_somebody_else_has_taken_ends_the_watch(
    port: int, tmp_path: Path, supervisors: list[Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a few seconds it is a sentence."""
    monkeypatch.setattr("hocket.agents.sglang.launch._FREE_SECONDS", 0.3)
    server = supervised(READY, port, tmp_path / "log.txt", supervisors)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()

        with pytest.raises(SettingError, match=rf"port is {port}, but must be a free port"):
            server.revive()
