"""Settings of an inventory: its machines, how to log in to them, and their roles."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fivenines.base.settings import Settings, invalid
from fivenines.base.units import Duration

Role = Literal["node", "client", "other", "any"]

_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
FOLDER = "/var/lib/fivenines"

# Also what a shell expands.
_UNSAFE = re.compile(r"[\s:'\"$`\\*?;&|<>()]")


def _as_text(processors: object) -> object:
    """Convert a single processor to text, as YAML reads it as a number."""
    return str(processors) if type(processors) is int else processors


def _ascending(processors: str | None) -> str | None:
    for part in (processors or "").split(","):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            raise invalid(f"{part} is an empty range: write the smaller number first")
    return processors


def _of_one_machine(address: IPv4Address) -> IPv4Address:
    if address.is_unspecified or address.is_multicast or address.is_reserved:
        raise invalid(
            f"{address} is not the address of one machine: write the address at which the other machines "
            "reach it"
        )
    return address


def _whole_path(folder: object) -> object:
    """Refuse what the machine's shell would expand or split: commands name the folder unquoted."""
    if not isinstance(folder, str):
        return folder
    if not folder.startswith("/"):
        raise invalid(f"write an absolute path, as {FOLDER}; found {folder!r}, and ~ is not expanded")
    if _UNSAFE.search(folder):
        raise invalid(f"{folder!r} has white space, a quotation mark or a colon: use another folder")
    return folder


def _name_of_host(name: object) -> object:
    """Refuse a port in the name, and a command line; `ssh` has an option for the first."""
    if isinstance(name, str) and (port := re.fullmatch(r"([^:/]+):(\d+)", name)):
        raise invalid(f"{name!r} contains a port: write `ssh: {port[1]}` and `port: {port[2]}`")
    if isinstance(name, str) and (name.startswith("-") or not name or re.search(r"\s", name)):
        raise invalid(f"{name!r} is not a host: write a name of ~/.ssh/config, [USER@]HOST or an address")
    return name


class _Way(Settings):
    """How to log in to a machine, and the folder on it that fivenines can write to."""

    user: str | None = Field(None, description="login user; null: the default of ssh and its configuration")
    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        None, description="port of the SSH server; null: the default of ssh and its configuration"
    )
    key: str | None = Field(
        None, description="file with the private key; null: the default of ssh and its configuration"
    )
    known_hosts: str | None = Field(
        None,
        description="file with the hosts' keys; null: the default of ssh and its configuration. An unknown "
        "key is an error",
    )
    folder: Annotated[str, BeforeValidator(_whole_path)] = Field(
        FOLDER, description="folder that fivenines can write to: engines, data sets, and the hosts of a trial"
    )


# Variables of Ansible, by their names here.
_OF_ANSIBLE = {
    "ansible_host": "write `address`, an IPv4 address",
    "ansible_ssh_host": "write `address`, an IPv4 address",
    "ansible_user": "write `user`",
    "ansible_ssh_user": "write `user`",
    "ansible_port": "write `port`",
    "ansible_ssh_port": "write `port`",
    "ansible_ssh_private_key_file": "write `key`",
    "ansible_private_key_file": "write `key`",
}
_NOT_OF_ANSIBLE = (
    "an inventory of Ansible is not read: write `hosts:` with an address and a role for each machine"
)


class MachineSettings(_Way):
    """One machine. Missing login settings are taken from the inventory's top level."""

    elsewhere: ClassVar[Mapping[str, str]] = _OF_ANSIBLE

    address: Annotated[IPv4Address, AfterValidator(_of_one_machine)] = Field(
        description="address in the measured network"
    )
    ssh: Annotated[str | None, BeforeValidator(_name_of_host)] = Field(
        None, description="host name or address for SSH; null: `address`"
    )
    role: Role = Field(
        "any",
        description="node: for a database; client: for the load; other: for a proxy, a manager or an "
        "arbiter; any: for every host, after machines with a matching role",
    )
    site: str | None = Field(None, description="site of the machine, such as a data centre")
    processors: Annotated[str | None, BeforeValidator(_as_text), AfterValidator(_ascending)] = Field(
        None,
        pattern=r"^\d+(-\d+)?(,\d+(-\d+)?)*$",
        description="CPUs that fivenines can use there, such as 0-3 or '0,2'; null: all",
    )
    power_off: str | None = Field(
        None,
        description="command, run on the controller, that switches the machine off, for example with IPMI or "
        "a cloud CLI; the fault `host-kill` uses it",
    )
    power_on: str | None = Field(
        None, description="command, run on the controller, that switches the machine on"
    )


