"""Check that an inventory has a machine for each host of the planned trials, before anything runs."""

from collections.abc import Sequence

from fivenines.base.errors import UsageError
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Cell, Trial
from fivenines.experiment.spec import Experiment
from fivenines.lab.ssh.placement import Places
from fivenines.servers.cluster.topology import CLIENT


def require_machines(experiment: Experiment, trials: Sequence[Trial], blocks: Sequence[Block]) -> None:
    """Require that the machines of an experiment over SSH suffice for each of these trials and blocks.

    Raises:
        UsageError: they do not; the message names the hosts and the first one without a machine.
    """
    together = [(trial.cell,) for trial in trials] + [block.cells for block in blocks]
    # Each combination once: a plan repeats its cells.
    for cells in {tuple(cell.key for cell in cells): cells for cells in together}.values():
        if why := _lacking(experiment, cells):
            names = " and ".join(dict.fromkeys(cell.key.solution for cell in cells))
            raise UsageError(f"{names} cannot run on the machines of {experiment.lab.inventory}: {why}")


def hosts_of(experiment: Experiment, cell: Cell) -> dict[str, str | None]:
    """Return the names of a trial's hosts, in the order in which they are created, with their sites."""
    topology = cell.solution.topology()
    nodes = [f"node{number}" for number in range(1, topology.nodes + 1)]
    clients = {client.name: client.site for client in experiment.clients} or {CLIENT: None}
    others = (*topology.hosts, topology.access_host, *clients, topology.manager_host)
    named = {**clients, **cell.network.named_hosts}
    return {name: named.get(name) for name in (*nodes, *others) if name}


def _lacking(experiment: Experiment, cells: Sequence[Cell]) -> str:
    """Return which host of cells that are deployed together has no machine; empty if each has one."""
    machines = experiment.lab.machines
    if machines is None:
        return ""
    in_use: set[str] = set()
    needed = [host for cell in cells for host in hosts_of(experiment, cell)]
    for cell in cells:
        places = Places(machines.hosts, in_use)
        for host, site in hosts_of(experiment, cell).items():
            try:
                places.take(host, site)
            except UsageError as error:
                listed, number = ", ".join(needed), len(machines.hosts)
                return f"{len(needed)} machines are needed ({listed}), and the file has {number}. {error}"
    return ""
