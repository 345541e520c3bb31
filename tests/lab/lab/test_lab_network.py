"""Sites, links and cuts in real labs, and an experiment with two sites."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from lab_support import LIMIT, PATIENCE, run_trial, timing

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.settings import LinkSettings, NetworkSettings

NAMES = ("node1", "node2", "client")
RTT = 0.04
# Seconds to wait for an echo that should not arrive.
BRIEFLY = 0.5

Pairs = set[tuple[str, str]]
LABS = [pytest.param("plain", marks=pytest.mark.long), "distant"]

_ECHO = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
    server.bind((sys.argv[1], 7007))
    while True:
        data, peer = server.recvfrom(2048)
        server.sendto(data, peer)
"""
_ASK = """
import socket, sys, time
address, size, count, patience = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.connect((address, 7007))
    client.settimeout(patience)
    for _ in range(count):
        began = time.monotonic()
        try:
            client.send(bytes(size))
            client.recv(2048)
            print(time.monotonic() - began)
        except OSError:
            time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with NamespaceLab(tmp_path_factory.mktemp("plain") / "lab") as lab:
        for name in NAMES:
            lab.add_host(name, Root())
        yield lab


@pytest.fixture(scope="module")
def distant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Provide two sites: node1 and client in one, node2 in the other, where a server echoes everything."""
    network = NetworkSettings(name="far", sites={"east": [], "west": ["node2"]}, link=LinkSettings(rtt=RTT))
    with NamespaceLab(tmp_path_factory.mktemp("far") / "lab", network) as lab:
        for name in NAMES:
            lab.add_host(name, Root())
        for name in ("node1", "node2"):
            host = lab.hosts[name]
            host.commands.spawn_outside([sys.executable, "-c", _ECHO, host.address], log="echo.out")
        while len(_round_trips(lab, "client", "node2", 1, patience=BRIEFLY)) < 1:
            time.sleep(0.05)
        yield lab


def _unreached(lab: Lab, expected: Pairs | None = None) -> Pairs:
    """Return the pairs without a connection; unexpected pairs are probed again, and longer.

    Each pair requires two programs, and the connecting one may start late.
    """
    pairs = {pair for pair in permutations(NAMES, 2) if not lab.network.reaches(*pair)}
    known = expected or set()
    return {pair for pair in pairs if pair in known or not lab.network.reaches(*pair, timeout=5.0)}


def _round_trips(
    lab: Lab, source: str, target: str, count: int, size: int = 10, patience: float = 5.0
) -> list[float]:
    """Return the round trip times of the echoes, in seconds; each is awaited for `patience` seconds."""
    return _trips(lab.hosts[source], lab.hosts[target].address, count, size, patience)


def _trips(source: Host, address: str, count: int, size: int = 10, patience: float = 5.0) -> list[float]:
    command = [sys.executable, "-c", _ASK, address, str(size), str(count), str(patience)]
    done = subprocess.run(
        source.commands.outside(command), capture_output=True, text=True, check=True, timeout=LIMIT
    )
    return [float(line) for line in done.stdout.split()]


def test_a_network_begins_and_ends_as_configured(tmp_path: Path) -> None:
    later = NetworkSettings.model_validate(
        {
            "from": "load",
            "sites": {"east": [], "west": ["node2"]},
            "link": {"rtt": "40ms"},
            "bandwidth": "20Mbit/s",
        }
    )
    with NamespaceLab(tmp_path / "lab", later) as lab:
        node, client = (lab.add_host(name, Root()) for name in ("node2", "client"))
        lab.network.add_addresses(node, 2)
        addresses = [node.address, *node.addresses.extra]
        for address in addresses:
            node.commands.spawn_outside([sys.executable, "-c", _ECHO, address], log=f"{address}.out")
        # A host answers at each of its addresses.
        for address in addresses:
            while len(_trips(client, address, 1, patience=BRIEFLY)) < 1:
                time.sleep(0.05)
        assert min(_trips(client, node.address, 20)) < RTT
        lab.network.begin()
        assert min(_trips(client, node.address, 5)) >= RTT
        lab.network.restore(("east", "west"))
        assert min(_trips(client, node.address, 5)) >= RTT, "a fault that ends leaves the network as it is"
        lab.network.end()
        assert min(_trips(client, node.address, 20)) < RTT
        lab.require_sound()


def test_hosts_of_one_site_reach_each_other(plain: Lab) -> None:
    assert plain.network.frames_cut() == 0
    assert _unreached(plain) == set()
    assert list(plain.sites.members().values()) == [list(NAMES)]
    plain.require_sound()
    assert plain.network.traffic() == {}


def test_a_cut_works_one_way_and_is_counted(plain: Lab) -> None:
    before = plain.network.frames_cut()
    plain.network.cut([("node1", "node2")])
    assert _unreached(plain, {("node1", "node2")}) == {("node1", "node2")}
    deadline = time.monotonic() + LIMIT
    while plain.network.frames_cut() <= before:
        # The connecting program may have ended before it began.
        assert not plain.network.reaches("node1", "node2")
        assert time.monotonic() < deadline
    plain.network.heal([("node1", "node2")])
    assert _unreached(plain) == set()
    after = plain.network.frames_cut()
    assert plain.network.reaches("node1", "node2", timeout=2.0) and plain.network.frames_cut() == after


