"""Report the workers that ran the trials, if several ran in parallel or on several machines."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.machines import MachineEffect, spread_of, throughput_effects, unbalanced
from fivenines.analysis.wording import NOTHING, count, listed, percent
from fivenines.report.table import Table, right
from fivenines.results.records import WorkerRecord


def cautions(cells: Sequence[CellResult]) -> list[str]:
    """Return cautions on parallel trials and on differences between machines."""
    return [*_crowded(cells), *_different(cells), *_unlike(cells)]


def _crowded(cells: Sequence[CellResult]) -> list[str]:
    crowded = [one for one in _workers(cells) if one.neighbours]
    if not crowded:
        return []
    most = max(one.neighbours for one in crowded) + 1
    cores = sorted({len(one.cores) for one in crowded})
    each = listed([str(number) for number in cores])
    noun = "CPU" if cores == [1] else "CPUs"
    return [
        f"{most} trials ran in parallel, each on {each} {noun}: they share the disk and the memory bandwidth."
        " Compare their figures with each other, not with those of trials that ran alone."
    ]


def _different(cells: Sequence[CellResult]) -> list[str]:
    machines = throughput_effects(cells)
    if machines is None or not machines.differ:
        return []
    each = [f"{one.machine} {_against(one)}" for one in machines.effects]
    return [
        f"The machines differ in throughput: {listed(each)} of their mean. Solutions are compared within each"
        " machine, which is a block, so this favours no solution."
    ]


def _unlike(cells: Sequence[CellResult]) -> list[str]:
    spread = spread_of(cells)
    unlike = unbalanced(spread)
    if not unlike:
        return []
    named = listed(sorted({key.solution for key in unlike}))
    return [
        f"Not every cell has the same number of trials on each machine ({named}): comparisons correct for"
        " this, means of single cells do not."
    ]


def table(cells: Sequence[CellResult]) -> Table:
    """Return one row for each worker; empty if the main process ran all trials."""
    workers: dict[tuple[str, str], list[WorkerRecord]] = {}
    for one in _workers(cells):
        workers.setdefault((one.host, one.name), []).append(one)
    effects = throughput_effects(cells)
    against = {one.machine: _against(one) for one in effects.effects} if effects else {}
    rows = [
        [
            name,
            host,
            ", ".join(map(str, every[0].cores)),
            _processor(every[0]),
            str(len(every)),
            against.get(host, NOTHING),
        ]
        for (host, name), every in sorted(workers.items())
    ]
    columns = ["Worker", "Machine", "CPUs", "CPU model", "Trials", "Throughput, % of the machines' mean"]
    caption = f"{count(len(rows), 'worker')} that ran the trials"
    texts = ("Worker", "Machine", "CPUs", "CPU model")
    return Table(caption, columns, rows, 1, right(columns, *texts))


def _against(effect: MachineEffect) -> str:
    """ "93 % (90 to 96 %)"."""
    ends = f"{percent(100 * effect.low)} to {percent(100 * effect.high)} %"
    return f"{percent(100 * effect.factor)} % ({ends})"


def _processor(worker: WorkerRecord) -> str:
    return worker.machine.cpu if worker.machine is not None else NOTHING


def _workers(cells: Sequence[CellResult]) -> list[WorkerRecord]:
    records = [trial.record.worker for cell in cells for trial in cell.trials]
    return [one for one in records if one is not None]
