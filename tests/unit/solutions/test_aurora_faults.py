"""Faults of Aurora at work: what is seen of them, and what is not."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.aws.api import Access
from fivenines.aws.cuts import Cut
from fivenines.errors import FiveninesError
from fivenines.faults.context import FaultContext
from fivenines.faults.partition import PartitionSettings
from fivenines.faults.slow_disk import SlowDiskSettings
from fivenines.faults.stalled_replica import StalledReplicaSettings
from fivenines.solutions.aurora_faults import CutOff, Simulated


class Server:
    """An instance; `lag` in ms, and why it lets nobody in."""

    engine = SimpleNamespace(family="mysql")

    def __init__(self, name: str) -> None:
        self.name = name
        self.lag: float | None = 15.0
        self.closed = ""
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.hits: tuple[Server, float | None] | None = None
        """Who lags by how much once a statement was taken."""

    def query(self, sql: str) -> list[Any]:
        self.asked.append(sql)
        if self.error is not None:
            raise self.error
        if self.hits is not None:
            self.hits[0].lag = self.hits[1]
        return []

    def lags(self) -> dict[str, float | None]:
        return {self.name: self.lag}

    def refusal(self) -> str:
        return self.closed


@pytest.fixture
def cluster() -> Any:
    """A writer and a reader."""
    writer, reader = Server("w"), Server("r")
    return SimpleNamespace(
        nodes=[writer, reader],
        topology=SimpleNamespace(words={}, votes=2),
        target=lambda role: reader if role == "replica" else writer,
        name="shop",
    )


def context(cluster: Any) -> Any:
    """What a fault sees; waiting is not waited for."""
    made: Any = FaultContext(SimpleNamespace(solution=cluster))
    made.settles = lambda condition, _timeout=0.0: bool(condition())
    return made


def test_a_stalled_replica_is_seen_by_its_lag(cluster: Any) -> None:
    writer, reader = cluster.nodes
    fault, here = Simulated(StalledReplicaSettings(fault="stalled-replica")), context(cluster)
    # what lags no more than before, or whose lag is not told, is not seen to be stalled
    for lag in (15.0, None):
        writer.hits = (reader, lag)
        assert not fault.inject(here).verified
    reader.lag, writer.hits = 3000.0, (reader, 4000.0)
    assert not fault.inject(here).verified
    reader.lag = 20.0
    injection = fault.inject(here)
    assert injection.verified and injection.hosts == ("r",)
    # the writer is asked for it, whoever is hit
    assert writer.asked[-1].startswith('ALTER SYSTEM SIMULATE 100 PERCENT READ REPLICA FAILURE TO "r"')
    assert reader.asked == []
    assert fault.recover(here, injection).detail == "its time is over, but it still lags"
    reader.lag = 20.0
    assert fault.recover(here, injection).verified


def test_nothing_is_claimed_of_disks(cluster: Any) -> None:
    fault, here = Simulated(SlowDiskSettings(fault="slow-disk")), context(cluster)
    injection = fault.inject(here)
    assert not injection.verified and not fault.recover(here, injection).verified
    assert injection.detail.endswith("the state of its disks cannot be observed")


def test_what_aurora_refuses_is_told_with_the_statement(cluster: Any) -> None:
    cluster.nodes[0].error = OSError("(1227, 'Access denied')")
    fault = Simulated(SlowDiskSettings(fault="slow-disk"))
    with pytest.raises(FiveninesError, match=r"w refuses ALTER SYSTEM SIMULATE .*Access denied"):
        fault.inject(context(cluster))


def test_a_cut_is_seen_by_connections_that_are_refused(cluster: Any) -> None:
    made = Cut(Path("x"), Access(), {"sg-1": [{}, {}]})
    healed: list[Cut] = []

    def cut() -> Cut:
        for server in cluster.nodes:
            server.closed = "timed out"
        return made

    fault = CutOff(PartitionSettings(fault="partition", target="all"), cut, healed.append)
    here = context(cluster)
    injection = fault.inject(here)
    assert injection.verified and injection.hosts == ("w", "r")
    assert injection.detail == "rules removed from sg-1: 2; open connections continue"
    recovery = fault.recover(here, injection)
    assert healed == [made] and not recovery.verified
    for server in cluster.nodes:
        server.closed = ""
    assert fault.recover(here, injection).verified
    loose = CutOff(fault.settings, lambda: made, healed.append).inject(here)
    assert not loose.verified and "a new connection is accepted" in loose.detail
