"""Check fixed work and steps of connections together with the rest of an experiment."""

from collections.abc import Iterator

from fivenines.base.units import format_duration
from fivenines.experiment.course import course
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake, of_entry, shown


def mistakes(experiment: Experiment) -> list[Mistake]:
    """Return all errors; the load's settings must be valid by themselves."""
    return [
        *_ends_itself(experiment),
        *_recovery(experiment),
        *_faults(experiment),
        *_connections(experiment),
    ]


def _ends_itself(experiment: Experiment) -> Iterator[Mistake]:
    if experiment.load.transactions is None:
        return
    for index, workload in enumerate(experiment.workloads):
        if workload.ends_itself:
            yield of_entry(
                "workloads",
                index,
                f"{shown(workload.workload)} ends by itself: "
                "leave `load.transactions` out, or measure it in a separate file",
            )


def _recovery(experiment: Experiment) -> Iterator[Mistake]:
    """Refuse `recovery.until` with fixed work, which continues until it is done."""
    fixed = [workload.workload for workload in experiment.workloads if workload.ends_itself]
    if experiment.load.transactions is not None:
        fixed = ["load.transactions"]
    if experiment.timing.recovery.until is not None and fixed:
        path = ("timing", "recovery", "until")
        yield Mistake(
            None,
            path,
            f"timing.recovery.until: {fixed[0]} is fixed work, so the load continues "
            "until it is done: write a duration instead",
        )


def _faults(experiment: Experiment) -> Iterator[Mistake]:
    """Check that fixed work can last until the fault at the end of the steady window."""
    for index, fault in enumerate(experiment.faults):
        for workload in experiment.workloads if fault.fault != "none" else ():
            planned = course(experiment, workload.ends_itself, faulty=True)
            if planned.works and planned.end <= planned.steady_end:
                longest = experiment.load.cap or planned.end
                text = (
                    f"faults[{index}]: {fault.fault} is injected after timing.steady "
                    f"({format_duration(experiment.timing.steady)}), but the work is cut after load.cap "
                    f"({format_duration(longest)}): shorten the steady window or lengthen the cap"
                )
                yield Mistake(None, ("faults", index), text)
                break


def _connections(experiment: Experiment) -> Iterator[Mistake]:
    most = experiment.load.most_connections()
    if most is not None and experiment.connections != [most]:
        found = ", ".join(map(str, experiment.connections))
        yield Mistake(
            None,
            ("connections",),
            f"connections: found [{found}], but load.connection_steps defines the number: write "
            f"[{most}], its largest number",
        )
