"""What faults that stop processes with SIGSTOP share: how both ends are verified, and their words."""

from collections.abc import Sequence

import psutil

from fivenines.faults.base import Recovery
from fivenines.lab.processes.process import all_in_state


def stopped(processes: Sequence[psutil.Process], whose: str = "") -> tuple[bool, str]:
    """Return whether all of these signalled processes have stopped, and what to record; `whose`: a suffix."""
    verified = bool(processes) and all_in_state([*processes], stopped=True)
    missing = "" if verified else ", not all stopped"
    return verified, f"SIGSTOP to {len(processes)} processes{whose}{missing}"


def resumed(processes: Sequence[psutil.Process], moment: int, whose: str = "") -> Recovery:
    """Return the end at `moment` (ns), verified if all of these processes go on; `whose`: a suffix."""
    if not processes:
        return Recovery(True, "no process to resume: all were killed meanwhile", moment)
    verified = all_in_state([*processes], stopped=False)
    missing = "" if verified else ", not all resumed"
    return Recovery(verified, f"SIGCONT to {len(processes)} processes{whose}{missing}", moment)
