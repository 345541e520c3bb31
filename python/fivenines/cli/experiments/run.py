"""`fivenines run`: run an experiment file and write its results and report."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError
from fivenines.cli.experiments import campaigns, charges, check, plan_shown
from fivenines.cli.experiments.attended import Audience, How, address
from fivenines.cli.experiments.charges import YesOption
from fivenines.cli.experiments.check import JunitOption, ThresholdOption
from fivenines.cli.experiments.parallel import OnOption, OversubscribeOption, Parallelism, ParallelOption
from fivenines.cli.experiments.planned import InventoryOption, TrialsOption
from fivenines.cli.options import AsJson, Out

if TYPE_CHECKING:
    from fivenines.analysis.decision.thresholds import ThresholdResult
    from fivenines.analysis.measures.thresholds import ThresholdSettings
    from fivenines.cli.experiments.planned import Planned
    from fivenines.experiment.source import Part


def run(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    file: Annotated[Path, typer.Argument(help="Experiment file, or the name of an example.", metavar="FILE")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and its duration; run nothing.")
    ] = False,
    show_defaults: Annotated[
        bool, typer.Option("--show-defaults", help="Print the file with all defaults; run nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the last run of this file, or the run of --out.")
    ] = False,
    trials: TrialsOption = None,
    part: Annotated[
        list[str] | None, typer.Option(help="Only this part of the file. Can be repeated.", metavar="PART")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this solution, or variant of a swept solution. Can be repeated.", metavar="SOLUTION"
        ),
    ] = None,
    out: Out = None,
    parallel: ParallelOption = "1",
    oversubscribe: OversubscribeOption = False,
    on: OnOption = None,
    inventory: InventoryOption = None,
    copy_to: Annotated[
        str | None,
        typer.Option(
            help="Copy finished trials to shared storage, as s3://bucket/runs or /mnt/runs.", metavar="URL"
        ),
    ] = None,
    threshold: ThresholdOption = None,
    junit: JunitOption = None,
    yes: YesOption = False,
    progress: Annotated[
        How, typer.Option(help="Format of progress: auto, plain, or json (one object per line on stdout).")
    ] = How.AUTO,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Serve Prometheus metrics during the run. Example: --metrics 9187", metavar="[HOST:]PORT"
        ),
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Show the run on a live web page.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run an experiment: deploy, run the load, inject faults, check, report.

    \b
    fivenines run quickstart --dry-run
    fivenines run quickstart
    fivenines run quickstart --serve
    fivenines run mine.yaml --only galera-haproxy --trials 1
    fivenines run mine.yaml --parallel auto
    fivenines run mine.yaml --on ray://head:10001
    fivenines run mine.yaml --inventory hosts.yaml

    `fivenines list examples` lists the built-in examples. The parts of a file
    with `parts:` run one after another, each into its own folder.

    After Ctrl-C, continue with --resume; at most the running trial is lost.
    """
    from fivenines.cli.experiments.planned import chosen_parts, planned, remaining, solution_names
    from fivenines.experiment import examples
    from fivenines.experiment.machines import require_machines

    parallelism = Parallelism(parallel, oversubscribe, on)
    parts = _placed(examples.located(file), only or [], inventory, parallelism)
    works = planned(chosen_parts(parts, part or [], str(file)), only or [], trials)
    for work in works:
        require_machines(work.experiment, work.trials, work.blocks)
    names = [name for work in works for name in solution_names(work.experiment)]
    thresholds = check.read(threshold, list(dict.fromkeys(names)))
    if junit is not None and not (thresholds or any(work.experiment.thresholds for work in works)):
        raise UsageError("--junit: there are no thresholds. Add one, as --threshold 'lost = 0'")
    check.require_writable(junit)
    title, every = parts[0].title, [one.name for one in parts if one.name]
    if show_defaults:
        _show_defaults(title, works)
    elif dry_run:
        if resume:
            folder = campaigns.place(title, out, resume, bool(every))
            works = [remaining(work, work.folder(folder)) for work in works]
        plan_shown.show_plans(file, works, as_json, parallelism.crew(works).at_once)
    else:
        charges.require_agreed(works, yes)
        options = _Options(
            file,
            part or [],
            only or [],
            trials,
            threshold or [],
            out,
            resume,
            parallelism,
            copy_to or "",
            inventory,
        )
        campaign = _campaign(options, title, works, every)
        audience = Audience(progress, title, address(metrics), serve)
        results = _Results(progress, as_json, thresholds, junit, title)
        end = partial(_write_index, campaign.folder)
        outcome = campaigns.carry_out(campaign, audience, results.of_part, end)
        results.finish(campaign.folder)
        outcome.require_complete()
        check.require_passed(results.thresholds)


