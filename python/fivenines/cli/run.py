"""`fivenines run`: an experiment file becomes a run on disk and a report."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import check
from fivenines.cli.attended import Audience, How, address, attended, continued_by
from fivenines.cli.check import JunitOption, ThresholdOption
from fivenines.cli.options import AsJson
from fivenines.errors import FiveninesError, UsageError

if TYPE_CHECKING:
    from fivenines.analysis.thresholds import ThresholdResult
    from fivenines.experiment.duet_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.spec import Experiment
    from fivenines.results.records import CellKey


def run(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    file: Annotated[
        Path, typer.Argument(help="The experiment file, or the name of an example.", metavar="FILE")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan and how long it takes.")
    ] = False,
    show_defaults: Annotated[
        bool, typer.Option("--show-defaults", help="Only print the file with all defaults.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the last run of this file, or --out.")
    ] = False,
    trials: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Trials of each cell.", metavar="N")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this solution, or variant of a swept one; may be repeated.",
            metavar="SOLUTION",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder; default runs/NAME-TIME.", metavar="DIR")
    ] = None,
    threshold: ThresholdOption = None,
    junit: JunitOption = None,
    progress: Annotated[
        How,
        typer.Option(help="auto; plain: lines that stay; json: a JSON object a line on stdout."),
    ] = How.AUTO,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Offer Prometheus metrics while it runs. Example: --metrics 9187",
            metavar="[HOST:]PORT",
        ),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the run live on a page of this machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment: deploy, load, break, check, report.

    \b
    fivenines run quickstart --dry-run
    fivenines run quickstart
    fivenines run quickstart --serve
    fivenines run mine.yaml --only galera-haproxy --trials 1

    `fivenines list examples` names those that come with it.

    Ctrl-C loses at most the running trial: continue with --resume.
    """
    from fivenines.experiment import examples
    from fivenines.experiment.duet_plan import blocks
    from fivenines.experiment.plan import plan, select
    from fivenines.experiment.source import load_experiment
    from fivenines.needs.trials import exactly
    from fivenines.results import claims

    experiment, source = load_experiment(examples.located(file), only or [])
    if trials is not None:
        experiment = experiment.model_copy(update={"trials": exactly(trials)})
    thresholds = [*experiment.thresholds, *check.read(threshold, _names(experiment))]
    if junit is not None and not thresholds:
        raise UsageError(
            "--junit has nothing to write without thresholds: add --threshold 'lost = 0'"
        )
    check.require_writable(junit)
    duets = blocks(experiment, only or [])
    sides = [one for block in blocks(experiment) for one in block.members()]
    trials_planned = plan(experiment)
    selected = select([*trials_planned, *sides], only or [])
    chosen = [trial for trial in selected if trial in trials_planned]
    if show_defaults:
        _show_defaults(experiment)
    elif dry_run:
        if resume:
            chosen, duets = _what_is_left(_folder(experiment, out, resume), chosen, duets)
        _show_plan(file, experiment, chosen, duets, as_json)
    else:
        from fivenines.report import write_html
        from fivenines.runner.campaign import run_campaign
        from fivenines.runner.journal import opened

        audience = Audience(progress, experiment.name, address(metrics), serve)
        folder = _folder(experiment, out, resume)
        _close(folder)
        _note_few_trials(experiment)
        command = _command(file, folder, trials, only or [], threshold or [])
        begins = opened(file, trials, only or [], threshold or [])
        # nobody removes or resumes it before its report is written
        with claims.claimed(folder):
            with (
                continued_by(command),
                attended(folder, begins, audience) as attendance,
            ):
                work: list[Trial | Block] = [*duets, *chosen]
                listen = attendance.listener
                broken = run_campaign(experiment, source, work, folder, resume, listen, str(file))
            page = write_html(folder)
            outcomes = check.judged(folder, thresholds, junit) if thresholds else []
            _show_result(folder, page, progress, as_json, outcomes)
        attendance.stopped.require_not(command)
        _require_complete(broken, len(chosen) + len(duets))
        check.require_passed(outcomes)


def _what_is_left(
    folder: Path, trials: "list[Trial]", duets: "list[Block]"
) -> "tuple[list[Trial], list[Block]]":
    """The trials and duets that a run does not hold yet; says of which run."""
    from fivenines.cli import console
    from fivenines.results import layout

    left = [one for one in trials if not layout.trial_folder(folder, one.id).exists()]
    open_duets = [one for one in duets if not layout.trial_folder(folder, one.id).exists()]
    planned = len(trials) + len(duets)
    console.note(f"{folder}: {planned - len(left) - len(open_duets)} of {planned} trials are done")
    return left, open_duets


