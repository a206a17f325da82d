"""`hocket sglang`: the command that it prints, and a small process in the server's place."""

import os
import re
import shlex
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hocket.agents.named_base import find_base

Call = Callable[..., Any]

READY = """#!{python}
import http.server, sys
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Ready).serve_forever()
"""
PROBED = "#!/bin/sh\n{answer}\n"


@pytest.fixture
def base(kitchen: Path) -> Path:
    """A model, as far as the launcher looks into one."""
    (kitchen / "base").mkdir()
    (kitchen / "base/config.json").write_text("{}")
    return kitchen / "base"


def stub(path: Path, text: str) -> Path:
    """Write what stands in the place of the server's Python."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_command_is_printed_for_a_shell(base: Path, call: Call) -> None:
    """Quoted, with what is set in its environment; seats is another word for adapters."""
    outcome = call("sglang", base, "--seats", "3", "--max-rank", "8", "--device", "cpu", "--python", "a python")

    words = shlex.split(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert words[:4] == ["HF_HUB_OFFLINE=1", "PYTHONSAFEPATH=1", "OMP_NUM_THREADS=1", "a python"]
    assert words[words.index("--model-path") + 1] == str(base.resolve())
    assert (words[words.index("--max-loras-per-batch") + 1], words[words.index("--max-lora-rank") + 1]) == ("5", "8")


def test_a_model_is_named_as_for_a_seat_or_by_its_folder(base: Path, call: Call) -> None:
    """The one that comes with hocket has no folder to type."""
    named, folder = call("sglang", "llm", "--device", "cpu"), call("sglang", "base", "--device", "cpu")

    assert f"--model-path {find_base('').folder.resolve()} " in named.out
    assert f"--model-path {base.resolve()} " in folder.out


@pytest.mark.parametrize("answer", ["cuda", "cpu"])
def test_the_server_s_python_is_asked_for_its_device(answer: str, base: Path, kitchen: Path, call: Call) -> None:
    """It may see a GPU that this one does not."""
    python = stub(kitchen / "python", PROBED.format(answer=f"echo {answer}"))

    outcome = call("sglang", base, "--python", python)

    assert outcome.code == 0
    assert ("cpu.py" in outcome.out, "-m sglang.launch_server" in outcome.out) == (
        answer == "cpu",
        answer == "cuda",
    )


def test_a_python_without_sglang_is_one_sentence(base: Path, kitchen: Path, call: Call) -> None:
    """It failed, or it is not there."""
    python = stub(kitchen / "python", PROBED.format(answer="echo it has no sglang >&2; exit 1"))

    absent, empty = call("sglang", base, "--python", kitchen / "nowhere"), call("sglang", base, "--python", python)

    assert (absent.code, empty.code) == (2, 2)
    assert absent.err.endswith("must be a Python that has SGLang (no such file or directory)\n")
    assert empty.err.endswith("must be a Python that has SGLang (it has no sglang)\n")


def test_what_makes_no_sense_is_one_sentence(base: Path, kitchen: Path, call: Call) -> None:
    """A folder without a model, no adapters, a port in use."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcomes = [
            call("sglang", kitchen, "--device", "cpu"),
            call("sglang", base, "--device", "cpu", "--adapters", "0"),
            call("sglang", base, "--device", "cpu", "--port", port, "--run"),
            call("sglang", "llm:", "--device", "cpu"),
            call("sglang", "llm:base#ada", "--device", "cpu"),
        ]

    assert [outcome.code for outcome in outcomes] == [2, 2, 2, 2, 2]
    assert "there is no model: it has no config.json" in outcomes[0].err
    assert "adapters is 0, but must be 1 to 1024" in outcomes[1].err
    assert f"port is {port}, but must be a free port" in outcomes[2].err
    assert "model is 'llm:', but must be llm, llm:MODEL" in outcomes[3].err
    assert outcomes[4].err == "hocket: BASE is 'llm:base#ada', but must be a model without an adapter\n"


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_a_server_runs_until_it_is_interrupted(
    ended_by: signal.Signals, base: Path, kitchen: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped with the command, which ends with 130."""
    monkeypatch.setattr("tempfile.tempdir", str(kitchen))
    python = stub(kitchen / "python", READY.format(python=sys.executable))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def interrupt() -> None:
        while not any("GET /ready" in log.read_text() for log in kitchen.glob("hocket-sglang-*.log")):
            time.sleep(0.05)
        time.sleep(0.3)
        os.kill(os.getpid(), ended_by)

    threading.Thread(target=interrupt).start()
    outcome = call("sglang", base, "--device", "cpu", "--port", port, "--python", python, "--run")

    assert (outcome.code, outcome.out) == (130, f"http://127.0.0.1:{port}\n")
    assert re.search(r"what it prints goes to .*\.log\n.*interrupted; the server is stopped\n$", outcome.err)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
