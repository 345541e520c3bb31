"""`fivenines run`: an experiment file becomes a run on disk and a report."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import campaigns, charges, check, plan_shown
from fivenines.cli.attended import Audience, How, address
from fivenines.cli.check import JunitOption, ThresholdOption
from fivenines.cli.options import AsJson
from fivenines.cli.side_by_side import OnOption, OversubscribeOption, ParallelOption, SideBySide
from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.analysis.thresholds import ThresholdResult
    from fivenines.cli.planned import Planned
    from fivenines.experiment.source import Part
    from fivenines.requirements.thresholds import ThresholdSettings


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
    part: Annotated[
        list[str] | None, typer.Option(help="Only this part of the file; may be repeated.", metavar="PART")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this solution, or variant of a swept one; may be repeated.", metavar="SOLUTION"
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder; default runs/NAME-TIME.", metavar="DIR")
    ] = None,
    parallel: ParallelOption = "1",
    oversubscribe: OversubscribeOption = False,
    on: OnOption = None,
    inventory: Annotated[
        Path | None,
        typer.Option(help="Run it on the machines of this inventory, over SSH.", metavar="HOSTS.yaml"),
    ] = None,
    copy_to: Annotated[
        str | None,
        typer.Option(
            help="Also put finished trials on shared storage, as s3://bucket/runs or /mnt/runs.",
            metavar="URL",
        ),
    ] = None,
    threshold: ThresholdOption = None,
    junit: JunitOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Pay what the plan says, where a solution costs money.")
    ] = False,
    progress: Annotated[
        How, typer.Option(help="auto; plain: lines that stay; json: a JSON object a line on stdout.")
    ] = How.AUTO,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Offer Prometheus metrics while it runs. Example: --metrics 9187", metavar="[HOST:]PORT"
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
    fivenines run mine.yaml --parallel auto
    fivenines run mine.yaml --on ray://head:10001
    fivenines run mine.yaml --inventory hosts.yaml

    `fivenines list examples` names those that come with it. The parts of a
    file that has `parts:` run one after another, each into a folder of its own.

    Ctrl-C loses at most the running trial: continue with --resume.
    """
    from fivenines.cli.planned import chosen_parts, planned, solution_names, what_is_left
    from fivenines.experiment import examples
    from fivenines.experiment.source import load_parts

    beside = SideBySide(parallel, oversubscribe, on)
    there = _placed(load_parts(examples.located(file), only or []), inventory, beside)
    works = planned(chosen_parts(there, part or [], str(file)), only or [], trials)
    names = [name for one in works for name in solution_names(one.experiment)]
    asked = check.read(threshold, list(dict.fromkeys(names)))
    if junit is not None and not (asked or any(one.experiment.thresholds for one in works)):
        raise UsageError("--junit has nothing to write without thresholds: add --threshold 'lost = 0'")
    check.require_writable(junit)
    title, every = there[0].title, [one.name for one in there if one.name]
    if show_defaults:
        _show_defaults(title, works)
    elif dry_run:
        if resume:
            folder = campaigns.place(title, out, resume, bool(every))
            works = [what_is_left(one, one.folder(folder)) for one in works]
        plan_shown.show_plans(file, works, as_json, beside.crew(works).at_once)
    else:
        charges.require_agreed(works, yes)
        wanted = _Wanted(
            file,
            part or [],
            only or [],
            trials,
            threshold or [],
            out,
            resume,
            beside,
            copy_to or "",
            inventory,
        )
        campaign = _campaign(wanted, title, works, every)
        audience = Audience(progress, title, address(metrics), serve)
        results = _Results(progress, as_json, asked, junit, title)
        end = partial(_write_index, campaign.folder)
        outcome = campaigns.carry_out(campaign, audience, results.of_part, end)
        results.finish(campaign.folder)
        outcome.require_complete()
        check.require_passed(results.thresholds)


@dataclass(frozen=True)
class _Wanted:
    """What the command line says of what is to be run."""

    file: Path
    part: Sequence[str]
    only: list[str]
    trials: int | None
    threshold: list[str]
    out: Path | None
    resume: bool
    beside: SideBySide
    copy_to: str
    inventory: Path | None

    def command(self, folder: Path) -> str:
        """The command line that continues the run in a folder."""
        words = ["fivenines", "run", str(self.file), "--resume", "--out", str(folder)]
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--copy-to", self.copy_to] if self.copy_to else []
        words += ["--inventory", str(self.inventory)] if self.inventory else []
        for name, given in (("part", self.part), ("only", self.only), ("threshold", self.threshold)):
            for one in given:
                words += [f"--{name}", one]
        return shlex.join([*words, *self.beside.words])


