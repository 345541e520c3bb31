"""What does not fit an external cluster."""

from typing import TYPE_CHECKING

from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.load.settings import LoadSettings
from fivenines.solutions.checks import Checks

if TYPE_CHECKING:
    pass
    from fivenines.solutions.external.settings import ExternalSettings

# Faults that hooks can inject: the hook that injects it, and the hook that ends it.
BY_HOOKS = {
    "kill": ("kill", ""),
    "stop": ("stop", ""),
    "host-kill": ("host_kill", ""),
    "restart": ("restart", ""),
    "freeze": ("freeze", "thaw"),
    "partition": ("partition", "heal"),
    "stalled-replica": ("stall", "unstall"),
    "switchover": ("switchover", ""),
}

ENDED_BY_RESTART = ("kill", "stop", "host-kill")

# Settings of the load's connections that an ODBC driver controls itself.
_OF_SOCKETS = ("tls", "tls_ca", "keepalive", "tcp_user_timeout")

# Faults that need no control of the servers.
_BY_SQL = ("none", "command", "connection-storm", "long-transaction")

# Those of them that query catalogues, which differ between DBMS.
_BY_OWN_SQL = ("connection-storm", "long-transaction")


class ExternalChecks(Checks):
    """fivenines controls neither its servers nor its network, except by hooks."""

    settings: "ExternalSettings"

    def problems_with_fault(self, fault: FaultSettings) -> list[str]:
        if self.settings.any_dbms and fault.fault in _BY_OWN_SQL:
            return ["it exists only for PostgreSQL, MariaDB and MySQL"]
        if fault.fault in _BY_SQL:
            return []
        if fault.fault not in BY_HOOKS:
            return [f"{fault.fault} needs a lab. Use `fault: command` with a custom command"]
        inject, recover = BY_HOOKS[fault.fault]
        required = [inject, *([recover] if recover and fault.lasts is not None else [])]
        if fault.fault in ENDED_BY_RESTART and fault.lasts is not None:
            required.append("restart")
        missing = [name for name in required if not getattr(self.settings.hooks, name)]
        if not missing:
            return []
        named = " and ".join(f"`hooks.{name}`" for name in missing)
        return [f"fivenines does not control its servers. Set {named}, or use `fault: command`"]

    def problems_with_load(self, load: LoadSettings) -> dict[str, str]:
        default = LoadSettings()
        why = "an ODBC driver controls it: leave it out, and set it with a keyword of the driver in `odbc`"
        given = (key for key in _OF_SOCKETS if getattr(load, key) != getattr(default, key))
        return dict.fromkeys(given, why) if self.settings.odbc else {}

    def problem_alongside(self) -> str:
        if self.settings.dialect in ("", "mysql", "postgres"):
            return ""
        return f"it does not support the SQL of {self.settings.dialect}"

    def problems_with_network(self, network: NetworkSettings) -> list[str]:
        if network == NetworkSettings(name=network.name):
            return []
        return ["fivenines does not control the network between its servers: leave it out"]

    def problems_with_switchover(self) -> list[str]:
        return ["it has only one member"] if self.settings.traits.nodes == 1 else []
