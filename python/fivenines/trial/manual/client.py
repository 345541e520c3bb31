"""The client of the keeper, for the commands `up`, `down`, `status`, `sql`, `kill`, `restart`, `inject`."""

import json
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from fivenines.base import locks
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.paths import short_path
from fivenines.lab.processes.process import tail
from fivenines.trial.manual import state
from fivenines.trial.progress import DataSet, EnginePull, Listener, TrialPhase

if TYPE_CHECKING:
    from fivenines.trial.manual.request import Request


def up(request: "Request", listener: Listener) -> None:
    """Deploy a solution and leave it running.

    Raises:
        UsageError: a deployment is already running, or a port is in use.
        FiveninesError: the deployment failed.
    """
    locks.require_free(state.lock(), state.WHAT, state.ADVICE)
    state.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with state.log().open("w") as errors:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "fivenines.trial.manual.keeper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    assert keeper.stdin is not None
    with keeper.stdin as stream:
        stream.write(request.model_dump_json())
    try:
        _follow(keeper, request.solution.engine, listener)
    except KeyboardInterrupt:
        keeper.terminate()
        keeper.wait()
        raise


def is_up() -> bool:
    """Return whether a deployment is running or starting."""
    return locks.is_held(state.lock())


def down() -> bool:
    """Tear down the running deployment; return whether there was one."""
    if not is_up():
        return False
    _ask("down", timeout=60.0)
    deadline = time.monotonic() + 10.0
    while is_up() and time.monotonic() < deadline:
        time.sleep(0.05)
    return True


def status() -> state.Status:
    """Return the state of the deployment."""
    found = _ask("status")["status"]
    nodes = [state.NodeStatus(**node) for node in found.pop("nodes")]
    ways = [state.Way(**way) for way in found.pop("ways")]
    login, load = found.pop("login"), found.pop("load")
    return state.Status(
        nodes=nodes,
        ways=ways,
        login=state.Login(**login) if login else None,
        load=state.LoadStatus(**load) if load else None,
        **found,
    )


def sql(node: str, statement: str) -> tuple[list[str], list[list[str]]]:
    """Run a statement in the database with the workload's tables; return columns and rows."""
    found = _ask("query", node=node, statement=statement, timeout=90.0)
    return found["columns"], found["rows"]


def connect(node: str = "") -> int:
    """Run the engine's client on a node, by default the primary; return its exit code."""
    command: list[str] = _ask("prompt", node=node)["command"]
    return subprocess.run(command, check=False).returncode


def execute(host: str, command: list[str]) -> int:
    """Run a command on a host; return its exit code."""
    inside: list[str] = _ask("inside", host=host, command=command)["command"]
    return subprocess.run(inside, check=False).returncode


def kill(node: str) -> state.Done:
    """Kill all server processes of a node (SIGKILL)."""
    return state.Done(**_ask("kill", node=node))


def restart(node: str) -> state.Done:
    """Start the server of a killed node, and wait until it has rejoined."""
    return state.Done(**_ask("restart", node=node, timeout=300.0))


def clients(moment: int, check: bool = False) -> state.Clients:
    """Return what clients saw since a moment in ns of CLOCK_MONOTONIC; `check` includes their rows."""
    found = _ask("clients", moment=moment, check=check, timeout=90.0)["clients"]
    rows = found.pop("rows")
    return state.Clients(rows=state.Rows(**rows) if rows else None, **found)


def inject(fault: dict[str, Any]) -> int:
    """Start a fault without waiting; return its number for `injected`."""
    return int(_ask("inject", fault=fault)["number"])


def injected(number: int) -> state.Injected:
    """Return the state of a fault."""
    return state.Injected(**_ask("injected", number=number, timeout=60.0))


def heal() -> list[int]:
    """End all active faults without waiting; return their numbers."""
    return list(_ask("heal")["numbers"])


def _follow(keeper: subprocess.Popen[str], engine: str, listener: Listener) -> None:
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
                listener(EnginePull(engine, event["message"], event["fraction"]))
            case "data":
                listener(DataSet(event["message"], event["fraction"]))
            case _:
                listener(TrialPhase("playground", event["message"], 5.0))
    raise FiveninesError(f"the deployment failed:\n{tail(state.log())}")


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
        advice = "it is starting or stopping: try again when that is done"
        locks.require_free(state.lock(), state.WHAT, advice)
        raise UsageError("no deployment is running. Start one with `fivenines up SOLUTION`") from None
    with connection, connection.makefile("rw") as stream:
        stream.write(json.dumps({"do": do, **request}) + "\n")
        stream.flush()
        try:
            line = stream.readline()
        except TimeoutError:
            raise FiveninesError(f"the running deployment did not answer within {timeout:g} s") from None
    if not line:
        raise FiveninesError(f"the running deployment ended:\n{tail(state.log())}")
    answer: dict[str, Any] = json.loads(line)
    if not answer.pop("ok"):
        raise FiveninesError(answer["error"])
    return answer
