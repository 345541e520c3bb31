"""A deployment whose clients come through our proxy, which is away when it is told to be."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fivenines.access.base import Access
from fivenines.access.settings import AccessSettings
from fivenines.calibration import proxy_program
from fivenines.cluster.endpoints import Endpoints
from fivenines.deployment.deployed import Deployed
from fivenines.errors import FiveninesError
from fivenines.lab.host import Root

How = Literal["silent", "reset"]

_PORT = 6000


@dataclass(frozen=True)
class Planted:
    """An outage as the proxy itself recorded it, in ns of CLOCK_MONOTONIC."""

    how: How
    began: int
    ended: int


@dataclass(frozen=True)
class Wanted:
    """An outage as it shall be: its beginning on CLOCK_MONOTONIC, what it is called, its length, in s."""

    how: How
    at: float
    nominal: float
    seconds: float


class ProxySettings(AccessSettings):
    """Of no use in an experiment, hence not among the access layers."""

    kind: Literal["calibration"] = "calibration"


class Proxied(Access[ProxySettings]):
    """The proxy on a host of its own, in front of the first node."""

    settings_type = ProxySettings

    def start(self) -> None:
        self._host = self.solution.lab.add_host("proxy", Root())
        address, _, port = self.solution.nodes[0].endpoint.rpartition(":")
        program = [sys.executable, "-I", "-S", str(Path(proxy_program.__file__))]
        with (self._host.node / "log" / "proxy.out").open("ab") as log:
            # it ends with its host, whatever becomes of us
            self._program = subprocess.Popen(
                self._host.outside([*program, self._host.address, str(_PORT), address, port]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._answer()

    def endpoints(self) -> Endpoints:
        return Endpoints.of_one(f"{self._host.address}:{_PORT}")

    def plan(self, outages: Sequence[Wanted]) -> None:
        """Let it be away at these moments, which are in order."""
        assert self._program.stdin is not None
        for one in outages:
            told = {"at": round(one.at * 1e9), "for": round(one.seconds * 1e9), "how": one.how}
            self._program.stdin.write(json.dumps(told) + "\n")
        self._program.stdin.flush()

    def planted(self, number: int) -> list[Planted]:
        """Wait for so many outages to be over; as they really were."""
        told = [self._answer() for _ in range(number)]
        return [Planted(one["how"], one["from"], one["until"]) for one in told]

    def _answer(self) -> dict[str, Any]:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            log = self._host.node / "log" / "proxy.out"
            raise FiveninesError(f"the proxy has ended: {log.read_text()[-300:].strip()}")
        found: dict[str, Any] = json.loads(line)
        return found


class ProxiedDeployment(Deployed):
    """As a trial deploys, but with the proxy as access layer."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.proxy = Proxied(ProxySettings(), self.solution)
        self.access = self.proxy
