"""Time that the machine takes: stolen CPU time, waits for a CPU, and late timers."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from fivenines.campaign.calibration.base import CalibrationContext, Calibrator
from fivenines.campaign.calibration.judging import STOLEN_SHARE, judge_lateness, judge_share
from fivenines.results.calibration import Line

_STEP = 0.001


@dataclass(frozen=True)
class Taken:
    """Counters since the start of the machine (jiffies) or of the thread (ns)."""

    stolen: int
    all: int
    waited_ns: int
    at_ns: int


class MachineTime(Calibrator):
    """Plants nothing: measures a loop that only sleeps."""

    name = "machine"
    title = "Time that the machine takes"
    order = 0
    seconds = (8.0, 4.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        seconds = self.seconds[context.short]
        context.tell(f"timers for {seconds:.0f} s")
        before = _taken()
        late = lateness_ms(seconds)
        after = _taken()
        share = (after.waited_ns - before.waited_ns) / (after.at_ns - before.at_ns)
        lines = [judge_lateness(late, seconds), judge_share("waited for a processor", share, None)]
        jiffies = after.all - before.all
        if jiffies:
            stolen = (after.stolen - before.stolen) / jiffies
            lines.append(judge_share("stolen by the host machine", stolen, STOLEN_SHARE))
        return lines


def lateness_ms(seconds: float) -> list[float]:
    """Return how late each timer of a millisecond was."""
    late = []
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        time.sleep(_STEP)
        late.append(max(0.0, (time.monotonic() - now - _STEP) * 1000))
    return late


def _taken() -> Taken:
    """Read the stolen time of all CPUs, and this thread's time on a run queue: proc(5)."""
    # user nice system idle iowait irq softirq steal; guest is within user
    times = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    try:
        waited = int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1])
    except (OSError, IndexError):
        waited = 0
    return Taken(times[7] if len(times) > 7 else 0, sum(times), waited, time.monotonic_ns())
