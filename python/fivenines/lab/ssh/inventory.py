"""The inventory: which machines there are, how they are reached, and what each of them is for."""

from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from fivenines.settings import Settings
from fivenines.units import Duration

Role = Literal["node", "client", "other", "any"]

_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
FOLDER = "/var/lib/fivenines"


def _as_text(processors: object) -> object:
    """One processor is a number to YAML."""
    return str(processors) if type(processors) is int else processors


class _Way(Settings):
    """How a machine is reached, and where on it fivenines may write."""

    user: str | None = Field(None, description="who logs in; null: as ssh would, by its own files")
    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        None, description="port of the SSH server; null: as ssh would"
    )
    key: str | None = Field(None, description="file of the private key; null: as ssh would")
    known_hosts: str | None = Field(
        None, description="file with the hosts' keys; null: as ssh would. An unknown key is an error"
    )
    folder: str = Field(
        FOLDER,
        pattern=r"^/[^\s:'\"]+$",
        description="where fivenines may write: engines, data sets, and the hosts of a trial",
    )


class MachineSettings(_Way):
    """One machine. What it does not say, the inventory says for all."""

    address: IPv4Address = Field(description="its address in the network that is measured")
    ssh: str | None = Field(None, description="name or address for SSH; null: the same address")
    role: Role = Field(
        "any",
        description="node: for a database; client: for a load; other: for a proxy, a manager, an "
        "arbiter; any: for whichever is asked for last",
    )
    site: str | None = Field(None, description="the site it stands in, as a data centre")
    processors: Annotated[str | None, BeforeValidator(_as_text)] = Field(
        None,
        pattern=r"^\d+(-\d+)?(,\d+(-\d+)?)*$",
        description="the processors that fivenines may use there, as 0-3 or '0,2'; null: all",
    )
    power_off: str | None = Field(
        None, description="command, run here, that takes its power, as by IPMI or a cloud's program"
    )
    power_on: str | None = Field(None, description="command, run here, that gives it its power back")


class Inventory(_Way):
    """Machines by name, and what they have in common."""

    silence: Annotated[Duration, Field(ge=2)] = Field(
        10.0, description="so long after the last sign of the controller a machine ends all that was started"
    )
    probe_port: int = Field(
        45999,
        ge=1024,
        le=65535,
        description="UDP port at which packets tell whether one machine reaches another",
    )
    hosts: dict[Annotated[str, Field(pattern=_NAME)], MachineSettings] = Field(
        min_length=1, description="the machines by name"
    )

    def problems(self) -> list[str]:
        found = []
        addresses = [str(one.address) for one in self.hosts.values()]
        for address in dict.fromkeys(one for one in addresses if addresses.count(one) > 1):
            names = [name for name, one in self.hosts.items() if str(one.address) == address]
            found.append(f"hosts: {' and '.join(names)} have the same address {address}")
        for name, one in self.hosts.items():
            if (one.power_off is None) != (one.power_on is None):
                found.append(f"hosts.{name}: `power_off` and `power_on` go together")
        return found

    def machine(self, name: str) -> MachineSettings:
        """A machine, with what all have in common filled in."""
        own = self.hosts[name]
        common = {key: getattr(self, key) for key in _Way.model_fields if key not in own.model_fields_set}
        return own.model_copy(update=common)

    @property
    def sites(self) -> list[str]:
        """The sites in their order; empty where none is named."""
        return list(dict.fromkeys(one.site for one in self.hosts.values() if one.site))

    def located(self, base: Path) -> "Inventory":
        """The same, with files found from this folder, and each machine with what all have in common."""
        hosts = {
            name: one.model_copy(update=_absolute(one, base))
            for name, one in ((name, self.machine(name)) for name in self.hosts)
        }
        return self.model_copy(update={**_absolute(self, base), "hosts": hosts})


def _absolute(way: _Way, base: Path) -> dict[str, str]:
    return {
        key: str(base.absolute() / Path(value).expanduser())
        for key in ("key", "known_hosts")
        if (value := getattr(way, key)) is not None
    }


class LabSettings(Settings):
    """Where the hosts of a trial are."""

    made = frozenset({"machines"})
    about: ClassVar[Mapping[str, str]] = {
        "here": "namespaces of this machine, which are made for each trial",
        "ssh": "machines of an inventory, one for each host",
    }

    kind: Literal["here", "ssh"] = Field(
        "here", description="here: namespaces of this machine; ssh: machines that are reached over SSH"
    )
    inventory: str | None = Field(None, description="file that names the machines, with `kind: ssh`")
    machines: Inventory | None = Field(None, description="what the file says")

    def problems(self) -> list[str]:
        if self.kind == "ssh" and self.inventory is None:
            return ["lab: `kind: ssh` needs an `inventory`, a file that names the machines"]
        if self.kind == "here" and self.inventory is not None:
            return ["lab: an `inventory` goes with `kind: ssh`"]
        return []
