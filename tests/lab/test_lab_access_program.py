"""Proxies that one brings, before real servers: told of a new primary, finding it, or promoting it."""

import subprocess
from pathlib import Path

import duckdb
import pytest
from lab_support import (
    HEAD,
    PATIENT,
    kill,
    run_one,
    short_recipe,
    timing,
)

from fivenines.software.store import engine


@pytest.mark.parametrize("recipe", ["pgbouncer", "pgpool", "pgpool-failover"])
def test_clients_get_to_the_new_primary_through_it(tmp_path: Path, recipe: str) -> None:
    run = run_one(tmp_path, short_recipe(recipe), {})
    (trial,) = run.complete
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    assert {event.kind for event in record.events} >= {"decided", "promoted"}
    told = [event.detail for event in record.events if event.node == "proxy"]
    assert told == (["pgbouncer was told of node2"] if recipe == "pgbouncer" else [])
    # all went through it, and after the failover, too
    assert all(":5432" not in where for where in record.load["endpoints"])
    after = next(one for one in record.events if one.kind == "promoted").t
    written = _acknowledged_after(trial.folder, after)
    assert written > 0
    check = record.check
    assert check is not None and check.acknowledged > 0
    assert {node.lost for node in check.nodes} == {0}
    # a copy of its files without passwords is kept
    kept = trial.folder / "logs" / "proxy" / "conf"
    assert any("***" in file.read_text() for file in kept.iterdir())


def _acknowledged_after(folder: Path, t_ms: float) -> int:
    with duckdb.connect() as connection:
        sql = (
            f"SELECT count(*) FROM read_parquet('{folder / 'ledger.parquet'}') "
            f"WHERE kind = 'write' AND outcome = 'ok' AND started_us > {1000 * t_ms}"
        )
        found = connection.execute(sql).fetchone()
    return int(found[0]) if found else 0


def test_a_program_comes_out_of_an_archive(tmp_path: Path) -> None:
    """One that has its own files, seen beside the machine's: a relay to the primary, told of by a mark."""
    folder = tmp_path / "relay-1.0"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "relay").write_text(_RELAY)
    (folder / "bin" / "relay").chmod(0o755)
    archive = tmp_path / "relay.tar"
    subprocess.run(["tar", "-cf", str(archive), "-C", str(tmp_path), "relay-1.0"], check=True)
    text = (
        HEAD
        + f"""\
solutions:
  - solution: hot-standby
    standbys: 1
    manager: {PATIENT}
    access:
      kind: program
      root: {{archive: {archive}}}
      command:
        - "{{{{ root }}}}/bin/relay"
        - "{{{{ write_port }}}}"
        - "{{{{ primary.address }}}}"
        - "{{{{ primary.port }}}}"
      write_port: 7000
      on_promotion: restart
      ready: {{says: "^relays"}}
{kill()}{timing(15)}"""
    )
    try:
        (trial,) = run_one(tmp_path / "run", text, {}).complete
    finally:
        engine(f"root:archive:{archive}").remove()
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    told = [one.detail for one in record.events if one.node == "proxy"]
    assert told == ["relay was told of node2"]
    after = next(one for one in record.events if one.kind == "repointed" and one.node == "proxy").t
    assert _acknowledged_after(trial.folder, after) > 0


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
