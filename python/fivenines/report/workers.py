"""Who carried out the trials, where several ran side by side or on several machines."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import count, listed
from fivenines.report.table import Table, right
from fivenines.results.records import WorkerRecord


def cautions(cells: Sequence[CellResult]) -> list[str]:
    """What trials side by side are comparable with; nothing where all ran one after another."""
    crowded = [one for one in _workers(cells) if one.beside]
    if not crowded:
        return []
    most = max(one.beside for one in crowded) + 1
    cores = sorted({len(one.cores) for one in crowded})
    each = listed([str(number) for number in cores])
    noun = "processor" if cores == [1] else "processors"
    return [
        f"{most} trials ran side by side, each on {each} {noun}: they share the disk and the memory's"
        " bandwidth, so their figures compare with each other, and not with those of trials that ran alone."
    ]


def table(cells: Sequence[CellResult]) -> Table:
    """One row for each worker; empty where the run's own process did everything."""
    found: dict[tuple[str, str], list[WorkerRecord]] = {}
    for one in _workers(cells):
        found.setdefault((one.host, one.name), []).append(one)
    rows = [
        [name, host, ", ".join(map(str, every[0].cores)), str(len(every))]
        for (host, name), every in sorted(found.items())
    ]
    columns = ["Worker", "Machine", "Its processors", "Trials"]
    caption = f"Who carried out the trials: {count(len(rows), 'worker')}"
    return Table(caption, columns, rows, 1, right(columns, "Worker", "Machine", "Its processors"))


def _workers(cells: Sequence[CellResult]) -> list[WorkerRecord]:
    records = [trial.record.worker for cell in cells for trial in cell.trials]
    return [one for one in records if one is not None]
