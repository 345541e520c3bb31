"""Facts about a primary with replicas from manuals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fivenines.results.records import SolutionFacts
from fivenines.software.store import family_of
from fivenines.solutions.durability import STRICT, DurabilitySettings

if TYPE_CHECKING:
    from fivenines.solutions.hot_standby.settings import HotStandbySettings
    from fivenines.solutions.replication.settings import ReplicationSettings

_WRITES = "no: all writes go to the primary"
_READS = "yes, by replicas; reads there may be stale"
_ASYNCHRONOUS = "transactions that the primary acknowledged last and no replica had received"
_NO_WAIT = "a commit waits for no replica"
_MOMENT = "after a power loss of its node only, the last moments that were not flushed"


def replication_facts(settings: "ReplicationSettings") -> SolutionFacts:
    """Return the row of MariaDB's or MySQL's replication in the table of solutions."""
    mysql = family_of(settings.engine) == "mysql"
    manual = "MySQL 9 reference manual" if mysql else "MariaDB documentation"
    return SolutionFacts(
        replication=_replication(settings) + _disks(settings.durability),
        failover=_watcher(settings).fact,
        least_servers="2, and a host for the failover manager",
        extra=_watcher(settings).extra,
        write_scaling=_WRITES,
        read_scaling=_READS,
        one_failure_loses=_loss(settings),
        may_lose=_NO_WAIT if settings.mode == "async" else "",
        alone_after=None if settings.mode == "async" else settings.semi_sync_timeout,
        partition=_partition(_watcher(settings)),
        one_down=_one_down(
            _watcher(settings),
            None if settings.mode == "async" else settings.traits.nodes,
            settings.semi_sync_timeout,
        ),
        two_down=_without_majority(settings.traits.nodes)
        if _watcher(settings).on_nodes
        else _two_down(settings.traits.nodes, settings.mode != "async", settings.semi_sync_timeout),
        sources=[
            f"{manual}: Global Transaction ID, Semisynchronous Replication",
            "Wolski, Raatikka 2006: 1-safe and 2-safe replication",
        ],
    )


def _replication(settings: "ReplicationSettings") -> str:
    if settings.mode == "async":
        return "binary log by GTID; a commit waits for no replica (1-safe)"
    number = "one replica" if settings.wait_for == 1 else f"{settings.wait_for} replicas"
    before = "before" if settings.mode == "after_sync" else "after"
    return (
        f"binary log by GTID; a commit is acknowledged once {number} received it, waited for {before} it is "
        f"visible at the primary (2-safe received), for {settings.semi_sync_timeout:g} s at most"
    )


def _disks(durability: DurabilitySettings) -> str:
    """Return which disks a commit waits for, if not each node's own."""
    if durability == STRICT:
        return ""
    waits = {
        "strict": "waits for its own disk",
        "relaxed": "does not wait for its own disk",
        "adaptive": "waits for its own disk only while it has no standby",
    }
    return f"; the primary {waits[durability.primary]}, a standby {waits[durability.standby]}"


def _loss(settings: "ReplicationSettings") -> str:
    if settings.mode == "async":
        strict = settings.durability.primary == "strict"
        return _ASYNCHRONOUS if strict else f"{_ASYNCHRONOUS}; {_MOMENT}"
    shown = "nothing acknowledged while replicas keep up; after the timeout as if asynchronous"
    if settings.mode == "after_sync":
        return shown
    return f"{shown}. Clients may have read what is lost, as it is visible before a replica has it"


