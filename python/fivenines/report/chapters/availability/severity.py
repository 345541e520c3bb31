"""Chapter `severity` of the report: severities at which few transactions are served and no manager acts."""

from collections.abc import Sequence

from fivenines.analysis.availability.severity import STARVED, Severity, severities
from fivenines.analysis.performance.sweeps import Compared
from fivenines.analysis.statistics.threshold import Threshold
from fivenines.analysis.wording import NOTHING, count, milliseconds, percent
from fivenines.faults.severity import Unit
from fivenines.report.chapters.data import Data
from fivenines.report.charts.severity import Row, severity_chart
from fivenines.report.charts.svg import to_svg
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, explained
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right
from fivenines.results.store import Run

TITLE = "Dead zones"

LEGEND = (
    "Each trial had the same fault with another severity, which followed from the trials before. Two"
    " severities are searched for: that from which fewer than half of the transactions are served during the"
    " fault, and that from which the cluster fails over. Both are values at which half of the trials do so.",
    "Between the two lies the dead zone: the primary hardly serves, and no failover replaces it. It is"
    " reported where the 95 % interval of the first value ends below that of the second one.",
)


def chapter(data: Data) -> Section:
    """Return the dead zones; empty without a search for a severity."""
    found = data.severities
    if not found:
        return Section("severity", TITLE)
    table = severity_table(data)
    drawers = [explained(*LEGEND)]
    figures = [_figure([one for one in found if _axis(one) == axis], table) for axis in _axes(found)]
    return Section("severity", TITLE, [], [table], figures, drawers, _cautions(found))


def severity_answers(run: Run, swept: Compared) -> list[Answer]:
    """Return a sentence for each search; dead zones come first."""
    found = sorted(severities(swept.searched, run.manifest), key=lambda one: one.zone is None)
    return [Answer("Dead zones", sentence(one), "severity") for one in found]


def sentence(one: Severity) -> str:
    """Return the result of a search in a sentence."""
    unit, setting = one.planned.unit, one.planned.of
    begin = f"{one.cell.called}, {one.cell.key.fault}"
    trials = count(len(one.tries), "trial")
    zone = one.zone
    if zone is not None:
        upper = "on" if zone.end is None else f"to {value_text(zone.end, unit)}"
        acts = (
            f"no failover up to {value_text(one.failover.low or one.planned.at_most, unit)} (95 %)"
            if zone.end is None
            else f"a failover from {_text(one.failover, unit)} on"
        )
        return (
            f"{begin}: dead zone from a {setting} of {value_text(zone.begin, unit)} {upper}: fewer than half "
            f"of the transactions are served, and there is {acts} ({trials})."
        )
    starved, failover = _state(one.starved, unit), _state(one.failover, unit)
    return f"{begin}: no dead zone shown. Starved: {starved}; failover: {failover} ({trials})."


def severity_table(data: Data) -> Table:
    """Return a row for each search."""
    columns = ["Cell", "Setting", "Trials", "Half is served up to", "Fails over from", "Dead zone"]
    columns += ["Least served", "Not counted"]
    rows = [
        [
            data.names.full(one.cell.key),
            one.planned.of,
            str(len(one.tries)),
            _state(one.starved, one.planned.unit),
            _state(one.failover, one.planned.unit),
            _zone_text(one),
            _least(one),
            str(one.not_counted),
        ]
        for one in data.severities
    ]
    caption = "Severity from which half is not served, and from which the cluster fails over, 95 % intervals"
    return Table(caption, columns, rows, 2, right(columns, "Cell", "Setting"))


def value_text(value: float, unit: Unit) -> str:
    """Return a severity: a time, or a share."""
    return milliseconds(1000 * value) if unit == "time" else f"{percent(100 * value)} %"


def _figure(found: Sequence[Severity], table: Table) -> Figure:
    setting, unit, low, high = _axis(found[0])
    rows = [
        Row(
            one.cell.called,
            _zone_text(one),
            [item.value for item in one.tries if not item.failover and not _is_starved(item.served)],
            [item.value for item in one.tries if not item.failover and _is_starved(item.served)],
            [item.value for item in one.tries if item.failover],
            band(one),
        )
        for one in found
    ]
    fault = found[0].cell.key.fault
    title = f"{fault}: {setting}, in seconds" if unit == "time" else f"{fault}: {setting}"
    return Figure(
        f"Severity of {fault}",
        "Open circles: at least half of the load was served. Red: less was, without a failover. Crosses: the "
        "cluster failed over. Band: dead zone.",
        to_svg(severity_chart(rows, title, (low, high), unit == "share")),
        table,
    )


def band(one: Severity) -> tuple[float, float] | None:
    """Return the ends of the dead zone as drawn: one without an end reaches what the trials exclude."""
    zone = one.zone
    return None if zone is None else (zone.begin, zone.end or one.failover.low or one.planned.at_most)


def _axis(one: Severity) -> tuple[str, Unit, float, float]:
    planned = one.planned
    return planned.of, planned.unit, planned.at_least, planned.at_most


def _axes(found: Sequence[Severity]) -> list[tuple[str, Unit, float, float]]:
    return list(dict.fromkeys(_axis(one) for one in found))


def _is_starved(served: float | None) -> bool:
    return served is not None and served < STARVED


def _zone_text(one: Severity) -> str:
    zone, unit = one.zone, one.planned.unit
    if zone is None:
        return "none shown"
    end = "on" if zone.end is None else f"to {value_text(zone.end, unit)}"
    return f"{value_text(zone.begin, unit)} {end}"


def _state(found: Threshold, unit: Unit) -> str:
    if found.state == "inconsistent":
        return "contradictory"
    if found.state == "never" and found.low is not None:
        return f"not up to {value_text(found.low, unit)}"
    return _text(found, unit)


def _text(found: Threshold, unit: Unit) -> str:
    """Return a threshold with its interval, or what is known of it."""
    low = None if found.low is None else value_text(found.low, unit)
    high = None if found.high is None else value_text(found.high, unit)
    if found.median is not None and low and high:
        return f"{value_text(found.median, unit)} ({low} to {high})"
    return f"more than {low}" if low else f"less than {high}" if high else NOTHING


def _least(one: Severity) -> str:
    """Return the smallest share that was served without a failover."""
    shares = [item.served for item in one.tries if item.served is not None and not item.failover]
    return f"{percent(100 * min(shares))} %" if shares else NOTHING


def _cautions(found: Sequence[Severity]) -> list[str]:
    return [
        f"{one.cell.called}, {one.cell.key.fault}: {count(one.not_counted, 'trial')} say nothing, as a "
        "server died or the cause of a failover is not known."
        for one in found
        if one.not_counted
    ]