def test_two_cuts_of_one_pair_are_healed_one_by_one(plain: Lab) -> None:
    alone: Pairs = {pair for pair in permutations(NAMES, 2) if "node1" in pair}
    plain.network.cut(alone)
    plain.network.cut([("node1", "client")])
    assert _unreached(plain, alone) == alone
    plain.network.heal(alone)
    plain.network.heal([("node2", "client")])
    assert _unreached(plain, {("node1", "client")}) == {("node1", "client")}
    plain.network.heal([("node1", "client")])
    assert _unreached(plain) == set()


def test_missing_items_are_named(plain: Lab) -> None:
    with pytest.raises(FiveninesError, match="unknown host 'node9'; the hosts are: node1, node2"):
        plain.network.cut([("node1", "node9")])
    with pytest.raises(FiveninesError, match="unknown host 'node9'"):
        plain.network.impair("node9", LinkSettings(loss=1))
    with pytest.raises(FiveninesError, match="unknown site 'east'; the sites are: site"):
        plain.network.impair(("east", "west"), LinkSettings(loss=1))


def test_without_nft_the_message_names_the_package(plain: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FiveninesError, match="apt-get install nftables"):
        plain.network.cut([("node1", "node2")])
    monkeypatch.undo()
    assert _unreached(plain) == set()


def test_a_round_trip_between_sites_takes_the_configured_time(distant: Lab) -> None:
    assert distant.sites.members() == {"east": ["node1", "client"], "west": ["node2"]}
    assert [distant.sites.of(name) for name in NAMES] == ["east", "west", "east"]
    between = _round_trips(distant, "node1", "node2", 5)
    assert len(between) == 5 and min(between) >= RTT
    within = _round_trips(distant, "client", "node1", 20)
    assert len(within) == 20 and min(within) < RTT


def test_every_frame_between_sites_is_counted(distant: Lab) -> None:
    _round_trips(distant, "node1", "node2", 1)
    before = distant.network.traffic()
    size, count = 1000, 20
    assert len(_round_trips(distant, "node1", "node2", count, size)) == count
    after = distant.network.traffic()
    for pair in (("east", "west"), ("west", "east")):
        # An Ethernet, an IP and a UDP header precede each. Hosts sometimes send ARP requests, and reports
        # of multicast groups (seen: 110 bytes).
        others = after[pair].frames - before[pair].frames - count
        more = after[pair].bytes - before[pair].bytes - count * (14 + 20 + 8 + size)
        assert 0 <= others < count and 0 <= more <= others * 200
        assert after[pair].dropped_queue == before[pair].dropped_queue
        assert after[pair].dropped_loss == 0


def test_a_site_can_be_cut_off_one_way(distant: Lab) -> None:
    unreachable = {("node1", "node2"), ("client", "node2")}
    distant.network.cut(unreachable)
    assert _unreached(distant, unreachable) == unreachable
    assert _round_trips(distant, "node1", "node2", 1, patience=BRIEFLY) == []
    distant.network.heal(unreachable)
    assert _unreached(distant) == set()
    assert _round_trips(distant, "node1", "node2", 1)


def test_the_link_between_sites_changes_and_is_restored(distant: Lab) -> None:
    distant.network.impair(("east", "west"), LinkSettings(rtt=3 * RTT))
    assert min(_round_trips(distant, "node1", "node2", 3)) >= 3 * RTT
    distant.network.impair(("east", "west"), LinkSettings(loss=1.0))
    lost = distant.network.traffic()["east", "west"].dropped_loss
    assert _round_trips(distant, "node1", "node2", 2, patience=BRIEFLY) == []
    assert distant.network.traffic()["east", "west"].dropped_loss >= lost + 2
    assert not distant.network.reaches("node1", "node2")
    distant.network.restore(("east", "west"))
    assert min(_round_trips(distant, "node1", "node2", 3)) >= RTT
    assert distant.network.reaches("node1", "node2", timeout=2.0)


def test_a_full_queue_drops_frames(distant: Lab) -> None:
    def dropped() -> int:
        return distant.network.traffic()["east", "west"].dropped_queue

    distant.network.impair(("east", "west"), LinkSettings(bandwidth=57_000, queue=0.1))
    before = dropped()
    shout = (
        "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "[s.sendto(bytes(1000), (sys.argv[1], 9)) for _ in range(50)]"
    )
    address = distant.hosts["node2"].address
    command = distant.hosts["node1"].commands.outside([sys.executable, "-c", shout, address])
    subprocess.run(command, check=True, timeout=LIMIT)
    deadline = time.monotonic() + LIMIT
    while dropped() - before <= 40 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert dropped() - before > 40
    distant.network.restore(("east", "west"))


