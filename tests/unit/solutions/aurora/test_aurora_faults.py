"""Faults of Aurora: what can be verified, and what cannot."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.faults.context import FaultContext
from fivenines.faults.disks.slow_disk import SlowDiskSettings
from fivenines.faults.network.partition import PartitionSettings
from fivenines.faults.services.stalled_replica import StalledReplicaSettings
from fivenines.solutions.aurora.aws.api import Access
from fivenines.solutions.aurora.aws.cuts import Cut
from fivenines.solutions.aurora.faults import CutOff, Simulated


class Server:
    """An instance; `lag` in ms, and why it refuses connections."""

    engine = SimpleNamespace(family="mysql")

    def __init__(self, name: str) -> None:
        self.name = name
        self.sql = self
        self.lag: float | None = 15.0
        self.closed = ""
        self.asked: list[str] = []
        self.error: Exception | None = None
        # Lags of replicas after a statement was accepted.
        self.hits: tuple[Server, float | None] | None = None

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
    """Return a writer and a reader."""
    writer, reader = Server("w"), Server("r")
    return SimpleNamespace(
        nodes=[writer, reader],
        topology=SimpleNamespace(words={}, votes=2),
        roles=SimpleNamespace(target=lambda role: reader if role == "replica" else writer),
        name="shop",
    )


def context(cluster: Any) -> Any:
    """Return the context of a fault, without delays."""
    made: Any = FaultContext(SimpleNamespace(solution=cluster))
    made.settles = lambda condition, _timeout=0.0: bool(condition())
    return made


def test_a_stalled_replica_is_verified_by_its_lag(cluster: Any) -> None:
    writer, reader = cluster.nodes
    fault, here = Simulated(StalledReplicaSettings(fault="stalled-replica")), context(cluster)
    # A replica with an unchanged or unreported lag does not count as stalled.
    for lag in (15.0, None):
        writer.hits = (reader, lag)
        assert not fault.inject(here).verified
    reader.lag, writer.hits = 3000.0, (reader, 4000.0)
    assert not fault.inject(here).verified
    reader.lag = 20.0
    injection = fault.inject(here)
    assert injection.verified and injection.hosts == ("r",)
    # The writer executes it, whatever the target.
    assert writer.asked[-1].startswith('ALTER SYSTEM SIMULATE 100 PERCENT READ REPLICA FAILURE TO "r"')
    assert reader.asked == []
    assert fault.recover(here, injection).detail == "its time is over, but it still lags"
    reader.lag = 20.0
    assert fault.recover(here, injection).verified


def test_faults_of_disks_are_not_verified(cluster: Any) -> None:
    fault, here = Simulated(SlowDiskSettings(fault="slow-disk")), context(cluster)
    injection = fault.inject(here)
    assert not injection.verified and not fault.recover(here, injection).verified
    assert injection.detail.endswith("the state of its disks cannot be observed")


def test_a_refusal_of_aurora_is_reported_with_the_statement(cluster: Any) -> None:
    cluster.nodes[0].error = OSError("(1227, 'Access denied')")
    fault = Simulated(SlowDiskSettings(fault="slow-disk"))
    with pytest.raises(FiveninesError, match=r"w refuses ALTER SYSTEM SIMULATE .*Access denied"):
        fault.inject(context(cluster))


def test_a_cut_is_verified_by_refused_connections(cluster: Any) -> None:
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
