"""The keeper: `python -m fivenines.trial.manual.keeper`, with the request on its standard input.

Deploys a solution, writes its progress as JSON lines to standard output, then answers one JSON request
per connection on its Unix socket until the request `down`.
"""

import json
import math
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from fivenines.base import locks, private
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.paths import short_path
from fivenines.experiment.spec import AnyFault
from fivenines.faults.settings import FaultSettings
from fivenines.load import dataset
from fivenines.servers.base import Server
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.member import Member
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of, require_versions
from fivenines.trial.deployment.preflight import refusal
from fivenines.trial.faults.timeline import FaultRunner
from fivenines.trial.manual import state
from fivenines.trial.manual.background import BackgroundLoad, problem
from fivenines.trial.manual.forwards import Forwards
from fivenines.trial.manual.request import Request

Answer = dict[str, Any]

# Longest wait, in seconds, for a node to rejoin after a manual fault.
_PATIENCE = 120.0


class Keeper:
    """The owner of the running deployment, which answers requests about it.

    Args:
        deployed: the deployment.
        forwards: the forwarded ports on this machine.
        load: the background load, if any.
    """

    def __init__(self, deployed: Deployed, forwards: Forwards, load: BackgroundLoad | None) -> None:
        self._deployed = deployed
        self._solution = deployed.solution
        self._forwards = forwards
        self._load = load
        self._requests: dict[str, Callable[..., Answer]] = {
            "status": self._status,
            "kill": self._kill,
            "restart": self._restart,
            "query": self._query,
            "prompt": self._prompt,
            "inside": self._inside,
            "inject": self._inject,
            "injected": self._injected,
            "heal": self._heal,
            "clients": self._clients,
        }
        # All manual faults, and when they were requested, in ns of CLOCK_MONOTONIC.
        self._faults: list[tuple[FaultRunner, int]] = []

    def serve(self, listener: socket.socket) -> None:
        """Answer requests until the request `down`."""
        while True:
            connection, _ = listener.accept()
            # A client may connect without a request, or disconnect before the answer.
            with suppress(OSError), connection, connection.makefile("rw") as stream:
                if refusal := _refusal(connection):
                    stream.write(json.dumps({"ok": False, "error": refusal}) + "\n")
                    continue
                line = stream.readline()
                if not line:
                    continue
                request = json.loads(line)
                if request["do"] == "down":
                    if self._load is not None:
                        self._load.stop()
                    self._deployed.close()
                    stream.write(json.dumps({"ok": True}) + "\n")
                    return
                stream.write(json.dumps(self._answer(request)) + "\n")

    def _answer(self, request: Answer) -> Answer:
        name = request.pop("do")
        try:
            return {"ok": True, **self._requests[name](**request)}
        except Exception as error:
            return {"ok": False, "error": str(error) if isinstance(error, FiveninesError) else _words(error)}

    def _status(self) -> Answer:
        settings = self._solution.settings
        endpoints = self._deployed.access.endpoints()
        events = self._deployed.events()
        found = state.Status(
            solution=f"{settings.name or settings.default_name()} ({settings.engine})",
            nodes=[self._described(member) for member in self._solution.members],
            endpoints=_described(endpoints),
            events=[f"{event.kind} {event.node} {event.detail}".rstrip() for event in events[-10:]],
            ways=self._forwards.ways,
            login=self._forwards.login(),
            load=self._load.status() if self._load is not None else None,
        )
        return {"status": asdict(found)}

    def _described(self, one: Member) -> state.NodeStatus:
        problem = (
            "its server is not running" if not one.alive else self._solution.membership.not_joined_reason(one)
        )
        address = one.endpoint if isinstance(one, Server) else one.host.address
        here = next((way.here for way in self._forwards.ways if way.node == one.name), "")
        return state.NodeStatus(one.name, address, self._role(one), not problem, problem, here)

    def _role(self, one: Member) -> str:
        """Return the role of a database server, or the kind of another host."""
        if isinstance(one, Server):
            role: str = self._solution.roles.of(one)
            return role
        return one.name.rstrip("0123456789")

    def _kill(self, node: str) -> Answer:
        server = self._solution.member(node)
        if server.process is None or not server.alive:
            raise FiveninesError(f"{node} is not running")
        role = self._role(server)
        self._dismiss()
        moment = time.monotonic_ns()
        hit = server.process.kill()
        ended = server.process.gone(hit)
        message = f"{node} ({role}): SIGKILL to {len(hit)} processes"
        message = message if ended else f"{message}, but not all have ended"
        return {"message": message, "moment": self._loaded_at(moment)}

    def _restart(self, node: str) -> Answer:
        server = self._solution.member(node)
        if server.alive:
            raise FiveninesError(f"{node} is already running")
        moment = time.monotonic_ns()
        self._deployed.start_node(server)
        message = self._solution.membership.not_joined_reason(server) or f"{node} has rejoined"
        return {"message": message, "moment": self._loaded_at(moment)}

    def _loaded_at(self, moment: int) -> int | None:
        """Record the moment of a fault for the load's clients, and return it; None without a load."""
        if self._load is None:
            return None
        self._load.broken(moment)
        return moment

    def _clients(self, moment: int, check: bool) -> Answer:
        if self._load is None:
            raise UsageError("there is no load. Deploy the solution with `fivenines up SOLUTION --load RATE`")
        return {"clients": asdict(self._load.since(moment, check))}

    def _inject(self, fault: Answer) -> Answer:
        settings: FaultSettings = TypeAdapter(AnyFault).validate_python(fault)
        if problems := settings.problems_with(self._solution.topology):
            raise UsageError(f"{settings.fault} does not apply to this deployment: {problems[0]}")
        self._dismiss()
        now = time.monotonic_ns()
        made = FaultRunner(settings, self._deployed, now, math.inf, seed=now % 2**31, patience=_PATIENCE)
        made.begin()
        self._faults.append((made, now))
        return {"number": len(self._faults) - 1}

    def _dismiss(self) -> None:
        """End the automatic remediation of past faults, so that it does not repair the next one."""
        for made, _ in self._faults:
            if made.over:
                made.dismiss()

    def _injected(self, number: int) -> Answer:
        made, requested = self._faults[number]
        events = [event.model_dump() for event in made.events() if event.t >= 0]
        records = made.records()
        moment = self._loaded_at(requested + round(records[0].at * 1e6)) if records else None
        found = state.Injected(made.over, events, [record.model_dump() for record in records], moment)
        return asdict(found)

    def _heal(self) -> Answer:
        active = [n for n, (made, _) in enumerate(self._faults) if not made.over]
        for number in active:
            self._faults[number][0].end_early()
        return {"numbers": active}

    def _query(self, node: str, statement: str) -> Answer:
        # In the database with the workload's tables, like the prompt.
        with self._solution.node(node).sql.open_data(60.0) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            if not cursor.description:
                return {"columns": [], "rows": []}
            columns = [column[0] for column in cursor.description]
            rows = [[str(value) for value in row] for row in cursor.fetchall()]
        return {"columns": columns, "rows": rows}

    def _prompt(self, node: str) -> Answer:
        server = self._solution.node(node) if node else self._solution.roles.target("primary")
        return {"command": server.console.prompt()}

    def _inside(self, host: str, command: list[str]) -> Answer:
        hosts = self._deployed.lab.hosts
        if host not in hosts:
            raise UsageError(f"unknown host {host!r}: the hosts are {', '.join(hosts)}")
        return {"command": hosts[host].commands.inside(command, None)}


