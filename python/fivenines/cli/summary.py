"""The summary table of a run, as `run`, `report` and `results show` print it."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path

_CONDITIONS = ("Workload", "Connections", "Network", "Fault")
"""Columns that are said once when all rows agree."""

_WIDE = 120
"""Below this width the table leaves out the columns that the report has as well."""

_NARROW = {"Transactions/s": "Trans./s", "Outage, new connections": "Outage, new connects"}
"""Headings that would break their words there."""

_FOR_WIDE = (
    "Outage, reads", "Failover time", "Invariants", "Stalls before", "Downtime a year",
    "Conditions",
)  # fmt: skip


def rows(folder: Path) -> list[dict[str, str]]:
    """One row for each cell, the columns in order."""
    from fivenines.report import summary_rows

    return summary_rows(folder)


def show(folder: Path) -> None:
    """The table on stdout."""
    from fivenines.cli import console

    found = rows(folder)
    shown = _show_duets(folder)
    if not found and shown:
        return
    if not found:
        console.note(f"{folder}: no complete trial yet, so there is nothing to summarise")
        return
    shared = {name: text for name, text in found[0].items() if name in _CONDITIONS}
    shared = {name: text for name, text in shared.items() if _alike(found, name)}
    columns = [name for name in found[0] if name not in shared]
    narrow = console.stdout().width < _WIDE
    if narrow:
        columns = [name for name in columns if name not in _FOR_WIDE]
    if shared:
        console.say(", ".join(f"{name.lower()} {text}" for name, text in shared.items()))
    headings = [_NARROW.get(name, name) if narrow else name for name in columns]
    console.table(headings, [[row.get(column, "") for column in columns] for row in found])
    _show_failovers(folder)
    _show_sweeps(folder)
    for line in cautions(folder):
        console.say(line)
    if "Split brain" in found[0]:
        for line in split_brains(folder):
            console.note(line, "bold red")
    if any("VIOLATED" in row.get("Invariants", "") for row in found):
        for line in violations(folder):
            console.note(line, "bold red")


def failovers(folder: Path) -> list[dict[str, str]]:
    """One row for each fault of each cell: its phases, and the nines that follow."""
    from fivenines.report import failover_rows

    return failover_rows(folder)


def _show_failovers(folder: Path) -> None:
    """The failovers by phase, where anything was broken."""
    from fivenines.cli import console

    found = failovers(folder)
    if not found:
        return
    columns = [name for name in found[0] if name != "What broke" or not _alike(found, name)]
    if console.stdout().width < _WIDE:
        columns = [name for name in columns if name not in _FOR_WIDE]
    console.say("")
    console.say("Failovers by phase, means of the trials whose load wrote again:")
    console.table(columns, [[row[name] for name in columns] for row in found])


def _show_duets(folder: Path) -> bool:
    """Who is faster side by side; whether there was anything to say."""
    from fivenines.cli import console
    from fivenines.report import duet_lines

    said = duet_lines(folder)
    for line in said:
        console.say(line)
    return bool(said)


def _show_sweeps(folder: Path) -> None:
    """What is best of each swept solution, and whether it can be told from the next."""
    from fivenines.cli import console
    from fivenines.report import sweep_lines

    for line in sweep_lines(folder):
        console.say(line)


def cautions(folder: Path) -> list[str]:
    """What to know beside the throughput: time that went to stalls, and others who used the machine."""
    from fivenines.report import caution_lines

    return caution_lines(folder)


def violations(folder: Path) -> list[str]:
    """Violated invariants of all trials, the rows named."""
    from fivenines.report.chapters.invariants import offending_text
    from fivenines.results.store import open_run

    return [
        f"{trial.record.id} {trial.record.cell.solution}: VIOLATED: {check.name} ({check.source}):"
        f" {offending_text(check)}"
        for trial in open_run(folder).complete
        for check in trial.record.invariants
        if check.status == "violated"
    ]


def split_brains(folder: Path) -> list[str]:
    """Who had a split brain, and what it lost."""
    from fivenines.analysis.cells import analyse
    from fivenines.report.chapters.wrong import alarms
    from fivenines.results.store import open_run

    return [f"SPLIT BRAIN: {text}" for text in alarms(analyse(open_run(folder)))]


def _alike(rows: list[dict[str, str]], name: str) -> bool:
    return all(row.get(name) == rows[0].get(name) for row in rows)
