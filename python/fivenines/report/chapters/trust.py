"""The chapter on how far to trust a run's figures: what the machine's calibration had found before."""

from fivenines.analysis.calibration import HOW, doubts, verdict
from fivenines.analysis.wording import listed
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, folded
from fivenines.report.table import Table
from fivenines.results.calibration import Calibration, Line
from fivenines.results.records import Manifest


def chapter(data: Data) -> Section:
    """What the machine's calibration had found; said, too, where there is none."""
    short = overview_table(data.run.manifest.calibration)
    table = calibration_table(data.run.manifest.calibration)
    return Section("trust", TITLE, texts(data.run.manifest), drawers=folded(short, table))


TITLE = "How far to trust it"

_NONE = (
    "This machine had not been calibrated when the run was made: nothing says how well it measures."
    f" {HOW} takes three minutes, and is written into every run after it."
)
_WHAT = (
    "Known errors were planted on the machine of this run, and fivenines measured them as it measures"
    " everything else. {verdict}."
)
_WITHIN = {True: "yes", False: "NO", None: "not judged"}


def texts(manifest: Manifest) -> list[str]:
    """What is to be said before the table."""
    found = manifest.calibration
    if found is None or not found.steps:
        return [_NONE]
    said = [_WHAT.format(verdict=verdict(found))]
    but = doubts(found, manifest.machine, manifest.fivenines, manifest.created)
    if but:
        said.append(f"It may not speak for this run: {listed(but)}.")
    if not found.sound:
        said.append("Figures of what is out of bounds may be wrong by the error that stands there.")
    return said


def overview_table(found: Calibration | None) -> Table:
    """One row for each kind of planted errors, and each line that is out of bounds in words."""
    columns = ["What was planted", "Lines", "Within bounds", "Out of bounds", "When (UTC)"]
    rows = [
        [
            step.title,
            str(len(step.lines)),
            f"{len(step.judged) - len(step.out)} of {len(step.judged)}",
            f"it failed: {step.failure}"
            if step.failure
            else "; ".join(f"{one.planted}: {one.error}" for one in step.out) or "none",
            _day(step.at),
        ]
        for step in (found.steps if found else [])
    ]
    return Table("The calibration of this machine in short", columns, rows, 1, frozenset({1, 2}))


def calibration_table(found: Calibration | None) -> Table:
    """One row for each planted error; empty without a calibration."""
    columns = ["What", "Planted", "Measured", "Error", "Bounds", "Within", "When"]
    rows = [
        [step.title, *_cells(line), _day(step.at)]
        for step in (found.steps if found else [])
        for line in (step.lines or [_failed(step.failure)])
    ]
    return Table("All lines of the calibration: planted, measured, error", columns, rows, 2)


def _cells(line: Line) -> list[str]:
    bounds = line.bounds or "no bound"
    return [line.planted, line.measured, line.error, bounds, _WITHIN[line.within]]


def _failed(reason: str) -> Line:
    return Line(planted="", measured=f"failed: {reason}", error="", bounds="", within=False)


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")
