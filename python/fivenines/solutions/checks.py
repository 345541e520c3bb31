"""Checks of a solution's settings against the rest of an experiment, as faults, networks and workloads."""

from typing import TYPE_CHECKING

from fivenines.servers.spelled import canonical, is_on
from fivenines.solutions.durability import DECIDING
from fivenines.solutions.libraries import not_loaded
from fivenines.solutions.reserved import refused
from fivenines.solutions.weakened import weakening

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings
    from fivenines.lab.settings import NetworkSettings
    from fivenines.load.settings import LoadSettings
    from fivenines.load.workloads.settings import WorkloadSettings
    from fivenines.solutions.settings import SolutionSettings

# Settings of MySQL and MariaDB under which each table must have a primary key.
_KEYS_NEEDED = ("sql_require_primary_key", "innodb_force_primary_key")

_BY_ROLE = "durability sets it by role, and would change it"


class Checks:
    """Says what does not fit a solution, in sentences with a remedy; subclasses know their solution's limits.

    Args:
        settings: the settings of the solution. Their own `problems` say what is invalid in them.
    """

    def __init__(self, settings: "SolutionSettings") -> None:
        self.settings = settings

    def problems_with_parts(self) -> list[str]:
        """Return what does not fit together among access layer, failover manager and solution."""
        manager = self.settings.failover_manager
        topology = self.settings.topology()
        managed = manager.problems_with(topology) if manager is not None else []
        own = self._problems_with_roles() if self.settings.durability.by_role else []
        own += self._problems_with_vms() if self.settings.machines == "virtual-machines" else []
        own += self._problems_with_promoters()
        return [*own, *self.settings.access.problems_with(topology), *managed]

    def _problems_with_promoters(self) -> list[str]:
        """Return an error if two components could promote a node."""
        manager = self.settings.failover_manager
        if not self.settings.access.promotes or (manager is not None and manager.kind == "none"):
            return []
        if manager is None:
            return [
                f"access.marks: {self.settings.solution} has built-in failover: leave out marks that mean "
                "promoted"
            ]
        return ["manager: the access layer promotes (access.marks): write manager: {kind: none}"]

    def _problems_with_vms(self) -> list[str]:
        if not self.settings.can_be_vms:
            return [
                f"machines: virtual-machines: {self.settings.solution} does not support it: write namespaces"
            ]
        manager = self.settings.failover_manager
        if manager is not None and not manager.for_vms:
            return [
                f"machines: virtual-machines: {manager.kind} starts the servers by itself, and does not "
                "support virtual machines: write namespaces"
            ]
        return []

    def _problems_with_roles(self) -> list[str]:
        if not self.settings.durability_by_role:
            return [
                f"durability: {self.settings.durability}: {self.settings.solution} does not support "
                "durability by role; replication, hot-standby and patroni do. Write strict or relaxed"
            ]
        return []

    def refused(self) -> dict[tuple[str, ...], str]:
        """Return user settings that cannot be set by users, by their keys, with the reason."""
        if self.settings.external:
            return {}
        by_role = dict.fromkeys(DECIDING, _BY_ROLE) if self.settings.durability.by_role else {}
        reserved = refused(self.settings.server, self.settings.family, {**by_role, **self.settings.reserved})
        unused = not_loaded(self.settings.server) if self.settings.family == "postgresql" else {}
        reasons = {**weakening(self.settings), **unused, **reserved}
        return {("server", name): text for name, text in reasons.items()}

    def problems_with_workload(self, workload: "WorkloadSettings") -> list[str]:
        """Return why its servers cannot run a workload."""
        if not getattr(workload, "secondary", False):
            return []
        return [
            f"secondary: with server.{name} each table must have a primary key: leave one of them out"
            for name, value in self.settings.server.items()
            if canonical(name, self.settings.family) in _KEYS_NEEDED and is_on(value)
        ]

    def problems_with_load(self, load: "LoadSettings") -> dict[str, str]:
        """Return settings of the load without effect, by the keys of the section `load:`, with the reason."""
        return {}

    def problem_alongside(self) -> str:
        """Return why it supports no workloads alongside the load (`ledger: {bank: …}`); empty: it does."""
        return ""

    def problems_with_fault(self, fault: "FaultSettings") -> list[str]:
        """Return why a fault cannot be injected into it, whatever its target."""
        return []

    def problems_with_network(self, network: "NetworkSettings") -> list[str]:
        """Return why it cannot run in a network."""
        if self.settings.machines == "virtual-machines" and network.bandwidth is not None:
            return ["`bandwidth` cannot be set for virtual machines: set it for a `link` between sites"]
        return []

    def problems_with_switchover(self) -> list[str]:
        """Return why a planned switchover is not possible."""
        if self.settings.traits.nodes == 1:
            return ["the solution has only one node"]
        manager = self.settings.failover_manager
        able = self.settings.access.switches_over or (manager is not None and manager.switches_over)
        if manager is not None and not able:
            return ["the solution has no failover manager for switchovers"]
        return []