def _words(error: Exception) -> str:
    """Return a driver's message; PyMySQL puts the error's number before it."""
    return " ".join(map(str, error.args)) or type(error).__name__


_CREDENTIALS = struct.Struct("3i")


def _refusal(connection: socket.socket) -> str:
    """Return why the client is refused; empty if it belongs to this account.

    The kernel reports the client's user id (unix(7), SO_PEERCRED), independent of file modes.
    """
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(credentials)
    if uid == os.getuid():
        return ""
    sys.stderr.write(f"refused: a request of a process of user id {uid}\n")
    sys.stderr.flush()
    return f"this deployment belongs to user id {os.getuid()}, not to {uid}"


def _described(endpoints: Endpoints) -> list[str]:
    tried = " (tried in this order)" if len(endpoints.write) > 1 else ""
    found = [f"writes{tried}: {', '.join(endpoints.write)}"]
    return found + ([f"reads: {', '.join(endpoints.read)}"] if endpoints.read else [])


def main() -> None:
    """Deploy what standard input describes, then serve requests."""
    private.begin()
    # Ctrl-C at the terminal does not reach this session; SIGTERM cleans up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    text = sys.stdin.read()
    try:
        request = Request.model_validate_json(text)
        with locks.held(state.lock(), state.WHAT, state.ADVICE), ExitStack() as used:
            try:
                _keep(request, used)
            finally:
                state.socket().unlink(missing_ok=True)
    except FiveninesError as error:
        _report("refused" if isinstance(error, UsageError) else "failed", str(error), None)
        sys.exit(1)


def _keep(request: Request, used: ExitStack) -> None:
    settings = request.solution

    def pulling(message: str, fraction: float | None) -> None:
        _report("pull", message, fraction)

    def loading(message: str, fraction: float | None) -> None:
        _report("data", message, fraction)

    for engine in engines_of(settings):
        used.enter_context(engine.used(pulling))
    require_versions(settings)
    make = partial(data_set, settings, request.workload, loading)
    data = used.enter_context(dataset.used(make, loading))
    _require_accepted(settings, data)
    if request.rate and (reason := problem(request.workload)):
        raise UsageError(f"up: --load: the workload cannot run continuously: {reason}")
    with Deployed(settings, data, state.folder() / "lab", request.network) as deployed:
        deployed.solution.hosts.disk_calls = frozenset(("sync", "write"))
        deployed.bring_up(lambda message: _report("phase", message, None))
        forwards = Forwards(deployed, request.port, state.log())
        load = _load(deployed, request)
        with _listen() as listener:
            _report("up", "", None)
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123  (there is no reader any more)
            Keeper(deployed, forwards, load).serve(listener)


def _load(deployed: Deployed, request: Request) -> BackgroundLoad | None:
    if not request.rate:
        return None
    _report("phase", "starting the load", None)
    return BackgroundLoad(deployed, request.workload, request.rate)


def _require_accepted(settings: SolutionSettings, data: Path) -> None:
    """Check that the servers accept the settings of `up --set`.

    Raises:
        UsageError: a server refuses a setting, with its message.
    """
    if settings.handed_over():
        _report("phase", "trying the server settings", None)
        if found := refusal(settings, data, state.folder() / "lab"):
            words = found.words.replace("\n", "\n    ")
            raise UsageError(
                f"up: --set {'.'.join(found.keys)}: {settings.engine} {found.what}:\n    {words}"
            )


def _listen() -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    state.socket().unlink(missing_ok=True)
    with short_path(state.folder()) as folder:
        listener.bind(f"{folder}/{state.socket().name}")
    state.socket().chmod(0o600)
    listener.listen()
    return listener


def _report(kind: str, message: str, fraction: float | None) -> None:
    sys.stdout.write(json.dumps({"kind": kind, "message": message, "fraction": fraction}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
