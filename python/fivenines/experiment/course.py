"""When what of a trial's load is: its phases as planned, and its windows as they became."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.experiment.spec import Experiment
from fivenines.load.work import CAP
from fivenines.results.records import Event, FaultRecord, Windows


@dataclass(frozen=True)
class Course:
    """A load in time; all are seconds from its start.

    Attributes:
        warmup: what is done before is not measured.
        steady_end: a fault is injected then.
        end: the load ends then, at the latest.
        works: it ends as soon as its work is done.
    """

    warmup: float
    steady_end: float
    end: float
    works: bool = False

    def windows(self, load: Mapping[str, Any], injected: bool) -> Windows:
        """Return the phases in ms; those of fixed work are from its first start to its last end.

        The end is the moment at which the load stopped: after it silence is no outage.

        Args:
            load: load.json.
            injected: whether a fault was, at the end of the steady window.
        """
        if not self.works:
            end = min(self.end, stopped_s(load))
            return Windows(
                warmup_end=min(self.warmup, end) * 1000,
                steady_end=min(self.steady_end, end) * 1000,
                end=end * 1000,
            )
        end = min(self.end, float(load["duration_s"]))
        work = load.get("work") or {"from_s": min(self.warmup, end), "to_s": end}
        first, last = float(work["from_s"]), min(float(work["to_s"]), end)
        if load.get("completed"):
            # the generator still waits for the ledger and the probes: nothing is missing then
            end = last
        steady_end = min(self.steady_end, last) if injected else last
        return Windows(warmup_end=min(first, steady_end) * 1000, steady_end=steady_end * 1000, end=end * 1000)

    def too_early(
        self, load: Mapping[str, Any], fault: str, struck: Sequence[FaultRecord] = ()
    ) -> Event | None:
        """What to tell where the work was done before its fault; None where it was not.

        Args:
            load: load.json.
            fault: what it is called.
            struck: the faults that were recorded.
        """
        if not self.works or any(one.at < self.windows(load, injected=True).end for one in struck):
            return None
        end = float((load.get("work") or {}).get("to_s", load["duration_s"]))
        moment, said = (
            (min(one.at for one in struck) / 1000, "what it broke was not measured")
            if struck
            else (self.steady_end, "nothing was broken")
        )
        detail = f"{fault}: the work was done after {end:.5g} s, before the fault at {moment:.5g} s; {said}"
        return Event(t=round(end * 1000, 3), kind="failed", detail=detail)


def stopped_s(load: Mapping[str, Any]) -> float:
    """Return when a load began no more transactions, in s from its start; a program's own end otherwise."""
    return float(load.get("stopped_s", load["duration_s"]))


def course(experiment: Experiment, ends_itself: bool, faulty: bool) -> Course:
    """The course of a cell's load.

    Args:
        experiment: its `timing` and `load`.
        ends_itself: whether the workload does, as `WorkloadSettings` says.
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
