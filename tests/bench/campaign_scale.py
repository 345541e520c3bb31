"""Measure the controller's work for each trial of a large campaign: schedule, hand-out, journal. No server
runs.

    python tests/bench/campaign_scale.py [--trials 10000] [--machines 200] [--quick]

Each machine simulates trials of 60 s, `--faster` times as short. One machine is lost in the middle. Prints
the controller's CPU and its delay between two trials of a machine; asserts nothing.
"""

import argparse
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from fivenines.campaign.as_needed import AsNeeded
from fivenines.campaign.dispatch import Dispatch
from fivenines.campaign.journal import Journal
from fivenines.campaign.schedule import Schedule
from fivenines.campaign.searches import Searches
from fivenines.campaign.workers.base import Delivered, Order, WorkerLostError
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.results.records import TrialRecord
from fivenines.trial.progress import CampaignStarted, Figures

_TRIAL = 60.0
_CELLS = 50
_SOLUTIONS = ", ".join(f"{{solution: standalone, name: s{n}}}" for n in range(_CELLS))


class Pretended:
    """Simulate a machine with trials of fixed duration; one machine is lost during its fifth trial."""

    def __init__(self, number: int, seconds: float) -> None:
        self.name = self.host = f"machine {number}"
        self.waits: list[float] = []
        self._number, self._seconds = number, seconds
        self._done = 0
        self._ended = 0.0

    def carry_out(self, order: Order, _listener: Any) -> Delivered:
        """Simulate a trial by sleeping."""
        if self._ended:
            self.waits.append(time.monotonic() - self._ended)
        time.sleep(self._seconds)
        self._done += 1
        if self._number == 0 and self._done == 5:
            raise WorkerLostError("it is gone")
        self._ended = time.monotonic()
        work: Any = order.work
        record = TrialRecord(
            id=work.id,
            number=work.number,
            seed=work.seed,
            cell=work.cell.key,
            started="",
            seconds=self._seconds,
            status="complete",
        )
        return Delivered(record, Figures())

    def host_available(self) -> bool:
        """Return whether the machine is available; the lost one never is again."""
        return False

    def interrupt(self) -> None:
        """Do nothing: the trial ends by itself."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def main() -> None:
    """Plan the campaign, hand out its trials and print the figures."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--trials", type=int, default=10_000)
    arguments.add_argument("--machines", type=int, default=200)
    arguments.add_argument("--faster", type=float, default=60.0, help="than 60 s a trial")
    arguments.add_argument("--quick", action="store_true", help="500 trials, 10 machines")
    chosen = arguments.parse_args()
    trials, machines = (500, 10) if chosen.quick else (chosen.trials, chosen.machines)
    began = time.process_time()
    experiment = parse_experiment(
        f"name: x\ntrials: {-(-trials // _CELLS)}\nconnections: [1]\nsolutions: [{_SOLUTIONS}]\n"
        "workloads: [oltp_read_only]\n",
        "x.yaml",
    )
    work = plan(experiment)
    planned = time.process_time() - began
    workers = [Pretended(number, _TRIAL / chosen.faster) for number in range(machines)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        journal = Journal(folder)
        journal(CampaignStarted(len(work), 0.0, work, at_once=machines))
        began, wall = time.process_time(), time.monotonic()
        needed = Searches(folder, AsNeeded(experiment.trials, folder))
        Dispatch(Schedule(work), experiment, folder, needed, journal, {}).run(workers)
        cpu, seconds = time.process_time() - began, time.monotonic() - wall
        journal.close()
    waits = [wait for worker in workers for wait in worker.waits]
    least = len(work) * _TRIAL / chosen.faster / machines
    print(f"{len(work)} trials on {machines} machines, trials {chosen.faster:g} times as short:")
    print(f"plan: {planned:.1f} s CPU")
    each = 1000 * cpu / len(work)
    print(f"hand-out: {each:.2f} ms CPU a trial, {seconds:.0f} s (no less than {least:.0f})")
    print(
        f"between two trials of a machine: median {1000 * statistics.median(waits):.1f} ms,"
        f" at most {1000 * max(waits):.0f} ms"
    )
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()
