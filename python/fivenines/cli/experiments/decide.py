"""`fivenines decide`: recommend a solution by requirements and preferences, from a finished run."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli import complete
from fivenines.cli.options import AsFormat, Format, Wide

if TYPE_CHECKING:
    from fivenines.analysis.measures.decide import DecideSettings
    from fivenines.report.sentences.decision import Verdict


def decide(
    run: Annotated[
        list[str] | None,
        typer.Argument(
            help="Run folders or their names under ./runs; a folder with the parts of a study; or an "
            "experiment's name for its newest run. Default: the newest run.",
            metavar="[RUN]...",
            autocompletion=complete.runs,
        ),
    ] = None,
    requirement: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            metavar="CONDITION",
            help="Requirement, as 'outage_writes < 10s' or 'lost = 0'. Can be repeated. "
            "Replaces the requirements of the experiment.",
        ),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            "--prefer", metavar="MEASURE", help="Measure to rank by. Can be repeated, in order of priority."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="NAME", help="Decide separately for each workload, connections or network."
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="RISK",
            help="Accepted risk: loss keeps solutions that may lose acknowledged rows in a failover. "
            "Example: --accept loss",
        ),
    ] = None,
    requirements: Annotated[
        Path | None,
        typer.Option(
            "--requirements",
            metavar="FILE",
            help="File with requirements, cases and assumptions, or the name of a built-in one: mohsen-2020, "
            "wolski-2006, aanby-2014.",
        ),
    ] = None,
    wide: Wide = False,
    format_: AsFormat = Format.text,
) -> None:
    """Recommend a solution from finished runs, by requirements and preferences.

    Solutions that miss a requirement, by their design or in a trial, are excluded.
    Of the others, the first measure of --prefer excludes each one that another
    solution beats by 5 % or more (95 % confidence). The next measure chooses
    among the rest, and so on. Nothing runs again.

    \b
    fivenines decide quickstart
    fivenines decide quickstart --require 'outage_writes < 2s' --require 'lost = 0'
    fivenines decide managers --prefer outage_writes --prefer tps
    fivenines decide quickstart --accept loss
    fivenines decide workloads --by connections --format json
    fivenines decide innodb-cluster drbd --requirements mohsen-2020

    Of several runs, requirements use all trials. Solutions are compared within
    the runs that have both. --require, --prefer, --by and --accept override FILE.

    Default requirements: not_recovered, lost, violated and split_brain = 0, if
    measured. Default preferences: tps, outage_writes, latency_p99. Default --by:
    all three. `failover p95 < 10s` means the 95th percentile over the trials.
    The exit code is 0 even if no solution is left.

    Measures: tps, latency_mean, latency_p50, latency_p95, latency_p99,
    outage_writes, outage_reads, outage_connections, failover, hosts, cost.
    For requirements only, as shares of trials: not_recovered, lost, phantom,
    duplicate, stale, split_brain, needless_failover, violated, diverged.
    """
    from fivenines.analysis.measures.decide import DecideSettings
    from fivenines.analysis.resources.cost import prices
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.experiment.requirements import load, located
    from fivenines.report.sentences import decision
    from fivenines.results.store import open_run

    folders = _folders(run)
    opened = {runs.called(folder): open_run(folder) for folder in folders}
    file = load(located(requirements)) if requirements else None
    own = file.decide if file else _common([decision.settings_of(one) for one in opened.values()])
    settings = _settings(own, {"requirements": requirement, "prefer": prefer, "by": by, "accept": accept})
    costs = prices({"cost": file.cost.model_dump()}) if file else None
    mtbf = file.availability.mtbf if file else None
    found = decision.decide_together(opened, settings, costs, mtbf)
    if format_ is Format.json:
        console.as_json(decision.as_json(found))
    elif not found:
        names = ", ".join(str(folder) for folder in folders)
        console.note(f"{names}: no trial is complete; interleaved blocks alone compare only speed")
    elif format_ is Format.md:
        console.stdout().out(_markdown(found).rstrip("\n"), highlight=False)
    else:
        _show(found, wide)
        if requirement:
            usual = settings.model_copy(update={"requirements": DecideSettings().requirements})
            by_default = decision.decide_together(opened, usual, costs, mtbf)
            for line in decision.unlisted_failures(found, by_default):
                console.say(f"- {line}", "yellow")


def _folders(named: list[str] | None) -> list[Path]:
    """Return the runs that the user names; a folder of parts stands for the runs of its parts."""
    from fivenines.base.errors import UsageError
    from fivenines.cli.experiments import runs

    asked: list[str | None] = [*named] if named else [None]
    found = [runs.find(name, by_experiment=True, groups=True) for name in asked]
    folders = [folder for one in found for folder in runs.runs_in(one)]
    if not folders:
        raise UsageError(f"{found[0]}: none of its parts has begun")
    return list(dict.fromkeys(folders))


def _common(own: "list[DecideSettings]") -> "DecideSettings":
    """Return the settings of the runs if all have the same, else the defaults."""
    from fivenines.analysis.measures.decide import DecideSettings

    return own[0] if all(one == own[0] for one in own) else DecideSettings()


def _settings(own: "DecideSettings", given: dict[str, list[str] | None]) -> "DecideSettings":
    from pydantic import ValidationError

    from fivenines.analysis.measures.decide import DecideSettings
    from fivenines.base.errors import UsageError

    kept: dict[str, Any] = own.model_dump(include=own.model_fields_set)
    try:
        found = DecideSettings.model_validate({**kept, **{k: v for k, v in given.items() if v}})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        option = "--require" if name == "requirements" else f"--{name}"
        raise UsageError(f"{option}: {first['msg']}") from None
    if problems := found.problems():
        raise UsageError("; ".join(problems))
    return found


def _show(found: "list[Verdict]", wide: bool) -> None:
    from fivenines.cli.output import console
    from fivenines.report.sentences.overview import beyond_verdicts, by_case, cases_line, overview

    if cases := by_case(found):
        # The verdict on a case stands above its table.
        first, rest = cases_line(found), beyond_verdicts(found)
    else:
        first, *rest = overview(found)
    console.say(first, "bold")
    left_out: list[str] = []
    for verdict in found:
        if verdict.where:
            console.say("")
            console.say(verdict.where, "bold")
        if cases:
            console.say(verdict.sentence)
        if not verdict.decision.unmeasured:
            left_out += _table(verdict, wide)
    units = {one.unit for each in found for of in each.decision.candidates for one in of.judgements}
    in_turn = "".join(f" or {unit}s in turn" for unit in sorted(units - {"trial"}))
    console.say(
        f"\u2713 met, \u2717 not met, ? inconclusive; with the number of trials{in_turn} that miss it"
    )
    for line in rest:
        console.say(f"- {line}")
    console.note_left_out(left_out, "fivenines decide --wide")


def _table(verdict: "Verdict", wide: bool) -> list[str]:
    """Print a line per solution with as many measures as fit; return the measures left out."""
    from fivenines.cli.output import console
    from fivenines.report.sentences import decision, evidence
    from fivenines.report.terminal.narrow import fitted

    requirements = [requirement.text for requirement in decision.requirements_of([verdict])]
    measures = decision.shown_measures(verdict.decision)
    # Blocks compare the throughput, so the means of single trials must not be compared.
    alone = {"tps": "Trans./s alone"} if verdict.decision.interleaved else {}
    titles = [alone.get(measure.name, measure.title) for measure in measures]
    rows = [
        {"Solution": each.called}
        | dict(zip(requirements, map(evidence.short, each.judgements), strict=True))
        | {title: evidence.value_text(each, measure) for title, measure in zip(titles, measures, strict=True)}
        for each in verdict.decision.candidates
    ]
    names = ["Solution"]
    if wide:
        console.table(list(rows[0]), [list(row.values()) for row in rows], wide=True)
        return []
    must = [*requirements, *titles[:1]]
    table = fitted(rows, (), must, names, console.stdout().width)
    console.table(table.columns, table.rows, names=names)
    return table.left_out


def _markdown(found: "list[Verdict]") -> str:
    from fivenines.report.chapters.decision import requirements_table
    from fivenines.report.sentences.overview import overview

    return "\n\n".join([*overview(found), requirements_table(found).markdown()])