def _show_defaults(experiment: "Experiment") -> None:
    from fivenines.cli import console
    from fivenines.experiment.defaults import with_defaults

    console.stdout().out(with_defaults(experiment), end="", highlight=False)


def _show_plan(
    file: Path,
    experiment: "Experiment",
    trials: "list[Trial]",
    duets: "list[Block]",
    as_json: bool,
) -> None:
    from fivenines.cli import console
    from fivenines.experiment.duet_plan import seconds_of
    from fivenines.experiment.plan import cells, is_at_most
    from fivenines.experiment.power import power_lines, seen_spread
    from fivenines.lab.machine import describe
    from fivenines.results import calibrations
    from fivenines.units import about

    seconds = seconds_of([*duets, *trials], experiment)
    if as_json:
        console.as_json(_plan_as_dict(file, experiment, trials, duets, seconds))
        return
    planned = {trial.cell.key for trial in trials}
    keys = [cell.key for cell in cells(experiment) if cell.key in planned]
    console.say(f"{experiment.name}: {experiment.description}".rstrip(": "), "bold")
    for line in _duet_lines(experiment, duets):
        console.say(line)
    if not keys and not duets:
        console.say("nothing is left to do")
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
    console.say(f"{most}{_work(len(keys), len(trials), len(duets))} in interleaved order (seed "
                f"{experiment.seed}), {longest}about {about(seconds)} once engines and data are in the cache"
    )  # fmt: skip
    for line in _as_needed(experiment, trials, duets):
        console.say(line)
    for line in power_lines(experiment, seen_spread(calibrations.load(describe()))):
        console.say(line)
    for line in _sweeps(experiment, trials):
        console.say(line)
    _note_few_trials(experiment)


def _as_needed(experiment: "Experiment", trials: "list[Trial]", duets: "list[Block]") -> list[str]:
    """When the trials of a cell end, where that is not by their number."""
    from fivenines.experiment.duet_plan import seconds_of
    from fivenines.units import about

    count = experiment.trials
    if count.until is None:
        return []
    first = [one for one in trials if one.number <= count.at_least]
    least = about(seconds_of([*duets, *first], experiment))
    return [
        f"a cell ends after {count.at_least} to {count.at_most} trials, when {count.until.measure} is known "
        f"within {100 * count.until.within:g} % of its mean: about {least} if all do at once"
    ]


def _duet_lines(experiment: "Experiment", duets: "list[Block]") -> list[str]:
    """Each group that is compared side by side in a line; what trials are left for."""
    from fivenines.units import format_duration

    duet = experiment.duet
    groups: dict[tuple[CellKey, ...], list[Block]] = {}
    for block in duets:
        groups.setdefault(tuple(cell.key for cell in block.cells), []).append(block)
    lines = [
        f"speed, side by side: {' and '.join(key.solution for key in keys)} ({keys[0].workload}, "
        f"{keys[0].connections} connections, network {keys[0].network}): {len(blocks)} x {duet.rounds} "
        f"rounds of windows of {format_duration(duet.window)}"
        for keys, blocks in groups.items()
    ]
    if duets and any(fault.fault != "none" for fault in experiment.faults):
        lines.append("faults, in trials of each alone:")
    return lines


def _work(cells: int, trials: int, duets: int) -> str:
    """What is to be done, in numbers."""
    from fivenines.analysis.wording import count

    parts = [count(duets, "duet")] if duets else []
    parts += [count(cells, "cell"), count(trials, "trial")] if cells else []
    return ", ".join(parts)


def _sweeps(experiment: "Experiment", trials: "list[Trial]") -> list[str]:
    """Each sweep of the plan in a line."""
    sizes: dict[str, set[str]] = {}
    measures: dict[str, str] = {}
    planned = {trial.cell.key.solution for trial in trials}
    for solution in (one for one in experiment.solutions if one.name in planned):
        if (variant := solution.variant) is not None:
            sizes.setdefault(variant.of, set()).add(solution.name)
            on = _JUDGED[variant.judged_on]
            measures[variant.of] = f"by {variant.by}, {_BEST_FOR[variant.best_for]}, {on}"
    return [
        f"{name} is swept: {len(sizes[name])} variants, the best chosen {measures[name]}"
        for name in sizes
    ]


