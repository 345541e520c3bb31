"""Show a plan before it runs: cells, trials, duration and statistical power."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fivenines.cli.experiments import charges
from fivenines.cli.experiments.planned import Planned

if TYPE_CHECKING:
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.spec import Experiment
    from fivenines.results.records import CellKey


def show_plans(file: Path, works: Sequence[Planned], as_json: bool, at_once: int = 1) -> None:
    """Show the plan of a file; with parts, the plan of each and the total.

    `at_once` is the number of parallel trials.
    """
    from fivenines.base.units import about
    from fivenines.cli.output import console

    if as_json:
        found = [_as_dict(file, work, at_once) for work in works]
        alone = len(works) == 1 and not works[0].part
        console.as_json(found[0] if alone else _all_as_dict(file, found))
        return
    for index, one in enumerate(works):
        if index:
            console.say("")
        _show(one, at_once)
    show_machines([work.experiment for work in works])
    for line in charges.lines(works):
        console.say(line)
    if any(work.part for work in works):
        seconds = sum(work.seconds_by(at_once) for work in works)
        console.say("")
        console.say(f"{all_work(works)}, one part after another: about {about(seconds)}", "bold")


def show_machines(experiments: "Sequence[Experiment]") -> None:
    """Show the SSH machines, and all commands that they are given."""
    from fivenines.cli.output import console
    from fivenines.lab.ssh.commands import lines

    machines = {
        name: one
        for experiment in experiments
        if experiment.lab.machines is not None
        for name, one in experiment.lab.machines.hosts.items()
    }
    if not machines:
        return
    console.say("")
    console.table(
        ["machine", "address", "role", "site", "folder"],
        [[name, str(one.address), one.role, one.site or "", one.folder] for name, one in machines.items()],
    )
    console.say("fivenines runs only these commands on each machine, over SSH, as root:")
    faults = {fault.fault for experiment in experiments for fault in experiment.faults}
    slow = any(network.has_slow_links for experiment in experiments for network in experiment.network)
    solutions = [solution for experiment in experiments for solution in experiment.solutions]
    virtual = any(solution.access.kind == "virtual-address" for solution in solutions)
    for line in lines(faults, slow, virtual):
        console.say(f"  {line}")


def all_work(works: Sequence[Planned]) -> str:
    """Format the amount of work, as "3 parts, 12 trials"."""
    from fivenines.analysis.wording import count

    return f"{count(len(works), 'part')}, {count(sum(work.work for work in works), 'trial')}"


def _show(work: Planned, at_once: int) -> None:
    from fivenines.base.units import about
    from fivenines.cli.output import console
    from fivenines.experiment.plan import cells, is_at_most
    from fivenines.experiment.power import power_lines, seen_spread
    from fivenines.lab.machine import describe
    from fivenines.results import calibrations

    experiment, trials, blocks = work.experiment, work.trials, work.blocks
    planned = {trial.cell.key for trial in trials}
    keys = [cell.key for cell in cells(experiment) if cell.key in planned]
    console.say(f"{experiment.name}: {experiment.description}".rstrip(": "), "bold")
    for line in _interleaved_lines(experiment, blocks):
        console.say(line)
    if not keys and not blocks:
        console.say("nothing left to do")
        return
    if keys:
        console.table(
            ["solution", "workload", "connections", "network", "fault"],
            [[key.solution, key.workload, key.connections, key.network, key.fault] for key in keys],
            right=["connections"],
            names=["solution"],
        )
    most = "at most " if experiment.trials.until else ""
    longest = most or ("at most " if is_at_most(trials, experiment) else "")
    amount = _work(len(keys), len(trials), len(blocks))
    parallel = f"{at_once} in parallel, " if at_once > 1 else ""
    console.say(
        f"{most}{amount} in interleaved order (seed {experiment.seed}), {parallel}{longest}about "
        f"{about(work.seconds_by(at_once))} once engines and data are in the cache"
    )
    for line in _as_needed(experiment, trials, blocks):
        console.say(line)
    for line in power_lines(experiment, seen_spread(calibrations.load(describe()))):
        console.say(line)
    for line in _sweeps(experiment, trials):
        console.say(line)
    for line in _long_faults(experiment, trials):
        console.say(line)
    note_few_trials(experiment)
    note_long_faults(experiment, trials)


def _as_needed(experiment: "Experiment", trials: "list[Trial]", blocks: "list[Block]") -> list[str]:
    """Describe when the trials of a cell end, if their number is not fixed."""
    from fivenines.base.units import about
    from fivenines.experiment.interleaved_plan import seconds_of

    count = experiment.trials
    found = _searches(experiment, trials)
    if count.until is None:
        return found
    first = [trial for trial in trials if trial.number <= count.at_least]
    least = about(seconds_of([*blocks, *first], experiment))
    return [
        *found,
        f"each {'other ' if found else ''}cell ends after {count.at_least} to {count.at_most} trials, once "
        f"the interval of {count.until.measure} is within {100 * count.until.within:g} % of its mean: "
        f"about {least} if all cells end early",
    ]


def _searches(experiment: "Experiment", trials: "list[Trial]") -> list[str]:
    """Describe when the trials of each search end."""
    faults = dict.fromkeys(trial.cell.key.fault for trial in trials if trial.cell.fault.search is not None)
    severities = dict.fromkeys(
        (trial.cell.key.fault, severity.of)
        for trial in trials
        if (severity := trial.cell.fault.severity) is not None
    )
    if not faults and not severities:
        return []
    from fivenines.analysis.availability.severity import PRECISION
    from fivenines.analysis.statistics.threshold import LEAST, Design
    from fivenines.base.units import format_duration

    most, precise = experiment.trials.at_most, Design()
    return [
        f"{fault}: its length is searched in {min(LEAST, most)} to {most} trials, until it is known within "
        f"{100 * precise.within_share:g} % or {format_duration(precise.within_seconds)}"
        for fault in faults
    ] + [
        f"{fault}: {setting} is searched in {min(LEAST, most)} to {most} trials, until it is known within "
        f"{100 * PRECISION:g} % where half is not served, and where the cluster fails over"
        for fault, setting in severities
    ]


def _interleaved_lines(experiment: "Experiment", blocks: "list[Block]") -> list[str]:
    """Return a line per interleaved comparison."""
    from fivenines.base.units import format_duration

    interleaved = experiment.interleaved
    groups: dict[tuple[CellKey, ...], list[Block]] = {}
    for block in blocks:
        groups.setdefault(tuple(cell.key for cell in block.cells), []).append(block)
    lines = [
        f"speed, interleaved: {' and '.join(key.solution for key in keys)} ({keys[0].workload}, "
        f"{keys[0].connections} connections, network {keys[0].network}): {len(blocks)} x "
        f"{interleaved.rounds} rounds of windows of {format_duration(interleaved.window)}"
        for keys, blocks in groups.items()
    ]
    if blocks and any(fault.fault != "none" for fault in experiment.faults):
        lines.append("faults, in separate trials:")
    return lines


def _work(cells: int, trials: int, blocks: int) -> str:
    """Format the numbers of blocks, cells and trials."""
    from fivenines.analysis.wording import count

    parts = [count(blocks, "block")] if blocks else []
    parts += [count(cells, "cell"), count(trials, "trial")] if cells else []
    return ", ".join(parts)


def _sweeps(experiment: "Experiment", trials: "list[Trial]") -> list[str]:
    """Return a line per sweep."""
    sizes: dict[str, set[str]] = {}
    measures: dict[str, str] = {}
    planned = {trial.cell.key.solution for trial in trials}
    for solution in (one for one in experiment.solutions if one.name in planned):
        if (variant := solution.variant) is not None:
            sizes.setdefault(variant.of, set()).add(solution.name)
            on = _JUDGED[variant.judged_on]
            measures[variant.of] = f"by {variant.by}, {_BEST_FOR[variant.best_for]}, {on}"
    return [
        f"sweep of {name}: {len(sizes[name])} variants, the best chosen {measures[name]}" for name in sizes
    ]


_BEST_FOR = {
    "each": "for each workload, number of connections and network",
    "workload": "for each workload",
    "all": "for all cells together",
}
_JUDGED = {
    "other-trials": "on odd-numbered trials, and compared on even-numbered trials",
    "same-trials": "and compared on the same trials, which favours it",
}


def note_few_trials(experiment: "Experiment") -> None:
    """Warn about a sweep with too few trials to choose a variant."""
    from fivenines.cli.output import console
    from fivenines.experiment.validation.sweeps import few_trials

    if text := few_trials(experiment):
        console.note(f"warning: {text}", "yellow")


def _long_faults(experiment: "Experiment", trials: "Sequence[Trial]") -> list[str]:
    """Describe how long faults take whose length the servers decide, if that fits."""
    from fivenines.analysis.wording import listed
    from fivenines.base.units import about
    from fivenines.experiment.plan import servers_decide

    alike: dict[tuple[str, float], list[str]] = {}
    for (fault, solution), seconds in servers_decide(trials).items():
        if seconds <= experiment.timing.recovery.at_most:
            alike.setdefault((fault, seconds), []).append(solution)
    return [
        f"{fault} takes about {about(seconds)} with {listed(solutions)}"
        for (fault, seconds), solutions in alike.items()
    ]


def note_long_faults(experiment: "Experiment", trials: "Sequence[Trial]") -> None:
    """Warn about faults that the end of the load will probably cut short."""
    from fivenines.base.units import about, format_duration
    from fivenines.cli.output import console
    from fivenines.experiment.plan import servers_decide

    recovery = experiment.timing.recovery.at_most
    for (fault, solution), seconds in servers_decide(trials).items():
        if seconds > recovery:
            text = (
                f"{fault} takes about {about(seconds)} with {solution}, and timing.recovery is "
                f"{format_duration(recovery)}: the load may end before all servers are done"
            )
            console.note(f"warning: {text}", "yellow")


def _as_dict(file: Path, work: Planned, at_once: int) -> dict[str, object]:
    from fivenines.experiment.defaults import as_dict

    return {
        "file": str(file),
        **({"part": work.part} if work.part else {}),
        "experiment": as_dict(work.experiment),
        "expected_seconds": work.seconds_by(at_once),
        "at_once": at_once,
        **({"charges": found} if (found := charges.as_dicts(work)) else {}),
        "trials": [
            {"id": trial.id, "number": trial.number, "seed": trial.seed, **trial.cell.key.model_dump()}
            for trial in work.trials
        ],
        "blocks": [
            {
                "id": block.id,
                "number": block.number,
                "seed": block.seed,
                "cells": [cell.key.model_dump() for cell in block.cells],
            }
            for block in work.blocks
        ],
    }


def _all_as_dict(file: Path, found: Sequence[dict[str, Any]]) -> dict[str, object]:
    seconds = sum(one["expected_seconds"] for one in found)
    return {"file": str(file), "expected_seconds": seconds, "parts": list(found)}
