"""What the commands `up`, `down`, `status`, `sql`, `kill` and `restart` call."""

import json
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from fivenines import locks
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.process import tail
from fivenines.paths import short_path
from fivenines.playground import state
from fivenines.runner.progress import DataSet, EnginePull, Listener, TrialPhase

if TYPE_CHECKING:
    from fivenines.playground.wanted import Wanted


def up(wanted: "Wanted", listener: Listener) -> None:
    """Bring a solution up and leave it running.

    Raises:
        UsageError: one is up already, or a port is taken.
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
        stream.write(wanted.model_dump_json())
    try:
        _follow(keeper, wanted.solution.engine, listener)
    except KeyboardInterrupt:
        keeper.terminate()
        keeper.wait()
        raise


def is_up() -> bool:
    """Whether anything is up, or is being brought up."""
    return locks.is_held(state.lock())


def down() -> bool:
    """End what is up; returns when nothing of it is left: whether anything was up."""
    if not is_up():
        return False
    _ask("down", timeout=60.0)
    deadline = time.monotonic() + 10.0
    while is_up() and time.monotonic() < deadline:
        time.sleep(0.05)
    return True


def status() -> state.Status:
    """How the solution is now."""
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


def kill(node: str) -> state.Done:
    """SIGKILL to all server processes of a node; what was hit."""
    return state.Done(**_ask("kill", node=node))


def restart(node: str) -> state.Done:
    """Start a dead node's server again as a member; what became of it."""
    return state.Done(**_ask("restart", node=node, timeout=300.0))


def clients(moment: int, check: bool = False) -> state.Clients:
    """What the load's clients saw since a moment in ns of CLOCK_MONOTONIC; with `check` also their rows."""
    found = _ask("clients", moment=moment, check=check, timeout=90.0)["clients"]
    rows = found.pop("rows")
    return state.Clients(rows=state.Rows(**rows) if rows else None, **found)


def inject(fault: dict[str, Any]) -> int:
    """Begin a fault, by its settings; the number by which `injected` knows it. Returns at once."""
    return int(_ask("inject", fault=fault)["number"])


def injected(number: int) -> state.Injected:
    """How a fault by hand stands now."""
    return state.Injected(**_ask("injected", number=number, timeout=60.0))


def heal() -> list[int]:
    """End all faults by hand that are at work now; their numbers. Returns at once."""
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
        raise UsageError("nothing is up: bring a solution up with `fivenines up SOLUTION`") from None
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
