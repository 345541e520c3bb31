"""Render the report as one HTML file that loads nothing from elsewhere."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fivenines.analysis.figure_cache import one_look
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import count
from fivenines.report.chapters import sections
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.problems import alarms
from fivenines.report.charts import theme
from fivenines.report.charts.drawing_cache import drawing_cache
from fivenines.report.html import bundle, rows, script
from fivenines.report.html.heads import with_units_in_heads
from fivenines.report.html.section import Section
from fivenines.report.html.spaces import unbroken
from fivenines.report.sentences.definitions import used
from fivenines.report.sentences.run_answers import run_answers
from fivenines.report.table import Table
from fivenines.results import layout
from fivenines.results.store import Run, opened, write_text


def write_html(run: Run | Path, output: Path | None = None) -> Path:
    """Write the report, by default as `report.html` into the run's folder, and return its path.

    The file is replaced atomically.

    Raises:
        FiveninesError: the folder is not a run, has another version, or is not writable.
    """
    stored = opened(run)
    path = output or stored.folder / layout.REPORT
    with one_look():
        write_text(path, render(stored))
    return path


def render(run: Run) -> str:
    """Return the page of a run, also of a run without a complete trial."""
    swept = compared(run)
    answers = run_answers(run, swept)
    data = Data(run, swept, answers)
    with drawing_cache(run.folder):
        shown = [with_units_in_heads(section) for section in sections(data) if section.filled]
    library, own = script.inline(bundle.uplot()), script.inline(script.own())
    environment = templates()
    environment.globals["rows"] = rows.Rows(table for section in shown for table in _tables(section))
    return environment.get_template("report.html.j2").render(
        manifest=run.manifest,
        experiment=run.manifest.experiment,
        style=styled(),
        status=_status(run),
        alarms=alarms(swept.measured),
        sections=shown,
        nothing=not answers,
        definitions=used(_texts(shown)),
        policy=Markup(script.policy(library, own)),
        about=Markup(script.about(data.names)),
        tips=Markup(script.tips(figure for section in shown for figure in section.every_figure)),
        library=library,
        own=own,
    )


def templates() -> Environment:
    """Return the templates of pages, which escape values and keep numbers and units together."""
    environment = Environment(
        loader=PackageLoader("fivenines.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.finalize = unbroken
    environment.globals |= {"classes": rows.classes, "rows": rows.Rows(())}
    return environment


def styled() -> Markup:
    """Return the style sheets of all pages, with the colours of the charts."""
    folder = files("fivenines.report.html").joinpath("templates")
    sheets = (folder.joinpath(name) for name in ("style.css", "live.css"))
    return Markup(colours() + rows.styles() + "".join(one.read_text(encoding="utf-8") for one in sheets))


def _tables(section: Section) -> list[Table]:
    return [*section.every_table, *(figure.table for figure in section.every_figure)]


def _texts(shown: Sequence[Section]) -> Iterator[str]:
    """Yield the texts of the page, for tables their heads and captions."""
    for section in shown:
        yield from (section.title, *section.texts)
        for drawer in section.drawers:
            yield from (drawer.title, *drawer.texts)
        for table in section.every_table:
            yield from (table.caption, *table.columns)
        for figure in section.every_figure:
            yield from (figure.title, figure.finding)


def colours() -> str:
    """Return the colours of the charts as CSS variables for light and dark pages."""
    light = "".join(f"--s{n}:{value};" for n, value in enumerate(theme.SERIES))
    dark = "".join(f"--s{n}:{value};" for n, value in enumerate(theme.DARK_SERIES))
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _status(run: Run) -> str:
    planned = len(run.manifest.plan)
    done = len(run.complete)
    planned_cells = len({trial.cell for trial in run.manifest.plan})
    text = f"{done} of {count(planned, 'planned trial')} in {count(planned_cells, 'cell')} complete"
    if run.manifest.blocks:
        complete = sum(one.complete for one in run.blocks)
        blocks = f"{complete} of {count(len(run.manifest.blocks), 'planned block')}"
        text = f"{blocks} and {text}" if planned else f"{blocks} complete"
    if run.broken:
        text += f", {count(len(run.broken), 'broken attempt')}"
    made = run.manifest.created[:16].replace("T", " ")
    engines = ", ".join(f"{name} ({known})" for name, known in run.manifest.engines.items())
    return f"{text}. Run of {made} UTC{f' with {engines}' if engines else ''}."
