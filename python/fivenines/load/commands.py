"""The command lines that start fivenines-core in the lab."""

import json
from collections.abc import Iterable

from fivenines.base.core import core_binary
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Server

# The environment variable for a password, as other users can read command lines.
PASSWORD = "FIVENINES_PASSWORD"

# A command line, and its additional environment variables.
Command = tuple[list[str], dict[str, str]]


def described(workload: WorkloadSettings) -> list[str]:
    """Return the flag for the workload with all its settings."""
    return ["--workload", json.dumps(workload.document())]


def script_help_command(workload: WorkloadSettings) -> list[str]:
    """Return the command by which a Lua script lists its options; needs no server."""
    return [str(core_binary()), "load", "--driver", "noop", "--show", "0", *described(workload)]


def prepare_command(server: Server, workload: WorkloadSettings, drop: bool = False) -> Command:
    """Return the command that loads a workload's data into a server; `drop`: drop its tables first."""
    command = [str(core_binary()), "prepare", *_address(server), *account(server)]
    command += ["--threads", "2", "--seed", "1", *(["--drop"] if drop else [])]
    return [*command, *described(workload)], secret(server)


def health_command(server: Server, port: int, expect: str) -> Command:
    """Return the command that answers health checks for a server on `port` of its host."""
    command = [str(core_binary()), "health", *_address(server), *account(server)]
    return [*command, "--listen", f"0.0.0.0:{port}", "--expect", expect], secret(server)


def account(server: Server) -> list[str]:
    """Return the flags for the application's account and database."""
    return account_flags(server.driver, server.application[0], server.database)


def account_flags(driver: str, user: str, database: str) -> list[str]:
    """Return the flags for an account and its database; the password is in the environment."""
    return ["--driver", driver, "--user", user, "--password-env", PASSWORD, "--database", database]


def endpoint_flags(write: Iterable[object], read: Iterable[object], find: str) -> list[str]:
    """Return the flags for the addresses of writes and reads, and how to choose among them."""
    flags = [word for address in write for word in ("--write", str(address))]
    flags += [word for address in read for word in ("--read", str(address))]
    return [*flags, "--find", find]


def secret(server: Server) -> dict[str, str]:
    """Return the environment with the application's password."""
    return {PASSWORD: server.application[1]}


def administrators_secret(server: Server) -> dict[str, str]:
    """Return the environment with the administrator's password."""
    return {PASSWORD: server.passwords.administrator}


def _address(server: Server) -> list[str]:
    return [*server.own_address(), *server.tls_flags()]
