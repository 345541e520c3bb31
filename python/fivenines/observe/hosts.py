"""CPU and memory of each host's server, once a second; and what the controller itself costs."""

import csv
import resource
import threading
import time
from typing import Any

import psutil

from fivenines.observe.base import Observer
from fivenines.results.layout import TABLES
from fivenines.servers.base import Server


class HostObserver(Observer):
    """Samples the servers' processes into a CSV file with the columns of the table `hosts`.

    CPU in cores since the last sample; memory as the sum of the processes' resident sets less what they
    share (so PostgreSQL's shared buffers count once).
    """

    tables = ("hosts",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._cpu: dict[str, tuple[float, float]] = {}
        self._started_ns = 0

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        with (self.out / "hosts.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(TABLES["hosts"])
            while True:
                for node in self.deployed.solution.nodes:
                    writer.writerow((*self._sample(node), "", "", "", ""))
                stream.flush()
                if self._ended.wait(self.settings.interval):
                    return

    def _sample(self, node: Server) -> tuple[float, str, float, int]:
        moment = time.monotonic()
        seconds, memory = _usage(node)
        before, then = self._cpu.get(node.name, (seconds, moment))
        self._cpu[node.name] = (seconds, moment)
        # a restarted server begins again at nought
        cores = max(0.0, seconds - before) / (moment - then) if moment > then else 0.0
        t_ms = (time.monotonic_ns() - self._started_ns) / 1e6
        return round(t_ms, 1), node.name, round(cores, 3), memory


def controller_seconds() -> float:
    """CPU seconds, user and system, that this process has used so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _usage(node: Server) -> tuple[float, int]:
    seconds, private, shared = 0.0, 0, 0
    for process in node.process.members() if node.process else []:
        try:
            with process.oneshot():
                times, memory = process.cpu_times(), process.memory_info()
        except psutil.NoSuchProcess:
            continue
        seconds += times.user + times.system + times.children_user + times.children_system
        private += memory.rss - memory.shared
        shared = max(shared, memory.shared)
    return seconds, private + shared
