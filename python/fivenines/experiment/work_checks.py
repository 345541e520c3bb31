"""What is wrong with fixed work and with steps of connections that no single value shows."""

from collections.abc import Iterator

from fivenines.experiment.course import course
from fivenines.experiment.mistakes import Mistake, of_entry, shown
from fivenines.experiment.spec import Experiment
from fivenines.units import format_duration


def mistakes(experiment: Experiment) -> list[Mistake]:
    """All of them; the load's settings are right by themselves."""
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
                f"{shown(workload.workload)} is work that ends by itself: "
                "leave `load.transactions` out, or measure it in a file of its own",
            )


def _recovery(experiment: Experiment) -> Iterator[Mistake]:
    """Fixed work goes on until it is done, whatever has recovered."""
    fixed = [one.workload for one in experiment.workloads if one.ends_itself]
    if experiment.load.transactions is not None:
        fixed = ["load.transactions"]
    if experiment.timing.recovery.until is not None and fixed:
        path = ("timing", "recovery", "until")
        yield Mistake(
            None,
            path,
            f"timing.recovery.until: {fixed[0]} is fixed work, and the load goes on "
            "until it is done: write a duration",
        )


def _faults(experiment: Experiment) -> Iterator[Mistake]:
    """A fault comes at the end of the steady window, so the work must be allowed to last until then."""
    for index, fault in enumerate(experiment.faults):
        for workload in experiment.workloads if fault.fault != "none" else ():
            planned = course(experiment, workload.ends_itself, faulty=True)
            if planned.works and planned.end <= planned.steady_end:
                longest = experiment.load.cap or planned.end
                text = (
                    f"faults[{index}]: {fault.fault} is injected after timing.steady "
                    f"({format_duration(experiment.timing.steady)}), and the work is cut after load.cap "
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
            f"connections: found [{found}], but load.connection_steps say how many there are: write "
            f"[{most}], their greatest number",
        )
