"""kill -9 of the program during a fault: nothing is left after 5 s, and the run can be resumed.

The short form of tests/kills/run.py, which does this a hundred times at random moments.
"""

from pathlib import Path

import pytest
from lab_kills import FaultWindow, clear, kill_run


@pytest.mark.long
def test_nothing_is_left_of_a_run_that_is_killed_while_its_servers_are_frozen(tmp_path: Path) -> None:
    # Warm-up and steady window take 1.5 s, the freeze 6 s.
    fault_window = FaultWindow("freeze, limited", "load", 4.0, resume=True)
    outcome = kill_run(fault_window, tmp_path / "work")
    clear(outcome, tmp_path / "work")
    assert outcome.hit and outcome.stopped > 0, outcome
    assert outcome.left == [] and outcome.trouble == "", outcome
