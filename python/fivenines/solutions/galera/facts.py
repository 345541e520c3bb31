"""Facts about a Galera cluster from manuals, for given settings."""

from typing import TYPE_CHECKING

from fivenines.results.records import SolutionFacts
from fivenines.solutions.durability import STRICT

if TYPE_CHECKING:
    from fivenines.solutions.galera.settings import GaleraSettings


def galera_facts(settings: "GaleraSettings") -> SolutionFacts:
    """Return its row in the table of solutions."""
    spare = (settings.traits.votes - 1) // 2
    return SolutionFacts(
        replication="write sets to all nodes, ordered and certified before a commit is answered; applied "
        "afterwards "
        "(virtually synchronous)",
        failover="built in: the group drops a silent node, another one takes the writes",
        least_servers="3, or 2 and an arbiter (garbd)",
        extra="garbd on a separate host" if settings.arbiter else "none",
        write_scaling="no: every node applies every write; several writers run into conflicts",
        read_scaling=_reads(settings),
        one_failure_loses=_loss(settings),
        may_lose="",
        partition="the side with more than half of the votes continues; the other refuses reads and "
        "writes (error "
        "1047)",
        one_down=_down(1, spare),
        two_down=_down(2, spare),
        sources=[
            "Galera Cluster documentation: Certification-Based Replication, Quorum Components, Galera "
            "Arbitrator, Galera Parameters",
            "MariaDB documentation: wsrep_sync_wait, mariadb-backup SST Method",
        ],
    )


def _reads(settings: "GaleraSettings") -> str:
    if settings.sync_wait & 1:
        return (
            "yes, by nodes; a read, or the START TRANSACTION before it, waits until its node has applied "
            "everything (wsrep_sync_wait)"
        )
    return "yes, by nodes; reads at other nodes may be slightly stale (wsrep_sync_wait is 0)"


def _loss(settings: "GaleraSettings") -> str:
    if settings.durability == STRICT:
        return "nothing that was acknowledged"
    return "nothing, as the other nodes have it; a power loss of all nodes at once loses the last second"


def _down(nodes: int, spare: int) -> str:
    if nodes <= spare:
        return "reads and writes continue, after a pause until the group has dropped the dead node"
    return "no majority: reads and writes are refused until a survivor is bootstrapped manually"
