"""Check the section `stacks:` together with the rest of an experiment."""

from collections.abc import Iterator
from pathlib import Path

from fivenines.experiment.sections.stacks import (
    MOST_STACKS,
    StackSettings,
    one_host_only,
    stacks_of,
    variants,
)
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake, of_entry, shown
from fivenines.load.stacks.protocol import SPOKEN
from fivenines.servers.families import driver_of
from fivenines.solutions.settings import SolutionSettings


def mistakes(experiment: Experiment, base: Path) -> Iterator[Mistake]:
    """Return all errors about the stacks, whose programs are relative to `base`."""
    section = experiment.stacks
    if not section:
        return
    yield from _whole(experiment)
    for index, one in enumerate(section):
        for key in one.sweep.keys() & one.set.keys():
            yield of_entry("stacks", index, f"{key} is also in `set`: leave it out there", "sweep")
    names: dict[str, int] = {}
    for index, one in enumerate(section):
        if one.called in names:
            text = f"another stack is called {shown(one.called)}: set another `name`"
            yield of_entry("stacks", index, text)
        names[one.called] = index
        if text := one.missing(base):
            yield of_entry("stacks", index, text, "command")
    drivers = {driver_of(solution.engine) for solution in experiment.solutions}
    for index, one in enumerate(section):
        if one.speaks not in drivers and not one.of_all:
            text = f"{shown(one.called)} speaks to {SPOKEN[one.speaks]}, and no solution has such servers"
            yield of_entry("stacks", index, text)
        for solution in experiment.solutions:
            if one.speaks == driver_of(solution.engine) and one_host_only(one, solution) and not one.of_all:
                text = (
                    f"{shown(one.called)} takes one host, and clients of "
                    f"{solution.name or solution.default_name()} have to know several: set its `access` to a "
                    "proxy or a virtual address"
                )
                yield of_entry("stacks", index, text)
    for index, solution in enumerate(experiment.solutions):
        if text := _problem(solution, section):
            yield of_entry("solutions", index, text)


def _whole(experiment: Experiment) -> Iterator[Mistake]:
    """Find settings that exclude all stacks."""
    found = sum(len(variants(one)) for one in experiment.stacks)
    if found > MOST_STACKS:
        yield _at(f"found {found} stacks; the maximum is {MOST_STACKS}")
    if experiment.design == "interleaved":
        yield _at("an interleaved comparison has no client stacks: set `design: trials`")
    if experiment.lab.kind != "here":
        yield _at("client stacks run on this machine only: leave out `lab`")
    if experiment.clients:
        yield _at("client stacks run on the host of a single load: leave `clients` out")


def _problem(solution: SolutionSettings, section: list[StackSettings]) -> str:
    if solution.external:
        return "client stacks do not run against an external cluster here: use `fivenines stacks run --dsn`"
    if solution.machines != "namespaces":
        return "client stacks require `machines: namespaces`"
    driver = driver_of(solution.engine)
    if driver is not None and driver not in {one.speaks for one in section}:
        return f"no stack of the section `stacks` speaks to {SPOKEN[driver]}: add one"
    if driver is not None and section[0].of_all and not stacks_of(section, solution):
        return "every stack for its servers takes one host: set `access` to a proxy or a virtual address"
    return ""


def _at(text: str) -> Mistake:
    return Mistake(None, ("stacks",), f"stacks: {text}")
