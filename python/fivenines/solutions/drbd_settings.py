"""Settings of two nodes that share a replicated disk."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.access.virtual_address import VirtualAddressSettings
from fivenines.managers.pacemaker_drbd_settings import PacemakerDrbdSettings
from fivenines.results.records import SolutionFacts
from fivenines.settings import Settings
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Size

Value = str | int | float | bool

WITNESS = "witness"
"""The name of the host that votes, and has no disk."""

_ON = {"mysql-9.7": "MySQL on ", "postgres-18": "PostgreSQL on "}

_NO_QUORUM = "each node takes the other for dead; who was primary goes on, and without fencing both may"
_QUORUM = "who sees neither the other node nor the witness stops its server"

_NET: dict[str, Value] = {
    # tenths of a second for the second and the third
    "connect_int": 1,
    "ping_int": 2,
    "ping_timeout": 10,
    "verify_alg": "crc32c",
    "after_sb_0pri": "discard-zero-changes",
}


class DrbdOptions(Settings):
    """Options of DRBD 8.4 that are handed on, by their names in drbd.conf(5), with _ for -."""

    net: dict[str, Value] = Field(
        default_factory=dict,
        description="as max_buffers, max_epoch_size, sndbuf_size, unplug_watermark, ko_count, timeout",
    )
    disk: dict[str, Value] = Field(
        default_factory=dict,
        description="as al_extents, disk_barrier, disk_flushes, md_flushes, resync_rate, c_max_rate",
    )


class DrbdSettings(SolutionSettings):
    """One server on a disk that DRBD keeps the same on two nodes; Pacemaker starts it where the disk is."""

    setup_seconds: ClassVar[float] = 17.0
    restart_seconds: ClassVar[float] = 10.0

    solution: Literal["drbd"] = Field(description="one server on a replicated disk, under Pacemaker")
    engine: Literal["mariadb-10.11", "mysql-9.7", "postgres-18"] = Field(
        "mariadb-10.11", description="the database server"
    )
    machines: Literal["namespaces", "virtual-machines"] = Field(
        "virtual-machines", description="virtual machines, and nothing else: DRBD is a module of the kernel"
    )
    protocol: Literal["A", "B", "C"] = Field(
        "C",
        description="when a write is done: A as the own disk has it and it is on its way, B as the other "
        "node has it in memory, C as the other node has it on its disk",
    )
    drbd: DrbdOptions = Field(
        default_factory=DrbdOptions, description="further options of DRBD, over those of the lab"
    )
    witness: bool = Field(
        False,
        description="a third host with Corosync and Pacemaker, and no disk: a node that sees neither it nor "
        "the other node stops its server",
    )
    verify: bool = Field(
        True, description="compare both disks block by block after a trial, which takes half a minute"
    )
    disk: Annotated[Size, Field(ge=64 * 2**20)] | None = Field(
        None, description="size of the disk, as 2GiB; null: as much as data and logs need"
    )
    access: VirtualAddressSettings = Field(
        default_factory=lambda: VirtualAddressSettings(kind="virtual-address"),
        description="clients use an address that moves along with the disk",
    )
    manager: PacemakerDrbdSettings = Field(
        default_factory=lambda: PacemakerDrbdSettings(kind="pacemaker-drbd"),
        description="Pacemaker and Corosync on the nodes",
    )

    @property
    def nodes(self) -> int:
        return 2

    @property
    def compare_seconds(self) -> float:
        return 25.0 if self.verify else 0.0

    @property
    def votes(self) -> int:
        return self.nodes + self.witness

    @property
    def hosts(self) -> tuple[str, ...]:
        return (WITNESS,) if self.witness else ()

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def net(self) -> dict[str, Value]:
        """Options of the section `net`, all of them."""
        return {**_NET, **self.drbd.net}

    def default_name(self) -> str:
        server = _ON.get(self.engine, "")
        witness = " + witness" if self.witness else ""
        return f"{server}DRBD {self.protocol}{witness}"

    def problems_with_parts(self) -> list[str]:
        found = super().problems_with_parts()
        if self.machines != "virtual-machines":
            found.append("machines: namespaces: DRBD is a module of the kernel: write virtual machines")
        if self.engine == "postgres-18" and self.manager.server_agent != "mysql":
            found.append("manager: server_agent: PostgreSQL is started by pgsql: leave it out")
        if self.reads == "replicas":
            found.append("reads: replicas: the other node has a disk that nobody may read")
        return found

    def facts(self) -> SolutionFacts:
        loses = {
            "A": "what was on its way to the other node",
            "B": "nothing that was acknowledged, unless both nodes lose their power at once",
            "C": "nothing that was acknowledged",
        }
        return SolutionFacts(
            replication=f"of disk blocks, protocol {self.protocol}",
            failover="Pacemaker promotes the other disk, mounts it and starts the server there",
            least_servers="3, one without a disk" if self.witness else "2",
            write_scaling="no",
            read_scaling="no",
            one_failure_loses=loses[self.protocol],
            partition=_QUORUM if self.witness else _NO_QUORUM,
            one_down="the server starts on the other node, after recovery",
            two_down="unavailable",
            sources=["DRBD 8.4 User's Guide", "Pacemaker Explained 2.1"],
        )
