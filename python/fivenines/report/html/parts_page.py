"""Render the index page of an experiment with parts: figures of each part and a link to its report."""

from dataclasses import dataclass
from pathlib import Path

from fivenines import __version__
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import count
from fivenines.report.html.page import styled, templates
from fivenines.report.sentences.run_answers import run_answers
from fivenines.report.table import Table
from fivenines.report.terminal.summary import summary_table
from fivenines.results import layout, parts
from fivenines.results.store import open_run, write_text

# The number of sentences per part; its report has all of them.
_SENTENCES = 4


@dataclass(frozen=True)
class Shown:
    """A part of the page; without a status it has not started."""

    name: str
    title: str = ""
    description: str = ""
    status: str = ""
    sentences: tuple[str, ...] = ()
    table: Table | None = None


def write_index(folder: Path) -> Path:
    """Write the page of the parts into their folder, and return its path.

    Raises:
        FiveninesError: the folder has no parts, or is not writable.
    """
    path = folder / layout.INDEX
    write_text(path, render(folder))
    return path


def render(folder: Path) -> str:
    """Return the page; including parts that have not started."""
    record = parts.read(folder)
    return (
        templates()
        .get_template("parts.html.j2")
        .render(
            version=__version__,
            title=record.title,
            style=styled(),
            shown=[_shown(folder, name) for name in record.parts],
            report=layout.REPORT,
        )
    )


def _shown(folder: Path, name: str) -> Shown:
    if not (folder / name / layout.MANIFEST).is_file():
        return Shown(name)
    run = open_run(folder / name)
    swept = compared(run)
    experiment = run.manifest.experiment
    done, planned = len(run.complete), len(run.manifest.plan)
    blocks = f", {count(len(run.blocks), 'block')}" if run.blocks else ""
    broken = f", {count(len(run.broken), 'broken attempt')}" if run.broken else ""
    table = summary_table([cell for cell in swept.cells if cell.complete])
    return Shown(
        name,
        str(experiment.get("name", name)),
        str(experiment.get("description", "")),
        f"{done} of {count(planned, 'planned trial')} complete{blocks}{broken}.",
        tuple(answer.text for answer in run_answers(run, swept) if not answer.minor)[:_SENTENCES],
        table if table.rows else None,
    )
