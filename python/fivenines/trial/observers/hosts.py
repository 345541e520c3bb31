"""Sample CPU, memory, disk and network of each host, other load on the machine, and the controller's cost."""

import csv
import resource
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.lab.host import Host
from fivenines.lab.vm.host import VirtualMachine
from fivenines.trial.observers.base import Observer
from fivenines.trial.observers.device import Device
from fivenines.trial.observers.machine import Machine
from fivenines.trial.observers.processes import Key, Processes, Seen, Total, memory, network, remote_processes


class HostObserver(Observer):
    """Table `hosts`: all hosts of the lab, including the client, the proxy and the manager.

    CPU in cores since the last sample. Memory is the sum of the processes' resident sets, with shared memory
    such as PostgreSQL's shared buffers counted once. Bytes count from the first sample of the processes, and
    include processes that have ended.

    Table `machine`: all processes that are on no host.
    """

    tables = ("hosts", "machine")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ended = threading.Event()
        self._thread = Background(target=self._run)
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
        # The processes of external hosts cannot be distinguished from others.
        lab = self.deployed.lab
        return lab.clocks.differ or bool(first_processes(lab.hosts))

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
        """Return the current rows of each table."""
        firsts = first_processes(self.deployed.lab.hosts)
        look = self._processes.look(firsts)
        moment = time.monotonic()
        t_ms = round(moment * 1000 - self._started_ns / 1e6, 1)
        seen = {**look.hosts, **self._remote()}
        hosts = [(t_ms, name, *self._usage(name, moment, seen[name]), *self._network(name)) for name in seen]
        return {
            "hosts": hosts,
            "machine": [(t_ms, *row) for row in [*self._machine.rows(look), *self._written()]],
        }

    def _remote(self) -> dict[str, dict[Key, Seen]]:
        """Return the processes of hosts on other machines; a host that does not answer has no row."""
        seen = {}
        for name, host in list(self.deployed.lab.hosts.items()):
            with suppress(FiveninesError):
                if (processes := host.processes.reported()) is not None:
                    seen[name] = remote_processes(processes)
        return seen

    def _network(self, name: str) -> tuple[int, int] | tuple[str, str]:
        """Return the bytes that a host has received and sent."""
        lab = self.deployed.lab
        host, counts = lab.hosts.get(name), None
        if lab.clocks.differ:
            return "", ""
        with suppress(FiveninesError):
            counts = network(*host.port.ear(lab.pid)) if host is not None else None
        if counts is None:
            return "", ""
        # For a virtual machine the bridge's end is read, where the directions are swapped.
        return counts[::-1] if isinstance(host, VirtualMachine) else counts

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
    """Return the PID of each running host's first process."""
    pids = {}
    for name, host in list(hosts.items()):
        try:
            pids[name] = host.pid
        except FiveninesError:
            continue
    return pids


def controller_seconds() -> float:
    """Return the CPU time (user and system) of this process, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
