"""Move units from the cells of a column into its head."""

import re
from dataclasses import replace
from decimal import Decimal

from fivenines.analysis.wording import NOTHING, THIN
from fivenines.report.html.section import Section
from fivenines.report.table import Table

_NUMBER = rf"-?\d[\d{THIN}]*(?:\.\d+)?"
# Convertible units, as powers of ten of a second.
_TIMES = {"µs": -6, "ms": -3, "s": 0}

_QUANTITY = re.compile(rf"(?:({_NUMBER}) to )?({_NUMBER}) (%|µs|ms|s)(?![\w])")
# A cell that begins with a quantity.
_MAIN = re.compile(rf"^(?:at (?:least|most) )?({_NUMBER})(?: to {_NUMBER})? (%|µs|ms|s)(?![\w])")

# A cell that begins with a number without a unit: a unit in the head would be wrong for it.
_PLAIN = re.compile(rf"^(?:at (?:least|most) )?{_NUMBER}(?![\w])")

# Times that differ by more than this factor keep their units in the cells.
_FAR = 1000


def with_units_in_heads(section: Section) -> Section:
    """Move the units of all tables of a section, including those of its drawers and figures."""
    drawers = [
        replace(
            one,
            tables=[units_in_heads(table) for table in one.tables],
            figures=[replace(f, table=units_in_heads(f.table)) for f in one.figures],
        )
        for one in section.drawers
    ]
    return replace(
        section,
        tables=[units_in_heads(table) for table in section.tables],
        figures=[replace(one, table=units_in_heads(one.table)) for one in section.figures],
        drawers=drawers,
    )


def units_in_heads(table: Table) -> Table:
    """Move the unit of each numeric column into its head, if the column has one unit."""
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    for index in table.numeric:
        cells = [row[index] for row in rows]
        unit = _unit_of(cells)
        if unit is None:
            continue
        columns[index] = f"{columns[index]} ({unit})"
        for row in rows:
            if _main(row[index]):
                row[index] = _bare(row[index], unit)
    return replace(table, columns=columns, rows=rows)


def _unit_of(cells: list[str]) -> str | None:
    """Return the unit of a column; None if it has none or several."""
    figures = [match for cell in cells if (match := _main(cell))]
    plain = [cell for cell in cells if cell not in ("", NOTHING) and _main(cell) is None]
    if not figures or any(_PLAIN.match(cell) for cell in plain):
        return None
    units = {match[2] for match in figures}
    if units == {"%"}:
        return "%"
    if "%" in units:
        return None
    sizes = [size for match in figures if (size := _value(match[1]).scaleb(_TIMES[match[2]]))]
    if not sizes:
        return figures[0][2]
    if max(sizes) >= _FAR * min(sizes):
        return None
    return next(
        unit for unit in ("s", "ms", "µs") if max(sizes) >= Decimal(1).scaleb(_TIMES[unit]) or unit == "µs"
    )


def _main(cell: str) -> re.Match[str] | None:
    return _MAIN.match(cell)


def _bare(cell: str, unit: str) -> str:
    """Convert the quantities of a cell to the unit in the head, and drop the unit."""
    return _QUANTITY.sub(lambda match: _converted(match, unit), cell)


def _converted(match: re.Match[str], unit: str) -> str:
    """Return a quantity in another unit, without the unit: "385 ms" as "0.385"."""
    current = match[3]
    if current == unit:
        return match[0].removesuffix(f" {current}")
    if current == "%" or unit == "%":
        return match[0]
    shift = _TIMES[current] - _TIMES[unit]
    values = [f"{_value(text).scaleb(shift):f}" for text in match.groups()[:2] if text]
    return " to ".join(values)


def _value(text: str) -> Decimal:
    return Decimal(text.replace(THIN, ""))
