"""What a kind of client stack is."""

from collections.abc import Mapping
from typing import Any, ClassVar

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.load.stacks.protocol import SPOKEN, Driver, Task
from fivenines.load.stacks.runtimes.base import Runtime
from fivenines.load.stacks.runtimes.go import GoRuntime
from fivenines.load.stacks.runtimes.java import JavaRuntime
from fivenines.load.stacks.runtimes.node import NodeRuntime
from fivenines.load.stacks.runtimes.php import PhpRuntime
from fivenines.load.stacks.runtimes.psql import PsqlRuntime
from fivenines.load.stacks.runtimes.python import PythonRuntime
from fivenines.load.stacks.runtimes.rust import RustRuntime

Scalar = str | int | float | bool


class Stack:
    """A driver with a pool. A subclass in `kinds/` is found by its name."""

    # Its name, and what it is in one line.
    name: ClassVar[str]
    description: ClassVar[str]

    # "postgres" or "mysql".
    driver: ClassVar[Driver]

    # Whether the driver takes several hosts; it need not look for the writable one.
    several_hosts: ClassVar[bool]

    # Settings that bound every wait, by the documentation of driver and pool, and where that is.
    recommended: ClassVar[Mapping[str, Scalar]]
    documentation: ClassVar[str]

    # The type of its runtime.
    runtime_type: ClassVar[type[Runtime]]

    @property
    def runtime(self) -> Runtime:
        """Return what its program needs."""
        return self.runtime_type()

    def command(self) -> list[str]:
        """Return the command line of its program."""
        return self.runtime.command(self.name)

    def problem(self, task: Task) -> str:
        """Return why the stack cannot do a task; empty if it can."""
        if task.driver != self.driver:
            return (
                f"stack {self.name} speaks to {SPOKEN[self.driver]}, and the DSN is of {SPOKEN[task.driver]}"
            )
        if len(task.servers) > 1 and not self.several_hosts:
            return (
                f"stack {self.name} takes one host: name a proxy or a virtual address that leads to the "
                "writable server"
            )
        return ""


class PythonStack(Stack):
    """A stack of the Python program."""

    runtime_type = PythonRuntime


class GoStack(Stack):
    """A stack of the Go program."""

    runtime_type = GoRuntime


class JavaStack(Stack):
    """A stack of the Java program."""

    runtime_type = JavaRuntime


class NodeStack(Stack):
    """A stack of the Node.js program."""

    runtime_type = NodeRuntime


class PhpStack(Stack):
    """A stack of the PHP program."""

    runtime_type = PhpRuntime


class PsqlStack(Stack):
    """A stack that runs psql."""

    runtime_type = PsqlRuntime


class RustStack(Stack):
    """A stack of the Rust program."""

    runtime_type = RustRuntime


# Bounds of libpq, for every driver over it.
LIBPQ_BOUNDS: Mapping[str, Scalar] = {
    "connect.connect_timeout": 2,
    "connect.tcp_user_timeout": 5000,
    "connect.keepalives_idle": 5,
    "connect.keepalives_interval": 1,
    "connect.keepalives_count": 3,
}

# Bounds of database/sql's pool with any driver: a deadline of each transaction, and an age of connections.
DATABASE_SQL_BOUNDS: Mapping[str, Scalar] = {
    "pool.context_timeout": "5s",
    "pool.max_idle_conns": 4,
    "pool.conn_max_lifetime": "3m",
}

# Bounds of HikariCP's waits, in ms; a connection is tested, and renewed, before an application gets it.
HIKARI_BOUNDS: Mapping[str, Scalar] = {
    "pool.connectionTimeout": 5000,
    "pool.validationTimeout": 2000,
    "pool.keepaliveTime": 30000,
    "pool.maxLifetime": 180000,
}

# Bounds of sqlx's pool. The driver has none for a statement: the program ends the transaction, and has the
# connection closed, as the pool would wait for its answer without a bound.
SQLX_BOUNDS: Mapping[str, Scalar] = {
    "pool.acquire_timeout": "5s",
    "pool.max_lifetime": "3m",
    "pool.transaction_timeout": "5s",
    "pool.destroy_failed": True,
}


def stacks() -> dict[str, Stack]:
    """Return all kinds by name."""
    found: list[type[Stack]] = plugins.classes("fivenines.load.stacks.kinds", Stack)
    return {kind.name: kind() for kind in sorted(found, key=lambda kind: kind.name)}


def stack(name: str) -> Stack:
    """Return a kind.

    Raises:
        UsageError: there is none of this name.
    """
    known = stacks()
    if name not in known:
        raise UsageError(f"stack {name}: unknown{nearest(name, list(known))}; see `fivenines stacks list`")
    return known[name]


def settings(kind: Stack, preset: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of driver and pool: those of the preset, with a user's own in front.

    Raises:
        UsageError: there is no such preset.
    """
    if preset not in PRESETS:
        raise UsageError(f"stack {kind.name}: settings {preset!r} must be one of {', '.join(PRESETS)}")
    return {**(kind.recommended if preset == "recommended" else {}), **own}


# Settings of the stack alone, or with those that its documentation recommends.
PRESETS = ("defaults", "recommended")
