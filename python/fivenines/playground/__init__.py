"""The playground: one solution, brought up to be looked at and broken by hand.

`up` starts a keeper process that holds the deployment and answers requests on a unix socket; when the
keeper ends, for whatever reason, so does everything in its lab.
"""

from fivenines.playground.client import (
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
from fivenines.playground.state import Clients, Done, Injected, NodeStatus, Rows, Status

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
