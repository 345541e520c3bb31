#!/usr/bin/env python3
"""Measure how far the load generator is from the floor: client CPU per query, against a bare loop.

The loop (floor.c) sends the bytes of one prepared point select and receives the reply, on as many sockets,
which are logged in already. It parses, chooses and records nothing, so no client can be much cheaper with
epoll. Both run in turns against the same server. Nothing is asserted: only ratios within one run are
meaningful.

    python3 tests/bench/client_floor.py --postgres-port 54321 --postgres-user postgres

Passwords come from FIVENINES_MYSQL_PASSWORD and FIVENINES_POSTGRES_PASSWORD.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from client_cost import HEADER, Bench, Cost, found, line, measure, parse

from fivenines.base.drivers import psycopg, pymysql

HERE = Path(__file__).resolve().parent

# Silence in seconds after which a reply is complete.
SILENCE = 0.3

SELECT = "SELECT c FROM sbtest1 WHERE id = "
ROW = 1


def built(folder: Path) -> Path:
    """Compile the loop."""
    program = folder / "floor"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", program, HERE / "floor.c"], check=True)
    return program


def answer(session: socket.socket, request: bytes) -> bytes:
    """Send a request and return everything that comes until the server is silent."""
    session.sendall(request)
    session.settimeout(10)
    reply = session.recv(65536)
    session.settimeout(SILENCE)
    with suppress(TimeoutError):
        while more := session.recv(65536):
            reply += more
    session.settimeout(None)
    return reply


def postgres_request(session: socket.socket) -> bytes:
    """Prepare the point select by PostgreSQL's protocol, and return the bytes of its execution.

    Bind with one binary integer and results as text, Execute, Sync: what fivenines sends.
    """
    name = b"f9_0000000000000000\0"
    sql = SELECT.encode() + b"$1\0"
    parse = name + sql + struct.pack(">hi", 1, 23)
    answer(session, _message(b"P", parse) + _message(b"S", b""))
    bind = b"\0" + name + struct.pack(">hhhii", 1, 1, 1, 4, ROW) + b"\0\0"
    return _message(b"B", bind) + _message(b"E", b"\0\0\0\0\0") + _message(b"S", b"")


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack(">i", 4 + len(body)) + body


def mysql_request(session: socket.socket) -> bytes:
    """Prepare the point select by MySQL's protocol, and return the bytes of its execution.

    COM_STMT_EXECUTE without types, which are sent with the first execution only.
    """
    reply = answer(session, _packet(b"\x16" + SELECT.encode() + b"?"))
    number = reply[5:9]
    head = b"\x17" + number + bytes([0, 1, 0, 0, 0]) + b"\0"
    answer(session, _packet(head + b"\x01\x03\0" + struct.pack("<i", ROW)))
    return _packet(head + b"\0" + struct.pack("<i", ROW))


def _packet(body: bytes) -> bytes:
    return struct.pack("<I", len(body))[:3] + b"\0" + body


class Floor(Bench):
    """Compare fivenines with the bare loop."""

    @contextmanager
    def session(self, driver: str) -> Iterator[socket.socket]:
        """Provide the socket of a session that a driver has logged in."""
        args = self.args
        password = self.env[f"FIVENINES_{driver.upper()}_PASSWORD"]
        if driver == "postgres":
            login = psycopg.connect(
                host="127.0.0.1",
                port=args.postgres_port,
                user=args.postgres_user,
                password=password,
                dbname=args.database,
                autocommit=True,
                sslmode="disable",
            )
            session = socket.socket(fileno=os.dup(login.fileno()))
        else:
            session = socket.create_connection(("127.0.0.1", args.mysql_port))
            session.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            mysql = pymysql.connections.Connection(
                user=args.mysql_user,
                password=password,
                database=args.database,
                autocommit=True,
                defer_connect=True,
            )
            mysql.connect(session)
        session.setblocking(True)
        try:
            yield session
        finally:
            # Not by the driver: it does not know how many packets were exchanged.
            session.shutdown(socket.SHUT_RDWR)
            session.close()

    def floor(self, program: Path, driver: str, connections: int) -> Cost:
        """Run the bare loop."""
        with ExitStack() as stack, tempfile.TemporaryFile() as file:
            sessions = [stack.enter_context(self.session(driver)) for _ in range(connections)]
            prepare = postgres_request if driver == "postgres" else mysql_request
            requests = [prepare(session) for session in sessions]
            reply = len(answer(sessions[0], requests[0]))
            file.write(b"".join(requests))
            file.seek(0)
            numbers = [session.fileno() for session in sessions]
            sizes = [self.args.seconds, len(requests[0]), reply]
            command = [str(program), *map(str, sizes), *map(str, numbers)]
            return measure(command, self.env, found(r"replies (\d+)"), stdin=file, pass_fds=numbers)

    def run(self, program: Path, driver: str) -> None:
        """Compare both at each number of connections."""
        self.prepare(driver)
        for connections in self.args.connections:
            self.compare(
                f"{driver} point_select : bare loop",
                connections,
                partial(self.floor, program, driver, connections),
                partial(self.fivenines, driver, "oltp_point_select", connections, 1),
            )


def main() -> None:
    """Compile the loop, then compare it with fivenines for each server that is given."""
    args = parse()
    bench = Floor(args)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = built(Path(folder))
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"the bare loop could not be compiled: {error}")
        print(line(HEADER), flush=True)
        if args.mysql_port is not None:
            bench.run(program, "mysql")
        if args.postgres_port is not None:
            bench.run(program, "postgres")


if __name__ == "__main__":
    main()
