"""What is wrong with an interleaved comparison that no single value shows."""

from collections.abc import Iterator

import psutil

from fivenines.experiment.interleaved_plan import groups
from fivenines.experiment.mistakes import KeyPath, Mistake, of_entry, shown
from fivenines.experiment.spec import Experiment
from fivenines.units import format_size


def mistakes(experiment: Experiment) -> list[Mistake]:
    """All mistakes of an experiment whose design is interleaved; none with another design."""
    if experiment.design != "interleaved":
        return []
    return [
        *(_at(("interleaved",), f"interleaved.{text}") for text in experiment.interleaved.problems()),
        *_solutions(experiment),
        *_load(experiment),
        *_memory(experiment),
    ]


def _solutions(experiment: Experiment) -> Iterator[Mistake]:
    if len(experiment.solutions) < 2:
        yield _at(
            ("solutions",),
            "solutions: an interleaved comparison compares two solutions or more; add one, or "
            "choose `design: trials`",
        )
    for index, solution in enumerate(experiment.solutions):
        if solution.variant is not None:
            yield of_entry(
                "solutions",
                index,
                "a sweep chooses its best case by trials: choose `design: trials`, or give one value",
            )
            return
        if solution.external:
            yield of_entry(
                "solutions",
                index,
                "a cluster that others run may have other users, so "
                "nobody knows that it is idle in its neighbour's windows: choose "
                "`design: trials`",
            )


def _load(experiment: Experiment) -> Iterator[Mistake]:
    load = experiment.load
    if load.rate is not None or load.steps:
        yield _at(
            ("load",),
            "load: an interleaved comparison compares solutions in a closed loop: leave `rate` and "
            "`steps` out, or choose `design: trials`",
        )
    for index, network in enumerate(experiment.network):
        if network.begins_late:
            yield of_entry(
                "network",
                index,
                "from: in an interleaved comparison several loads begin one after the other: "
                "leave it out, or choose `design: trials`",
            )
    if load.burst:
        yield _at(
            ("load",),
            "load.burst: in an interleaved comparison connections stay open, so there is no burst: leave "
            "it out, or choose `design: trials`",
        )
    if load.transactions is not None:
        yield _at(
            ("load",),
            "load.transactions: in an interleaved comparison solutions take turns by time: leave it out, or "
            "choose `design: trials`",
        )
    if load.connection_steps:
        yield _at(
            ("load",),
            "load.connection_steps: in an interleaved comparison connections stay open: leave them out, or "
            "choose `design: trials`",
        )
    for index, workload in enumerate(experiment.workloads):
        if workload.ends_itself:
            yield of_entry(
                "workloads",
                index,
                f"{shown(workload.workload)} ends by itself, so it "
                "cannot take turns: choose `design: trials`",
            )


def _memory(experiment: Experiment) -> Iterator[Mistake]:
    """Limits that together exceed the machine: what is seen later is checked then."""
    total = psutil.virtual_memory().total
    for group in groups(experiment):
        limits = [(cell.solution.limits.memory or 0) * cell.solution.nodes for cell in group]
        if sum(limits) > total:
            yield _at(
                ("design",),
                "design: all solutions of an interleaved comparison are up at once, and their hosts may "
                f"use {format_size(sum(limits))} of memory by their limits; this machine has "
                f"{format_size(total // 2**20 * 2**20)}: lower the limits, compare fewer "
                "solutions, or choose `design: trials`",
            )
            return


def _at(path: KeyPath, text: str) -> Mistake:
    return Mistake(None, path, text)
