"""A deployment whose clients connect through a proxy with planned outages."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fivenines.base.errors import FiveninesError
from fivenines.campaign.calibration import proxy_program
from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.host import Root
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.trial.deployment.deployed import Deployed

How = Literal["silent", "reset"]

_PORT = 6000


@dataclass(frozen=True)
class Planted:
    """An outage as the proxy recorded it, in ns of CLOCK_MONOTONIC."""

    how: How
    began: int
    ended: int


@dataclass(frozen=True)
class PlannedOutage:
    """A planned outage: beginning on CLOCK_MONOTONIC, nominal length, and length, in s."""

    how: How
    at: float
    nominal: float
    seconds: float


class ProxySettings(AccessSettings):
    """Settings of the proxy, which is not available in experiments."""

    kind: Literal["calibration"] = "calibration"


class Proxied(Access[ProxySettings]):
    """The proxy on a separate host, in front of the first node."""

    settings_type = ProxySettings

    def start(self) -> None:
        self._host = self.solution.lab.add_host("proxy", Root())
        address, _, port = self.solution.nodes[0].endpoint.rpartition(":")
        program = [sys.executable, "-I", "-S", str(Path(proxy_program.__file__))]
        with (self._host.node / "log" / "proxy.out").open("ab") as log:
            # The program ends with its host, even if this process dies.
            self._program = subprocess.Popen(
                self._host.commands.outside([*program, self._host.address, str(_PORT), address, port]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._answer()

    def endpoints(self) -> Endpoints:
        return Endpoints.of_one(f"{self._host.address}:{_PORT}")

    def plan(self, outages: Sequence[PlannedOutage]) -> None:
        """Send the plan of outages, in chronological order, to the proxy."""
        assert self._program.stdin is not None
        for outage in outages:
            order = {"at": round(outage.at * 1e9), "for": round(outage.seconds * 1e9), "how": outage.how}
            self._program.stdin.write(json.dumps(order) + "\n")
        self._program.stdin.flush()

    def planted(self, number: int) -> list[Planted]:
        """Wait for the end of a number of outages; return them as the proxy recorded them."""
        messages = [self._answer() for _ in range(number)]
        return [Planted(item["how"], item["from"], item["until"]) for item in messages]

    def _answer(self) -> dict[str, Any]:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            log = self._host.node / "log" / "proxy.out"
            raise FiveninesError(f"the proxy has ended: {log.read_text()[-300:].strip()}")
        loads: dict[str, Any] = json.loads(line)
        return loads


class ProxiedDeployment(Deployed):
    """A deployment as in a trial, but with the proxy as access layer."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.proxy = Proxied(ProxySettings(), self.solution)
        self.access = self.proxy
