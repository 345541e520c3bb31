"""A scripted operator, as many sites run one: checks the primary, promotes, repoints, fences."""

import json
import subprocess
import sys
import threading
from typing import Annotated, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.process import Process, tail
from fivenines.managers import operate
from fivenines.managers.base import Manager
from fivenines.managers.events import ManagerEvent
from fivenines.managers.settings import ManagerSettings
from fivenines.units import Duration


class OperatorSettings(ManagerSettings):
    """After `misses` failed checks the most advanced replica is promoted and the old primary fenced."""

    host = "manager"

    kind: Literal["operator"] = Field("operator", description="a scripted operator")
    interval: Annotated[Duration, Field(gt=0)] = Field(1.0, description="time between two checks")
    timeout: Annotated[Duration, Field(gt=0)] = Field(1.0, description="bound of one check")
    misses: Annotated[int, Field(ge=1)] = Field(3, description="failed checks until it acts")
    fence: bool = Field(True, description="make sure that the old primary is dead before promoting")


class Operator(Manager[OperatorSettings]):
    """Runs `fivenines.managers.operate` on a host of its own, so that it sees what a network shows.

    Fencing is the lab's part, as a power switch would be: the program asks, and we make sure that no
    process of the node's server is left.
    """

    settings_type = OperatorSettings

    def start(self) -> None:
        self.host = self.solution.world.add_host("manager", Root())
        configuration = self.host.node / "conf" / "operator.json"
        configuration.write_text(json.dumps(self._configuration()))
        with (self.host.node / "log" / "operator.err").open("ab") as errors:
            self._process = subprocess.Popen(
                self.host.beside([sys.executable, "-m", operate.__name__, str(configuration)]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._events: list[ManagerEvent] = []
        self._watching = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        if not self._watching.wait(20.0):
            said = tail(self.host.node / "log" / "operator.err")
            raise FiveninesError(f"the operator did not start to watch:\n{said}")

    def events(self) -> list[ManagerEvent]:
        return list(self._events)

    def stop(self) -> None:
        Process(self._process, None).terminate()  # type: ignore[arg-type]

    def _configuration(self) -> dict[str, object]:
        return {
            "family": self.solution.engine.family,
            "nodes": {node.name: [node.host.address, node.port] for node in self.solution.nodes},
            "interval": self.settings.interval,
            "timeout": self.settings.timeout,
            "misses": self.settings.misses,
            "fence": self.settings.fence,
            **self.solution.manager_facts(),
        }

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with (self.host.node / "log" / "operator.jsonl").open("a") as log:
            for line in self._process.stdout:
                log.write(line)
                event = ManagerEvent(**json.loads(line))
                if event.kind == "watching":
                    self._watching.set()
                elif event.kind == "fence":
                    self._fence(event.node)
                else:
                    if event.kind == "promoted":
                        self.solution.appoint(event.node)
                    self._events.append(event)

    def _fence(self, name: str) -> None:
        node = self.solution.node(name)
        if node.process is not None:
            node.process.gone(node.process.kill())
        assert self._process.stdin is not None
        self._process.stdin.write("fenced\n")
        self._process.stdin.flush()
