"""Passwords of a lab's accounts: random, new for every lab, and never in an argument, a log or a result.

They are kept in one folder of each host, `secret`, of mode 0700, which is not collected with the logs.
Source of the verifier: RFC 5802 and PostgreSQL's manual, "pg_authid".
"""

import hashlib
import hmac
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from fivenines.lab.host import NODE, Host

FOLDER = "secret"
"""The folder, in the host's own, of all files with passwords."""

DRIVER_ROUNDS = 4096
"""SCRAM's iterations for the application's account: PostgreSQL's own default, which its clients pay."""

OWN_ROUNDS = 1
"""For accounts of ours. Iterations make guessing slow: nobody guesses 128 random bits, and each question that
the controller asks would cost it, and so the machine that is measured, milliseconds of CPU."""


def _random() -> str:
    # hexadecimal digits need no quoting in any language, and MySQL's replication takes no more than 32
    return secrets.token_hex(16)


@dataclass(frozen=True)
class Passwords:
    """One lab's passwords.

    Attributes:
        administrator: may do everything, at the unix socket.
        application: of the load and of the ledger.
        replication: of replicas and of the failover manager.
        transfer: of mariadb-backup, by which Galera transfers all data.
        router: of MySQL Router, which asks members for the group.
    """

    administrator: str = field(default_factory=_random, repr=False)
    application: str = field(default_factory=_random, repr=False)
    replication: str = field(default_factory=_random, repr=False)
    transfer: str = field(default_factory=_random, repr=False)
    router: str = field(default_factory=_random, repr=False)

    def hidden(self, text: str) -> str:
        """The text without any of them."""
        for one in fields(self):
            text = text.replace(getattr(self, one.name), "***")
        return text


def folder(host: Host) -> Path:
    """The folder of a host for files with passwords, made now if it is not there."""
    made = host.node / FOLDER
    made.mkdir(mode=0o700, exist_ok=True)
    return made


def write(host: Host, name: str, text: str) -> Path:
    """Write a file that only the host's owner may read, whole or not at all; its path outside."""
    file = folder(host) / name
    part = file.with_name(f".{name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(file)
    return file


def seen_inside(name: str) -> str:
    """The path of such a file as the host sees it."""
    return str(NODE / FOLDER / name)


def pgpass(accounts: Mapping[str, str]) -> str:
    """A password file of libpq for these users, on whichever server (PostgreSQL manual, 32.16)."""
    return "".join(f"*:*:*:{user}:{password}\n" for user, password in accounts.items())


def client_options(user: str, password: str) -> str:
    """An option file of the clients of MariaDB and MySQL."""
    return f"[client]\nuser={user}\npassword={password}\n"


def scram_verifier(password: str, rounds: int) -> str:
    """What PostgreSQL keeps of a password (SCRAM-SHA-256): the password itself never gets into the server."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds)
    client = hmac.digest(salted, b"Client Key", "sha256")
    stored = hashlib.sha256(client).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_, stored_, server_ = (b64encode(one).decode() for one in (salt, stored, server))
    return f"SCRAM-SHA-256${rounds}:{salt_}${stored_}:{server_}"
