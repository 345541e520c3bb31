"""Stand in for Amazon in these tests: moto's RDS, with real MySQL servers behind its addresses.

`Amazon` starts this file as a program in a separate process on loopback. In addition to the API it has the
addresses of a cluster: one leads to the writer, one to a reader. FailoverDBCluster does with the real servers
what Aurora does: the writer refuses writes and drops its clients, a reader is promoted, the address follows,
and events report it. RebootDBInstance shuts a server down and starts it with the script that started it.
Nothing of this is in the product.
"""

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from lab_support import LIMIT

if TYPE_CHECKING:
    from lab_external_servers import ExternalServer

# The account, and its password, by which the stand-in promotes.
ADMIN = "rdsadmin"

REGION = "eu-central-1"
# An unused port: connections to it are refused.
NOWHERE = 1

CLUSTER_HOST, READER_HOST = "127.0.0.1", "127.0.0.2"


class Forwarder:
    """Forward an address to a port of 127.0.0.1 that can change; a change ends the connections."""

    def __init__(self, host: str, port: int, target: int) -> None:
        self.target = target
        self._open: list[socket.socket] = []
        self._socket = socket.create_server((host, port))
        threading.Thread(target=self._serve, daemon=True).start()

    def drop(self) -> None:
        """End all connections."""
        while self._open:
            with suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        while True:
            client, _ = self._socket.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self._open += [client, server]
            for source, other in ((client, server), (server, client)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=_pump, args=(source, other), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Addresses:
    """Serve the cluster's two addresses in a separate process, as moto's work must not delay their bytes."""

    def __init__(self, port: int, writer: int, reader: int) -> None:
        self._ours, theirs = multiprocessing.Pipe()
        arguments = (theirs, port, writer, reader)
        multiprocessing.Process(target=_lead, args=arguments, daemon=True).start()
        self._done()

    def drop(self) -> None:
        """End the writer's connections and refuse new ones."""
        self._ours.send(None)
        self._done()

    def move(self, writer: int, reader: int) -> None:
        """Forward to these ports from now on."""
        self._ours.send((writer, reader))
        self._done()

    def _done(self) -> None:
        assert self._ours.recv() == "done"


def _lead(channel: Any, port: int, first: int, second: int) -> None:
    writer, reader = Forwarder(CLUSTER_HOST, port, first), Forwarder(READER_HOST, port, second)
    while True:
        channel.send("done")
        ports = channel.recv()
        if ports is None:
            writer.target = NOWHERE
            writer.drop()
            continue
        writer.target, reader.target = ports
        reader.drop()


class Standin:
    """Hold the program's state: ports of the servers by number, the addresses, and planned failures."""

    def __init__(self, scripts: dict[int, str], cluster_port: int) -> None:
        self.ports = list(scripts)
        self.scripts = scripts
        self.cluster_port = cluster_port
        self.throttled = 0
        self.refused: dict[str, str] = {}
        self.actions: list[str] = []
        self.addresses = Addresses(cluster_port, self.ports[0], self.ports[-1])

    def port(self, instance: str) -> int:
        """Return the port of the server behind an instance, whose name ends in its number."""
        return self.ports[int(instance.rpartition("-")[2]) - 1]

    def patch(self) -> None:
        """Make moto report our addresses and promote real servers."""
        from moto.rds import models  # noqa: PLC0415

        backend: Any = models.RDSBackend
        created, failed_over = backend.create_db_cluster, backend.failover_db_cluster
        rebooted = backend.reboot_db_instance

        def create(rds: Any, values: dict[str, Any]) -> Any:
            cluster = created(rds, values)
            cluster.port = self.cluster_port
            return cluster

        def fail_over(
            rds: Any, db_cluster_identifier: str, target_db_instance_identifier: str | None = None
        ) -> Any:
            members = rds.clusters[db_cluster_identifier].members
            former = next(member for member in members if member.is_cluster_writer)
            cluster = failed_over(rds, db_cluster_identifier, target_db_instance_identifier)
            cluster.writer.is_cluster_writer = True
            names = former.db_instance_identifier, cluster.writer.db_instance_identifier
            arguments = (rds, db_cluster_identifier, *names)
            threading.Thread(target=self.promote, args=arguments, daemon=True).start()
            return cluster

        def reboot(rds: Any, db_instance_identifier: str) -> Any:
            instance = rebooted(rds, db_instance_identifier)
            arguments = (rds, db_instance_identifier)
            threading.Thread(target=self.restart, args=arguments, daemon=True).start()
            return instance

        cluster, instance = vars(models)["DBCluster"], vars(models)["DBInstance"]
        backend.create_db_cluster, backend.failover_db_cluster = create, fail_over
        backend.reboot_db_instance = reboot
        cluster.endpoint, cluster.reader_endpoint = CLUSTER_HOST, READER_HOST
        instance.endpoint = property(
            lambda member: {"Address": "127.0.0.1", "Port": self.port(member.db_instance_identifier)}
        )

    def restart(self, backend: Any, name: str) -> None:
        """Restart a server as RDS does in a reboot."""
        port = self.port(name)
        _sql(port, "SHUTDOWN")
        _event(backend, "db-instance", name, "DB instance shutdown")
        while True:
            with suppress(OSError), socket.create_server(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        # This instance is not one of ours: it existed before this stand-in.
        subprocess.run([self.scripts[port]], check=True, start_new_session=True)
        _event(backend, "db-instance", name, "DB instance restarted")

    def promote(self, backend: Any, name: str, former: str, successor: str) -> None:
        """Promote a replicating server as Aurora does in a failover."""
        _event(backend, "db-cluster", name, f"Started cross AZ failover to DB instance: {successor}")
        old, new = self.port(former), self.port(successor)
        self.addresses.drop()
        _end_sessions(old)
        _sql(old, "SET GLOBAL super_read_only = 1")
        ((written,),) = _sql(old, "SELECT @@global.gtid_executed")
        _sql(new, f"SELECT WAIT_FOR_EXECUTED_GTID_SET('{written}', 10)")
        _sql(
            new,
            "STOP REPLICA",
            "RESET REPLICA ALL",
            "SET GLOBAL super_read_only = 0",
            "SET GLOBAL read_only = 0",
        )
        follow(old, new)
        self.addresses.move(new, old)
        _event(backend, "db-instance", former, "A new writer was promoted. Restarting database as a reader.")
        _event(backend, "db-cluster", name, f"Completed failover to DB instance: {successor}")

    def application(self, environ: dict[str, Any], start: Any, moto: Any) -> Any:
        """Answer requests to the API, and the tests' requests to the stand-in."""
        size = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(size)
        environ["wsgi.input"] = BytesIO(body)
        if environ["PATH_INFO"] == "/lab":
            body_fields = json.loads(body)
            self.throttled = body_fields.get("throttled", self.throttled)
            self.refused = body_fields.get("refused", self.refused)
            start("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(self.actions).encode()]
        action = parse_qs(body.decode(errors="replace")).get("Action", [""])[0]
        self.actions.append(action)
        if self.throttled > 0:
            self.throttled -= 1
            return _error(start, "Throttling", "Rate exceeded")
        if action in self.refused:
            return _error(start, self.refused[action], "refused by the test")
        return moto(environ, start)


def follow(replica: int, source: int) -> None:
    """Make one server replicate from another, by their ports."""
    _sql(
        replica,
        f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={source}, SOURCE_USER='{ADMIN}', "
        f"SOURCE_PASSWORD='{ADMIN}', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, "
        "SOURCE_CONNECT_RETRY=1",
        "START REPLICA",
        "SET GLOBAL super_read_only = 1",
    )


def _sql(port: int, *statements: str) -> Any:
    import pymysql  # noqa: PLC0415

    connection = pymysql.connect(host="127.0.0.1", port=port, user=ADMIN, password=ADMIN, autocommit=True)
    with connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall()


def _end_sessions(port: int) -> None:
    """End all client sessions as a restart does: a client that waits for a row would block `read_only`."""
    rows = _sql(
        port,
        "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() "
        "AND command IN ('Query', 'Execute', 'Sleep')",
    )
    for (session,) in rows:
        with suppress(Exception):  # The session may have ended in the meantime.
            _sql(port, f"KILL {session}")


def _event(backend: Any, kind: str, source: str, message: str) -> None:
    backend.events.append(
        SimpleNamespace(
            source_identifier=source,
            source_type=kind,
            message=message,
            event_categories=["failover"],
            source_arn=f"arn:aws:rds:{REGION}:123456789012:{source}",
            date=datetime.now(UTC),
        )
    )


def _error(start: Any, code: str, message: str) -> list[bytes]:
    start("400 Bad Request", [("Content-Type", "text/xml")])
    text = (
        f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
        "<RequestId>1</RequestId></ErrorResponse>"
    )
    return [text.encode()]


class Amazon:
    """Represent the stand-in to the tests."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.environment = {
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def tell(self, **state: object) -> list[str]:
        """Plan failures from now on, and return the API actions that were requested."""
        request = urllib.request.Request(f"{self.url}/lab", json.dumps(state).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            calls: list[str] = json.load(answer)
            return calls

    def client(self, service: str = "rds") -> Any:
        """Return a boto3 client that is independent of the product's."""
        import boto3  # noqa: PLC0415

        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=self.url,
            aws_access_key_id="nobody",
            aws_secret_access_key="nothing",
        )

    def clusters(self) -> list[str]:
        """Return the identifiers of all clusters."""
        return [
            cluster["DBClusterIdentifier"] for cluster in self.client().describe_db_clusters()["DBClusters"]
        ]

    def add(self, name: str, instances: int, **values: Any) -> None:
        """Add a cluster that exists before the run."""
        client = self.client()
        client.create_db_cluster(
            DBClusterIdentifier=name,
            Engine="aurora-mysql",
            MasterUsername="app",
            MasterUserPassword="app-app-app",
            **values,
        )
        for number in range(1, instances + 1):
            client.create_db_instance(
                DBInstanceIdentifier=f"{name}-{number}",
                DBClusterIdentifier=name,
                Engine="aurora-mysql",
                DBInstanceClass="db.r6g.large",
            )


@contextmanager
def amazon(
    folder: Path, port: int, cluster_port: int, servers: "Sequence[ExternalServer]"
) -> Iterator[Amazon]:
    """Run the stand-in at a port; its cluster's addresses lead to these servers."""
    arguments = [f"{server.port}={server.script}" for server in servers]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "amazon.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, __file__, str(port), str(cluster_port), *arguments],
            stdout=log,
            stderr=log,
            env={**os.environ, "AWS_DEFAULT_REGION": REGION},
            start_new_session=True,
        )
    try:
        made = Amazon(port)
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                made.tell()
                break
            except OSError:
                assert time.monotonic() < deadline and process.poll() is None, (
                    folder / "amazon.log"
                ).read_text()[-2000:]
                time.sleep(0.1)
        yield made
    finally:
        # The process of its addresses would outlive it.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def main() -> None:
    """Serve until killed."""
    from moto.moto_server.werkzeug_app import (  # noqa: PLC0415
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from werkzeug.serving import run_simple  # noqa: PLC0415

    port, cluster_port = map(int, sys.argv[1:3])
    servers = (argument.partition("=") for argument in sys.argv[3:])
    standin = Standin({int(at): script for at, _, script in servers}, cluster_port)
    standin.patch()
    moto = DomainDispatcherApplication(create_backend_app)

    def application(environ: dict[str, Any], start: Any) -> Any:
        return standin.application(environ, start, moto)

    run_simple("127.0.0.1", port, application, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    main()
