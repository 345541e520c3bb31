#!/usr/bin/env python3
"""What the controller costs while a trial's load runs: its CPU as a share of one core.

Read from the trial records (`controller_cpu`) of the given runs; without one, examples/quickstart.yaml is
run once for each cell. Nothing is asserted: the median is printed beside the mark of 3 %.

    python3 tests/bench/controller_overhead.py [RUN ...]
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from fivenines.experiment.campaign import run_campaign
from fivenines.experiment.plan import plan, select
from fivenines.experiment.progress import silent
from fivenines.experiment.source import load_experiment
from fivenines.results.store import Run, open_run

MARK = 0.03
"""Share of one core to stay below."""

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "quickstart.yaml"


def main() -> None:
    """Report the given runs, or one made now."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="folders of runs")
    parser.add_argument("--trials", type=int, default=1, help="trials of each cell of a new run")
    args = parser.parse_args()
    if args.runs:
        report([open_run(folder) for folder in args.runs])
        return
    with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder:
        report([_run(Path(folder) / "run", args.trials)])


def report(runs: list[Run]) -> None:
    """Print the median over all complete trials, and where it comes from."""
    records = [trial.record for run in runs for trial in run.complete]
    shares = [record.controller_cpu for record in records if record.controller_cpu is not None]
    if not shares:
        sys.exit("no complete trial has recorded the controller's CPU")
    median = statistics.median(shares)
    print(f"CPU of the controller while the load runs, share of one core; {len(shares)} trials")
    print(
        f"median {100 * median:.2f} %  {median / MARK:.2f} x the mark of {100 * MARK:g} %  "
        f"(from {100 * min(shares):.2f} to {100 * max(shares):.2f} %)"
    )


def _run(folder: Path, trials: int) -> Run:
    experiment, text = load_experiment(EXAMPLE)
    chosen = select(plan(experiment), trials_override=trials)
    print(f"  {len(chosen)} trials of {EXAMPLE.name}", file=sys.stderr, flush=True)
    run_campaign(experiment, text, chosen, folder, resume=False, listener=silent)
    return open_run(folder)


if __name__ == "__main__":
    main()
