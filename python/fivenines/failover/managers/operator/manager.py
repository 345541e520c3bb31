"""A scripted operator, as many sites run one: it checks the primary, promotes, repoints and fences."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.base.units import Duration
from fivenines.base.waiting import wait_until
from fivenines.failover.managers import lab_requests
from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.operator import operate
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.lab.host import Root
from fivenines.lab.processes.look import Command
from fivenines.lab.processes.process import Process, tail
from fivenines.load.commands import PASSWORD
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.timeouts import table


class OperatorSettings(ManagerSettings):
    """After `misses` failed checks the most advanced replica is promoted and the old primary fenced."""

    host = "manager"
    failover_fact = "a scripted operator promotes the most advanced replica"
    # A check of a silent PostgreSQL takes 2 s at least (PostgreSQL manual, connect_timeout).
    timeouts = table(
        "interval timeout misses",
        ("500ms", "500ms", 2),
        ("500ms", "1s", 3),
        ("1s", "1s", 3),
        ("2s", "2s", 3),
        ("3s", "3s", 4),
        ("5s", "5s", 5),
    )

    kind: Literal["operator"] = Field("operator", description="a scripted operator")
    interval: Annotated[Duration, Field(gt=0)] = Field(1.0, description="interval of health checks")
    timeout: Annotated[Duration, Field(gt=0)] = Field(1.0, description="timeout of one check")
    misses: Annotated[int, Field(ge=1)] = Field(3, description="failed checks in a row until a failover")
    fence: bool = Field(True, description="make sure that the old primary is dead before promoting")
    total_failure: Literal["most-advanced", "first-up"] = Field(
        "most-advanced",
        description="after a failure of all servers at once. most-advanced: wait for the old primary, which "
        "has everything that it acknowledged; first-up: promote a replica as soon as one answers",
    )
    total_failure_wait: Annotated[Duration, Field(gt=0)] = Field(
        60.0,
        description="longest wait for the old primary after such a failure; then the most advanced replica "
        "is promoted",
    )

    @property
    def watch_period(self) -> float:
        return self.interval


class Operator(Manager[OperatorSettings]):
    """Runs the module `operate` of this package on a separate host, so that it depends on the network.

    The lab fences in place of a power switch: on a request of the program it makes sure that no process of
    the node's server is left.
    """

    settings_type = OperatorSettings

    def configure(self) -> None:
        self.host = self.solution.lab.add_host("manager", Root())
        self._write_configuration()

    def start(self) -> None:
        self._events: list[ManagerEvent] = []
        self._switched: bool | None = None
        self.restart()

    def _write_configuration(self) -> Path:
        file = self.host.node / "conf" / "operator.json"
        file.write_text(json.dumps(self._configuration(), indent=1) + "\n")
        return file

    def restart(self) -> None:
        configuration = self._write_configuration()
        with (self.host.node / "log" / "operator.err").open("ab") as errors:
            self._process = subprocess.Popen(
                self.host.commands.outside([sys.executable, "-m", operate.__name__, str(configuration)]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, PASSWORD: self.solution.passwords.replication},
                start_new_session=True,
            )
        self._watching, self._ending = threading.Event(), False
        Background(target=self._listen, args=(self._process,)).start()
        if not self._watching.wait(_START):
            output = tail(self.host.node / "log" / "operator.err")
            raise FiveninesError(f"the operator did not start to watch:\n{output}")

    def events(self) -> list[ManagerEvent]:
        return list(self._events)

    def stop(self) -> None:
        self._ending = True
        self._running().terminate()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def programs(self, host: str) -> Sequence[Command]:
        return [self._running()] if host == self.settings.host else []

    def kill(self) -> None:
        self._ending = True
        running = self._running()
        running.gone(running.kill())
        running.wait(5.0)

    def switch_over(self) -> str:
        known = len(self._events)
        self._switched = None
        self._say("switchover")
        wait_until(self._switching, _SWITCHOVER, "no switchover", 0.02)
        if not self._switched:
            failed = [event for event in self._events[known:] if event.kind == "failed"]
            reason = f"{failed[-1].node}: {failed[-1].detail}" if failed else "it gives no reason"
            raise FiveninesError(f"no switchover: {reason}")
        return self.solution.roles.primary_of_record.name

    def _switching(self) -> str:
        if not self.alive:
            raise FiveninesError("the failover manager died during the switchover")
        return "it is not done" if self._switched is None else ""

    def _running(self) -> Process:
        return self.host.commands.process_outside(self._process, None)  # type: ignore[arg-type]

    def _configuration(self) -> dict[str, object]:
        return {
            "family": self.solution.engine.family,
            "nodes": {node.name: [node.host.address, node.port] for node in self.solution.nodes},
            "interval": self.settings.interval,
            "timeout": self.settings.timeout,
            "misses": self.settings.misses,
            "fence": self.settings.fence,
            "total_failure_wait": (
                self.settings.total_failure_wait if self.settings.total_failure == "most-advanced" else None
            ),
            "primary": self.solution.roles.primary_of_record.name,
            **self.solution.manager_facts(),
        }

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        with (self.host.node / "log" / "operator.jsonl").open("a") as log:
            for line in process.stdout:
                log.write(line)
                printed = ManagerEvent(**json.loads(line))
                event = replace(printed, monotonic_ns=self.host.clock.our_moment(printed.monotonic_ns))
                if event.kind == "watching":
                    self._watching.set()
                elif event.kind in ("switched", "not switched"):
                    self._switched = event.kind == "switched"
                elif event.kind in lab_requests.ANSWERS:
                    self._serve(event)
                else:
                    if event.kind == "promoted":
                        self.solution.roles.appoint(event.node)
                    if event.kind == "fenced":
                        event = replace(event, detail=self.found_when_fenced)
                    self._events.append(event)
        if not self._ending:
            why = tail(self.host.node / "log" / "operator.err").strip().splitlines()
            detail = f"the operator has ended: {why[-1] if why else 'it gives no reason'}"
            self._events.append(ManagerEvent(time.monotonic_ns(), "failed", "", detail))

    def _serve(self, request: ManagerEvent) -> None:
        """Serve a request of the operator, and answer."""
        answer = lab_requests.ANSWERS[request.kind]
        try:
            lab_requests.serve(self, request.kind, request.node)
        except FiveninesError as error:
            answer = f"not {answer}"
            now = time.monotonic_ns()
            self._events.append(ManagerEvent(now, "failed", request.node, str(error)))
        self._say(answer)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        # An operator that has died needs no answer.
        with contextlib.suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()


# Longest time in seconds that a switchover may take.
_SWITCHOVER = 90.0
# Longest time in seconds until it watches: a busy machine is slow to start a program.
_START = 60.0