class Inventory(_Way):
    """Machines by name, and login settings for all of them."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        **_OF_ANSIBLE,
        **dict.fromkeys(("all", "ungrouped", "children", "vars"), _NOT_OF_ANSIBLE),
    }

    silence: Annotated[Duration, Field(ge=2)] = Field(
        10.0,
        description="time without a sign of the controller after which a machine ends everything that "
        "fivenines has started",
    )
    probe_port: int = Field(
        45999,
        ge=1024,
        le=65535,
        description="UDP port for test packets that check whether one machine reaches another",
    )
    virtual_address: IPv4Address | None = Field(
        None,
        description="free address in the machines' network, for `access: virtual-address`; fivenines "
        "gives it to one machine after another, and takes it back at the end",
    )
    hosts: dict[Annotated[str, Field(pattern=_NAME)], MachineSettings] = Field(
        min_length=1, description="the machines by name"
    )

    def problems(self) -> list[str]:
        problems = []
        addresses = [str(machine.address) for machine in self.hosts.values()]
        for address in dict.fromkeys(text for text in addresses if addresses.count(text) > 1):
            names = [name for name, machine in self.hosts.items() if str(machine.address) == address]
            problems.append(f"hosts: {' and '.join(names)} have the same address {address}")
        if str(self.virtual_address) in addresses:
            problems.append(
                f"virtual_address: {self.virtual_address} is the address of a machine: use a free one"
            )
        for name, machine in self.hosts.items():
            if (machine.power_off is None) != (machine.power_on is None):
                problems.append(f"hosts.{name}: set both `power_off` and `power_on`, or neither")
        return problems

    def machine(self, name: str) -> MachineSettings:
        """Return a machine with the inventory's login settings filled in."""
        own = self.hosts[name]
        common = {key: getattr(self, key) for key in _Way.model_fields if key not in own.model_fields_set}
        return own.model_copy(update=common)

    @property
    def sites(self) -> list[str]:
        """Return the sites in their order; empty if no machine has a site."""
        return list(dict.fromkeys(machine.site for machine in self.hosts.values() if machine.site))

    def located(self, base: Path) -> "Inventory":
        """Return a copy with absolute paths of files, relative to `base`, and complete machines."""
        machines = {name: self.machine(name) for name in self.hosts}
        hosts = {
            name: machine.model_copy(update=_absolute(machine, base)) for name, machine in machines.items()
        }
        return self.model_copy(update={**_absolute(self, base), "hosts": hosts})


def _absolute(way: _Way, base: Path) -> dict[str, str]:
    return {
        key: str(base.absolute() / Path(value).expanduser())
        for key in ("key", "known_hosts")
        if (value := getattr(way, key)) is not None
    }


class LabSettings(Settings):
    """The place of the hosts of a trial: this machine or machines of an inventory."""

    made = frozenset({"machines"})
    about: ClassVar[Mapping[str, str]] = {
        "here": "namespaces of this machine, created for each trial",
        "ssh": "machines of an inventory, one per host",
    }

    kind: Literal["here", "ssh"] = Field(
        "here", description="here: namespaces of this machine; ssh: machines of an inventory, over SSH"
    )
    inventory: str | None = Field(None, description="file with the machines, for `kind: ssh`")
    machines: Inventory | None = Field(None, description="contents of the file")

    def problems(self) -> list[str]:
        if self.kind == "ssh" and self.inventory is None:
            return ["lab: `kind: ssh` needs an `inventory`, a file with the machines"]
        if self.kind == "here" and self.inventory is not None:
            return ["lab: `inventory` needs `kind: ssh`"]
        return []
