"""`fivenines replicate`: run a published study again and check its claims."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete
from fivenines.cli.experiments.attended import Audience, How
from fivenines.cli.options import AsFormat, Format

if TYPE_CHECKING:
    from fivenines.cli.experiments.campaigns import Campaign
    from fivenines.studies.judged import StudyResult
    from fivenines.studies.run import Chosen


def replicate(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of a built-in study, or a study file; default: list the studies.",
            metavar="[STUDY]",
            autocompletion=complete.studies,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run the quick form, about half an hour (the default).")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Run the full form, which takes hours.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this claim, and the parts it needs. Can be repeated.", metavar="CLAIM"),
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(help="Only this part of the study. Can be repeated.", metavar="PART")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the parts and their durations; run nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the last run of this form, or the run of --out.")
    ] = False,
    judge: Annotated[
        str | None, typer.Option(help="Check the claims against a finished run; run nothing.", metavar="RUN")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output folder; default: runs/STUDY-FORM-TIME.", metavar="DIR")
    ] = None,
    progress: Annotated[
        How, typer.Option(help="Format of progress: auto, or plain for permanent lines.", hidden=True)
    ] = How.AUTO,
    format_: AsFormat = Format.text,
) -> None:
    """Run a published study again and check each of its claims.

    The verdict on a claim comes from confidence intervals over the trials.
    `study.html` shows the measured figures next to the published ones.
    Verdicts do not change the exit code.

    \b
    fivenines replicate
    fivenines replicate wolski-2006 --dry-run
    fivenines replicate wolski-2006
    fivenines replicate wolski-2006 --full --part durability
    fivenines replicate wolski-2006 --only relaxed-alone
    fivenines replicate wolski-2006 --judge wolski-2006-quick-20260102-101500
    fivenines replicate ./mine.yaml

    Ctrl-C loses at most the running trial: continue with --resume.
    """
    if quick and full:
        raise UsageError("--quick and --full exclude each other")
    if name is None and judge is None:
        _list(format_)
        return
    from fivenines.cli.experiments import runs
    from fivenines.studies import found
    from fivenines.studies import run as studies
    from fivenines.studies.source import load_study

    if judge is not None:
        folder = runs.find(judge, groups=True)
        file = None if name is None else found.located(Path(name))
        file, form = studies.judged_folder(folder, file)
        chosen = studies.choose(load_study(file), form, only or [], [])
        # The page in the run's folder has all claims, so a check of some of them is not written.
        if only:
            _show(studies.judge_run(chosen, folder), format_, kept=False)
        else:
            _show(studies.judge_and_write(chosen, folder), format_)
        return
    asked = _Asked(str(name), "full" if full else "quick", only or [], part or [], resume, out)
    loaded = load_study(found.located(Path(asked.name)))
    chosen = studies.choose(loaded, asked.form, asked.only, asked.part)
    if dry_run:
        _show_plan(chosen, format_)
    else:
        _run(asked, chosen, progress, format_)


@dataclass(frozen=True)
class _Asked:
    """The options of the command line."""

    name: str
    form: Literal["quick", "full"]
    only: Sequence[str] = field(default_factory=list)
    part: Sequence[str] = field(default_factory=list)
    resume: bool = False
    out: Path | None = None

    def command(self, folder: Path) -> str:
        """Return the command line that continues the run."""
        words = ["fivenines", "replicate", self.name, f"--{self.form}", "--resume"]
        words += ["--out", str(folder)]
        for option, given in (("only", self.only), ("part", self.part)):
            for one in given:
                words += [f"--{option}", one]
        return shlex.join(words)


def _run(asked: _Asked, chosen: "Chosen", progress: How, format_: Format) -> None:
    from fivenines.cli.experiments import campaigns
    from fivenines.cli.output import console
    from fivenines.studies import run as studies

    for plan in chosen.plans:
        if plan.part.name in plan.left_out:
            console.note(f"warning: {plan.left_out}", "yellow")
    if not chosen.parts:
        raise UsageError("no part of the study can run on this machine. --dry-run shows the reasons")
    campaign = _campaign(asked, chosen)
    audience = Audience(progress, campaign.folder.name)
    results: list[StudyResult] = []

    def judged() -> None:
        # The page shows the completed trials however the campaign ends.
        studies.keep_source(chosen, campaign.folder)
        results.append(studies.judge_and_write(chosen, campaign.folder))

    outcome = campaigns.carry_out(campaign, audience, lambda _done: judged(), judged)
    _show(results[-1], format_)
    outcome.require_complete()


def _campaign(asked: _Asked, chosen: "Chosen") -> "Campaign":
    from fivenines.campaign.journal import opened
    from fivenines.cli.experiments import campaigns
    from fivenines.cli.experiments.planned import planned
    from fivenines.results.parts import PartsRecord

    study, file = chosen.study, Path(chosen.source.file)
    title = f"{study.study} {asked.form}"
    folder = campaigns.place(title, asked.out, asked.resume, True, asked.form)
    return campaigns.Campaign(
        folder=folder,
        works=planned(chosen.parts),
        group=PartsRecord(title=title, parts=list(study.parts), form=asked.form),
        resume=asked.resume,
        command=asked.command(folder),
        begins=opened(file, None, [], [], asked.form),
    )


def _show(result: "StudyResult", format_: Format, kept: bool = True) -> None:
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


def _show_plan(chosen: "Chosen", format_: Format) -> None:
    from fivenines.cli.output import console
    from fivenines.studies import plan_shown
    from fivenines.studies.tally import WHOSE
    from fivenines.studies.written import HEADS

    if format_ is Format.json:
        console.as_json(plan_shown.as_json(chosen))
        return
    if format_ is Format.md:
        raise UsageError("--dry-run supports --format text or json")
    console.say(f"{chosen.study.study}, {chosen.form} form: {chosen.study.question}", "bold")
    console.table(["part", "cells", "trials", "time", ""], plan_shown.rows(chosen), right=["cells", "trials"])
    console.say(plan_shown.total(chosen), "bold")
    for group in WHOSE:
        if rows := plan_shown.claims(chosen, group):
            console.table([HEADS[group].lower(), "parts", "says"], rows)


def _list(format_: Format) -> None:
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
                "; ".join(one["cannot"]) or "-",
            ]
            for one in every
        ],
        right=["claims", "ours"],
        names=["study"],
    )
    console.say("To show the parts and claims of a study: fivenines replicate STUDY --dry-run")


def _inconclusive(result: "StudyResult") -> list[str]:
    """Return the parts of the inconclusive claims, without duplicates."""
    claims = (claim for claim in result.claims if claim.result == "inconclusive")
    return list(dict.fromkeys(part for claim in claims for part in claim.parts))


def _called(result: "StudyResult") -> str:
    """Return the study's name on the command line: FILE unless it is built in."""
    from fivenines.studies import found

    return result.study.study if result.study.study in found.names() else "FILE"
