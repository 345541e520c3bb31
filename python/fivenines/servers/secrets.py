"""Passwords of a lab's accounts: random, new for every lab, and never in an argument, a log or a result.

They are kept in one folder of each host, `secret`, of mode 0700, which is not collected with the logs. Source
of the verifier: RFC 5802 and PostgreSQL's manual, "pg_authid".
"""

import hashlib
import hmac
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from fivenines.lab.host import NODE, Host

# Folder of all files with passwords, in the host's folder.
FOLDER = "secret"

# SCRAM iterations of the application's account: PostgreSQL's default, which its clients pay for.
DRIVER_ROUNDS = 4096

# SCRAM iterations of other accounts. Iterations slow down guessing, which is hopeless for 128 random bits.
# Each connection would cost the controller, and so the measured machine, milliseconds of CPU.
OWN_ROUNDS = 1


def _random() -> str:
    # Hexadecimal digits need no quoting in any language, and MySQL's replication accepts at most 32.
    return secrets.token_hex(16)


@dataclass(frozen=True)
class Passwords:
    """One lab's passwords.

    Attributes:
        administrator: all rights, at the unix socket.
        application: of the load and of the ledger.
        replication: of replicas and of the failover manager.
        transfer: of mariadb-backup, with which Galera transfers all data.
        router: of MySQL Router, which queries members about the group.
    """

    administrator: str = field(default_factory=_random, repr=False)
    application: str = field(default_factory=_random, repr=False)
    replication: str = field(default_factory=_random, repr=False)
    transfer: str = field(default_factory=_random, repr=False)
    router: str = field(default_factory=_random, repr=False)

    def hidden(self, text: str) -> str:
        """Return the text without any of them."""
        for password in fields(self):
            text = text.replace(getattr(self, password.name), "***")
        return text


def folder(host: Host) -> Path:
    """Return the folder of a host for files with passwords; create it if it is missing."""
    made = host.node / FOLDER
    made.mkdir(mode=0o700, exist_ok=True)
    return made


def write(host: Host, name: str, text: str) -> Path:
    """Write a file that only the host's owner may read, atomically; return its path outside the host."""
    file = folder(host) / name
    part = file.with_name(f".{name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(file)
    return file


def seen_inside(name: str) -> str:
    """Return the path of such a file as the host sees it."""
    return str(NODE / FOLDER / name)


def pgpass(accounts: Mapping[str, str]) -> str:
    """Return a password file of libpq for these users, on any server (PostgreSQL manual, 32.16)."""
    return "".join(f"*:*:*:{user}:{password}\n" for user, password in accounts.items())


def client_options(user: str, password: str) -> str:
    """Return an option file for the clients of MariaDB and MySQL."""
    return f"[client]\nuser={user}\npassword={password}\n"


def scram_verifier(password: str, rounds: int) -> str:
    """Return PostgreSQL's verifier of a password (SCRAM-SHA-256), instead of the password itself."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds)
    client = hmac.digest(salted, b"Client Key", "sha256")
    stored = hashlib.sha256(client).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_, stored_, server_ = (b64encode(value).decode() for value in (salt, stored, server))
    return f"SCRAM-SHA-256${rounds}:{salt_}${stored_}:{server_}"
