"""The summary table of a run, as `run`, `report` and `results show` print it."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path


def rows(folder: Path) -> list[dict[str, str]]:
    """One row for each cell, the columns in order."""
    from fivenines.report import summary_rows

    return summary_rows(folder)


def show(folder: Path) -> None:
    """The table on stdout."""
    from fivenines.cli import console

    found = rows(folder)
    if not found:
        console.note(f"{folder}: no complete trial yet, so there is nothing to summarise")
        return
    columns = list(found[0])
    console.table(columns, [[row.get(column, "") for column in columns] for row in found])
