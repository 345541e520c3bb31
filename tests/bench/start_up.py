#!/usr/bin/env python3
"""Measure the CPU time of short commands, as a ratio to an interpreter that only loads the libraries.

The commands and their baseline, `python -c "import typer, pydantic, ruamel.yaml"`, run in turns. With
`--compare`, the same commands of another checkout run in the same turns, with the same interpreter, and the
ratio of medians is printed. Asserts nothing.

    python3 tests/bench/start_up.py --compare ../fivenines-before
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (["--help"], ["list", "faults"], ["run", "quickstart", "--dry-run"])
PEER = [sys.executable, "-c", "import typer, pydantic, ruamel.yaml"]


def main() -> None:
    """Run the commands in turns and print medians and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=10, help="turns (default: %(default)s)")
    parser.add_argument("--compare", type=Path, help="another checkout")
    arguments = parser.parse_args()
    trees = [ROOT, *([arguments.compare.resolve()] if arguments.compare else [])]
    peer: list[float] = []
    taken: dict[tuple[str, Path], list[float]] = {}
    for turn in range(arguments.turns + 1):
        # in the first turn files are read and compiled
        if turn:
            peer.append(seconds(PEER, ROOT))
        for command in COMMANDS:
            for tree in trees:
                one = seconds([sys.executable, "-m", "fivenines", *command], tree)
                if turn:
                    taken.setdefault((" ".join(command), tree), []).append(one)
    base = statistics.median(peer)
    print(f"libraries alone: {base:.2f} s of CPU (median of {arguments.turns})")
    for command in COMMANDS:
        name = " ".join(command)
        ours, *other = (statistics.median(taken[name, tree]) for tree in trees)
        comparison = f", {ours / other[0]:.2f} of {trees[1]}" if other else ""
        print(f"fivenines {name}: {ours:.2f} s, {ours / base:.1f} x the libraries{comparison}")


def seconds(command: list[str], tree: Path) -> float:
    """CPU seconds, user and system, of a command with the Python code of a checkout."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(tree / "python")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
