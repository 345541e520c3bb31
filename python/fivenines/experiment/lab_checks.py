"""Does an experiment ask for something that machines of an inventory cannot do?"""

from collections.abc import Iterator

from fivenines.experiment.mistakes import Mistake, of_entry
from fivenines.experiment.spec import Experiment
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.program import OURS

_FAULTS = {
    "slow-disk": "the disks of other machines cannot be made slow",
    "full-disk": "the disks of other machines cannot be made full",
    "power-loss": "other machines are no virtual ones of ours",
}
_MANAGERS = {"mha": "it logs in between hosts by an SSH of its own", "pacemaker": "its fencing is the lab's"}
_SOLUTIONS = {"drbd": "its disks are those of virtual machines"}


def mistakes(experiment: Experiment) -> list[Mistake]:
    """What cannot be done over SSH."""
    own = [Mistake(None, ("lab",), one) for one in experiment.lab.problems()]
    if experiment.lab.kind != "ssh":
        return own
    return [*own, *_of_parts(experiment)]


def _of_parts(experiment: Experiment) -> Iterator[Mistake]:
    if any(one != OURS for one in experiment.load.program):
        yield Mistake(None, ("load",), f"load: only {OURS} itself can make the load over SSH")
    for index, fault in enumerate(experiment.faults):
        why = _FAULTS.get(fault.fault)
        if fault.fault == "host-kill" and not _has_power(experiment.lab):
            why = (
                "only commands can take a machine's power: write `power_off` and `power_on` of each node in "
                "inventory, of each node, or use `kill`"
            )
        if why:
            yield of_entry("faults", index, f"{fault.fault} is not possible over SSH: {why}")
    for index, solution in enumerate(experiment.solutions):
        for why in _of_solution(solution):
            yield of_entry("solutions", index, f"{why}, over SSH")
    for index, network in enumerate(experiment.network):
        for why in _of_network(network, experiment.lab):
            yield of_entry("network", index, why)
    for index, client in enumerate(experiment.clients):
        if client.addresses > 1:
            yield of_entry("clients", index, "a machine is given no further addresses over SSH", "addresses")


def _of_network(network: NetworkSettings, lab: LabSettings) -> Iterator[str]:
    if network.bandwidth is not None:
        yield "bandwidth: what a machine may send cannot be set over SSH; `link: {bandwidth: …}` can"
    if lab.machines is None:
        # its file is not read yet
        return
    known = lab.machines.sites
    if unknown := [site for site in network.sites if site not in known]:
        there = f"there are: {', '.join(known)}" if known else "it names none"
        yield (
            "sites: over SSH the sites are those of the inventory, by `site` of each machine; no machine "
            f"is in {unknown[0]!r}, {there}"
        )


def _has_power(lab: LabSettings) -> bool:
    if lab.machines is None:
        # its file is not read yet
        return True
    machines = lab.machines.hosts.values()
    return all(one.power_off is not None for one in machines if one.role in ("node", "any"))


def _of_solution(solution: SolutionSettings) -> Iterator[str]:
    manager = solution.failover_manager
    if solution.external:
        yield "servers that others run have hosts of their own: take them without `lab:`"
    if why := _SOLUTIONS.get(solution.solution):
        yield f"{solution.solution} is not possible: {why}"
    if manager is not None and (why := _MANAGERS.get(manager.kind)):
        yield f"manager: {manager.kind} is not possible: {why}"
    if solution.machines == "virtual-machines":
        yield "machines: virtual-machines are not possible: machines of the inventory are what they are"
    if solution.limits.memory is not None or solution.limits.cpus is not None:
        yield "limits cannot be set"
    if solution.access.kind == "virtual-address":
        yield "a virtual address cannot be moved"
