"""The observer of links: counters from the start of the load on, a last sample at the end."""

import csv
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.lab.network.wan import Traffic
from fivenines.results.layout import TABLES
from fivenines.trial.observers.links import LinkObserver


class Lab:
    """Two sites; each look finds ten frames more."""

    def __init__(self) -> None:
        self.sites = SimpleNamespace(members=lambda: {"east": [], "west": []})
        self.network = SimpleNamespace(traffic=self._traffic)
        self.looks = 0
        self.broken = False

    def _traffic(self) -> dict[tuple[str, str], Traffic]:
        if self.broken:
            raise FiveninesError("it has ended")
        self.looks += 1
        return {("east", "west"): Traffic(10 * self.looks, 1000 * self.looks, 1, 2)}


def _observer(lab: Any, out: Path, interval: float = 60.0) -> LinkObserver:
    deployed: Any = SimpleNamespace(lab=lab)
    return LinkObserver(deployed, out, ObserveSettings(interval=interval))


def _rows(out: Path) -> list[dict[str, str]]:
    with (out / "links.csv").open() as stream:
        return list(csv.DictReader(stream))


def test_counters_begin_at_the_start_of_the_load(tmp_path: Path) -> None:
    observer = _observer(Lab(), tmp_path)
    assert observer.wanted
    observer.start(time.monotonic_ns())
    observer.stop()
    rows = _rows(tmp_path)
    assert list(rows[0]) == list(TABLES["links"])
    assert {(row["from_site"], row["to_site"]) for row in rows} == {("east", "west")}
    frames = [int(row["frames"]) for row in rows]
    assert frames == [10 * (index + 1) for index in range(len(rows))]
    assert {row["dropped_queue"] for row in rows} == {"0"}


def test_an_emulator_that_died_ends_no_trial(tmp_path: Path) -> None:
    lab = Lab()
    observer = _observer(lab, tmp_path)
    observer._before = lab.network.traffic()
    lab.broken = True
    observer._thread.start()
    observer.stop()
    assert _rows(tmp_path) == []


def test_one_site_has_no_links(tmp_path: Path) -> None:
    assert not _observer(
        SimpleNamespace(sites=SimpleNamespace(members=lambda: {"site": ["node1"]})), tmp_path
    ).wanted
