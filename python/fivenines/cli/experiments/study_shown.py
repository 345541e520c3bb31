"""Output of `fivenines replicate`: the list of studies, a plan, and verdicts."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fivenines.base.errors import UsageError
from fivenines.cli.options import Format

if TYPE_CHECKING:
    from fivenines.cli.experiments.planned import Planned
    from fivenines.studies.judged import StudyResult
    from fivenines.studies.run import Chosen


def show_verdicts(result: "StudyResult", format_: Format, kept: bool = True) -> None:
    """Show the verdicts; `kept`: the page in the study's folder has them, too."""
    from fivenines.cli.output import console
    from fivenines.results import layout
    from fivenines.studies import written

    if format_ is Format.json:
        console.as_json(written.as_json(result))
        return
    if format_ is Format.md:
        console.stdout().out(written.markdown(result).rstrip("\n"), highlight=False)
        return
    for table in written.verdict_tables(result):
        console.table([column.lower() for column in table.columns], table.rows)
    console.say(result.sentence, "bold")
    if result.form == "quick" and (parts := _inconclusive(result)):
        named = " ".join(f"--part {part}" for part in parts)
        console.say(
            "The quick form leaves claims inconclusive. To see how long the full form takes:\n"
            f"  fivenines replicate {_called(result)} --full {named} --dry-run"
        )
    if kept:
        console.say(f"page: {result.folder / layout.STUDY}", "bold")


def show_plan(chosen: "Chosen", works: "Sequence[Planned]", format_: Format, at_once: int) -> None:
    """Show the parts and claims of a study, and the machines and cost of its work."""
    from fivenines.cli.experiments import charges
    from fivenines.cli.experiments.plan_shown import show_machines
    from fivenines.cli.output import console
    from fivenines.studies import plan_shown
    from fivenines.studies.tally import WHOSE
    from fivenines.studies.written import HEADS

    if format_ is Format.json:
        console.as_json(plan_shown.as_json(chosen, at_once))
        return
    if format_ is Format.md:
        raise UsageError("--dry-run supports --format text or json")
    console.say(f"{chosen.study.study}, {chosen.form} form: {chosen.study.question}", "bold")
    console.table(
        ["part", "cells", "trials", "time", ""], plan_shown.rows(chosen, at_once), right=["cells", "trials"]
    )
    console.say(plan_shown.total(chosen, at_once), "bold")
    for line in plan_shown.endings(chosen):
        console.say(line)
    for group in WHOSE:
        if claims := plan_shown.claims(chosen, group):
            console.table([HEADS[group].lower(), "parts", "says"], claims)
    show_machines([work.experiment for work in works])
    for line in charges.lines(works):
        console.say(line)


def show_studies(format_: Format) -> None:
    """Show the packaged studies."""
    from fivenines.base.units import about
    from fivenines.cli.output import console
    from fivenines.studies import plan_shown

    if format_ is Format.md:
        raise UsageError("the list of studies supports --format text or json")
    every, wrong = plan_shown.listed()
    for text in wrong:
        console.note(f"warning: {text}", "yellow")
    if format_ is Format.json:
        console.as_json(every)
        return
    console.table(
        ["study", "published by", "quick", "full", "claims", "ours", "cannot be run here"],
        [
            [
                one["study"],
                one["by"],
                about(one["seconds"]["quick"]),
                about(one["seconds"]["full"]),
                one["claims"],
                one["ours"],
                _counted(one["cannot"]),
            ]
            for one in every
        ],
        right=["claims", "ours"],
        names=["study"],
    )
    console.say("To show the parts and claims of a study: fivenines replicate STUDY --dry-run")


def _counted(cannot: list[str]) -> str:
    """Return how many groups of parts cannot run here; the plan of a study has the reasons."""
    return f"{len(cannot)}, see its plan" if cannot else "-"


def _inconclusive(result: "StudyResult") -> list[str]:
    """Return the parts of the inconclusive claims, without duplicates."""
    claims = (claim for claim in result.claims if claim.result == "inconclusive")
    return list(dict.fromkeys(part for claim in claims for part in claim.parts))


def _called(result: "StudyResult") -> str:
    """Return the study's name on the command line: FILE unless it is built in."""
    from fivenines.studies import found

    return result.study.study if result.study.study in found.names() else "FILE"
