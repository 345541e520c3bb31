"""CPU, memory, disk and network of each host, who else uses the machine, and what the controller costs."""

import csv
import resource
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

from fivenines.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.lab.vm import VirtualMachine
from fivenines.observe.base import Observer
from fivenines.observe.device import Device
from fivenines.observe.machine import Machine
from fivenines.observe.processes import Key, Processes, Seen, Total, memory, network, told


class HostObserver(Observer):
    """Table `hosts`: all hosts of the lab, those of the client, the proxy and the manager, too.

    CPU in cores since the last sample; memory as the sum of the processes' resident sets less what they
    share (so PostgreSQL's shared buffers count once); bytes since the first sample saw the processes,
    whatever was killed and started meanwhile.

    Table `machine`: the same look at all that is on no host.
    """

    tables = ("hosts", "machine")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._processes = Processes()
        self._machine = Machine()
        self._device = Device(self.out)
        self._totals: dict[str, Total] = {}
        self._cpu: dict[str, tuple[float, float]] = {}
        self._started_ns = 0

    @property
    def wanted(self) -> bool:
        return self.settings.hosts and self._any()

    def _any(self) -> bool:
        # hosts that are not ours have no processes that we could tell from others
        lab = self.deployed.lab
        return lab.clocks_differ or bool(first_processes(lab.hosts))

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        with ExitStack() as stack:
            writers = {}
            for table in self.tables:
                stream = stack.enter_context((self.out / f"{table}.csv").open("w", newline=""))
                writers[table] = csv.writer(stream)
                writers[table].writerow(self.columns_of(table))
            while True:
                for table, rows in self.look().items():
                    writers[table].writerows(rows)
                if self._ended.wait(self.settings.interval):
                    return

    def look(self) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of each table now."""
        firsts = first_processes(self.deployed.lab.hosts)
        found = self._processes.look(firsts)
        moment = time.monotonic()
        t_ms = round(moment * 1000 - self._started_ns / 1e6, 1)
        seen = {**found.hosts, **self._told()}
        hosts = [(t_ms, name, *self._usage(name, moment, seen[name]), *self._network(name)) for name in seen]
        return {
            "hosts": hosts,
            "machine": [(t_ms, *row) for row in [*self._machine.rows(found), *self._written()]],
        }

    def _told(self) -> dict[str, dict[Key, Seen]]:
        """The processes of hosts on other machines; one that does not answer now has no row."""
        seen = {}
        for name, host in list(self.deployed.lab.hosts.items()):
            with suppress(FiveninesError):
                if (processes := host.reported_processes()) is not None:
                    seen[name] = told(processes)
        return seen

    def _network(self, name: str) -> tuple[int, int] | tuple[str, str]:
        """Bytes that a host has received and sent."""
        lab = self.deployed.lab
        host, found = lab.hosts.get(name), None
        if lab.clocks_differ:
            return "", ""
        with suppress(FiveninesError):
            found = network(*host.ear(lab.pid)) if host is not None else None
        if found is None:
            return "", ""
        # of a virtual machine it is the other end that is looked at: the bridge's
        return found[::-1] if isinstance(host, VirtualMachine) else found

    def _written(self) -> list[tuple[str, float]]:
        written = self._device.written()
        return [] if written is None else [("device_written_bytes", float(written))]

    def _usage(self, name: str, moment: float, processes: dict[Key, Seen]) -> tuple[float, int, int, int]:
        used = self._totals.setdefault(name, Total()).update(processes)
        before, then = self._cpu.get(name, (used.cpu, moment))
        self._cpu[name] = (used.cpu, moment)
        cores = (used.cpu - before) / (moment - then) if moment > then else 0.0
        return round(cores, 3), memory(processes.values()), used.read, used.written


def first_processes(hosts: Mapping[str, Host]) -> dict[str, int]:
    """The PID of each host's first process; hosts may come and go."""
    found = {}
    for name, host in list(hosts.items()):
        try:
            found[name] = host.pid
        except FiveninesError:
            continue
    return found


def controller_seconds() -> float:
    """CPU seconds, user and system, that this process has used so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
