"""What PostgreSQL's log tells of lost time; lines as PostgreSQL 18.6 wrote them."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from plain_host import PlainHost

from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.servers.incidents import LogReader
from fivenines.servers.postgres.incidents import log_reader
from fivenines.trial.observers.incidents import IncidentObserver

LOG = """\
2026-11-22 17:37:38.294 GMT [2] LOG:  listening on IPv4 address "0.0.0.0", port 5432
2026-11-22 17:37:41.617 GMT [6] LOG:  checkpoint complete: wrote 1199 buffers (7.3%), wrote 3 SLRU buffers; \
0 WAL file(s) added, 0 removed, 1 recycled; write=0.031 s, sync=0.018 s, total=0.057 s; sync files=33
2026-11-22 17:37:42.500 GMT [71] LOG:  process 71 still waiting for ShareLock on \
transaction 812 after 1000.061 ms
2026-11-22 17:37:42.501 GMT [70] LOG:  process 70 detected deadlock while waiting for ShareLock on \
transaction 813 after 1000.101 ms
2026-11-22 17:37:42.501 GMT [70] ERROR:  deadlock detected
2026-11-22 17:37:42.501 GMT [70] DETAIL:  Process 70 waits for ShareLock on transaction 813; blocked by 71.
2026-11-22 17:37:42.700 GMT [71] LOG:  process 71 acquired ShareLock on transaction 812 after 1200.5 ms
2026-11-22 17:37:42.800 GMT [71] ERROR:  duplicate key value violates unique constraint "deadlock detected"
"""
OURS = log_reader({})
SECOND_ZERO = 1795369062000.0  # 17:37:42 of that day


def test_the_log_tells_of_deadlocks_waits_and_checkpoints() -> None:
    found = list(OURS.read(LOG.splitlines()))
    assert [(one.kind, one.ms) for one in found] == [
        ("checkpoint", 57.0),
        ("lock wait", 1000.061),
        ("deadlock", 0.0),
        ("lock wait", 1200.5),
    ]
    assert found[2].unix_ms == SECOND_ZERO + 501
    assert found[0].detail == "sync 0.018 s"


@given(st.text(), st.integers(0, 400))
def test_whatever_stands_in_a_log_is_read_or_passed_over(text: str, cut: int) -> None:
    list(OURS.read((LOG[:cut] + text + LOG[cut:]).splitlines()))


def test_counts_only_lines_during_the_load(tmp_path: Path) -> None:
    log = tmp_path / "server.out"
    log.write_text(LOG)
    blind = LogReader(lambda _lines: [], "deadlocks: log_min_messages = log")
    node = SimpleNamespace(name="node1", log=log, log_reader=lambda: OURS)
    maria = SimpleNamespace(name="node2", log=log, log_reader=lambda: None)
    third = SimpleNamespace(name="node3", log=log, log_reader=lambda: blind)
    settings = SimpleNamespace(external=False)
    solution = SimpleNamespace(members=[node, maria, third], settings=settings)
    hosts = {"node1": PlainHost(), "node3": PlainHost()}
    lab = SimpleNamespace(hosts=hosts)
    deployed: Any = SimpleNamespace(solution=solution, lab=lab)
    observer = IncidentObserver(deployed, tmp_path, ObserveSettings())
    assert observer.wanted
    observer.start(time.monotonic_ns())
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    with log.open("a") as stream:
        stream.write(f"{now}.000 UTC [9] ERROR:  deadlock detected\n")
    observer.stop()
    header, *rows = (tmp_path / "incidents.csv").read_text().splitlines()
    assert header == "t_ms,node,kind,ms,detail"
    row, unseen = rows
    assert unseen == "0.0,node3,not observed,0.0,deadlocks: log_min_messages = log"
    t_ms, name, kind, *_ = row.split(",")
    assert (name, kind) == ("node1", "deadlock")
    assert -1500 <= float(t_ms) <= 1500
    settings.external = True
    assert not observer.wanted