@dataclass(frozen=True)
class _Options:
    """The options of the command line that select and place the work."""

    file: Path
    part: Sequence[str]
    only: list[str]
    trials: int | None
    threshold: list[str]
    out: Path | None
    resume: bool
    parallelism: Parallelism
    copy_to: str
    inventory: Path | None

    def command(self, folder: Path) -> str:
        """Return the command line that continues the run in a folder."""
        words = ["fivenines", "run", str(self.file), "--resume", "--out", str(folder)]
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--copy-to", self.copy_to] if self.copy_to else []
        words += ["--inventory", str(self.inventory)] if self.inventory else []
        for name, given in (("part", self.part), ("only", self.only), ("threshold", self.threshold)):
            for one in given:
                words += [f"--{name}", one]
        return shlex.join([*words, *self.parallelism.words])


def _placed(
    file: Path, only: Sequence[str], inventory: Path | None, parallelism: Parallelism
) -> "Sequence[Part]":
    """Return the parts of a file, placed on the machines of an inventory if there is one."""
    from fivenines.experiment.inventory import over_ssh
    from fivenines.experiment.source import load_parts

    parts = load_parts(file, only, over_ssh(inventory) if inventory is not None else None)
    parallelism.require_possible([part.experiment for part in parts])
    return parts


def _campaign(
    options: _Options, title: str, works: "Sequence[Planned]", every: "Sequence[str]"
) -> campaigns.Campaign:
    """The campaign of a file; `every` names all its parts, and is empty where it has none."""
    from fivenines.campaign.journal import opened
    from fivenines.results.parts import PartsRecord

    crew = options.parallelism.crew(works)
    folder = campaigns.place(title, options.out, options.resume, bool(every))
    return campaigns.Campaign(
        folder=folder,
        works=works,
        group=PartsRecord(title=title, parts=list(every)) if every else None,
        resume=options.resume,
        command=options.command(folder),
        begins=opened(options.file, options.trials, options.only, options.threshold),
        crew=crew,
        copy_to=options.copy_to,
    )


def _show_defaults(title: str, works: "Sequence[Planned]") -> None:
    from fivenines.cli.output import console
    from fivenines.experiment.defaults import parts_with_defaults, with_defaults

    if works and works[0].part:
        text = parts_with_defaults(title, {work.part: work.experiment for work in works})
    else:
        text = with_defaults(works[0].experiment)
    console.stdout().out(text, end="", highlight=False)


class _Results:
    """Prints what came out, of each part and of all together."""

    def __init__(
        self, how: How, as_json: bool, thresholds: "list[ThresholdSettings]", junit: Path | None, title: str
    ) -> None:
        self._by_part: dict[str, list[ThresholdResult]] = {}
        self._how, self._as_json, self._thresholds = how, as_json, thresholds
        self._junit, self._title = junit, title
        self._found: list[dict[str, object]] = []

    def of_part(self, done: campaigns.Done) -> None:
        """Print the summary of a part and what became of its thresholds, name the report."""
        from fivenines.cli.experiments import summary
        from fivenines.cli.output import console
        from fivenines.report import summary_rows

        thresholds = [*done.work.experiment.thresholds, *self._thresholds]
        outcomes = check.judged(done.folder, thresholds) if thresholds else []
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
        from fivenines.cli.output import console
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
    from fivenines.report.html.parts_page import write_index

    write_index(folder)
