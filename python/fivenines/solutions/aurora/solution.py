"""Amazon Aurora, and Multi-AZ clusters of RDS: external clusters whose addresses come from the API of RDS.

They are measured like any external cluster. Three things differ: faults go through the API, Aurora's SQL or
security groups; failovers are reported as RDS events; and the cluster may be created for the run.
"""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.faults.base import Fault
from fivenines.faults.settings import FaultSettings
from fivenines.lab.lab import Lab
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.switchover import ChosenSwitchover
from fivenines.servers.external.aurora import aurora_server
from fivenines.servers.external.server import ExternalServer
from fivenines.software.base import Engine, Report
from fivenines.solutions.aurora.aws import cuts
from fivenines.solutions.aurora.aws.events import EventReader
from fivenines.solutions.aurora.cluster import described, existing_for_a_run, over_budget
from fivenines.solutions.aurora.faults import Crashed, CutOff, OnAws, Simulated, run
from fivenines.solutions.aurora.settings import AuroraSettings
from fivenines.solutions.external.membership import ExternalMembership
from fivenines.solutions.external.solution import External, ExternalPreparation
from fivenines.solutions.preparation import Preparation

# Seconds within which Amazon must have started an instance again.
_BACK = 300.0

_RULES_REMOVED = "the rules of its security groups are still removed"


class AuroraMembership(ExternalMembership):
    """Only Amazon can start an instance again."""

    def rejoin(self, node: ExternalServer) -> None:
        wait_until(node.refusal, _BACK, f"{node.name} does not answer again", 0.5)


class AuroraSwitchover(ChosenSwitchover[ExternalServer]):
    """FailoverDBCluster, which can name the new writer."""

    cluster: "Aurora"

    def hand_over(self, draining: Drain | None) -> str:
        return self.cluster.fail_over("")

    def hand_over_to(self, name: str) -> str:
        self.cluster.node(name)  # says which there are
        return self.cluster.fail_over(name)


class AuroraPreparation(Preparation[AuroraSettings]):
    """Creates the cluster for the run, if the settings say so."""

    def data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        _, cluster = described(self.settings)
        return ExternalPreparation(self.settings.as_external(cluster)).data(workload, report, begun)

    def lasting(self, report: Report) -> AbstractContextManager[None]:
        return existing_for_a_run(self.settings, report)

    def over_budget(self, seconds: float) -> str:
        return over_budget(self.settings, seconds)


class Aurora(External):
    """Finds its instances through the API, and their roles by SQL."""

    settings_type = AuroraSettings  # type: ignore[assignment]  # they become those of an external one
    membership_type = AuroraMembership
    switchover_type = AuroraSwitchover
    preparation = AuroraPreparation
    server_of = staticmethod(aurora_server)
    hand_over_patience: ClassVar[float] = 120.0

    def __init__(self, settings: AuroraSettings, lab: Lab, engine: Engine, data: Path) -> None:
        self._api, self._described = described(settings)
        self._events: EventReader | None = None
        self._cuts: list[cuts.Cut] = []
        super().__init__(settings.as_external(self._described), lab, engine, data)

    def deploy(self) -> None:
        cluster = self._described
        names = [instance.name for instance in cluster.instances]
        self._events = EventReader(self._api, cluster.name, names, time.time())
        super().deploy()

    def events(self) -> list[ManagerEvent]:
        return self._events.events() if self._events is not None else []

    def fault(self, settings: FaultSettings) -> Fault[Any] | None:
        kind = settings.fault
        if kind in ("kill", "host-kill", "restart"):
            how = OnAws if kind == "restart" else Crashed
            return how(settings, kind, "", self._run)
        if kind in ("slow-disk", "stalled-replica", "storage-failure"):
            return Simulated(settings)
        return CutOff(settings, self._cut, self._heal) if kind == "partition" else None

    def fail_over(self, to: str) -> str:
        """Let Amazon make a reader the writer, or this one of them; return in words how.

        Raises:
            FiveninesError: Amazon refused it.
        """
        self._api.failover(self._described.name, to)
        return f"FailoverDBCluster of {self._described.name}" + (f" to {to}" if to else "")

    def leave(self) -> None:
        reasons = self._restore_rules()
        with suppress(FiveninesError):
            super().leave()
        if reasons:
            raise FiveninesError(f"{self.name}: {_RULES_REMOVED}: {'; '.join(reasons)}")

    def _restore_rules(self) -> Sequence[str]:
        """Restore what a fault has left changed; return why it could not be restored."""
        reasons = []
        for cut in list(self._cuts):
            try:
                self._heal(cut)
            except FiveninesError as error:
                reasons.append(str(error))
        return reasons

    def _run(self, name: str, server: Any) -> str:
        return run(self._api, name, server)

    def _cut(self) -> cuts.Cut:
        made = cuts.cut(self._api, self._described.groups, self._described.port)
        self._cuts.append(made)
        return made

    def _heal(self, made: cuts.Cut) -> None:
        cuts.heal(self._api, made)
        self._cuts.remove(made)
