"""Run `fivenines-core prepare` against a database server of the lab."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lab_support import LIMIT, PATIENCE
from pydantic import TypeAdapter

from fivenines.base.core import core_binary
from fivenines.experiment.spec import AnyWorkload
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.network import network
from fivenines.load.commands import PASSWORD, account, described, secret
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.servers.postgres.server import Postgres
from fivenines.software.store import engine

ENGINES = ("mariadb-10.11", "postgres-18")


def workload_flags(kind: str, **settings: Any) -> list[str]:
    """Return the program's flags for a workload with these settings, and the usual flags."""
    adapter: TypeAdapter[WorkloadSettings] = TypeAdapter(AnyWorkload)
    return described(adapter.validate_python({"workload": kind, **settings}))


@dataclass
class Done:
    """Record the result of a completed `prepare`."""

    code: int
    events: list[dict[str, Any]]
    stderr: str

    @property
    def rows(self) -> int:
        """Return the number of rows that it reported."""
        return int(self.events[-1]["rows"])

    def event(self, name: str) -> dict[str, Any] | None:
        """Return the first event of this name."""
        return next((event for event in self.events if event["event"] == name), None)


class Site:
    """Provide a server with an empty database, and SQL access to it."""

    def __init__(self, node: LocalServer) -> None:
        self.node = node

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a query as the administrator and return the rows."""
        if isinstance(self.node, Postgres):
            with self.node.sql.connect(60.0, DATABASE) as connection:
                cursor = connection.execute(statement)
                return list(cursor.fetchall()) if cursor.description else []
        with self.node.sql.connect(60.0) as connection, connection.cursor() as cursor:
            cursor.execute(f"USE {DATABASE}")
            cursor.execute(statement)
            return list(cursor.fetchall())

    def drop_tables(self, *tables: str) -> None:
        """Drop these tables, or all except the internal tables of `prepare`."""
        for table in tables or sorted(self.tables()):
            if isinstance(self.node, Postgres):
                self.query(f"DROP TABLE {table} CASCADE")
            else:
                drop = f"DROP TABLE {DATABASE}.{table}"
                self.node.sql.execute(f"SET STATEMENT foreign_key_checks = 0 FOR {drop}")

    def one(self, statement: str) -> Any:
        """Return the only field of an answer."""
        ((field,),) = self.query(statement)
        return field

    def checksum(self, *tables: str) -> list[str]:
        """Return a digest of all rows of each table, independent of their order."""
        if isinstance(self.node, Postgres):
            sql = "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {} t"
            return [str(self.one(sql.format(table))) for table in tables]
        return [str(self.query(f"CHECKSUM TABLE {table}")[0][1]) for table in tables]

    def tables(self) -> set[str]:
        """Return the names of all tables except those of `prepare` itself."""
        schema = "current_schema()" if isinstance(self.node, Postgres) else "DATABASE()"
        rows = self.query(f"SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}")
        return {row[0] for row in rows if not row[0].startswith("fivenines_")}

    def indexes(self, table: str) -> set[str]:
        """Return the names of a table's indexes."""
        if isinstance(self.node, Postgres):
            sql = f"SELECT indexname FROM pg_indexes WHERE tablename = '{table}'"
            return {row[0] for row in self.query(sql)}
        return {row[2] for row in self.query(f"SHOW INDEX FROM {table}")}

    def load(self, out: Path, *flags: str) -> dict[str, Any]:
        """Run some hundred transactions of a workload, or for as long as the flags say; return load.json."""
        # Twelve connections at full speed would occupy both processors all the time.
        limit = (
            () if "--duration" in flags else ("--duration", f"{3 * PATIENCE:g}s", "--transactions", "1000")
        )
        command = [
            *network.into(self.node.host.pid),
            str(core_binary()),
            "load",
            *account(self.node),
            "--write",
            f"{self.node.host.address}:{self.node.port}",
            "--out",
            str(out),
            "--connections",
            "12",
            *limit,
            *flags,
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            env={**os.environ, **secret(self.node)},
        )
        assert done.returncode == 0, done.stderr
        summary = json.loads((out / "load.json").read_text())
        assert isinstance(summary, dict)
        return summary

    def command(self, *flags: str) -> list[str]:
        """Return the command line of `prepare` in the host's network."""
        address = ["--host", self.node.host.address, "--port", str(self.node.port)]
        command = [str(core_binary()), "prepare", *account(self.node), *address, *flags]
        return [*network.into(self.node.host.pid), *command]

    def start(self, *flags: str) -> subprocess.Popen[str]:
        """Start `prepare`; the PID is that of the program itself."""
        return subprocess.Popen(
            self.command(*flags),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **secret(self.node)},
        )

    def start_until(self, share: float, *flags: str) -> subprocess.Popen[str]:
        """Start `prepare` and wait until it has loaded at least this share, but not everything.

        Progress comes at intervals, so a quick load may be seen only when it is complete: it begins anew.
        """
        for _ in range(20):
            loading = self.start(*flags)
            assert loading.stdout is not None
            for line in loading.stdout:
                event = json.loads(line)
                assert event["event"] in ("progress", "done"), event
                if event["event"] == "progress" and share * event["total"] <= event["done"] < event["total"]:
                    return loading
            done = ended(loading)
            assert done.code == 0, done
        raise AssertionError("it was always complete when it was seen")

    def prepare(self, *flags: str) -> Done:
        """Run `prepare` to completion."""
        return ended(self.start(*flags))


def ended(loading: subprocess.Popen[str]) -> Done:
    """Wait until a `prepare` ends, and return its result."""
    out, errors = loading.communicate(timeout=LIMIT)
    return Done(loading.returncode, [json.loads(line) for line in out.splitlines()], errors)


@contextmanager
def site(engine_name: str, folder: Path) -> Iterator[Site]:
    """Run a server with an empty database and its default, durable settings."""
    software = engine(engine_name)
    software.require(lambda _message, _fraction: None)
    with NamespaceLab(folder / "lab") as lab:
        node = server(lab.add_host("node1", software.root()), software)
        node.setup.initialise()
        node.setup.configure({})
        node.start()
        node.wait_ready()
        yield Site(node)
        node.stop()


__all__ = ["ENGINES", "PASSWORD", "Done", "Site", "ended", "site", "workload_flags"]


@pytest.fixture(scope="module", params=ENGINES)
def each_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Provide one server of each kind to all tests of a file, under the name that the file gives it."""
    with site(request.param, tmp_path_factory.mktemp("site")) as found:
        yield found
