"""Run the lab tests several times, three at a time next to a load that uses one core, and count failures.

A test that fails once in ten such runs also fails in a user's fresh clone. A run takes about 25 minutes.
"""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.suites import LAB

ROOT = Path(__file__).parents[1]
BUSY = "while True: pass"


def main() -> int:
    """Run them; 1 if any test failed in any turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=10, help="turns (default: %(default)s)")
    parser.add_argument("tests", nargs="*", default=["tests/lab"], help="what to run")
    arguments = parser.parse_args()
    failures: Counter[str] = Counter()
    busy = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        for turn in range(1, arguments.times + 1):
            failed, passed = one_turn(arguments.tests)
            failures.update(failed)
            print(f"turn {turn}: {passed} passed, {len(failed)} failed", *failed, sep="\n  ")
            sys.stdout.flush()
    finally:
        busy.kill()
        busy.wait()
    for name, count in failures.most_common():
        print(f"{name}: failed in {count} of {arguments.times} turns")
    return 1 if failures else 0


def one_turn(tests: list[str]) -> tuple[list[str], int]:
    """The names of the tests that failed, and how many passed."""
    report = ROOT / ".pytest_cache" / "turn.xml"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", *LAB]
    subprocess.run([*command, f"--junitxml={report}", *tests], cwd=ROOT, check=False)
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return failed, len(cases) - len(failed)


if __name__ == "__main__":
    sys.exit(main())
