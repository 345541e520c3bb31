"""Sample the link emulator's counts of the links between sites."""

import csv
import threading
import time
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.lab.network.wan import Traffic
from fivenines.trial.observers.base import Observer


class LinkObserver(Observer):
    """Table `links`: frames and bytes of every link between two sites, counted from the start of the load."""

    tables = ("links",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ended = threading.Event()
        self._thread = Background(target=self._run)
        self._started_ns = 0
        self._before: dict[tuple[str, str], Traffic] = {}

    @property
    def wanted(self) -> bool:
        return len(self.deployed.lab.sites.members()) > 1

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._before = self.deployed.lab.network.traffic()
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        with (self.out / "links.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(self.columns_of("links"))
            while True:
                # The last sample is taken after the end, so that it includes all traffic.
                last = self._ended.wait(0)
                try:
                    traffic = self.deployed.lab.network.traffic()
                except FiveninesError:
                    traffic = {}
                t_ms = round((time.monotonic_ns() - self._started_ns) / 1e6, 1)
                for pair, now in traffic.items():
                    writer.writerow((t_ms, *pair, *_since(self._before[pair], now)))
                stream.flush()
                if last:
                    return
                self._ended.wait(self.settings.interval)


def _since(before: Traffic, now: Traffic) -> tuple[int, int, int, int]:
    return (
        now.frames - before.frames,
        now.bytes - before.bytes,
        now.dropped_queue - before.dropped_queue,
        now.dropped_loss - before.dropped_loss,
    )
