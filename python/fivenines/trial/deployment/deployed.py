"""A whole deployment: a lab with a solution, its access layer and its failover manager."""

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from fivenines.base import plugins
from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.programs.settings import ProgramParts
from fivenines.failover.proxies.base import Access
from fivenines.lab.closing import Closing
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.lab.ssh.lab import SshLab
from fivenines.lab.this_machine import ThisMachine
from fivenines.load import dataset
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.configuration import Configuration
from fivenines.results.records import Deployment, HostFacts, IdleUsage, SettingsCheck
from fivenines.servers.base import Server
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.topology import CLIENT
from fivenines.servers.member import Member
from fivenines.servers.secrets import Passwords
from fivenines.software import versions
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.preparation import Preparation
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.vms import KERNEL
from fivenines.solutions.weakened import facts_as_set
from fivenines.trial.deployment.configuration import configuration_lines
from fivenines.trial.deployment.durability import DurabilityKeeper
from fivenines.trial.deployment.files import WrittenFiles
from fivenines.trial.deployment.in_effect import require_in_effect
from fivenines.trial.deployment.parts import access_of, manager_of


def engines_of(settings: SolutionSettings) -> list[Engine]:
    """Return the engines that a solution needs: for its servers, access layer, manager and other parts."""
    layer: Any = plugins.implementation("fivenines.failover.proxies", Access, settings.access)
    manager = settings.failover_manager
    named = manager.software if manager is not None else None
    names = [settings.engine, layer.software, named, *settings.traits.engines]
    names += settings.access.engines
    names += manager.engines if manager is not None else ()
    names += [KERNEL] if settings.machines == "virtual-machines" else []
    return [engine(name) for name in dict.fromkeys(names) if name is not None]


def require_versions(settings: SolutionSettings) -> None:
    """Check that a failover manager's root file system has the server version of the data set.

    Raises:
        FiveninesError: it has another version.
    """
    manager = settings.failover_manager
    if manager is None or manager.software is None:
        return
    if mismatch := versions.mismatch(engine(settings.engine), engine(manager.software)):
        raise FiveninesError(f"{settings.name}: {mismatch}")


def data_set(
    settings: SolutionSettings, workload: WorkloadSettings, report: Report, begun: bool = False
) -> Path:
    """Return the data set for this solution and workload; load it if it is not in the cache.

    `begun`: whether a run is continued that began earlier.
    """
    return _preparation(settings).data(workload, report, begun)


def existing(settings: SolutionSettings, report: Report) -> AbstractContextManager[None]:
    """Provide what a solution needs for a whole run, in addition to data, while the context is open."""
    return _preparation(settings).lasting(report)


def over_budget(settings: SolutionSettings, seconds: float) -> str:
    """Return why a trial of this length would exceed the solution's budget; empty if it may begin."""
    return _preparation(settings).over_budget(seconds)


def _preparation(settings: SolutionSettings) -> Preparation[Any]:
    kind = plugins.implementation("fivenines.solutions", Solution, settings)  # type: ignore[type-abstract]
    return kind.preparation(settings)


