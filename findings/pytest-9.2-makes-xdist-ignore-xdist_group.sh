#!/bin/bash
# pytest 9.2.0 with pytest-xdist 3.8.0: `--dist loadgroup` ignores the mark `xdist_group`, without a warning.
#
# Guess: tests marked with the same group run in the same worker, as the manual of xdist says.
# Seen on 2026-11-27, Python 3.11.7: six tests of one group are spread over both workers, and the exit code is 0.
# With pytest 9.0.2 and the same xdist they run in one worker. xdist appends "@group" to the private attribute
# `_nodeid` of each test, and the newer pytest does not read that any more. Fixtures that a module or a session
# shares are then made once in every worker: a suite of real servers took twice its time, and passed.
#
# Output seen:
#   pytest 9.0.2 and xdist 3.8.0: 1 worker
#   pytest 9.2.0 and xdist 3.8.0: 2 workers
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > test_group.py <<'PYTHON'
import os
import time

import pytest

pytestmark = pytest.mark.xdist_group("together")


@pytest.mark.parametrize("number", range(6))
def test_worker(number):
    time.sleep(0.3)
    with open("workers", "a") as found:
        found.write(os.environ["PYTEST_XDIST_WORKER"] + "\n")
PYTHON

workers() { # workers PYTEST: how many workers the group was spread over
  rm -f workers
  "$1/bin/python" -m pytest -q -n 2 --dist loadgroup -p no:cacheprovider test_group.py >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
  sort -u workers | wc -l
}

for version in 9.0.2 9.2.0; do
  python3 -m venv "$version"
  "$version/bin/python" -m pip install --quiet --disable-pip-version-check "pytest==$version" pytest-xdist==3.8.0
done
old=$(workers 9.0.2)
new=$(workers 9.2.0)
echo "pytest 9.0.2 and xdist 3.8.0: $old worker(s)"
echo "pytest 9.2.0 and xdist 3.8.0: $new worker(s)"
[ "$old" = 1 ] && [ "$new" = 2 ] || { echo "the behaviour has changed"; exit 1; }
