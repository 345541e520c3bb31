"""The section `clients:` of an experiment: several hosts that each load the same servers.

`clients_of` returns the clients of a cell: without the section, one client with all connections.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import format_duration
from fivenines.experiment.sections.workload import AnyWorkload
from fivenines.lab.settings import NetworkSettings
from fivenines.load.settings import LoadSettings
from fivenines.load.steps import parse_step
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.cluster.topology import CLIENT

# Names of clients: the host's name is part of the names of network devices, which are short.
HOST = re.compile(r"[a-z][a-z0-9-]{0,11}")

# The endpoint for the nodes of the client's site first, then all others.
LOCAL = "local"

MOST_CLIENTS = 16


class ClientSettings(Settings):
    """A client: a separate host with its load."""

    name: str = Field(description="name of its host; at most 12 letters, digits and -")
    site: str | None = Field(
        None, description="site of its host; null: as in the network, else the first site"
    )
    endpoint: str | None = Field(
        None,
        description="where it reads and writes: always one node, as node2, or local: nodes of "
        "its site first; null: as set by the access layer",
    )
    workload: AnyWorkload | None = Field(
        None, description="its workload, on the same data as the cell's; null: that of the cell"
    )
    connections: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        None, description="fixed number of connections; null: a share of the cell's connections"
    )
    share: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = Field(
        None,
        description="weight in dividing the cell's connections among clients without a fixed number, "
        "as 3 and 1; null: 1",
    )
    load: LoadSettings | None = Field(
        None,
        description="its load; null: as in the section `load:`, with the rate divided in proportion to "
        "connections",
    )
    addresses: Annotated[int, Field(ge=1, le=8)] = Field(
        1, description="IP addresses of its host; each has about 28,000 local ports per server address"
    )


@dataclass(frozen=True)
class ClientPlan:
    """A client of a cell."""

    name: str
    workload: WorkloadSettings
    connections: int
    load: LoadSettings
    endpoint: str | None = None
    addresses: int = 1


def clients_of(
    clients: Sequence[ClientSettings], workload: WorkloadSettings, connections: int, load: LoadSettings
) -> list[ClientPlan]:
    """Return the clients of a cell; without the section, one client with all connections."""
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
    """Return the fixed work of each client, in proportion to its connections.

    Work per connection is the same for all clients. Parts of the total work add up to it, unless a
    client with very few connections would have none.
    """
    if work is None or work.together is None:
        return [
            client.load.transactions if client.load and client.load.transactions else work
            for client in clients
        ]
    shared = parts(work.together, [float(number) for number in connections])
    return [
        one.load.transactions if one.load and one.load.transactions else WorkSettings(together=max(part, 1))
        for one, part in zip(clients, shared, strict=True)
    ]


def connections_of(clients: Sequence[ClientSettings], total: int) -> list[int]:
    """Return the connections of each client: a fixed number, or a share of the rest.

    The sum is `total` if any client has a share; a very small share may be 0.
    """
    left = max(0, total - sum(client.connections or 0 for client in clients))
    shares = [0.0 if client.connections else client.share or 1.0 for client in clients]
    found = parts(left, shares) if sum(shares) else [0] * len(shares)
    return [one.connections or own for one, own in zip(clients, found, strict=True)]


def parts(total: int, shares: Sequence[float]) -> list[int]:
    """Divide a total into whole numbers in proportion to shares, by largest remainders.

    Not all shares may be 0.
    """
    exact = [total * share / sum(shares) for share in shares]
    found = [int(part) for part in exact]
    order = sorted(range(len(exact)), key=lambda index: found[index] - exact[index])
    for index in order[: total - sum(found)]:
        found[index] += 1
    return found


def part_of(load: LoadSettings, part: float) -> LoadSettings:
    """Return a client's part of a load, with its part of the rate."""
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
    """Return the clients with absolute paths of their files, which are relative to `base`."""
    return [
        client.model_copy(
            update={
                "workload": client.workload and client.workload.located(base),
                "load": client.load and client.load.located(base),
            }
        )
        for client in clients
    ]


def with_clients(network: NetworkSettings, clients: Sequence[ClientSettings]) -> NetworkSettings:
    """Return the network with each client in its site; unchanged if it has no sites."""
    placed = {client.name: client.site for client in clients if client.site is not None}
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
