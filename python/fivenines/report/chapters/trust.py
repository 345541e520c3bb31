"""The chapter on the reliability of a run's figures, according to the machine's calibration."""

from fivenines.analysis.calibration import HOW, doubts, verdict
from fivenines.analysis.wording import listed
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section, folded
from fivenines.report.table import Table
from fivenines.results.calibration import Calibration, Line
from fivenines.results.records import Manifest


def chapter(data: Data) -> Section:
    """Return the results of the machine's calibration, or a note that there is none."""
    short = overview_table(data.run.manifest.calibration)
    table = calibration_table(data.run.manifest.calibration)
    return Section("trust", TITLE, texts(data.run.manifest), drawers=folded(short, table))


TITLE = "Reliability of the measurements"

_NONE = (
    "This machine was not calibrated before the run, so the accuracy of its measurements is unknown."
    f" {HOW} takes three minutes; fivenines writes the result into every later run."
)
_WHAT = (
    "Before this run, fivenines injected known delays and errors on this machine and measured them like any"
    " other run. {verdict}."
)
_WITHIN = {True: "yes", False: "NO", None: "not judged"}


def texts(manifest: Manifest) -> list[str]:
    """Return the sentences before the table."""
    calibration = manifest.calibration
    if calibration is None or not calibration.steps:
        return [_NONE]
    lines = [_WHAT.format(verdict=verdict(calibration))]
    reservations = doubts(calibration, manifest.machine, manifest.fivenines, manifest.created)
    if reservations:
        lines.append(f"The calibration may not apply to this run: {listed(reservations)}.")
    if not calibration.sound:
        lines.append("Figures of a kind that is out of bounds may be wrong by the error in the table.")
    return lines


def overview_table(calibration: Calibration | None) -> Table:
    """Return one row for each kind of injected error, with every result that is out of bounds."""
    columns = ["Injected", "Lines", "Within bounds", "Out of bounds", "When (UTC)"]
    rows = [
        [
            step.title,
            str(len(step.lines)),
            f"{len(step.judged) - len(step.out)} of {len(step.judged)}",
            f"failed: {step.failure}"
            if step.failure
            else "; ".join(f"{one.planted}: {one.error}" for one in step.out) or "none",
            _day(step.at),
        ]
        for step in (calibration.steps if calibration else [])
    ]
    return Table("Calibration of this machine: summary", columns, rows, 1, frozenset({1, 2}))


def calibration_table(calibration: Calibration | None) -> Table:
    """Return one row for each injected error; empty without a calibration."""
    columns = ["Kind", "Injected", "Measured", "Error", "Bounds", "Within", "When"]
    rows = [
        [step.title, *_cells(line), _day(step.at)]
        for step in (calibration.steps if calibration else [])
        for line in (step.lines or [_failed(step.failure)])
    ]
    return Table("Calibration of this machine: injected, measured, error", columns, rows, 2)


def _cells(line: Line) -> list[str]:
    bounds = line.bounds or "no bound"
    return [line.planted, line.measured, line.error, bounds, _WITHIN[line.within]]


def _failed(reason: str) -> Line:
    return Line(planted="", measured=f"failed: {reason}", error="", bounds="", within=False)


def _day(moment: str) -> str:
    return moment[:16].replace("T", " ")