class Deployed(Closing):
    """Context manager: deployed after `bring_up`, removed completely at the end.

    Args:
        settings: the solution.
        data: the folder of its data set.
        folder: scratch folder, removed at the end.
        network: sites, links and bandwidth; None: one site.
        lab: the lab with the hosts.
    """

    def __init__(
        self,
        settings: SolutionSettings,
        data: Path,
        folder: Path,
        network: NetworkSettings | None = None,
        lab: LabSettings | None = None,
    ) -> None:
        self.began = time.monotonic()
        self.lab = _around(settings, data, folder, network, lab)
        kind: Any = plugins.implementation("fivenines.solutions", Solution, settings)
        self.solution: Solution[Any, Any] = kind(settings, self.lab, engine(settings.engine), data)
        self.access = access_of(self.solution)
        self.manager = manager_of(self.solution)
        # Hosts of the load, which are added last, with the number of addresses of each.
        self.client_addresses: Mapping[str, int] = {CLIENT: 1}
        self.clients: dict[str, Host] = {}
        self.durability = _keeper(self.solution)
        # Result of the check that settings are in effect; set by `bring_up`.
        self.in_effect: SettingsCheck | None = None
        # The files that were written for the deployment; set by `bring_up`.
        self.configuration = Configuration(files=[])
        self._files = WrittenFiles(self.lab)
        self.solution.on_configured = self._files.take
        self._managed = False

    @property
    def client(self) -> Host | None:
        """Return the first host of the load; None before it exists."""
        return next(iter(self.clients.values()), None)

    def bring_up(self, phase: Callable[[str], None] = lambda _phase: None) -> None:
        """Deploy everything; return when clients can write and all replicas follow."""
        phase("deploying")
        self.lab.tell = phase
        self.solution.deploy()
        # A power loss may take only what is written after the deployment.
        self.solution.each(lambda node: node.host.data.flush())
        if self.durability is not None:
            with self.solution.timed("durability"):
                self.durability.start()
        with self.solution.timed("access"):
            with self._files.added():
                self.access.configure()
            self.access.start()
            for name, addresses in self.client_addresses.items():
                self.clients[name] = self.lab.add_host(name, Root())
                self.lab.network.add_addresses(self.clients[name], addresses - 1)
                if name_server := self.access.endpoints().name_server:
                    self.clients[name].commands.use_name_server(name_server)
        self.seconds = time.monotonic() - self.began
        with self.solution.timed("manager"):
            if self.manager is not None:
                self.manager.entry = self.access.entry
                with self._files.added():
                    self.manager.configure()
                self.manager.start()
                self._managed = True
        self.configuration = self._files.configuration(self.solution, self.access)
        if not self.solution.settings.external:
            with self.solution.timed("settings"):
                self.in_effect = require_in_effect(self.solution, self.access)

    def record(self, idle: Mapping[str, IdleUsage] | None = None) -> Deployment:
        """Return the record of the deployment with all settings; `idle`: usage of each host without load."""
        settings = self.solution.settings
        manager = settings.failover_manager
        facts = {"kind": "built in"} if manager is None else _texts(manager.model_dump(mode="json"))
        return Deployment(
            seconds=round(self.seconds, 3),
            phases=self.solution.phases,
            roles=self.solution.roles.by_name(),
            settings={node.name: node.monitoring.effective_settings() for node in self.solution.serving},
            manager=facts,
            access=_texts(settings.access.model_dump(mode="json")),
            limits=self.lab.limits_reason,
            single_writer=settings.traits.single_writer,
            facts=facts_as_set(settings),
            in_effect=self.in_effect,
            hosts={name: self._host(host, idle or {}) for name, host in self.lab.hosts.items()},
            configuration=self.configuration.digest,
        )

    def start_node(self, node: Member) -> None:
        """Start a dead node again as a member, through the failover manager if that one starts servers.

        Raises:
            FiveninesError: it could not be started or attached; with the reason.
        """
        if self.manager is None or not isinstance(node, Server):
            self.solution.membership.rejoin(node)
        else:
            self.manager.start_node(node)

    def events(self) -> list[ManagerEvent]:
        """Return the events of the failover manager or of built-in failover, and of the durability keeper."""
        managed = self.manager.events() if self.manager is not None and self._managed else []
        durability = self.durability.events() if self.durability is not None else []
        return [*managed, *durability, *self.solution.events(), *self.access.events()]

    def settle(self, timeout: float, without: set[str]) -> str:
        """Wait until all live replicas have applied everything; return what is missing at the timeout."""
        live = [node for node in self.solution.nodes if node.name not in without and node.answers()]

        def behind() -> str:
            try:
                return next(filter(None, (self.solution.membership.lag_reason(node) for node in live)), "")
            except Exception as error:
                return str(error)

        try:
            wait_until(behind, timeout, "not all replicas caught up", interval=0.1)
        except Exception as error:
            return str(error)
        return ""

    def require_durability(self) -> None:
        """Check that nodes that answer have the durability of their roles, if durability is set by role.

        Raises:
            FiveninesError: a node has another durability.
        """
        if self.durability is not None:
            self.durability.require()

    def collect_logs(self, target: Path) -> None:
        """Copy the logs and configuration files of every host to `target`."""
        for host in self.lab.hosts.values():
            for part in ("log", "conf"):
                source = host.node / part
                if any(source.iterdir()):
                    shutil.copytree(source, target / host.name / part, dirs_exist_ok=True)
        for name in self._hosts_of_others():
            hide(self.solution.passwords, target / name)

    def _hosts_of_others(self) -> list[str]:
        """Return the hosts of custom programs, whose logs may contain anything."""
        settings = self.solution.settings
        parts: list[object] = [settings.access, settings.failover_manager]
        return [part.host for part in parts if isinstance(part, ProgramParts)]

    def _host(self, host: Host, idle: Mapping[str, IdleUsage]) -> HostFacts:
        nodes = {node.name for node in self.solution.nodes}
        kinds = dict.fromkeys(nodes, "node") | dict.fromkeys(self.clients, CLIENT)
        return HostFacts(
            kind=kinds.get(host.name, host.name.rstrip("0123456789")),
            address=host.address,
            forwards=host.name not in nodes and host.address in self._entrances(),
            configuration_lines=configuration_lines(host.node / "conf"),
            idle=idle.get(host.name),
        )

    def _entrances(self) -> set[str]:
        """Return the addresses that clients connect to."""
        endpoints = self.access.endpoints()
        return {each.rpartition(":")[0] for each in (*endpoints.write, *endpoints.read)}

    def close(self) -> None:
        """End everything, even if something fails to end."""
        with ExitStack() as ends:
            # The last callback runs first.
            ends.callback(self.lab.close)
            ends.callback(self.solution.leave)
            ends.callback(self.access.stop)
            if self.manager is not None and self._managed:
                ends.callback(self.manager.stop)
            if self.durability is not None:
                ends.callback(self.durability.stop)


# Creates the deployment of a trial from settings, data set, scratch folder, network and lab; see `Deployed`.
Deploy = Callable[[SolutionSettings, Path, Path, NetworkSettings, LabSettings], Deployed]


def _around(
    settings: SolutionSettings,
    data: Path,
    folder: Path,
    network: NetworkSettings | None,
    lab: LabSettings | None,
) -> Lab:
    """Return the lab: private, from an inventory, or this machine for external clusters."""
    if settings.external:
        return ThisMachine(folder)
    if lab is not None and lab.machines is not None:
        return SshLab(folder, lab.machines, network)
    dataset.require_space(folder, data, settings.traits.nodes)
    manager = settings.failover_manager
    return NamespaceLab(folder, network, all_ids=manager is not None and manager.all_ids)


def _keeper(solution: Solution[Any, Any]) -> DurabilityKeeper | None:
    durability = solution.settings.durability
    if not durability.by_role:
        return None
    return DurabilityKeeper(solution, durability, solution.company)


def hide(passwords: Passwords, folder: Path) -> None:
    """Remove passwords from all files of a folder."""
    for file in (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        text = file.read_bytes().decode(errors="surrogateescape")
        hidden = passwords.hidden(text)
        if hidden != text:
            file.write_bytes(hidden.encode(errors="surrogateescape"))


def _texts(values: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}
