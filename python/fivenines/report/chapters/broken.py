"""Chapter `broken` of the report."""

from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance import interleaved
from fivenines.report.html.section import Section
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Return broken attempts and missing measures."""
    tables = [broken_table(data), notes_table(data)]
    texts = [*data.run.problems, *interleaved.broken_texts(data.run)]
    if data.run.missing:
        ids = ", ".join(planned.id for planned in data.run.missing)
        texts.append(f"{count(len(data.run.missing), 'planned trial')} not complete: {ids}.")
    if not texts and tables[0].rows:
        texts = [f"{count(len(tables[0].rows), 'attempt')} broke, but all trials are complete."]
    if not texts and tables[1].rows:
        texts = [f"Measures are missing in {count(len(tables[1].rows), 'complete trial')}."]
    return Section("broken", "Broken trials", texts, tables)


def broken_table(data: Data) -> Table:
    """Return all broken attempts with their reasons."""
    done = {trial.record.id for trial in data.run.complete}
    rows = [
        [
            stored.record.id,
            data.names.full(stored.record.cell),
            str(stored.record.attempt),
            stored.record.reason or "no reason was recorded",
            "complete" if stored.record.id in done else "not complete",
            f"trials/{stored.folder.name}/",
        ]
        for stored in data.run.broken
    ]
    columns = ["Trial", "Cell", "Attempt", "Reason", "Final state of the trial", "Folder"]
    return Table("Broken attempts", columns, rows)


def notes_table(data: Data) -> Table:
    """Return the measures that are missing in complete trials, with the reasons."""
    rows = [
        [trial.record.id, data.names.full(cell.key), "; ".join(trial.notes)]
        for cell in data.done
        for trial in cell.trials
        if trial.notes
    ]
    return Table("Missing measures", ["Trial", "Cell", "Reason"], rows)
