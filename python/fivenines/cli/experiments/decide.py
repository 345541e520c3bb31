"""`fivenines decide`: recommend a solution by requirements and preferences, from a finished run."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli.options import AsFormat, Format, RunName, Wide

if TYPE_CHECKING:
    from fivenines.analysis.measures.decide import DecideSettings
    from fivenines.report.sentences.decision import Verdict


def decide(
    run: RunName = None,
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
    wide: Wide = False,
    format_: AsFormat = Format.text,
) -> None:
    """Recommend a solution from a finished run, by requirements and preferences.

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

    Default requirements: not_recovered, lost, violated and split_brain = 0, if
    measured. Default preferences: tps, outage_writes, latency_p99. Default --by:
    all three. `failover p95 < 10s` means the 95th percentile over the trials.
    The exit code is 0 even if no solution is left.

    Measures: tps, latency_mean, latency_p50, latency_p95, latency_p99,
    outage_writes, outage_reads, outage_connections, failover, hosts, cost.
    For requirements only, as shares of trials: not_recovered, lost, phantom,
    duplicate, stale, split_brain, violated, diverged.
    """
    from fivenines.analysis.measures.decide import DecideSettings
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.report.sentences import decision
    from fivenines.results.store import open_run

    folder = runs.find(run, by_experiment=True)
    opened = open_run(folder)
    own = decision.settings_of(opened)
    settings = _settings(own, {"requirements": requirement, "prefer": prefer, "by": by, "accept": accept})
    found = decision.decide(opened, settings)
    if format_ is Format.json:
        console.as_json(decision.as_json(found))
    elif not found:
        console.note(f"{folder}: no trial is complete; interleaved blocks alone compare only speed")
    elif format_ is Format.md:
        console.stdout().out(_markdown(found).rstrip("\n"), highlight=False)
    else:
        _show(found, wide)
        if requirement:
            usual = settings.model_copy(update={"requirements": DecideSettings().requirements})
            for line in decision.unlisted_failures(found, decision.decide(opened, usual)):
                console.say(f"- {line}", "yellow")


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
    from fivenines.report.sentences.overview import overview

    first, *rest = overview(found)
    console.say(first, "bold")
    left_out: list[str] = []
    for verdict in found:
        if verdict.where:
            console.say("")
            console.say(verdict.where, "bold")
        left_out += _table(verdict, wide)
    console.say("\u2713 met, \u2717 not met, ? inconclusive; with the number of trials that miss it")
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
    rows = [
        {"Solution": each.called}
        | dict(zip(requirements, map(evidence.short, each.judgements), strict=True))
        | {measure.title: evidence.value_text(each, measure) for measure in measures}
        for each in verdict.decision.candidates
    ]
    names = ["Solution"]
    if wide:
        console.table(list(rows[0]), [list(row.values()) for row in rows], wide=True)
        return []
    must = [*requirements, *(measure.title for measure in measures[:1])]
    table = fitted(rows, (), must, names, console.stdout().width)
    console.table(table.columns, table.rows, names=names)
    return table.left_out


def _markdown(found: "list[Verdict]") -> str:
    from fivenines.report.chapters.decision import requirements_table
    from fivenines.report.sentences.overview import overview

    return "\n\n".join([*overview(found), requirements_table(found).markdown()])
