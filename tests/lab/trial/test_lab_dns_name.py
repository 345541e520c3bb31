"""A name in the DNS as the way in: resolved by clients, and moved after a promotion."""

import subprocess
from pathlib import Path

import psycopg
from lab_support import PATIENCE, deployed_small, kill, rejoined, run_trial, sound, timing

from fivenines.analysis.stacks.trial import measured
from fivenines.base.waiting import wait_until
from fivenines.failover.proxies.dns_name import NAME, DnsNameSettings
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.manual.forwards import Forwards

ACCESS = DnsNameSettings(kind="dns-name", ttl=1)


def addresses(deployed: Deployed, name: str) -> list[str]:
    """Return the addresses of a name, as the machine's own resolver finds them on the client's host."""
    assert deployed.client is not None
    command = deployed.client.commands.outside(["getent", "ahostsv4", name])
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return sorted({line.split()[0] for line in found.stdout.splitlines()})


def test_clients_resolve_the_name_and_it_moves(tmp_path: Path) -> None:
    settings = HotStandbySettings(solution="hot-standby", engine="postgres-18", access=ACCESS)
    with deployed_small(tmp_path, settings) as deployed:
        first, second = deployed.solution.nodes
        assert addresses(deployed, NAME) == [first.host.address]
        assert addresses(deployed, "www.lab.internal") == []
        # The port of `up` resolves the name for each connection, as a client of the lab.
        login = Forwards(deployed, None, tmp_path / "relay.log").login()

        def server() -> str:
            with psycopg.connect(login.dsn, connect_timeout=10) as session:
                row = session.execute("SELECT host(inet_server_addr())").fetchone()
            return str(row[0]) if row else ""

        assert server() == first.host.address
        process = first.process
        assert process is not None
        process.gone(process.kill())

        def not_moved() -> str:
            found = addresses(deployed, NAME)
            return "" if found == [second.host.address] else f"it leads to {found}"

        wait_until(not_moved, 60.0 * PATIENCE, "the name was not moved")

        def elsewhere() -> str:
            # The port refuses connections until the relay has seen the new server.
            try:
                return "" if server() == second.host.address else "the old server answers"
            except psycopg.OperationalError as error:
                return str(error)

        wait_until(elsewhere, 60.0 * PATIENCE, "the port leads elsewhere")
        assert [event.kind for event in deployed.events() if event.node == "resolver"] == ["repointed"]
        # Without the name server there is no name, and a restarted one knows where it leads.
        server_process = deployed.access.process
        assert server_process is not None
        server_process.gone(server_process.kill())
        assert addresses(deployed, NAME) == []
        deployed.access.restart()
        assert addresses(deployed, NAME) == [second.host.address]


def test_load_and_stacks_follow_the_name(tmp_path: Path) -> None:
    solution = "solutions: [{solution: hot-standby, engine: postgres-18, access: {kind: dns-name, ttl: 1}}]\n"
    section = "stacks: [psycopg-pool:recommended, pgx-pool:recommended]\n"
    outcome = run_trial(tmp_path, solution + section + kill() + timing(steady=2))
    sound(outcome)
    rejoined(outcome)
    record = outcome.record
    assert all(stack.servers == [f"{NAME}:5432"] for stack in record.stacks)
    assert outcome.writes_after_fault() > 0
    moved = next(event for event in record.events if event.node == "resolver")
    assert moved.detail == f"{NAME} leads to node2"
    for one in measured([outcome.stored()])[0].stacks:
        assert one.figures.back == 4 and not one.problems, one
        assert one.held is not None and not one.held.open, "the kernel knows the address"
