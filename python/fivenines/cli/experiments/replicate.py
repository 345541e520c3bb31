"""`fivenines replicate`: run a published study again and check its claims."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fivenines.base.errors import UsageError
from fivenines.cli import complete
from fivenines.cli.experiments import study_shown
from fivenines.cli.experiments.attended import Audience, How
from fivenines.cli.experiments.charges import YesOption
from fivenines.cli.experiments.parallel import OnOption, OversubscribeOption, Parallelism, ParallelOption
from fivenines.cli.experiments.planned import InventoryOption, TrialsOption
from fivenines.cli.options import AsFormat, Format

if TYPE_CHECKING:
    from fivenines.cli.experiments.campaigns import Campaign
    from fivenines.cli.experiments.planned import Planned
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
        bool, typer.Option("--quick", help="Run the quick form, about an hour (the default).")
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
    write: Annotated[
        Path | None,
        typer.Option(help="Write the study's file, to change it and run it; run nothing.", metavar="FILE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --write.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Output folder; default: runs/STUDY-FORM-TIME.", metavar="DIR")
    ] = None,
    trials: TrialsOption = None,
    parallel: ParallelOption = "1",
    oversubscribe: OversubscribeOption = False,
    on: OnOption = None,
    inventory: InventoryOption = None,
    yes: YesOption = False,
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
    fivenines replicate wolski-2006 --inventory hosts.yaml
    fivenines replicate wolski-2006 --write mine.yaml
    fivenines replicate ./mine.yaml --trials 10

    Ctrl-C loses at most the running trial: continue with --resume.
    """
    if quick and full:
        raise UsageError("--quick and --full exclude each other")
    runs_only: dict[str, object] = {
        "--part": part,
        "--resume": resume,
        "--out": out,
        "--trials": trials,
        "--parallel": parallel != "1",
        "--oversubscribe": oversubscribe,
        "--on": on,
        "--inventory": inventory,
        "--yes": yes,
    }
    if write is not None:
        forms = {"--quick": quick, "--full": full, "--only": only, "--dry-run": dry_run, "--judge": judge}
        _refuse(runs_only | forms, "--write only copies the study's file")
        _write(name, write, force)
        return
    _refuse({"--force": force}, "nothing is written without --write")
    if judge is not None:
        _refuse(runs_only | {"--dry-run": dry_run}, "--judge runs nothing")
        _judge(judge, name, only or [], format_)
        return
    if name is None:
        _refuse(runs_only | {"--only": only, "--dry-run": dry_run}, "without a study there is nothing to run")
        study_shown.show_studies(format_)
        return
    parallelism = Parallelism(parallel, oversubscribe, on)
    form: Literal["quick", "full"] = "full" if full else "quick"
    asked = _Asked(name, form, only or [], part or [], resume, out, trials, parallelism, inventory)
    _replicate(asked, dry_run, yes, progress, format_)


def _refuse(given: Mapping[str, object], why: str) -> None:
    """Refuse options that would have no effect.

    Raises:
        UsageError: one of them was given.
    """
    for option, value in given.items():
        if value:
            raise UsageError(f"{option}: {why}. Leave it out")


def _write(name: str | None, file: Path, force: bool) -> None:
    """Write the file of a study."""
    from fivenines.cli.experiments import init
    from fivenines.cli.output import console
    from fivenines.experiment.document import read_text
    from fivenines.studies import found

    if name is None:
        raise UsageError("--write: name the study, as in fivenines replicate wolski-2006 --write mine.yaml")
    if not force:
        init.require_absent(file)
    init.write(file, read_text(found.located(Path(name))))
    console.say(f"{file}: the study {name}", "bold")
    console.say("next:")
    console.say(f"  {shlex.join(['fivenines', 'replicate', str(file), '--dry-run'])}   to check it")
    console.say(f"  {shlex.join(['fivenines', 'replicate', str(file)])}")


