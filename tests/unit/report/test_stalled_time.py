"""Sentences and tables on stalled time, and on other processes on the machine."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from fivenines.analysis.availability.availability import Gap
from fivenines.analysis.availability.stall_causes import Stall
from fivenines.analysis.performance.latency import Latency
from fivenines.analysis.resources.machine import Sharing
from fivenines.report.sentences import sharing, stalls
from fivenines.results.records import CellKey

NAMES: Any = SimpleNamespace(full=lambda key: key.solution)


@dataclass
class _Trial:
    lost_time: list[Stall] = field(default_factory=list)
    sharing: Sharing | None = None
    schedule: Any = None
    throughput: Any = field(default_factory=lambda: SimpleNamespace(seconds=5.0))


def _cell(*trials: _Trial) -> Any:
    key = CellKey(solution="pg", workload="oltp", connections=8, network="lan", fault="none")
    return SimpleNamespace(key=key, trials=list(trials))


def _stall(start: float, end: float, cause: str, events: int = 0) -> Stall:
    return Stall(Gap(start, end), cause, events)


def test_stalled_time_is_attributed_to_its_cause() -> None:
    four = _Trial([_stall(1000, 3100, "deadlock", 2), _stall(3200, 5200, "deadlock", 2)])
    (text,) = stalls.sentences([_cell(four)])
    assert text == "pg (oltp, 8 connections): 4.1 of 5.0 s of the steady window went to 4 deadlocks."
    assert stalls.table([_cell(four)], NAMES).rows == [["pg", "deadlock", "2", "4", "4.1 of 5.0", "2.1"]]


def test_causes_are_separate_and_the_unknown_comes_last() -> None:
    cell = _cell(
        _Trial([_stall(1000, 3000, "not known"), _stall(3000, 4000, "deadlock", 1)]),
        _Trial([_stall(1000, 1500, "lock waits")]),
    )
    (text,) = stalls.sentences([cell])
    assert text.endswith(
        "3.5 of 10.0 s of the steady window of 2 trials went to 1 deadlock (1.0 s), lock waits (0.5 s)"
        " and 1 stall of unknown cause (2.0 s)."
    )
    assert [row[1] for row in stalls.table([cell], NAMES).rows] == ["deadlock", "lock waits", "not known"]


def test_little_stalled_time_is_in_the_table_only() -> None:
    cell = _cell(_Trial([_stall(1000, 1060, "not known")]))
    assert stalls.sentences([cell]) == [] and stalls.table([cell], NAMES).rows
    assert stalls.sentences([_cell(_Trial())]) == []


def _times(p99: float) -> Latency:
    return Latency(100, 5.0, 8.0, 8.0, 8.0, 8.0, p99, p99, p99, p99)


def test_other_processes_are_named_with_bounds() -> None:
    disturbed = Sharing(
        2, 1.0, 0.95, 0.05, 0.0, [("hog (user a)", 0.9), ("cc (user b)", 0.004)], _times(3.1), _times(20.0)
    )
    alone = Sharing(2, 1.9, 0.01, 0.0, 0.05, [], _times(6.0), _times(20.0))
    assert sharing.cautions([_cell(_Trial(sharing=alone), _Trial())]) == []
    (text,) = sharing.cautions([_cell(_Trial(sharing=alone), _Trial(sharing=disturbed))])
    assert text == (
        "Other processes used the machine while pg was measured (1 of 2 trials): up to 1.00 of 2 cores"
        " (hog (user a) 0.90; stolen by the hypervisor 0.05); throughput could be up to 100 % higher without"
        " them, the mean response time (8.00 ms) up to 4.00 ms shorter and 99 % of the response times contain"
        " at most 3.10 ms in which the load generator had no CPU (their 99th percentile is 20.0 ms)."
    )
    (row,) = sharing.table([_cell(_Trial(sharing=alone), _Trial(sharing=disturbed))], NAMES).rows
    assert row == ["pg", "2", "1.45", "0.48", "0.03", "0.03", "hog (user a)", "6.00 ms"]
    # in an open loop the rate is given
    opened = _Trial(sharing=disturbed, schedule=SimpleNamespace(open=True))
    assert "throughput" not in sharing.cautions([_cell(opened)])[0]
