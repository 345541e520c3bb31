"""What the commands `up`, `down`, `status`, `sql`, `kill` and `restart` call."""

import json
import socket
import subprocess
import sys
import time
from typing import Any

from fivenines import locks
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.process import tail
from fivenines.lab.settings import NetworkSettings
from fivenines.playground import state
from fivenines.runner.progress import DataSet, EnginePull, Listener, TrialPhase
from fivenines.servers.base import short_path
from fivenines.solutions.settings import SolutionSettings


def up(
    settings: SolutionSettings, listener: Listener, network: NetworkSettings | None = None
) -> None:
    """Bring a solution up and leave it running; without `network` on one plain site.

    Raises:
        UsageError: one is up already.
        FiveninesError: it could not be brought up.
    """
    locks.require_free(state.lock(), state.WHAT, state.ADVICE)
    state.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with state.log().open("w") as errors:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "fivenines.playground.keeper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    assert keeper.stdin is not None
    with keeper.stdin as stream:
        around = network or NetworkSettings()
        request = {"solution": settings, "network": around}
        stream.write(json.dumps({key: one.model_dump(mode="json") for key, one in request.items()}))
    try:
        _follow(keeper, settings, listener)
    except KeyboardInterrupt:
        keeper.terminate()
        keeper.wait()
        raise


def down() -> bool:
    """End what is up; returns when nothing of it is left: whether anything was up."""
    if not locks.is_held(state.lock()):
        return False
    _ask("down", timeout=60.0)
    deadline = time.monotonic() + 10.0
    while locks.is_held(state.lock()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return True


def status() -> state.Status:
    """How the solution is now."""
    found = _ask("status")["status"]
    nodes = [state.NodeStatus(**node) for node in found.pop("nodes")]
    return state.Status(nodes=nodes, **found)


def sql(node: str, statement: str) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of a statement, in the database with the workload's tables."""
    found = _ask("query", node=node, statement=statement, timeout=90.0)
    return found["columns"], found["rows"]


def connect(node: str = "") -> int:
    """The engine's own client on a node, by default on the primary; its exit code."""
    command: list[str] = _ask("prompt", node=node)["command"]
    return subprocess.run(command, check=False).returncode


def execute(host: str, command: list[str]) -> int:
    """A command inside a host; its exit code."""
    inside: list[str] = _ask("inside", host=host, command=command)["command"]
    return subprocess.run(inside, check=False).returncode


def kill(node: str) -> str:
    """SIGKILL to all server processes of a node; a sentence about what was hit."""
    return str(_ask("kill", node=node)["said"])


def restart(node: str) -> str:
    """Start a dead node's server again as a member; a sentence about what became of it."""
    return str(_ask("restart", node=node, timeout=300.0)["said"])


def inject(fault: dict[str, Any]) -> int:
    """Begin a fault, by its settings; the number by which `injected` knows it. Returns at once."""
    return int(_ask("inject", fault=fault)["number"])


def injected(number: int) -> state.Injected:
    """How a fault by hand stands now."""
    return state.Injected(**_ask("injected", number=number, timeout=60.0))


def heal() -> list[int]:
    """End all faults by hand that are at work now; their numbers. Returns at once."""
    return list(_ask("heal")["numbers"])


def _follow(keeper: subprocess.Popen[str], settings: SolutionSettings, listener: Listener) -> None:
    assert keeper.stdout is not None
    for line in keeper.stdout:
        event = json.loads(line)
        match event["kind"]:
            case "up":
                return
            case "refused":
                raise UsageError(event["message"])
            case "failed":
                raise FiveninesError(event["message"])
            case "pull":
                listener(EnginePull(settings.engine, event["message"], event["fraction"]))
            case "data":
                listener(DataSet(event["message"], event["fraction"]))
            case _:
                listener(TrialPhase("playground", event["message"], 5.0))
    raise FiveninesError(f"the solution did not come up:\n{tail(state.log())}")


def _connect(timeout: float) -> socket.socket:
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(timeout)
    try:
        with short_path(state.folder()) as folder:
            stream.connect(f"{folder}/{state.socket().name}")
    except OSError:
        stream.close()
        raise
    return stream


def _ask(do: str, timeout: float = 30.0, **request: Any) -> dict[str, Any]:
    try:
        connection = _connect(timeout)
    except OSError:
        advice = "it is being brought up or taken down: wait until that is done"
        locks.require_free(state.lock(), state.WHAT, advice)
        raise UsageError(
            "nothing is up: bring a solution up with `fivenines up SOLUTION`"
        ) from None
    with connection, connection.makefile("rw") as stream:
        stream.write(json.dumps({"do": do, **request}) + "\n")
        stream.flush()
        try:
            line = stream.readline()
        except TimeoutError:
            raise FiveninesError(f"the playground did not answer within {timeout:g} s") from None
    if not line:
        raise FiveninesError(f"the playground ended:\n{tail(state.log())}")
    answer: dict[str, Any] = json.loads(line)
    if not answer.pop("ok"):
        raise FiveninesError(answer["error"])
    return answer
