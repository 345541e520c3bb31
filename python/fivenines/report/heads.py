"""Units in the heads of columns instead of in each cell, where a column has one unit."""

import re
from dataclasses import replace
from decimal import Decimal

from fivenines.analysis.wording import NOTHING, THIN
from fivenines.report.section import Section
from fivenines.report.table import Table

_NUMBER = rf"-?\d[\d{THIN}]*(?:\.\d+)?"
_TIMES = {"µs": -6, "ms": -3, "s": 0}
"""Units that can be turned into each other, as powers of ten of a second."""

_QUANTITY = re.compile(rf"(?:({_NUMBER}) to )?({_NUMBER}) (%|µs|ms|s)(?![\w])")
_MAIN = re.compile(rf"^(?:at (?:least|most) )?({_NUMBER})(?: to {_NUMBER})? (%|µs|ms|s)(?![\w])")
"""A cell that begins with a quantity."""

_PLAIN = re.compile(rf"^(?:at (?:least|most) )?{_NUMBER}(?![\w])")
"""One that begins with a number without a unit, which a unit in the head would be wrong for."""

_FAR = 1000
"""Times that are further apart than this factor keep their own units."""


def with_units_in_heads(section: Section) -> Section:
    """The section, its tables and those of its drawers and figures."""
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
    """The table with the unit of each column of figures in its head; other columns stay."""
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
    """The one unit of a column; None where it has none, or several."""
    figures = [found for cell in cells if (found := _main(cell))]
    plain = [cell for cell in cells if cell not in ("", NOTHING) and _main(cell) is None]
    if not figures or any(_PLAIN.match(cell) for cell in plain):
        return None
    units = {found[2] for found in figures}
    if units == {"%"}:
        return "%"
    if "%" in units:
        return None
    sizes = [size for found in figures if (size := _value(found[1]).scaleb(_TIMES[found[2]]))]
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
    """The cell with its quantities in this unit, which its head names."""
    return _QUANTITY.sub(lambda found: _turned(found, unit), cell)


def _turned(found: re.Match[str], unit: str) -> str:
    """A quantity in another unit, without it: "385 ms" as "0.385"."""
    own = found[3]
    if own == unit:
        return found[0].removesuffix(f" {own}")
    if own == "%" or unit == "%":
        return found[0]
    shift = _TIMES[own] - _TIMES[unit]
    values = [f"{_value(text).scaleb(shift):f}" for text in found.groups()[:2] if text]
    return " to ".join(values)


def _value(text: str) -> Decimal:
    return Decimal(text.replace(THIN, ""))
