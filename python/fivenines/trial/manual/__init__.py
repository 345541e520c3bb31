"""The running deployment: one solution, deployed by `fivenines up` for manual experiments.

`up` starts a keeper process that owns the deployment and answers requests on a Unix socket. When the
keeper ends, for whatever reason, so does everything in its lab.
"""

from fivenines.trial.manual.client import (
    clients,
    connect,
    down,
    execute,
    heal,
    inject,
    injected,
    is_up,
    kill,
    restart,
    sql,
    status,
    up,
)
from fivenines.trial.manual.state import Clients, Done, Injected, NodeStatus, Rows, Status

__all__ = [
    "Clients",
    "Done",
    "Injected",
    "NodeStatus",
    "Rows",
    "Status",
    "clients",
    "connect",
    "down",
    "execute",
    "heal",
    "inject",
    "injected",
    "is_up",
    "kill",
    "restart",
    "sql",
    "status",
    "up",
]
