"""Check an experiment with an interleaved comparison."""

from collections.abc import Iterator

import psutil

from fivenines.base.units import format_size
from fivenines.experiment.interleaved_plan import groups
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, of_entry, shown


def mistakes(experiment: Experiment) -> list[Mistake]:
    """Return all errors of an experiment with `design: interleaved`; none with another design."""
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
            "solutions: an interleaved comparison needs two or more solutions: add one, or "
            "set `design: trials`",
        )
    for index, solution in enumerate(experiment.solutions):
        if solution.variant is not None:
            yield of_entry(
                "solutions",
                index,
                "a sweep chooses its best variant by trials: set `design: trials`, or set one value",
            )
            return
        if solution.external:
            yield of_entry(
                "solutions",
                index,
                "an external cluster may have other users, so it may "
                "not be idle during the windows of other solutions: set "
                "`design: trials`",
            )


def _load(experiment: Experiment) -> Iterator[Mistake]:
    load = experiment.load
    if load.rate is not None or load.steps:
        yield _at(
            ("load",),
            "load: an interleaved comparison uses a closed loop: leave `rate` and "
            "`steps` out, or set `design: trials`",
        )
    for index, network in enumerate(experiment.network):
        if network.begins_late:
            yield of_entry(
                "network",
                index,
                "from: in an interleaved comparison, several loads begin one after another: "
                "leave it out, or set `design: trials`",
            )
    if load.burst:
        yield _at(
            ("load",),
            "load.burst: in an interleaved comparison, connections stay open: leave "
            "it out, or set `design: trials`",
        )
    if load.transactions is not None:
        yield _at(
            ("load",),
            "load.transactions: in an interleaved comparison, solutions take turns by time: leave it out, or "
            "set `design: trials`",
        )
    if load.connection_steps:
        yield _at(
            ("load",),
            "load.connection_steps: in an interleaved comparison, connections stay open: leave it out, or "
            "set `design: trials`",
        )
    for index, workload in enumerate(experiment.workloads):
        if workload.ends_itself:
            yield of_entry(
                "workloads",
                index,
                f"{shown(workload.workload)} ends by itself, so it cannot take turns: set `design: trials`",
            )


def _memory(experiment: Experiment) -> Iterator[Mistake]:
    """Check that the memory limits of all solutions fit into this machine together."""
    total = psutil.virtual_memory().total
    for group in groups(experiment):
        limits = [(cell.solution.limits.memory or 0) * cell.solution.traits.nodes for cell in group]
        if sum(limits) > total:
            yield _at(
                ("design",),
                "design: all solutions of an interleaved comparison run at the same time, with memory limits "
                f"of {format_size(sum(limits))} in total, but this machine has "
                f"{format_size(total // 2**20 * 2**20)}: lower the limits, compare fewer "
                "solutions, or set `design: trials`",
            )
            return


def _at(path: KeyPath, text: str) -> Mistake:
    return Mistake(None, path, text)
