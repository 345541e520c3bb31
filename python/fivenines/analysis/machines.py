"""Machines as a source of variance: whether they differ, and whether cells are spread over them equally.

The model is additive in logarithms, log(value) = cell + machine + error, by least squares over all cells; the
F test compares it with the one without machines (Montgomery, Design and Analysis of Experiments, ch. 4 and,
of unbalanced data, 15.2).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special  # not scipy.stats, which takes a second to import

from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import CONFIDENCE, student_t
from fivenines.results.records import CellKey

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class MachineEffect:
    """Effect of a machine relative to the mean of all, as a factor with its interval."""

    machine: str
    factor: float
    low: float
    high: float


@dataclass(frozen=True)
class MachineEffects:
    """Effects of all machines; `p` is the probability of such differences between identical machines."""

    effects: tuple[MachineEffect, ...]
    p: float

    @property
    def differ(self) -> bool:
        """Return whether the machines are shown to differ."""
        return self.p < 1 - CONFIDENCE


def spread_of(cells: Sequence[CellResult]) -> dict[CellKey, Counter[str]]:
    """Return the number of trials of each cell on each machine; empty with one machine."""
    result = {cell.key: Counter(dict.fromkeys(_machines(cells), 0)) for cell in cells if cell.trials}
    for cell in cells:
        for trial in cell.trials:
            result[cell.key][trial.machine] += 1
    return result if len(_machines(cells)) > 1 else {}


def unbalanced(spread: Mapping[CellKey, Counter[str]]) -> list[CellKey]:
    """Return the cells whose spread over machines differs from that of most cells."""
    shares = {key: tuple(sorted(counts.items())) for key, counts in spread.items()}
    if not shares:
        return []
    usual = Counter(shares.values()).most_common(1)[0][0]
    return [key for key, share in shares.items() if share != usual]


def throughput_effects(cells: Sequence[CellResult]) -> MachineEffects | None:
    """Return the effects on throughput, of cells that met no offered rate; None where they cannot be
    estimated.
    """
    return effects(
        [
            (str(number), trial.machine, trial.throughput.tps)
            for number, cell in enumerate(cells)
            for trial in cell.trials
            if trial.throughput and not cell.kept
        ]
    )


def effects(values: Sequence[tuple[str, str, float]]) -> MachineEffects | None:
    """Return cell, machine and value of each trial; None where there is one machine, or nothing to judge it
    by.

    Values of 0 have no logarithm and are left out.
    """
    known = [item for item in values if item[2] > 0]
    cells = sorted({cell for cell, _, _ in known})
    machines = sorted({machine for _, machine, _ in known})
    if len(machines) < 2:
        return None
    logs = np.log([value for _, _, value in known])
    of_cell = np.array([[float(cell == item) for item in cells] for cell, _, _ in known])
    # sum coding: the effects of all machines add up to 0
    own = np.array([_coded(machine, machines) for _, machine, _ in known])
    whole = np.hstack([of_cell, own])
    rank = int(np.linalg.matrix_rank(whole))
    df = len(known) - rank
    between = rank - len(cells)
    # Effects of cells and machines that share nothing cannot be separated.
    if df < 1 or between < len(machines) - 1:
        return None
    without, within = _residual(of_cell, logs), _residual(whole, logs)
    if within <= 0:
        return None
    f = (without - within) / between / (within / df)
    p = float(special.fdtrc(between, df, max(f, 0.0)))
    return MachineEffects(tuple(_effects(whole, logs, len(cells), machines, within / df, df)), p)


def _effects(
    whole: Array, logs: Array, first: int, machines: Sequence[str], variance: float, df: int
) -> list[MachineEffect]:
    inverse = np.linalg.inv(whole.T @ whole)
    estimated = inverse @ whole.T @ logs
    t = student_t(df)
    result = []
    for machine in machines:
        weights = np.zeros(len(estimated))
        weights[first:] = _coded(machine, machines)
        log = float(weights @ estimated)
        half = t * math.sqrt(float(variance * weights @ inverse @ weights))
        result.append(MachineEffect(machine, *(math.exp(log + by * half) for by in (0, -1, 1))))
    return result


def _coded(machine: str, machines: Sequence[str]) -> list[float]:
    return [float(machine == item) - float(machine == machines[-1]) for item in machines[:-1]]


def _residual(matrix: Array, values: Array) -> float:
    fitted = matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
    return float(((values - fitted) ** 2).sum())


def _machines(cells: Sequence[CellResult]) -> list[str]:
    return sorted({trial.machine for cell in cells for trial in cell.trials if trial.machine})