_BEST_FOR = {
    "each": "for each workload, number of connections and network",
    "workload": "for each workload",
    "all": "for all cells together",
}
_JUDGED = {
    "other-trials": "on the trials with odd numbers, and compared on those with even ones",
    "same-trials": "and compared, on the same trials, which flatters it",
}


def _note_few_trials(experiment: "Experiment") -> None:
    from fivenines.cli import console
    from fivenines.experiment.sweep_checks import few_trials

    if text := few_trials(experiment):
        console.note(f"warning: {text}", "yellow")


def _plan_as_dict(
    file: Path,
    experiment: "Experiment",
    trials: "list[Trial]",
    duets: "list[Block]",
    seconds: float,
) -> dict[str, object]:
    from fivenines.experiment.defaults import as_dict

    return {
        "file": str(file),
        "experiment": as_dict(experiment),
        "expected_seconds": seconds,
        "trials": [
            {"id": one.id, "number": one.number, "seed": one.seed, **one.cell.key.model_dump()}
            for one in trials
        ],
        "duets": [
            {
                "id": one.id,
                "number": one.number,
                "seed": one.seed,
                "cells": [cell.key.model_dump() for cell in one.cells],
            }
            for one in duets
        ],
    }


def _folder(experiment: "Experiment", out: Path | None, resume: bool) -> Path:
    """Where the run goes, or where the run to be continued is."""
    from fivenines.cli import runs
    from fivenines.results import claims

    if resume:
        folder = out or runs.newest(experiment.name)
        claims.require_unclaimed(folder)
        if claims.begun(folder):
            runs.check_same(folder, experiment)
            _note_deserter(folder)
        return folder
    folder = out or runs.new_name(experiment.name, datetime.now())
    claims.require_unclaimed(folder)
    if claims.begun(folder):
        raise UsageError(f"{folder} exists: continue it with --resume, or name another --out")
    return folder


def _note_deserter(folder: Path) -> None:
    from fivenines.cli import console
    from fivenines.results import claims

    if before := claims.deserter(folder):
        console.note(
            f"warning: {before} ended in the middle of this run without a word: it was killed, by hand, "
            "by a restart of the machine, or by the kernel when memory ran out (`dmesg` tells). "
            "Finished trials are kept; the one that ran is run again",
            "yellow",
        )


def _close(folder: Path) -> None:
    """Keep others out of a run's folder that is there already: `report --share` opens it, once it is done."""
    from fivenines import private
    from fivenines.cli import console

    if said := private.close(folder):
        console.note(said)


def _command(
    file: Path,
    folder: Path,
    trials: int | None,
    only: Sequence[str],
    thresholds: Sequence[str],
) -> str:
    """The command line that continues this run."""
    words = ["fivenines", "run", str(file), "--resume", "--out", str(folder)]
    words += ["--trials", str(trials)] if trials is not None else []
    for solution in only:
        words += ["--only", solution]
    for threshold in thresholds:
        words += ["--threshold", threshold]
    return shlex.join(words)


def _require_complete(broken: "list[str]", planned: int) -> None:
    """Says by its exit code that trials are broken: a script must not take the run for a success."""
    if broken:
        raise FiveninesError(
            f"{len(broken)} of {planned} trials are broken: their reasons are in the report, "
            "their logs in the run's folder; --resume tries them again"
        )


def _names(experiment: "Experiment") -> list[str]:
    """What thresholds may call solutions; a sweep by its own name."""
    every = experiment.solutions
    return list(dict.fromkeys(one.variant.of if one.variant else one.name for one in every))


def _show_result(
    folder: Path, page: Path, progress: How, as_json: bool, outcomes: "list[ThresholdResult]"
) -> None:
    """Print the summary and what became of thresholds, name the report."""
    from fivenines.cli import console, summary
    from fivenines.report import summary_rows

    if as_json or progress is How.JSON:
        result = {"run": str(folder), "report": str(page), "summary": summary_rows(folder)}
        more = {"thresholds": check.as_json(outcomes)} if outcomes else {}
        if progress is How.JSON:
            console.as_line({"at": time.time(), "event": "result", **result, **more})
        else:
            console.as_json(result | more)
        return
    summary.show(folder)
    if outcomes:
        check.show(outcomes)
    console.say(f"report: {page}", "bold")
