"""Group cells for display, and name the groups."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.cells import CellResult, cell_result
from fivenines.analysis.wording import count
from fivenines.report.charts import theme
from fivenines.results.records import CellKey
from fivenines.results.store import Run


@dataclass(frozen=True)
class Names:
    """Which dimensions vary in the run; only those are worth naming in headings."""

    workloads: int
    connections: int
    networks: int
    faults: int
    styles: dict[str, theme.Style]

    def label(self, key: CellKey, connections: bool = True) -> str:
        """Return the varying conditions of a cell, without its solution: "oltp_read_write, 8 connections"."""
        parts = [key.workload] if self.workloads > 1 else []
        if connections and self.connections > 1:
            parts.append(count(key.connections, "connection"))
        parts += [f"network {key.network}"] if self.networks > 1 else []
        parts += [f"fault {key.fault}"] if self.faults > 1 and key.fault else []
        return ", ".join(parts)

    def full(self, key: CellKey) -> str:
        """Return solution and label: "galera, oltp_read_write, 8 connections"."""
        return ", ".join(part for part in (key.solution, self.label(key)) if part)


@dataclass(frozen=True)
class Group:
    """Cells that share workload, network and fault; `label` is empty if all cells do."""

    label: str
    cells: list[CellResult]

    @property
    def connections(self) -> list[int]:
        """Return the numbers of connections, ascending."""
        return sorted({cell.key.connections for cell in self.cells})

    def at(self, connections: int) -> list[CellResult]:
        """Return the cells with this number of connections."""
        return [cell for cell in self.cells if cell.key.connections == connections]


def names_of(cells: Sequence[CellResult]) -> Names:
    """Return what varies between cells, and a style for each solution in order of appearance."""
    return names_of_keys([cell.key for cell in cells])


def names_of_keys(keys: Sequence[CellKey]) -> Names:
    """Return what varies between the keys of cells, and a style for each solution."""
    solutions = dict.fromkeys(key.solution for key in keys)
    return Names(
        len({key.workload for key in keys}),
        len({key.connections for key in keys}),
        len({key.network for key in keys}),
        len({key.fault for key in keys}),
        {name: replace(theme.style(index), tag=f"s{index}") for index, name in enumerate(solutions)},
    )


def by_solution(cells: Iterable[CellResult]) -> dict[str, list[CellResult]]:
    """Group cells by solution, in order of appearance."""
    groups: dict[str, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(cell.key.solution, []).append(cell)
    return groups


def where(key: CellKey, names: Names) -> str:
    """Return a cell's workload and connections if they vary: "append, 8 connections"."""
    return replace(names, networks=1, faults=1).label(key)


def drawn(cells: Sequence[CellResult], most: int) -> tuple[list[CellResult], list[str]]:
    """Return up to `most` cells with the most connections, and a note on the others."""
    chosen = sorted(cells, key=lambda cell: -cell.key.connections)[:most]
    left = count(len(cells) - len(chosen), "cell")
    text = f"Only the tables contain the {left} with fewer connections, to keep the file small."
    return chosen, [text] if len(cells) > len(chosen) else []


def workload_kinds(run: Run) -> dict[str, str]:
    """Return the kind of each workload of the experiment by its name."""
    items = run.manifest.experiment.get("workloads")
    return {
        str(item.get("name") or item.get("workload")): str(item.get("workload"))
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict)
    }


def groups_of(cells: Iterable[CellResult], names: Names) -> list[Group]:
    """Group cells by workload, network and fault, in order of appearance."""
    groups: dict[tuple[str, str, str], list[CellResult]] = {}
    for cell in cells:
        groups.setdefault((cell.key.workload, cell.key.network, cell.key.fault), []).append(cell)
    return [Group(names.label(members[0].key, connections=False), members) for members in groups.values()]


def before_faults(cells: Iterable[CellResult]) -> list[CellResult]:
    """Pool cells that differ only in the fault, for measures that are taken before the fault."""
    groups: dict[CellKey, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(cell.key.without_fault, []).append(cell)
    return [_pooled(key, members) for key, members in groups.items()]


def _pooled(key: CellKey, cells: Sequence[CellResult]) -> CellResult:
    if len(cells) == 1:
        return replace(cells[0], key=key)
    trials = [trial for cell in cells for trial in cell.trials]
    planned, broken = sum(cell.planned for cell in cells), sum(cell.broken for cell in cells)
    return cell_result(key, planned, broken, trials)
