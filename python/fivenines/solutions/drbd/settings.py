"""Settings of two nodes that share a replicated disk."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Size
from fivenines.failover.managers.pacemaker.drbd_settings import PacemakerDrbdSettings
from fivenines.failover.proxies.virtual_address import VirtualAddressSettings
from fivenines.results.records import SolutionFacts
from fivenines.solutions.drbd.checks import DrbdChecks
from fivenines.solutions.drbd.options import merged, unflushed
from fivenines.solutions.durability import STRICT
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

Value = str | int | float | bool

# Name of the host that votes and has no disk.
WITNESS = "witness"

_ON = {"mysql-9.7": "MySQL on ", "postgres-18": "PostgreSQL on "}

_NO_QUORUM = "each node considers the other dead; the primary continues, and without fencing both may"
_QUORUM = "a node that reaches neither the other node nor the witness stops its server"

_NET: dict[str, Value] = {
    # The second and third are in tenths of a second.
    "connect_int": 1,
    "ping_int": 2,
    "ping_timeout": 10,
    "verify_alg": "crc32c",
    "after_sb_0pri": "discard-zero-changes",
}


class DrbdOptions(Settings):
    """Options of DRBD 8.4, by their names in drbd.conf(5), with _ or -."""

    net: dict[str, Value] = Field(
        default_factory=dict,
        description="options of the section net, such as max_buffers, max_epoch_size, sndbuf_size, "
        "unplug_watermark, ko_count, timeout",
    )
    disk: dict[str, Value] = Field(
        default_factory=dict,
        description="options of the section disk, such as al_extents, disk_barrier, disk_flushes, "
        "md_flushes, resync_rate, c_max_rate",
    )


class DrbdSettings(SolutionSettings):
    """One server on a disk that DRBD replicates; Pacemaker starts it where the disk is primary."""

    checks_type = DrbdChecks

    setup_seconds: ClassVar[float] = 17.0
    restart_seconds: ClassVar[float] = 10.0

    solution: Literal["drbd"] = Field(description="one server on a replicated disk, under Pacemaker")
    engine: Literal["mariadb-10.11", "mysql-9.7", "postgres-18"] = Field(
        "mariadb-10.11", description="the database server"
    )
    machines: Literal["namespaces", "virtual-machines"] = Field(
        "virtual-machines", description="virtual-machines is the only choice: DRBD is a kernel module"
    )
    protocol: Literal["A", "B", "C"] = Field(
        "C",
        description="replication protocol: when a write is complete. A: it is on the local disk and sent; B: "
        "it is also in the other node's memory; C: it is also on the other node's disk",
    )
    drbd: DrbdOptions = Field(
        default_factory=DrbdOptions,
        description="further options of DRBD, which take precedence over the lab's",
    )
    witness: bool = Field(
        False,
        description="a third host with Corosync and Pacemaker, but no disk: a node that reaches neither it "
        "nor the other node stops its server",
    )
    verify: bool = Field(
        True, description="compare both disks block by block after a trial, which takes half a minute"
    )
    disk: Annotated[Size, Field(ge=64 * 2**20)] | None = Field(
        None, description="size of the disk, as 2GiB; null: as much as data and logs need"
    )
    access: VirtualAddressSettings = Field(
        default_factory=lambda: VirtualAddressSettings(kind="virtual-address"),
        description="clients use an address that moves with the disk",
    )
    manager: PacemakerDrbdSettings = Field(
        default_factory=lambda: PacemakerDrbdSettings(kind="pacemaker-drbd"),
        description="Pacemaker and Corosync on the nodes",
    )

    @property
    def traits(self) -> Traits:
        return Traits(
            nodes=2,
            votes=2 + self.witness,
            single_writer=True,
            hosts=(WITNESS,) if self.witness else (),
            compare_seconds=25.0 if self.verify else 0.0,
        )

    @property
    def net(self) -> dict[str, Value]:
        """Return all options of the section `net`."""
        return merged(_NET, self.drbd.net)

    def default_name(self) -> str:
        server = _ON.get(self.engine, "")
        witness = " + witness" if self.witness else ""
        return f"{server}DRBD {self.protocol}{witness}"

    def facts(self) -> SolutionFacts:
        loses = {
            "A": "writes on their way to the other node",
            "B": "nothing that was acknowledged, unless both nodes lose power at once",
            "C": "nothing that was acknowledged",
        }
        unsent = "a write does not wait for the other node" if self.protocol == "A" else ""
        # The page cache of a dead node is on no disk, and so not on the other node.
        strict = self.durability == STRICT
        cached = "" if strict else "a commit does not wait for the disk"
        return SolutionFacts(
            replication=f"of disk blocks, protocol {self.protocol}",
            failover="Pacemaker promotes the other disk, mounts it and starts the server there",
            least_servers="3, one without a disk" if self.witness else "2",
            write_scaling="no",
            read_scaling="no",
            one_failure_loses=loses[self.protocol]
            + ("" if strict else "; with the server's host, the last moments that were not flushed"),
            may_lose="; ".join(filter(None, [unsent, cached, unflushed(self.drbd.disk)])),
            # With a witness a node without quorum refuses writes.
            alone_after=None if self.witness else 0.0,
            partition=_QUORUM if self.witness else _NO_QUORUM,
            one_down="the server starts on the other node, after crash recovery",
            two_down="unavailable",
            sources=["DRBD 8.4 User's Guide", "Pacemaker Explained 2.1"],
        )
