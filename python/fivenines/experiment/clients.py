"""The section `clients:` of an experiment: several hosts, each with a load of its own on the same servers.

What a cell is loaded by follows from it, see `clients_of`: without the section one client with all
connections.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fivenines import plugins
from fivenines.cluster.topology import CLIENT
from fivenines.lab.settings import NetworkSettings
from fivenines.load.settings import LoadSettings
from fivenines.load.steps import parse_step
from fivenines.load.work import WorkSettings
from fivenines.settings import Settings
from fivenines.units import format_duration
from fivenines.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnyWorkload = WorkloadSettings
else:
    AnyWorkload = plugins.settings_union("fivenines.workloads", WorkloadSettings, "workload")

# What a client may be called: its host's name is part of the names of devices, which are short.
HOST = re.compile(r"[a-z][a-z0-9-]{0,11}")

# The endpoint that stands for the nodes of a client's own site, before all others.
LOCAL = "local"

MOST_CLIENTS = 16


class ClientSettings(Settings):
    """One client: a host of its own with a load of its own."""

    name: str = Field(description="its host's name; at most 12 letters, digits and -")
    site: str | None = Field(
        None, description="where it is; null: where the network says, else in the first site"
    )
    endpoint: str | None = Field(
        None,
        description="where it writes and reads: a node as node2, which it never leaves, or local: nodes of "
        "its own site first; null: as the access layer says",
    )
    workload: AnyWorkload | None = Field(
        None, description="its own, on the same data as the cell's; null: that of the cell"
    )
    connections: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        None, description="its own number, whatever the cell's is; null: its share of the others"
    )
    share: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = Field(
        None,
        description="of the cell's connections that no client has of its own, compared with the shares of "
        "the others, as 3 and 1; null: 1",
    )
    load: LoadSettings | None = Field(
        None,
        description="how it is driven; null: as the section `load:` says, whose rate is shared out by "
        "connections",
    )
    addresses: Annotated[int, Field(ge=1, le=8)] = Field(
        1, description="addresses of its host: each has about 28,000 local ports for each address of a server"
    )


@dataclass(frozen=True)
class ClientPlan:
    """One client as a cell has it."""

    name: str
    workload: WorkloadSettings
    connections: int
    load: LoadSettings
    endpoint: str | None = None
    addresses: int = 1


def clients_of(
    clients: Sequence[ClientSettings], workload: WorkloadSettings, connections: int, load: LoadSettings
) -> list[ClientPlan]:
    """The clients of a cell with this workload and so many connections; without any the one and only."""
    if not clients:
        return [ClientPlan(CLIENT, workload, connections, load)]
    numbers = connections_of(clients, connections)
    works = works_of(clients, numbers, load.transactions)
    return [
        ClientPlan(
            one.name,
            one.workload or workload,
            own,
            (one.load or part_of(load, own / connections)).model_copy(update={"transactions": work}),
            one.endpoint,
            one.addresses,
        )
        for one, own, work in zip(clients, numbers, works, strict=True)
    ]


def works_of(
    clients: Sequence[ClientSettings], connections: Sequence[int], work: WorkSettings | None
) -> list[WorkSettings | None]:
    """The fixed work of each client: its own, or its part of that of all, by its connections.

    What is asked of each connection is the same for all. The parts of what is asked of all together add up to
    it, unless one with very few connections would have none.
    """
    if work is None or work.together is None:
        return [one.load.transactions if one.load and one.load.transactions else work for one in clients]
    shared = parts(work.together, [float(number) for number in connections])
    return [
        one.load.transactions if one.load and one.load.transactions else WorkSettings(together=max(part, 1))
        for one, part in zip(clients, shared, strict=True)
    ]


def connections_of(clients: Sequence[ClientSettings], total: int) -> list[int]:
    """How many connections each has: its own, or of what these leave its share, by largest remainders.

    The sum is `total` where any takes a share; one whose share is none of the connections has 0.
    """
    left = max(0, total - sum(one.connections or 0 for one in clients))
    shares = [0.0 if one.connections else one.share or 1.0 for one in clients]
    found = parts(left, shares) if sum(shares) else [0] * len(shares)
    return [one.connections or own for one, own in zip(clients, found, strict=True)]


def parts(total: int, shares: Sequence[float]) -> list[int]:
    """Whole numbers in proportion to shares, which are not all 0; they add up to the total.

    By largest remainders.
    """
    exact = [total * share / sum(shares) for share in shares]
    found = [int(part) for part in exact]
    order = sorted(range(len(exact)), key=lambda index: found[index] - exact[index])
    for index in order[: total - sum(found)]:
        found[index] += 1
    return found


def part_of(load: LoadSettings, part: float) -> LoadSettings:
    """A load of which a client does a part: what is said of all connections together is shared out."""
    if part == 1:
        return load
    changed: dict[str, object] = {}
    if load.rate is not None:
        changed["rate"] = load.rate * part
    if load.steps:
        steps = [parse_step(text) for text in load.steps]
        changed["steps"] = [f"{step.rate * part:.15g}@{format_duration(step.seconds)}" for step in steps]
    return load.model_copy(update=changed)


def located(clients: Sequence[ClientSettings], base: Path) -> list[ClientSettings]:
    """The clients with the files that they name, which `base` holds, as absolute paths."""
    return [
        one.model_copy(
            update={
                "workload": one.workload and one.workload.located(base),
                "load": one.load and one.load.located(base),
            }
        )
        for one in clients
    ]


def with_clients(network: NetworkSettings, clients: Sequence[ClientSettings]) -> NetworkSettings:
    """The network with each client in its site; unchanged where it has no sites."""
    placed = {one.name: one.site for one in clients if one.site is not None}
    if not network.sites or not placed:
        return network
    sites = {
        site: [
            *(host for host in hosts if host not in placed),
            *(name for name, where in placed.items() if where == site),
        ]
        for site, hosts in network.sites.items()
    }
    return network.model_copy(update={"sites": sites})