def hot_standby_facts(settings: "HotStandbySettings") -> SolutionFacts:
    """Return the row of PostgreSQL's streaming replication in the table of solutions."""
    waits = {
        "off": "nothing, not even its own disk",
        "local": "its own disk (1-safe)",
        "remote_write": "a standby that has received it (2-safe received)",
        "on": "a standby that has it on disk (2-safe durable)",
        "remote_apply": "a standby that shows it (2-safe visible)",
    }[settings.synchronous_commit]
    if settings.wait_for > 1:
        waits = waits.replace("a standby that has", f"{settings.wait_for} standbys that have")
        waits = waits.replace("a standby that shows", f"{settings.wait_for} standbys that show")
    if settings.durability.primary == "adaptive":
        waits = "its own disk while it has no standby, else for nothing"
    synchronous = settings.synchronous
    able = settings.traits.nodes - bool(settings.delay) - settings.subscriber
    loss = {"off": f"{_ASYNCHRONOUS}; {_MOMENT}", "local": _ASYNCHRONOUS}
    return SolutionFacts(
        replication=f"write-ahead log, streamed; a commit waits for {waits}"
        + ("; one subscriber by logical replication" if settings.subscriber else ""),
        failover=_watcher(settings).fact,
        least_servers=f"{1 + settings.wait_for}, and a host for the failover manager",
        extra=_watcher(settings).extra,
        write_scaling=_WRITES,
        read_scaling="yes, by standbys; the standby that acknowledged a commit shows it"
        if settings.synchronous_commit == "remote_apply"
        else "yes, by standbys; reads there may be stale",
        one_failure_loses=loss.get(settings.synchronous_commit, "nothing that was acknowledged"),
        may_lose=_NO_WAIT if settings.synchronous_commit in loss else "",
        partition=_partition(_watcher(settings)),
        one_down=_one_down(_watcher(settings), able if synchronous else None, None, settings.wait_for),
        two_down=_two_down(able - settings.wait_for + 1, synchronous, None),
        sources=[
            "PostgreSQL 18 manual: 26 High Availability, 19.5 synchronous_commit, 19.6 "
            "synchronous_standby_names",
            "Wolski, Raatikka 2006: 1-safe and 2-safe replication",
        ],
    )


@dataclass(frozen=True)
class _Watcher:
    """The failover manager in a table row.

    `apart`: on a separate host; `on_nodes`: on the nodes themselves; neither: none.
    """

    fact: str
    extra: str
    apart: bool
    on_nodes: bool


def _watcher(settings: "ReplicationSettings | HotStandbySettings") -> _Watcher:
    access, manager = settings.access, settings.manager
    if access.promotes:
        return _Watcher(
            "the program between clients and nodes promotes a replica", "that program", True, False
        )
    fact = manager.failover_fact or f"by the failover manager {manager.kind}"
    if manager.on_nodes:
        return _Watcher(fact, f"{manager.kind} on every node", False, True)
    apart = bool(manager.host)
    extra = f"failover manager {manager.kind} on a separate host" if apart else "none"
    return _Watcher(fact, extra, apart, False)


def _partition(watcher: _Watcher) -> str:
    if watcher.on_nodes:
        return (
            "the side with more than half of the nodes continues or promotes; servers of the other side stop"
        )
    if not watcher.apart:
        return "the side of the primary continues; no node is promoted on the other side"
    return (
        "the failover manager's view decides: a primary that it cannot reach is considered dead; clients "
        "that still reach it write there unless it is fenced"
    )


def _one_down(watcher: _Watcher, nodes: int | None, timeout: float | None, needed: int = 1) -> str:
    """Return the effect of one failed node.

    A commit waits for `needed` of the other `nodes`, for `timeout` seconds; None: for ever.
    """
    watched = watcher.apart or watcher.on_nodes
    primary = "a replica is promoted" if watched else "an administrator acts"
    replica = "a failed replica changes nothing"
    if nodes == 2:
        alone = "each commit waits until it is available again or an administrator removes it"
        if timeout is not None:
            alone = f"a commit waits {timeout:g} s once, then the primary continues alone"
        elif watcher.apart:
            primary += ", whose commits then wait for no replica until the other node is available again"
        replica = f"without its only replica {alone}"
    elif nodes == needed + 1:
        primary += f", whose commits wait until {needed} other nodes are available"
        replica = (
            "without any of its standbys each commit waits until it is available again or an "
            "administrator removes it"
        )
    return f"a failed primary stops writes until {primary}; {replica}"


def _without_majority(nodes: int) -> str:
    if nodes >= 5:
        return "the remaining majority continues"
    return "no majority is left: the server stops until nodes return or an administrator acts"


def _two_down(nodes: int, synchronous: bool, timeout: float | None) -> str:
    if nodes <= 2:
        return "no server answers"
    if nodes > 3 or not synchronous:
        return "the remaining node is promoted, or continues, and takes reads and writes"
    if timeout is None:
        return "the remaining node waits for a standby at each commit, until an administrator ends that"
    return f"the remaining node continues alone, after waiting {timeout:g} s for a replica once"
