"""Kill the program at random moments during all kinds of faults, and look for leftovers after 5 s.

    python tests/kills/run.py --kills 100 --seed 1

Prints one JSON line per kill and finally one line of figures; the exit code is 1 if a kill left anything. All
kinds of faults in `lab_kills.CASES` occur. Half of the kills happen during the fault.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lab" / "support"))

from lab_kills import CASES, FaultWindow, Outcome, clear, kill_run


def planned(kills: int, seed: int, only: list[str]) -> list[FaultWindow]:
    """Return the kills of a seed: each case equally often, in random order, at random moments."""
    draw = random.Random(seed)
    names = [name for name in CASES if not only or name in only]
    cases = [names[index % len(names)] for index in range(kills)]
    draw.shuffle(cases)
    return [_fault_window(case, draw) for case in cases]


def _fault_window(case: str, draw: random.Random) -> FaultWindow:
    if draw.random() < 0.5:
        # Warm-up and steady window take 1.5 s, after which the fault begins.
        when, after = "load", draw.uniform(1.7, 7.0)
    else:
        when, after = "setup", draw.uniform(0.3, 20.0)
    return FaultWindow(case, when, round(after, 2), draw.random() < 0.25)


def main() -> int:
    """Run the kills and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], choices=list(CASES), metavar="CASE")
    arguments = parser.parse_args()
    began = time.monotonic()
    done: list[Outcome] = []
    for number, fault_window in enumerate(planned(arguments.kills, arguments.seed, arguments.only), start=1):
        scratch = Path(tempfile.mkdtemp(prefix=f"fivenines-kill-{number}-"))
        outcome = kill_run(fault_window, scratch / "work")
        print(outcome.as_json(), flush=True)
        done.append(outcome)
        clear(outcome, scratch / "work")
        if outcome.good:
            shutil.rmtree(scratch, ignore_errors=True)
    print(_figures(done, time.monotonic() - began))
    return 0 if all(outcome.good for outcome in done) else 1


def _figures(done: list[Outcome], seconds: float) -> str:
    hit = [outcome for outcome in done if outcome.hit]
    seconds_to_end = [outcome.gone_after for outcome in hit if outcome.gone_after is not None]
    resumed = [outcome for outcome in hit if outcome.fault_window.resume]
    mean, longest = sum(seconds_to_end) / max(1, len(seconds_to_end)), max(seconds_to_end, default=0)
    return (
        f"{len(hit)} kills ({len(done) - len(hit)} runs had ended before) in {seconds / 60:.0f} min; "
        f"{sum(outcome.stopped > 0 for outcome in hit)} while processes were stopped; "
        f"{sum(bool(outcome.left) for outcome in hit)} left something after 5 s; "
        f"the others took {mean:.2f} s, at most {longest:.2f} s; "
        f"{len(resumed)} resumed, {sum(bool(outcome.trouble) for outcome in resumed)} in vain"
    )


if __name__ == "__main__":
    sys.exit(main())
