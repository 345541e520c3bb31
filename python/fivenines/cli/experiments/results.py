"""`fivenines results`: manage the runs on this machine."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.cli import complete
from fivenines.cli.experiments import storage
from fivenines.cli.options import AsJson, RunName, Wide
from fivenines.cli.program import Command, Group

if TYPE_CHECKING:
    from fivenines.results.store import Run

app = typer.Typer(
    help="List, show, copy, query and remove runs.", cls=Group, no_args_is_help=True, rich_markup_mode="rich"
)
app.command(cls=Command)(storage.copy)
app.command(cls=Command)(storage.query)


@app.command("list", cls=Command)
def list_(as_json: AsJson = False) -> None:
    """List the runs under ./runs, the newest last.

    \b
    fivenines results list
    """
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.results.store import open_run

    found: list[dict[str, Any]] = []
    for folder in runs.all_runs():
        try:
            found.append(_brief(open_run(folder)))
        except FiveninesError as error:
            console.note(f"warning: {error}", "yellow")
    if as_json:
        console.as_json(found)
    elif not found:
        console.note("no runs yet. To start one: fivenines run quickstart")
    else:
        console.table(
            ["run", "created", "trials", "broken", "size"],
            [
                [
                    row["run"],
                    row["created"][:16].replace("T", " "),
                    f"{row['complete']}/{row['planned']}",
                    row["broken"],
                    console.size(row["bytes"]),
                ]
                for row in found
            ],
            right=["trials", "broken", "size"],
        )


@app.command(cls=Command)
def show(run: RunName = None, wide: Wide = False, as_json: AsJson = False) -> None:
    """Show a run: its experiment, its state and its summary.

    \b
    fivenines results show
    fivenines results show quickstart --wide
    fivenines results show quickstart-20260102-101500 --json
    """
    from fivenines.cli.experiments import runs, summary
    from fivenines.cli.output import console
    from fivenines.report import failover_rows, summary_rows
    from fivenines.results.store import open_run

    found = open_run(runs.find(run, by_experiment=True))
    if as_json:
        rows = {"summary": summary_rows(found), "failovers": failover_rows(found)}
        console.as_json({**_brief(found), **rows})
        return
    about = _brief(found)
    machine = found.manifest.machine
    console.say(f"{about['experiment']}  ({found.folder})", "bold")
    if description := str(found.manifest.experiment.get("description", "")):
        console.say(description)
    console.say(
        f"{about['complete']} of {about['planned']} trials complete, {about['broken']} broken; "
        f"created {about['created']}"
    )
    console.say(f"{machine.cpu}, {machine.cores} cores, {machine.os}, kernel {machine.kernel}")
    for trial in found.broken:
        console.note(f"broken: {trial.folder.name}: {trial.record.reason}", "yellow")
    for problem in found.problems:
        console.note(f"warning: {problem}", "yellow")
    summary.show(found.folder, wide)


@app.command(cls=Command)
def rm(
    names: Annotated[
        list[str], typer.Argument(help="Runs to delete.", metavar="RUN...", autocompletion=complete.runs)
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete runs permanently.

    \b
    fivenines results rm quickstart-20260102-101500
    """
    from fivenines.cli.experiments import runs
    from fivenines.cli.output import console
    from fivenines.results import parts
    from fivenines.results.claims import require_unclaimed
    from fivenines.results.layout import MANIFEST

    folders = [runs.find(name, groups=True) for name in names]
    for folder in folders:
        is_ours = (folder / MANIFEST).is_file() or parts.is_group(folder)
        if folder.is_symlink() or not is_ours:
            raise UsageError(f"{folder} is not a run of fivenines, so it is not deleted")
        for run in dict.fromkeys([folder, *runs.runs_in(folder)]):
            require_unclaimed(run)
    if not yes:
        _confirm(folders)
    for folder in folders:
        _remove(folder)
        console.say(f"removed {folder}")


def _remove(folder: Path) -> None:
    from fivenines.lab.lab import remove_tree
    from fivenines.results.claims import claimed

    with claimed(folder):
        try:
            remove_tree(folder)
        except OSError as error:
            reason = f"{error.filename or folder}: {error.strerror or error}"
            raise FiveninesError(f"{folder} could not be deleted completely: {reason}") from error


def _confirm(folders: list[Path]) -> None:
    """Ask for confirmation on a terminal; refuse elsewhere."""
    if not sys.stdin.isatty():
        raise UsageError("cannot ask for confirmation without a terminal. Add --yes")
    if not typer.confirm(f"Delete {', '.join(map(str, folders))}?"):
        raise FiveninesError("nothing was deleted")


def _brief(run: "Run") -> dict[str, Any]:
    from fivenines.cli.experiments.runs import called

    files = (path for path in run.folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        "run": called(run.folder),
        "folder": str(run.folder),
        "experiment": run.manifest.experiment.get("name", ""),
        "created": run.manifest.created,
        "planned": len(run.manifest.plan) + len(run.manifest.blocks),
        "complete": len(run.complete) + sum(block.complete for block in run.blocks),
        "broken": len({trial.record.id for trial in run.broken})
        + len({block.record.id for block in run.blocks if not block.complete}),
        "bytes": sum(path.stat().st_size for path in files),
    }
