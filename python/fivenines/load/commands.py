"""The command lines that start the Rust half in the lab."""

import json
from collections.abc import Iterable

from fivenines.core import core_binary
from fivenines.servers.base import Server
from fivenines.workloads.settings import WorkloadSettings

# The environment variable that carries a password: a command line could be read by others.
PASSWORD = "FIVENINES_PASSWORD"

# A command line, and what it needs in its environment beside our own.
Command = tuple[list[str], dict[str, str]]


def described(workload: WorkloadSettings) -> list[str]:
    """The flag that says which workload it is, with all of its settings."""
    return ["--workload", json.dumps(workload.document())]


def script_help_command(workload: WorkloadSettings) -> list[str]:
    """Let a Lua script, asked for `help`, list its options on standard output; needs no server."""
    return [str(core_binary()), "load", "--driver", "noop", "--show", "0", *described(workload)]


def prepare_command(server: Server, workload: WorkloadSettings, drop: bool = False) -> Command:
    """Load a workload's data into a server of the lab; `drop`: its tables are dropped before."""
    command = [str(core_binary()), "prepare", *_address(server), *account(server)]
    command += ["--threads", "2", "--seed", "1", *(["--drop"] if drop else [])]
    return [*command, *described(workload)], secret(server)


def health_command(server: Server, port: int, expect: str) -> Command:
    """Answer health checks about one server on `port` of its host."""
    command = [str(core_binary()), "health", *_address(server), *account(server)]
    return [*command, "--listen", f"0.0.0.0:{port}", "--expect", expect], secret(server)


def account(server: Server) -> list[str]:
    """The flags that name the application's account and database."""
    return account_flags(server.driver, server.application[0], server.database)


def account_flags(driver: str, user: str, database: str) -> list[str]:
    """The flags that name an account and its database; the password is in the environment."""
    return ["--driver", driver, "--user", user, "--password-env", PASSWORD, "--database", database]


def endpoint_flags(write: Iterable[object], read: Iterable[object], find: str) -> list[str]:
    """The flags that name where clients write and read, and which of these addresses to take."""
    flags = [word for address in write for word in ("--write", str(address))]
    flags += [word for address in read for word in ("--read", str(address))]
    return [*flags, "--find", find]


def secret(server: Server) -> dict[str, str]:
    """The environment that carries the application's password."""
    return {PASSWORD: server.application[1]}


def administrators_secret(server: Server) -> dict[str, str]:
    """The environment that carries the administrator's password."""
    return {PASSWORD: server.passwords.administrator}


def _address(server: Server) -> list[str]:
    return [*server.own_address(), *server.tls_flags()]
