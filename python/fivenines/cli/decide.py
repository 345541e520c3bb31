"""`fivenines decide`: which solution to take, by needs and preferences, from a run that is done."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli.options import AsFormat, Format, RunName, Wide

if TYPE_CHECKING:
    from fivenines.report.decision import Verdict
    from fivenines.requirements.decide import DecideSettings


def decide(
    run: RunName = None,
    requirement: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            metavar="CONDITION",
            help="What a solution must do, as 'outage_writes < 10s' or 'lost = 0'; several together. "
            "They replace those of the experiment.",
        ),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            "--prefer", metavar="MEASURE", help="A measure to choose by; several: one after the other."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="NAME", help="workload, connections or network: each value has its own decision."
        ),
    ] = None,
    wide: Wide = False,
    format_: AsFormat = Format.text,
) -> None:
    """Say which solution to take, from what a run has measured; nothing is run again.

    Needs come first: a solution that misses one is out. Of the others the first measure
    of --prefer keeps all that may be the best by their 95 % intervals, of
    these the next one, and so on.

    \b
    fivenines decide quickstart
    fivenines decide quickstart --require 'outage_writes < 2s' --require 'lost = 0'
    fivenines decide managers --prefer outage_writes --prefer tps
    fivenines decide workloads --by connections --format json

    By default: needs not_recovered, lost, violated and split_brain = 0, as far as
    they were measured; preferences tps, outage_writes, latency_p99; by all
    three. `failover p95 < 10s` is about a percentile of the trials' values.
    Exit code 0 also where no solution is left.

    Measures: tps, latency_mean, latency_p50, latency_p95, latency_p99,
    outage_writes, outage_reads, outage_connections, failover, hosts, cost. Only
    for needs, as shares of trials: not_recovered, lost, phantom, duplicate, stale,
    split_brain, violated, diverged.
    """
    from fivenines.cli import console, runs
    from fivenines.report import decision
    from fivenines.requirements.decide import DecideSettings
    from fivenines.results.store import open_run

    folder = runs.find(run, by_experiment=True)
    opened = open_run(folder)
    settings = _settings(decision.settings_of(opened), requirement, prefer, by)
    found = decision.decide(opened, settings)
    if format_ is Format.json:
        console.as_json(decision.as_json(found))
    elif not found:
        console.note(f"{folder}: no complete trial to decide by; blocks alone compare speed")
    elif format_ is Format.md:
        console.stdout().out(_markdown(found).rstrip("\n"), highlight=False)
    else:
        _show(found, wide)
        if requirement:
            usual = settings.model_copy(update={"requirements": DecideSettings().requirements})
            for line in decision.unlisted_failures(found, decision.decide(opened, usual)):
                console.say(f"- {line}", "yellow")


def _settings(
    own: "DecideSettings", requirement: list[str] | None, prefer: list[str] | None, by: list[str] | None
) -> "DecideSettings":
    from pydantic import ValidationError

    from fivenines.errors import UsageError
    from fivenines.requirements.decide import DecideSettings

    given: dict[str, Any] = {"requirements": requirement, "prefer": prefer, "by": by}
    kept = own.model_dump(include=own.model_fields_set)
    try:
        return DecideSettings.model_validate({**kept, **{k: v for k, v in given.items() if v}})
    except ValidationError as error:
        first = error.errors()[0]
        option = {"requirements": "--require", "prefer": "--prefer", "by": "--by"}[str(first["loc"][0])]
        message = first["msg"]
        raise UsageError(f"{option}: {message}") from None


def _show(found: "list[Verdict]", wide: bool) -> None:
    from fivenines.cli import console
    from fivenines.report.overview import overview

    first, *rest = overview(found)
    console.say(first, "bold")
    left_out: list[str] = []
    for one in found:
        if one.where:
            console.say("")
            console.say(one.where, "bold")
        left_out += _table(one, wide)
    console.say("\u2713 met, \u2717 not met, ? inconclusive; with the trials that fail it")
    for line in rest:
        console.say(f"- {line}")
    console.note_left_out(left_out, "fivenines decide --wide")


def _table(one: "Verdict", wide: bool) -> list[str]:
    """A line for each solution: all needs, and so many measures as there is room for; the other measures."""
    from fivenines.cli import console
    from fivenines.report import decision
    from fivenines.report.narrow import fitted

    requirements = [requirement.text for requirement in decision.requirements_of([one])]
    measures = decision.shown_measures(one.decision)
    rows = [
        {"Solution": each.called}
        | dict(zip(requirements, map(decision.short, each.judgements), strict=True))
        | {measure.title: decision.value_text(each, measure) for measure in measures}
        for each in one.decision.candidates
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
    from fivenines.report.overview import overview

    return "\n\n".join([*overview(found), requirements_table(found).markdown()])
