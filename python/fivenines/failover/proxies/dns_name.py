"""A name in the DNS: clients resolve it, and fivenines moves it to the primary after each promotion.

The name server has a separate host. The programs of clients run with a `resolv.conf` that names it.
"""

import json
import sys
import threading
import time
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.base.units import Duration
from fivenines.base.waiting import wait_until
from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.host import Root
from fivenines.lab.processes.process import Process
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.topology import Topology

# `internal` is reserved for private networks by ICANN, so no resolver elsewhere knows the name.
NAME = "db.lab.internal"

# What the name server prints once it listens.
_READY = "listening"

# Managers that report their promotions to fivenines, which then moves the name.
_REPORTING = ("operator", "mha", "pacemaker", "program")


class DnsNameSettings(AccessSettings):
    """One name for writes, which leads to the primary's address after each promotion."""

    host = "resolver"

    kind: Literal["dns-name"] = Field(description="a name in the DNS that is moved to the primary")
    ttl: Annotated[int, Field(ge=0, le=86_400)] = Field(
        5, description="time to live of the answer, in seconds: so long may a client keep it"
    )
    delay: Duration = Field(0.0, description="time between the promotion and the new answer")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.manager in _REPORTING:
            return []
        named = f"the manager {topology.manager}" if topology.manager else "failover is built in, and it"
        return [
            f"access dns-name: {named} does not report promotions, so nothing moves the name; choose a "
            f"failover manager that does ({', '.join(_REPORTING)}), or another access layer"
        ]


class DnsName(Access[DnsNameSettings]):
    """A name server with one name."""

    settings_type = DnsNameSettings

    def configure(self) -> None:
        self.host = self.solution.lab.add_host(self.settings.host, Root())
        self._zone = self.host.node / "conf" / "zone.json"
        self._log = self.host.node / "log" / "name-server.out"
        self._starts = 0
        self._events: list[ManagerEvent] = []
        self._over = threading.Event()
        self._lead_to(self.solution.roles.primary_of_record.name)

    def start(self) -> None:
        self.restart()
        self.solution.roles.on_appointed.append(self._follow)

    @property
    def process(self) -> Process:
        return self._process

    def restart(self) -> None:
        # By its name: its library would be imported wherever experiment files are read.
        command = [sys.executable, "-m", "fivenines.lab.network.name_server"]
        # Every start prints it once into the same file.
        self._starts += 1
        self._process = self.host.commands.spawn_outside(
            [*command, self.host.address, str(self._zone), _READY], log=self._log.name
        )
        wait_until(self._not_ready, 15.0, "the name server did not start")

    def endpoints(self) -> Endpoints:
        name = f"{NAME}:{self.solution.nodes[0].port}"
        found = Endpoints.of_one(name, self.solution.endpoints().read)
        return replace(found, name_server=self.host.address)

    def events(self) -> list[ManagerEvent]:
        return list(self._events)

    def stop(self) -> None:
        self._over.set()

    def _follow(self, name: str) -> None:
        # The manager goes on at once.
        Background(target=self._move, args=(name,)).start()

    def _move(self, name: str) -> None:
        if self._over.wait(self.settings.delay) or self.solution.roles.primary_of_record.name != name:
            return
        self._lead_to(name)
        detail = f"{NAME} leads to {name}"
        self._events.append(ManagerEvent(time.monotonic_ns(), "repointed", self.settings.host, detail))

    def _lead_to(self, name: str) -> None:
        """Let the name lead to a node; the name server reads its file for every question."""
        zone = {"name": NAME, "address": self.solution.node(name).host.address, "ttl": self.settings.ttl}
        temporary = self._zone.with_suffix(".new")
        temporary.write_text(json.dumps(zone))
        temporary.replace(self._zone)

    def _not_ready(self) -> str:
        if not self.process.alive:
            raise FiveninesError(f"the name server did not start:\n{self.process.log_tail()}")
        return "" if self._log.read_text().count(_READY) >= self._starts else "it is not listening yet"