@pytest.mark.parametrize("lab_of", LABS)
def test_a_port_is_cut_and_others_are_not(lab_of: str, request: pytest.FixtureRequest) -> None:
    lab: Lab = request.getfixturevalue(lab_of)
    both, ways = (7010, 7011), [("node1", "node2"), ("node2", "node1")]
    greets = [sys.executable, "-c", _GREETERS, *map(str, both)]
    server = subprocess.Popen(lab.hosts["node2"].commands.outside(greets))
    assert all(_greeted(lab, port, LIMIT) for port in both)
    before = lab.network.frames_cut()
    lab.network.cut(ways, [7010])
    assert not _greeted(lab, 7010) and _greeted(lab, 7011, LIMIT)
    assert lab.network.frames_cut() > before
    assert _unreached(lab) == set()
    lab.network.heal(ways, [7010])
    assert all(_greeted(lab, port, LIMIT) for port in both)
    server.kill()
    server.wait()


_GREETERS = """
import select, socket, sys
listening = [socket.create_server(("0.0.0.0", int(port))) for port in sys.argv[1:]]
while True:
    for listener in select.select(listening, [], [])[0]:
        connection, _ = listener.accept()
        connection.sendall(b"hello")
        connection.close()
"""
_GREETED = """
import socket, sys, time
deadline = time.monotonic() + float(sys.argv[3])
while time.monotonic() < deadline:
    try:
        with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=1) as connection:
            sys.exit(connection.recv(5) != b"hello")
    except ConnectionRefusedError:
        time.sleep(0.05)
    except TimeoutError:
        pass
sys.exit(1)
"""


def _greeted(lab: Lab, port: int, patience: float = 3.0) -> bool:
    node1, node2 = (lab.hosts[name] for name in ("node1", "node2"))
    asks = [sys.executable, "-c", _GREETED, node2.address, str(port), str(patience)]
    return subprocess.run(node1.commands.outside(asks), check=False, timeout=LIMIT).returncode == 0


@pytest.mark.parametrize("lab_of", LABS)
def test_one_host_is_impaired_and_restored(lab_of: str, request: pytest.FixtureRequest) -> None:
    lab: Lab = request.getfixturevalue(lab_of)
    lab.network.impair("client", LinkSettings(rtt=2 * RTT))
    assert _unreached(lab) == set()
    lab.network.impair("client", LinkSettings(loss=1.0))
    impaired: Pairs = {pair for pair in permutations(NAMES, 2) if "client" in pair}
    assert _unreached(lab, impaired) == impaired
    lab.network.cut([("node1", "node2")])
    assert not lab.network.reaches("node1", "node2")
    lab.network.heal([("node1", "node2")])
    lab.require_sound()
    lab.network.restore("client")
    lab.network.restore("client")
    assert _unreached(lab) == set()


def test_an_impaired_host_has_the_configured_delay(distant: Lab) -> None:
    distant.network.impair("client", LinkSettings(rtt=2 * RTT))
    assert min(_round_trips(distant, "client", "node1", 3)) >= 2 * RTT
    assert min(_round_trips(distant, "node1", "node2", 20)) < 2 * RTT
    distant.network.restore("client")
    assert min(_round_trips(distant, "client", "node1", 20)) < 2 * RTT


def test_a_dead_emulator_is_reported(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("dead") / "lab"
    with NamespaceLab(folder, NetworkSettings(sites={"a": [], "b": []})) as lab:
        between = lab.network._links._between
        assert between is not None
        between._popen.kill()
        between._popen.wait()
        between._socket.shutdown(socket.SHUT_RDWR)
        with pytest.raises(FiveninesError, match="the link emulator failed"):
            lab.network.traffic()
        with pytest.raises(FiveninesError, match="the link emulator failed"):
            lab.require_sound()


@pytest.mark.timeout(200 * PATIENCE)
def test_an_experiment_over_two_sites(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = """\
solutions: [{solution: hot-standby, synchronous_commit: on}]
network: [{name: far, sites: {east: [node1], west: [node2]}, link: {rtt: 10ms}}]
observe: {interval: 500ms}
"""
    outcome = run_trial(tmp_path_factory.mktemp("stretched"), text + timing(1))
    assert outcome.record.cell.network == "far"
    rows = outcome.rows(
        "links", "SELECT from_site, to_site, max(frames), max(bytes) FROM rows GROUP BY ALL ORDER BY ALL"
    )
    assert [row[:2] for row in rows] == [("east", "west"), ("west", "east")]
    commits = outcome.record.load.transactions.ok
    assert commits > 0 and all(int(str(row[2])) >= commits for row in rows)
    # The log of each transaction goes to the standby, whose answer comes back.
    assert int(str(rows[0][3])) > int(str(rows[1][3])) > 0
    (minimum,) = outcome.rows(
        "ledger", "SELECT min(completed_us - started_us) FROM rows WHERE kind = 'write' AND outcome = 'ok'"
    )
    assert int(str(minimum[0])) >= 10_000, "a commit waits for the round trip"
