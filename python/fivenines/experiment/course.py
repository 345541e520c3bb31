"""The phases of a trial's load: as planned, and as they happened."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.experiment.spec import Experiment
from fivenines.load.work import CAP
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Event, FaultRecord, Windows


@dataclass(frozen=True)
class Course:
    """The planned phases of a load, in seconds from its start.

    Attributes:
        warmup: end of the warm-up, before which nothing is measured.
        steady_end: time of the fault.
        end: latest end of the load.
        works: whether the load ends as soon as its work is done.
    """

    warmup: float
    steady_end: float
    end: float
    works: bool = False

    def windows(self, load: LoadSummary, injected: bool) -> Windows:
        """Return the phases in ms; with fixed work, from its first start to its last end.

        The end is the time at which the load stopped, so that the silence after it is no outage.

        Args:
            load: the load, once it has ended.
            injected: whether a fault was injected at the end of the steady window.
        """
        if not self.works:
            end = min(self.end, load.stopped_s)
            return Windows(
                warmup_end=min(self.warmup, end) * 1000,
                steady_end=min(self.steady_end, end) * 1000,
                end=end * 1000,
            )
        end = min(self.end, load.duration_s)
        work = load.requested
        first = min(self.warmup, end) if work is None or work.from_s is None else work.from_s
        last = end if work is None or work.to_s is None else min(work.to_s, end)
        if load.completed:
            # The generator still waits for the ledger and the probes: nothing is missing.
            end = last
        steady_end = min(self.steady_end, last) if injected else last
        return Windows(warmup_end=min(first, steady_end) * 1000, steady_end=steady_end * 1000, end=end * 1000)

    def too_early(self, load: LoadSummary, fault: str, injected: Sequence[FaultRecord] = ()) -> Event | None:
        """Return an event if the work ended before the fault was measured; else None.

        Args:
            load: the load, once it has ended.
            fault: the fault's name.
            injected: the faults that were recorded.
        """
        if not self.works or any(one.at < self.windows(load, injected=True).end for one in injected):
            return None
        work = load.requested
        end = load.duration_s if work is None or work.to_s is None else work.to_s
        moment, effect = (
            (min(one.at for one in injected) / 1000, "its effect was not measured")
            if injected
            else (self.steady_end, "no fault was injected")
        )
        detail = f"{fault}: the work was done after {end:.5g} s, before the fault at {moment:.5g} s; {effect}"
        return Event(t=round(end * 1000, 3), kind="failed", detail=detail)


def course(experiment: Experiment, ends_itself: bool, faulty: bool) -> Course:
    """Return the planned phases of a cell's load.

    Args:
        experiment: its `timing` and `load`.
        ends_itself: whether the workload ends by itself.
        faulty: whether the cell has a fault.
    """
    timing, load = experiment.timing, experiment.load
    steady_end = timing.warmup + timing.steady
    phases = steady_end + (timing.recovery.at_most if faulty else 0.0)
    if load.transactions is not None:
        end = timing.warmup + (load.cap or CAP)
        return Course(timing.warmup, steady_end, end, works=True)
    if ends_itself:
        return Course(0.0, steady_end, load.cap or phases, works=True)
    return Course(timing.warmup, steady_end, phases)
