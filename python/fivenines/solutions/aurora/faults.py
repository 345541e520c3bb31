"""Faults of an Aurora cluster: by the API of RDS, by Aurora's own SQL, and by security groups.

Sources: Amazon Aurora user guide, "Testing Amazon Aurora MySQL using fault injection queries", and the same
for Aurora PostgreSQL; RDS API reference, RebootDBInstance.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from fivenines.base.errors import FiveninesError, brief
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.services.hooked import Hooked
from fivenines.faults.settings import FaultSettings
from fivenines.servers.external.aurora import AT_EASE_MS
from fivenines.servers.external.server import ExternalServer
from fivenines.software.base import Family
from fivenines.solutions.aurora.aws import cuts
from fivenines.solutions.aurora.aws.api import Api

# What crashes: the database only, or also the process that writes to the storage.
_CRASHES = {"kill": "instance", "host-kill": "node"}

# Messages of drivers when a crash ended the connection that requested it.
_LOST = (
    "Lost connection",
    "server closed the connection",
    "terminating connection",
    "gone away",
    "SSL SYSCALL error",
    "SSL connection has been closed",
    "Connection reset",
)


def crash(family: Family, fault: str) -> str:
    """Return the statement that crashes the server that executes it."""
    what = _CRASHES[fault]
    if family == "postgresql":
        return f"SELECT aurora_inject_crash('{what}')"
    return f"ALTER SYSTEM CRASH {what.upper()}"


def simulation(family: Family, settings: FaultSettings, replica: str = "") -> str:
    """Return the statement that makes Aurora simulate a fault of disks, or of a replica, for a time.

    Args:
        family: of the servers.
        settings: of the fault.
        replica: the instance, for a fault of a replica.
    """
    seconds = math.ceil(settings.lasts or 0)
    percent = f"{getattr(settings, 'percent', 100.0):g}"
    delay = round(1000 * getattr(settings, "delay", 0.0))
    if family == "postgresql":
        # PostgreSQL takes the index of one disk, so the statement covers all disks of the volume.
        disks = "FROM generate_series(0, (SELECT disks - 1 FROM aurora_show_volume_status())) AS disk"
        return {
            "stalled-replica": f"SELECT aurora_inject_replica_failure({percent}, {seconds}, '{replica}')",
            "storage-failure": f"SELECT aurora_inject_disk_failure({percent}, disk, true, {seconds}) {disks}",
            "slow-disk": f"SELECT aurora_inject_disk_congestion({percent}, disk, true, {seconds}, {delay}, "
            f"{delay}) {disks}",
        }[settings.fault]
    what = {
        "stalled-replica": f'READ REPLICA FAILURE TO "{replica}"',
        "storage-failure": "DISK FAILURE",
        "slow-disk": f"DISK CONGESTION BETWEEN {delay} AND {delay} MILLISECONDS",
    }[settings.fault]
    return f"ALTER SYSTEM SIMULATE {percent} PERCENT {what} FOR INTERVAL {seconds} SECOND"


class OnAws(Hooked):
    """A fault of an instance through Amazon; verified like hooks: it was unavailable, or was restarted.

    Amazon restarts the instance.
    """

    patience: ClassVar[float] = 120.0


class Crashed(OnAws):
    """Its servers are down until Amazon has started them again."""

    stops_servers = True


class Simulated(Fault[FaultSettings]):
    """A fault that Aurora simulates for a time fixed in advance; it cannot be ended earlier.

    Faults of disks cannot be verified: Aurora only accepts the statement. A replica's fault is verified by
    the lag that Aurora reports.
    """

    settings_type = FaultSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(str(getattr(self.settings, "target", "primary")), context)
        of_replica = self.settings.fault == "stalled-replica"
        hit: Sequence[Any] = target.servers if of_replica else [context.solution.roles.target("primary")]
        writer = context.solution.roles.target("primary")
        before = {server.name: _lag(server) or 0.0 for server in hit} if of_replica else {}
        moment, statements = now(), []
        for server in hit:
            statement = simulation(writer.engine.family, self.settings, server.name)
            try:
                writer.sql.query(statement)
            except Exception as error:  # drivers raise what they like
                raise _refusal(writer, statement, error) from error
            statements.append(statement)
        seen = of_replica and context.settles(
            lambda: all(_lags(server, before[server.name]) for server in hit), 10.0
        )
        unseen = "no replica lags" if of_replica else "the state of its disks cannot be observed"
        detail = f"Aurora accepted: {'; '.join(statements)}" + ("" if seen else f"; {unseen}")
        return Injection(target.hosts, target.role, moment, seen, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if self.settings.fault != "stalled-replica":
            return Recovery(False, "its time is over; the state of its disks cannot be observed", moment)
        back = context.settles(lambda: all(map(_at_ease, injection.servers)), 30.0)
        return Recovery(
            back, "it applies changes again" if back else "its time is over, but it still lags", moment
        )


class CutOff(Fault[FaultSettings]):
    """Security groups refuse new connections to the cluster; open connections continue.

    Verified by a new connection that is refused, and by one that is accepted afterwards.
    """

    settings_type = FaultSettings

    def __init__(
        self, settings: FaultSettings, cut: Callable[[], cuts.Cut], heal: Callable[[cuts.Cut], None]
    ) -> None:
        super().__init__(settings)
        self._cut, self._heal = cut, heal

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve("all", context)
        moment = now()
        made = self._cut()
        seen = context.settles(lambda: not any(map(_lets_in, target.servers)), 30.0)
        count = sum(map(len, made.rules.values()))
        detail = f"rules removed from {', '.join(made.rules)}: {count}; open connections continue"
        detail += "" if seen else "; but a new connection is accepted"
        return Injection(target.hosts, "all", moment, seen, detail, target.servers, made)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        self._heal(injection.state)
        back = context.settles(lambda: all(map(_lets_in, injection.servers)), 30.0)
        return Recovery(
            back,
            "rules are restored" if back else "rules are restored, but new connections are refused",
            moment,
        )


def run(api: Api, name: str, server: ExternalServer) -> str:
    """Apply the fault of this name to an instance; return in words what was done.

    Raises:
        FiveninesError: it was refused.
    """
    if name == "restart":
        api.reboot(server.name)
        return f"RebootDBInstance of {server.name}"
    statement = crash(server.engine.family, name)
    try:
        server.sql.query(statement)
    except Exception as error:
        # The crash ends the connection before the statement is answered.
        if not any(words in str(error) for words in _LOST):
            raise _refusal(server, statement, error) from error
    return f"{statement} on {server.name}"


def _refusal(server: Any, statement: str, error: Exception) -> FiveninesError:
    return FiveninesError(f"{server.name} refuses {statement}: {brief(error)}")


def _lag(server: Any) -> float | None:
    """Return the lag in milliseconds as Aurora reports it; None if it does not."""
    lag: float | None = server.lags().get(server.name)
    return lag


def _lags(server: Any, before: float) -> bool:
    """Return whether it lags more than ever before the fault; False without a report."""
    lag = _lag(server)
    return lag is not None and lag > max(AT_EASE_MS, 2 * before)


def _at_ease(server: Any) -> bool:
    lag = _lag(server)
    return lag is not None and lag <= AT_EASE_MS


def _lets_in(server: Any) -> bool:
    return not server.refusal()
