"""Try everything another account of the machine can do. Runs as a program with a JSON request on standard
input.

Prints a JSON list of everything that worked, in words: the tests expect an empty list. It examines every
file, folder, socket and pipe below some folders, connects to every socket as every account without a password
or with a wrong one, connects to every port of the lab, and reads the public process information of the
machine.
"""

import contextlib
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pymysql

PASSWORDS = ("", "app", "repl", "root", "postgres", "transfer", "mysqlrouter", "wrong")
MYSQL_ACCOUNTS = ("root", "app", "repl", "transfer", "mysqlrouter", "mysql", "mariadb.sys", "nobody")
POSTGRES_ACCOUNTS = ("postgres", "app", "repl", "root", "nobody")


def tried(request: dict[str, Any]) -> Iterator[str]:
    """Yield everything that worked."""
    sockets = []
    for top in request["folders"]:
        for path in below(Path(top)):
            with contextlib.suppress(OSError):
                kind = path.lstat().st_mode
                if stat.S_ISSOCK(kind):
                    sockets.append(path)
                else:
                    yield from file_access(path, kind, request["secrets"], users=request["users"])
    for path in sockets:
        yield from socket_access(path)
    for address, port in request["ports"]:
        if has_route(address) and (answer := greeting(address, port)):
            yield f"port {address}:{port} answers {answer!r}"
    yield from process_secrets(request["secrets"], request["processes"])
    if not sockets and request["expect_sockets"]:
        yield "no socket was found: the test has opened nothing"


_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


def source_address(address: str) -> str:
    """Return the source address for a destination; the kernel chooses it, and nothing is sent."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])
    return ""


def has_route(address: str) -> bool:
    """Return whether an address has a more specific route than the default one."""
    return source_address(address) not in ("", source_address("203.0.113.1"))


def greeting(address: str, port: int) -> bytes:
    """Return a server's first bytes in reply to PostgreSQL and HTTP requests; empty if none listens."""
    with contextlib.suppress(OSError), socket.create_connection((address, port), 0.3) as stream:
        if port not in (22, 2222, 3306, 3307, 6446, 33060):
            stream.sendall(_SSL_REQUEST if port == 5432 else b"GET /health HTTP/1.0\r\n\r\n")
        return stream.recv(20)
    return b""


def below(top: Path) -> Iterator[Path]:
    """Yield a folder and every visible path below it."""
    yield top
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            yield Path(folder) / name


def file_access(path: Path, kind: int, secrets: list[str], *, users: bool) -> Iterator[str]:
    """Yield the possible accesses to a file, a folder or a pipe."""
    if stat.S_ISLNK(kind):
        return
    if os.access(path, os.W_OK):
        yield f"{path} can be written"
    if stat.S_ISFIFO(kind):
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
            yield f"the pipe {path} can be opened"
    elif stat.S_ISREG(kind) and path.suffix != ".pem" and not users:
        # Servers show their certificates to every client.
        with contextlib.suppress(OSError):
            path.read_bytes()
            yield f"{path} can be read"
    elif stat.S_ISREG(kind):
        with contextlib.suppress(OSError):
            text = path.read_text(errors="replace")
            if "PRIVATE KEY" in text or any(secret in text for secret in secrets):
                yield f"{path} has a secret that can be read"


def socket_access(path: Path) -> Iterator[str]:
    """Yield what a socket permits."""
    if path.name == "keeper.sock":
        yield from keeper_answers(path)
    elif ".PGSQL." in path.name:
        yield from postgres_access(path)
    elif path.suffix == ".lock":
        return
    elif path.name.endswith("haproxy.sock"):
        with contextlib.suppress(OSError), connected(path) as stream:
            stream.sendall(b"show info\n")
            if stream.recv(100):
                yield f"{path} takes commands"
    else:
        yield from mysql_access(path)


@contextlib.contextmanager
def connected(path: Path) -> Iterator[socket.socket]:
    """Connect to a socket, whose path may be long."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as stream:
            stream.settimeout(5)
            stream.connect(f"/proc/self/fd/{folder}/{path.name}")
            yield stream
    finally:
        os.close(folder)


def keeper_answers(path: Path) -> Iterator[str]:
    """Yield the requests that the running deployment's keeper accepts."""
    for request in ({"do": "status"}, {"do": "query", "node": "node1", "statement": "SELECT 1"}):
        with contextlib.suppress(OSError, ValueError), connected(path) as stream:
            with contextlib.suppress(OSError):
                stream.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(stream.makefile().readline() or '{"ok": false}')
            if answer["ok"]:
                yield f"the keeper answers {request}"


_WAYS: tuple[dict[str, Any], ...] = ({}, {"replication": "true"})


def postgres_access(path: Path) -> Iterator[str]:
    """Log in as any account, and run a program."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    for user in POSTGRES_ACCOUNTS:
        for password in PASSWORDS:
            for options in _WAYS:
                with (
                    contextlib.suppress(psycopg.Error),
                    psycopg.connect(
                        host=f"/proc/self/fd/{folder}",
                        user=user,
                        password=password or None,
                        dbname="postgres",
                        connect_timeout=5,
                        autocommit=True,
                        **options,
                    ) as connection,
                ):
                    yield f"{path} lets {user} in with {password!r} {options or ''}"
                    connection.execute("COPY (SELECT 1) TO PROGRAM 'cat'")
                    yield f"{path} runs programs for {user}"
    os.close(folder)


def mysql_access(path: Path) -> Iterator[str]:
    """Log in as any account, and write a file."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    for user in MYSQL_ACCOUNTS:
        for password in PASSWORDS:
            with (
                contextlib.suppress(pymysql.Error, OSError, RuntimeError),
                pymysql.connect(
                    unix_socket=f"/proc/self/fd/{folder}/{path.name}",
                    user=user,
                    password=password,
                    connect_timeout=5,
                    read_timeout=5,
                    ssl_disabled=True,
                ) as connection,
                connection.cursor() as cursor,
            ):
                yield f"{path} lets {user} in with {password!r}"
                cursor.execute("SELECT 'x' INTO OUTFILE '/run/node/run/stranger'")
                yield f"{path} writes files for {user}"
    os.close(folder)


def process_secrets(secrets: list[str], processes: list[int]) -> Iterator[str]:
    """Yield secrets in public process information: arguments of all processes, details of the lab's."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().decode(errors="replace")
            if any(secret in words for secret in secrets):
                yield f"arguments with a password: {words[:60]}"
    for pid in processes:
        for part in ("environ", "maps", "root", "cwd", "fd", "ns/net", "ns/mnt"):
            inside = Path(f"/proc/{pid}/{part}")
            with contextlib.suppress(OSError):
                opened = os.open(inside, os.O_RDONLY)
                # Any account may open these files of a process that is ending, and reads nothing.
                empty = part in ("environ", "maps") and not os.read(opened, 1)
                os.close(opened)
                if not empty:
                    yield f"{inside} can be opened"


if __name__ == "__main__":
    json.dump(list(tried(json.load(sys.stdin))), sys.stdout, indent=1)
