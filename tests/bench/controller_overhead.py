#!/usr/bin/env python3
"""Measure the controller's CPU while a trial's load runs, as a share of one core.

The figures come from the trial records (`controller_cpu`) of the given runs. Without a run, a small
experiment with PostgreSQL, MariaDB replication and Galera is run. Nothing is asserted: the median of each
solution is printed next to the target of 3 %.

    python3 tests/bench/controller_overhead.py [RUN ...]
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.results.store import Run, open_run
from fivenines.trial.progress import silent

# The target: a share of one core.
MARK = 0.03

# Each trial has a failover: the controller works hardest while it waits for a node to rejoin.
EXPERIMENT = """
name: controller overhead
trials: {trials}
solutions: [hot-standby, replication, galera]
workloads: [oltp_read_write]
connections: [8]
faults:
  - fault: kill
    restart_after: 4s
timing: {{warmup: 2s, steady: 8s, recovery: 12s}}
"""


def main() -> None:
    """Report the given runs, or one that is run now."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="folders of runs")
    parser.add_argument("--trials", type=int, default=3, help="trials of each solution")
    args = parser.parse_args()
    if args.runs:
        report([open_run(folder) for folder in args.runs])
        return
    with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder:
        report([_run(Path(folder) / "run", args.trials)])


def report(runs: list[Run]) -> None:
    """Print the median of each solution over its complete trials."""
    shares: dict[str, list[float]] = {}
    for trial in (trial for run in runs for trial in run.complete):
        if trial.record.controller_cpu is not None:
            shares.setdefault(trial.record.cell.solution, []).append(trial.record.controller_cpu)
    if not shares:
        sys.exit("no complete trial has recorded the controller's CPU")
    print("CPU of the controller while the load runs, share of one core; median of the trials")
    for solution, values in shares.items():
        median = statistics.median(values)
        print(
            f"{solution:24} {100 * median:5.2f} %  {median / MARK:.2f} x the mark of {100 * MARK:g} %  "
            f"({len(values)} trials, from {100 * min(values):.2f} to {100 * max(values):.2f} %)"
        )


def _run(folder: Path, trials: int) -> Run:
    text = EXPERIMENT.format(trials=trials)
    experiment = parse_experiment(text, "controller_overhead")
    chosen = plan(experiment)
    print(f"  {len(chosen)} trials", file=sys.stderr, flush=True)
    run_campaign(experiment, text, chosen, folder, resume=False, listener=silent)
    return open_run(folder)


if __name__ == "__main__":
    main()
