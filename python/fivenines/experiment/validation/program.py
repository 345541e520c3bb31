"""Refuse settings that sysbench as the load generator does not support."""

from collections.abc import Iterator

from fivenines.experiment.names import LONGEST
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted, of_entry, shown
from fivenines.load.sysbench_options import load_problems, workload_problems
from fivenines.load.workloads.program import OURS, named
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.solutions.settings import SolutionSettings

_ALONE = "set `load.program: fivenines`, or use sysbench in a separate experiment"


def spread(experiment: Experiment) -> Experiment:
    """Return the experiment with every workload once per program, under separate names."""
    workloads = [
        workload.model_copy(update={"name": named(workload.name, program), "program": program})
        for workload in experiment.workloads
        for program in experiment.load.program
    ]
    return experiment.model_copy(update={"workloads": workloads})


def mistakes(experiment: Experiment, names: list[str]) -> list[Mistake]:
    """Return all errors of an experiment with sysbench; `names` are those of the workloads."""
    found = [
        of_entry("workloads", index, "is derived from `load.program`: set it there", "program")
        for index, workload in enumerate(experiment.workloads)
        if workload.program != OURS
    ]
    found += [
        _at(
            ("clients", index, "load", "program"), "one program generates all loads: set it in `load.program`"
        )
        for index, client in enumerate(experiment.clients)
        if client.load is not None and client.load.program != [OURS]
    ]
    if "sysbench" not in experiment.load.program:
        return found
    return [
        *found,
        *(_at(("load", key), text) for key, text in load_problems(experiment.load)),
        *_workloads(experiment.workloads, names),
        *_solutions(experiment.solutions),
        *_faults(experiment),
        *_ledger(experiment),
        *_timing(experiment),
        *_clients(experiment),
        *_design(experiment),
    ]


def _workloads(workloads: list[WorkloadSettings], names: list[str]) -> Iterator[Mistake]:
    taken = set(names)
    for index, (workload, name) in enumerate(zip(workloads, names, strict=True)):
        for key, text in workload_problems(workload):
            yield of_entry("workloads", index, f"{text}; {_ALONE}", key)
        other = named(name, "sysbench")
        if len(other) > LONGEST:
            yield of_entry(
                "workloads",
                index,
                f"with sysbench its name is {shown(other)}, but a name must have "
                f"at most {LONGEST} characters: set a shorter `name:`",
            )
        if other in taken:
            yield of_entry(
                "workloads",
                index,
                f"with sysbench its name is {shown(other)}, like that of another "
                "workload: set another `name:` for one of them",
            )


def _solutions(solutions: list[SolutionSettings]) -> Iterator[Mistake]:
    for index, solution in enumerate(solutions):
        if solution.external:
            yield of_entry("solutions", index, f"sysbench can load only servers of the lab; {_ALONE}")
        elif solution.reads != "primary":
            yield of_entry(
                "solutions", index, f"sysbench does not support endpoints for reads; {_ALONE}", "reads"
            )


def _faults(experiment: Experiment) -> Iterator[Mistake]:
    for index, fault in enumerate(experiment.faults):
        if fault.fault != "none":
            yield of_entry(
                "faults",
                index,
                f"{shown(fault.fault)}: sysbench ends at the first lost "
                f"connection, so no outage can be measured; {_ALONE}",
            )


def _ledger(experiment: Experiment) -> Iterator[Mistake]:
    ledger = experiment.ledger
    text = (
        "sysbench has no ledger alongside its load, and both programs must do the same work: write "
        "`ledger: {rate: 0}`, and measure losses in a separate experiment"
    )
    if ledger.rate:
        # The ledger is on by default, so the file may not mention it.
        written = "rate" in ledger.model_fields_set
        path = ("ledger", "rate") if written else ("load", "program")
        yield Mistake(None, path, f"ledger.rate: {text}")
    for name in ledger.alongside():
        yield _at(("ledger", name, "rate"), "sysbench runs nothing alongside its load: write 0")


def _timing(experiment: Experiment) -> Iterator[Mistake]:
    timing = experiment.timing
    for name, value in (("warmup", timing.warmup), ("steady", timing.steady)):
        if value != int(value):
            yield _at(("timing", name), "sysbench supports only whole seconds")


def _clients(experiment: Experiment) -> Iterator[Mistake]:
    if experiment.clients:
        yield _at(("clients",), f"sysbench cannot start at the same time as other clients; {_ALONE}")
    for index, network in enumerate(experiment.network):
        if network.begins_late:
            yield of_entry(
                "network",
                index,
                f"sysbench cannot wait after connecting until the network begins: leave it out; {_ALONE}",
                "from",
            )


def _design(experiment: Experiment) -> Iterator[Mistake]:
    if experiment.design == "interleaved":
        yield _at(("design",), "sysbench does not support interleaved comparisons: set `design: trials`")


def _at(path: KeyPath, text: str) -> Mistake:
    return Mistake(None, path, f"{dotted(path)}: {text}")
