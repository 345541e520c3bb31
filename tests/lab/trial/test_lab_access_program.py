"""Custom proxies in front of real servers: notified of a new primary, finding it, or promoting it."""

import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from lab_registry import image_of
from lab_support import HEAD, OPERATOR, kill, run_one, run_trial, short_recipe, timing

from fivenines.results.store import StoredTrial
from fivenines.software.store import engine


# The other recipe of Pgpool-II covers this one, and promotes.
@pytest.mark.parametrize(
    "recipe", ["pgbouncer", pytest.param("pgpool", marks=pytest.mark.long), "pgpool-failover"]
)
def test_clients_get_to_the_new_primary_through_it(tmp_path: Path, recipe: str) -> None:
    run = run_one(tmp_path, short_recipe(recipe), {})
    (trial,) = run.complete
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    assert {event.kind for event in record.events} >= {"decided", "promoted"}
    details = [event.detail for event in record.events if event.node == "proxy"]
    assert details == (["pgbouncer was notified that node2 is the primary"] if recipe == "pgbouncer" else [])
    # All connections went through the proxy, after the failover, too.
    assert all(":5432" not in where for where in record.load.document["endpoints"])
    after = next(node_event for node_event in record.events if node_event.kind == "promoted").t
    written = _acknowledged_after(trial.folder, after)
    assert written > 0
    check = record.check
    assert check is not None and check.acknowledged > 0
    assert {node.lost for node in check.nodes} == {0}
    # The trial keeps a copy of the proxy's files, without passwords.
    configuration = trial.folder / "logs" / "proxy" / "conf"
    assert any("***" in file.read_text() for file in configuration.iterdir())


def test_behind_transaction_pooling_statements_need_no_names(tmp_path: Path) -> None:
    """With names, the load yields no figures; without names everything works."""
    text = short_recipe("pgbouncer").replace("pool_mode = session", "pool_mode = transaction")
    text = text.replace("default_pool_size = 100", "default_pool_size = 4")
    text = text.partition("faults:")[0] + timing(recovery=1, steady=3)
    (trial,) = run_one(
        tmp_path / "extended", f"{text}load: {{protocol: extended, think_time: 100ms}}\n", {}
    ).complete
    assert trial.record.load.transactions.ok > 0
    assert [error for error in trial.record.load.errors if error.kind == "session_lost"] == []
    with pytest.raises(AssertionError, match=r"session_lost .*use the protocol `extended`"):
        run_trial(tmp_path / "prepared", text, head="")


def _acknowledged_after(folder: Path, t_ms: float) -> int:
    with duckdb.connect() as connection:
        sql = (
            f"SELECT count(*) FROM read_parquet('{folder / 'ledger.parquet'}') "
            f"WHERE kind = 'write' AND outcome = 'ok' AND started_us > {1000 * t_ms}"
        )
        row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _behind(folder: Path, access: str, root: str) -> StoredTrial:
    """Run a trial that kills the primary behind a program with these settings, taken from this root."""
    text = (
        f"{HEAD}solutions:\n  - solution: hot-standby\n    standbys: 1\n    manager: {OPERATOR}\n"
        f"    access:\n      kind: program\n{access}{kill()}{timing()}"
    )
    try:
        (trial,) = run_one(folder, text, {}).complete
    finally:
        engine(root).remove()
    return trial


def test_a_program_comes_out_of_an_archive(tmp_path: Path) -> None:
    """Run a relay to the primary with its own files, next to the machine's; a mark notifies it."""
    folder = tmp_path / "relay-1.0"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "relay").write_text(_RELAY)
    (folder / "bin" / "relay").chmod(0o755)
    archive = tmp_path / "relay.tar"
    subprocess.run(["tar", "-cf", str(archive), "-C", str(tmp_path), "relay-1.0"], check=True)
    access = f"""\
      root: {{archive: {archive}}}
      command:
        - "{{{{ root }}}}/bin/relay"
        - "{{{{ write_port }}}}"
        - "{{{{ primary.address }}}}"
        - "{{{{ primary.port }}}}"
      write_port: 7000
      on_promotion: restart
      ready: {{says: "^relays"}}
"""
    trial = _behind(tmp_path / "run", access, f"root:archive:{archive}")
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    details = [event.detail for event in record.events if event.node == "proxy"]
    assert details == ["relay was notified that node2 is the primary"]
    after = next(event for event in record.events if event.kind == "repointed" and event.node == "proxy").t
    assert _acknowledged_after(trial.folder, after) > 0


@pytest.mark.long
def test_a_program_comes_out_of_an_image(tmp_path: Path) -> None:
    """Run HAProxy from a custom root file system, which also has a shell and the libraries of both."""
    image = f"oci:{image_of(tmp_path / 'layout', _small_root(tmp_path / 'small'))}"
    access = f"""\
      root: {{image: "{image}"}}
      command: [haproxy, -db, -f, "{{{{ files }}}}/haproxy.cfg"]
      write_port: 7000
      on_promotion: restart
      files:
        haproxy.cfg: |
          defaults
            mode tcp
            timeout connect 2s
            timeout client 1h
            timeout server 1h
          listen write
            bind :{{{{ write_port }}}}
            server primary {{{{ primary.address }}}}:{{{{ primary.port }}}}
"""
    trial = _behind(tmp_path / "run", access, f"root:image:{image}")
    details = [event.detail for event in trial.record.events if event.node == "proxy"]
    assert details == ["haproxy was notified that node2 is the primary"]
    after = next(event for event in trial.record.events if event.kind == "promoted").t
    assert _acknowledged_after(trial.folder, after) > 0


def _small_root(folder: Path) -> Path:
    """Copy two programs of an engine with the libraries that the loader of its tree lists."""
    tree = engine("mariadb-10.11").root().lower
    assert tree is not None
    paths = {"/usr/sbin/haproxy", "/usr/bin/dash"}
    for program in sorted(paths):
        result = subprocess.run(
            ["chroot", str(tree), "ldd", program], capture_output=True, text=True, check=True
        )
        paths |= {word for word in result.stdout.split() if word.startswith("/")}
    for name in paths:
        to = folder / name.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree / name.lstrip("/"), to)
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin/sh").symlink_to("/usr/bin/dash")
    return folder


_RELAY = """\
#!/usr/bin/python3
import asyncio, sys
port, host, there = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


async def pump(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    finally:
        sink.close()


async def client(reader, writer):
    try:
        back_reader, back_writer = await asyncio.open_connection(host, there)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, back_writer), pump(back_reader, writer))


async def main():
    server = await asyncio.start_server(client, "0.0.0.0", port)
    print("relays to", host, flush=True)
    await server.serve_forever()


asyncio.run(main())
"""