def _placed(there: "Sequence[Part]", inventory: Path | None, beside: SideBySide) -> "Sequence[Part]":
    """The parts on the machines of an inventory, where one is named here or in the file."""
    from fivenines.experiment.inventory import on_machines

    if inventory is not None:
        there = [replace(one, experiment=on_machines(one.experiment, inventory)) for one in there]
    if beside.words and any(one.experiment.lab.kind == "ssh" for one in there):
        raise UsageError(
            f"{beside.words[0]}: over SSH trials run one after another: each has the machines of the "
            "inventory for itself"
        )
    if beside.words and any(_run_by_others(one) for one in there):
        raise UsageError(
            f"{beside.words[0]}: trials of a cluster that others run go one after another: it is there once"
        )
    return there


def _run_by_others(part: "Part") -> bool:
    return any(solution.external for solution in part.experiment.solutions)


def _campaign(
    wanted: _Wanted, title: str, works: "Sequence[Planned]", every: "Sequence[str]"
) -> campaigns.Campaign:
    """The campaign of a file; `every` names all its parts, and is empty where it has none."""
    from fivenines.results.parts import PartsRecord
    from fivenines.runner.journal import opened

    crew = wanted.beside.crew(works)
    folder = campaigns.place(title, wanted.out, wanted.resume, bool(every))
    return campaigns.Campaign(
        folder=folder,
        works=works,
        group=PartsRecord(title=title, parts=list(every)) if every else None,
        resume=wanted.resume,
        command=wanted.command(folder),
        begins=opened(wanted.file, wanted.trials, wanted.only, wanted.threshold),
        crew=crew,
        copy_to=wanted.copy_to,
    )


def _show_defaults(title: str, works: "Sequence[Planned]") -> None:
    from fivenines.cli import console
    from fivenines.experiment.defaults import parts_with_defaults, with_defaults

    if works and works[0].part:
        text = parts_with_defaults(title, {one.part: one.experiment for one in works})
    else:
        text = with_defaults(works[0].experiment)
    console.stdout().out(text, end="", highlight=False)


class _Results:
    """Prints what came out, of each part and of all together."""

    def __init__(
        self, how: How, as_json: bool, asked: "list[ThresholdSettings]", junit: Path | None, title: str
    ) -> None:
        self._by_part: dict[str, list[ThresholdResult]] = {}
        self._how, self._as_json, self._asked = how, as_json, asked
        self._junit, self._title = junit, title
        self._found: list[dict[str, object]] = []

    def of_part(self, done: campaigns.Done) -> None:
        """Print the summary of a part and what became of its thresholds, name the report."""
        from fivenines.cli import console, summary
        from fivenines.report import summary_rows

        wanted = [*done.work.experiment.thresholds, *self._asked]
        outcomes = check.judged(done.folder, wanted) if wanted else []
        self._by_part[done.work.part] = outcomes
        result: dict[str, object] = {"part": done.work.part} if done.work.part else {}
        result |= {"run": str(done.folder), "report": str(done.page)}
        if self._as_json or self._how is How.JSON:
            result |= {"summary": summary_rows(done.folder)}
            result |= {"thresholds": check.as_json(outcomes)} if outcomes else {}
        self._found.append(result)
        if self._how is How.JSON:
            console.as_line({"at": time.time(), "event": "result", **result})
        elif not self._as_json:
            summary.show(done.folder)
            if outcomes:
                check.show(outcomes)
            console.say(f"report: {done.page}", "bold")

    @property
    def thresholds(self) -> "list[ThresholdResult]":
        """Those of all parts."""
        return [one for found in self._by_part.values() for one in found]

    def finish(self, folder: Path) -> None:
        """Print what there is to print of all parts together, and write what becomes of thresholds."""
        from fivenines.cli import console
        from fivenines.results import layout

        if self._junit is not None:
            from fivenines.report import thresholds as report

            report.write_junit(self._junit, self._title, self._by_part)
        if "" in self._by_part:
            if self._as_json and self._how is not How.JSON:
                console.as_json(self._found[0])
            return
        index = folder / layout.INDEX
        if self._as_json and self._how is not How.JSON:
            console.as_json({"runs": str(folder), "index": str(index), "parts": self._found})
        elif self._how is not How.JSON:
            console.say(f"all parts: {index}", "bold")


def _write_index(folder: Path) -> None:
    from fivenines.report.parts_page import write_index

    write_index(folder)
