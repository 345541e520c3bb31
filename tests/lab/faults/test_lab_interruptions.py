"""Every second without service counts: outages are planted on a real server, in one run that both tests
read.
"""

import json
import re
from html import unescape

import pytest
from lab_support import HEAD, run_one, timing

from fivenines.analysis.availability.interruptions import Interruption
from fivenines.analysis.cells import CellResult, analyse
from fivenines.report import summary_rows, tables, write_html
from fivenines.results.records import FaultRecord
from fivenines.results.store import Run

TWICE = """
  - fault: sequence
    name: frozen twice
    mtbf: 90d
    steps:
      - {at: 0s, fault: {fault: freeze, duration: 5s}}
      - {at: 9s, fault: {fault: freeze, duration: 7s}}
"""
GONE = "  - {fault: kill, name: gone for good, restart_after: null}\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    solution = "solutions: [{solution: standalone, engine: postgres-18}]\n"
    text = HEAD + solution + "faults:" + TWICE + GONE + timing(recovery=20, steady=3, settle=3)
    return run_one(tmp_path_factory.mktemp("interruptions"), text, {})


@pytest.fixture(scope="module")
def cells(run: Run) -> dict[str, CellResult]:
    return {cell.key.fault: cell for cell in analyse(run)}


def _shared(interruption: Interruption, fault: FaultRecord) -> float:
    """Return its duration within the fault, in ms."""
    assert fault.ended is not None
    return min(interruption.gap.end, fault.ended) - max(interruption.gap.start, fault.at)


@pytest.mark.lasts(35)
def test_a_second_interruption_is_counted_and_named(run: Run, cells: dict[str, CellResult]) -> None:
    cell = cells["frozen twice"]
    (trial,) = cell.trials
    interruptions = trial.interruptions.writes
    for fault in trial.record.faults:
        assert fault.ended is not None
        own = max(interruptions, key=lambda item: _shared(item, fault))
        # On a busy machine one more write may succeed after the freeze, or an answer may come late after its
        # end.
        assert _shared(own, fault) >= 0.5 * (fault.ended - fault.at)
        assert (own.cause, own.event) == ("fault", "freeze primary")
    longest, total = cell.writes.summary.mean or 0.0, cell.writes.total.mean or 0.0
    assert longest >= 5500 and total >= longest + 4000
    assert total == pytest.approx(sum(item.ms for item in interruptions))
    text = tables(run, "md")
    assert " with all interruptions (in 1 trial: " in text and " by freeze primary" in text
    (row,) = [row for row in summary_rows(run) if row["Fault"] == "frozen twice"]
    assert row["Total, writes"] != row["Outage, writes"]
    exported = {item["fault"]: item for item in json.loads(tables(run, "json"))["cells"]}
    assert len([item for item in exported["frozen twice"]["interruptions"] if item["of"] == "writes"]) == len(
        interruptions
    )
    assert exported["frozen twice"]["outage_writes_total_ms"]["mean"] == pytest.approx(total)


def test_service_that_never_recovers_is_a_bound_everywhere(run: Run, cells: dict[str, CellResult]) -> None:
    cell = cells["gone for good"]
    assert (cell.writes.not_recovered, cell.failover.not_recovered) == (1, 1)
    assert cell.writes.summary.bounds == cell.failover.summary.bounds == 1
    (row,) = [row for row in summary_rows(run) if row["Fault"] == "gone for good"]
    outage = row["Outage, writes"]
    assert outage.startswith("at least ") and outage.endswith(" s (not recovered)")
    page = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", write_html(run).read_text())))
    for text in (page, tables(run, "md")):
        assert f"standalone {outage}" in text
        assert "(gone for good) to the first write of the load: standalone at least " in text
        assert not re.search(r"> \d[\d.]* m?s\b", text)