def _judge(run: str, name: str | None, only: Sequence[str], format_: Format) -> None:
    """Judge a finished run."""
    from fivenines.cli.experiments import runs
    from fivenines.studies import found
    from fivenines.studies import run as studies
    from fivenines.studies.source import load_study

    folder = runs.find(run, groups=True)
    file = None if name is None else found.located(Path(name))
    file, form = studies.judged_folder(folder, file)
    chosen = studies.choose(load_study(file), form, only, [])
    # The page in the run's folder has all claims, so a check of some of them is not written.
    if only:
        study_shown.show_verdicts(studies.judge_run(chosen, folder), format_, kept=False)
    else:
        study_shown.show_verdicts(studies.judge_and_write(chosen, folder), format_)


def _replicate(asked: "_Asked", dry_run: bool, yes: bool, progress: How, format_: Format) -> None:
    """Run a study, or show its plan."""
    from fivenines.cli.experiments import charges
    from fivenines.cli.experiments.planned import planned
    from fivenines.experiment.inventory import over_ssh
    from fivenines.studies import found
    from fivenines.studies import run as studies
    from fivenines.studies.source import load_study

    lab = over_ssh(asked.inventory) if asked.inventory is not None else None
    loaded = load_study(found.located(Path(asked.name)))
    changes = studies.Changes(asked.trials, lab)
    chosen = studies.choose(loaded, asked.form, asked.only, asked.part, changes)
    asked.parallelism.require_possible([part.experiment for part in chosen.parts])
    works = planned(chosen.parts)
    if dry_run:
        at_once = asked.parallelism.crew(works).at_once if works else 1
        study_shown.show_plan(chosen, works, format_, at_once)
        return
    if not works:
        raise UsageError("no part of the study can run on its machines. --dry-run shows the reasons")
    charges.require_agreed(works, yes)
    _run(asked, chosen, works, progress, format_)


@dataclass(frozen=True)
class _Asked:
    """The options of the command line."""

    name: str
    form: Literal["quick", "full"]
    only: Sequence[str] = field(default_factory=list)
    part: Sequence[str] = field(default_factory=list)
    resume: bool = False
    out: Path | None = None
    trials: int | None = None
    parallelism: Parallelism = field(default_factory=Parallelism)
    inventory: Path | None = None

    def command(self, folder: Path) -> str:
        """Return the command line that continues the run."""
        words = ["fivenines", "replicate", self.name, f"--{self.form}", "--resume"]
        words += ["--out", str(folder)]
        for option, given in (("only", self.only), ("part", self.part)):
            for one in given:
                words += [f"--{option}", one]
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--inventory", str(self.inventory)] if self.inventory else []
        return shlex.join([*words, *self.parallelism.words])


def _run(asked: _Asked, chosen: "Chosen", works: "Sequence[Planned]", progress: How, format_: Format) -> None:
    from fivenines.cli.experiments import campaigns
    from fivenines.cli.output import console
    from fivenines.studies import run as studies

    for plan in chosen.plans:
        if plan.part.name in plan.left_out:
            console.note(f"warning: {plan.left_out}", "yellow")
    campaign = _campaign(asked, chosen, works)
    audience = Audience(progress, campaign.folder.name)
    results: list[StudyResult] = []

    def judged() -> None:
        # The page shows the completed trials however the campaign ends.
        studies.keep_source(chosen, campaign.folder)
        results.append(studies.judge_and_write(chosen, campaign.folder))

    outcome = campaigns.carry_out(campaign, audience, lambda _done: judged(), judged)
    study_shown.show_verdicts(results[-1], format_)
    outcome.require_complete()


def _campaign(asked: _Asked, chosen: "Chosen", works: "Sequence[Planned]") -> "Campaign":
    from fivenines.campaign.journal import opened
    from fivenines.cli.experiments import campaigns
    from fivenines.results.parts import PartsRecord
    from fivenines.studies.looks import looks

    study, file = chosen.study, Path(chosen.source.file)
    title = f"{study.study} {asked.form}"
    folder = campaigns.place(title, asked.out, asked.resume, True, asked.form)
    return campaigns.Campaign(
        folder=folder,
        works=works,
        group=PartsRecord(title=title, parts=list(study.parts), form=asked.form),
        resume=asked.resume,
        command=asked.command(folder),
        begins=opened(file, asked.trials, [], [], asked.form),
        crew=asked.parallelism.crew(works),
        decided=looks(chosen, folder),
    )
