"""Check that the machines of an inventory can run an experiment."""

from collections.abc import Iterator
from random import Random

from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake, of_entry
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.load.workloads.program import OURS
from fivenines.solutions.settings import SolutionSettings

_FAULTS = {
    "slow-cpu": "the CPU of the inventory's machines cannot be taken away",
    "slow-disk": "the disks of the inventory's machines cannot be slowed down",
    "full-disk": "the disks of the inventory's machines cannot be filled",
    "host-freeze": "not all processes of a machine can be frozen; use `freeze` or `partition`",
    "manager-freeze": "processes other than servers cannot be frozen; use the fault `manager`",
    "power-loss": "it requires virtual machines of the lab",
}
_SOLUTIONS = {"drbd": "it needs disks of virtual machines"}


def mistakes(experiment: Experiment) -> list[Mistake]:
    """Return what is not possible over SSH."""
    own = [Mistake(None, ("lab",), problem) for problem in experiment.lab.problems()]
    if experiment.lab.kind != "ssh":
        return own
    return [*own, *_of_parts(experiment)]


def _of_parts(experiment: Experiment) -> Iterator[Mistake]:
    if any(one != OURS for one in experiment.load.program):
        yield Mistake(None, ("load",), f"load: over SSH, only {OURS} can generate the load")
    for index, fault in enumerate(experiment.faults):
        # Of a sequence or a repetition, each single fault.
        for kind in dict.fromkeys(step.fault.fault for step in fault.schedule(Random(0))):
            if why := _why_no_fault(kind, experiment.lab):
                yield of_entry("faults", index, f"{kind} is not possible over SSH: {why}")
    for index, solution in enumerate(experiment.solutions):
        for why in _of_solution(solution):
            yield of_entry("solutions", index, f"{why}, over SSH")
        if solution.access.kind == "virtual-address":
            for why in _of_virtual_address(experiment):
                yield of_entry("solutions", index, f"a virtual address over SSH: {why}")
    for index, network in enumerate(experiment.network):
        for why in _of_network(network, experiment.lab):
            yield of_entry("network", index, why)
    for index, client in enumerate(experiment.clients):
        if client.addresses > 1:
            yield of_entry(
                "clients", index, "over SSH, machines get no additional addresses: leave it out", "addresses"
            )


def _why_no_fault(kind: str, lab: LabSettings) -> str:
    """Return why a single fault is not possible over SSH; empty if it is."""
    if kind == "host-kill" and not _has_power(lab):
        return (
            "machines are switched off by commands: set `power_off` and `power_on` of each node in "
            "the inventory, or use the fault `kill`"
        )
    return _FAULTS.get(kind, "")


def _of_network(network: NetworkSettings, lab: LabSettings) -> Iterator[str]:
    if network.bandwidth is not None:
        yield "bandwidth: not possible per machine over SSH: use `link: {bandwidth: …}`"
    if lab.machines is None:
        # The inventory has not been read yet.
        return
    known = lab.machines.sites
    if unknown := [site for site in network.sites if site not in known]:
        sites = f"its sites: {', '.join(known)}" if known else "it names no sites"
        yield (
            "sites: over SSH, the inventory defines the sites by `site` of each machine; no machine "
            f"is in {unknown[0]!r}; {sites}"
        )


def _has_power(lab: LabSettings) -> bool:
    if lab.machines is None:
        # The inventory has not been read yet.
        return True
    machines = lab.machines.hosts.values()
    return all(machine.power_off is not None for machine in machines if machine.role in ("node", "any"))


def _of_solution(solution: SolutionSettings) -> Iterator[str]:
    if solution.external:
        yield "an external cluster has its own hosts: leave `lab:` out, as it is not possible"
    if why := _SOLUTIONS.get(solution.solution):
        yield f"{solution.solution} is not possible: {why}"
    if solution.machines == "virtual-machines":
        yield "machines: virtual-machines is not possible on the machines of an inventory"
    if solution.access.kind == "dns-name":
        yield "a name in the DNS is not possible, as machines keep their name servers"
    if solution.limits.memory is not None or solution.limits.cpus is not None:
        yield "limits cannot be set"


def _of_virtual_address(experiment: Experiment) -> Iterator[str]:
    machines = experiment.lab.machines
    if machines is not None and machines.virtual_address is None:
        yield "set `virtual_address` in the inventory to a free address of the machines' network"
    slow = any(network.has_slow_links for network in experiment.network)
    if slow or any(fault.fault == "degrade" for fault in experiment.faults):
        yield (
            "emulated links would not delay packets to it: leave `link`, `links` and degrade out, or use "
            "`access: haproxy`"
        )
