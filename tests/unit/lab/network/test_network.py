"""The lab's addresses, and the commands for `ip` and `tc`."""

import ipaddress
import re
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.network import network

# A PID that no process can have (the kernel's limit is 2^22).
NO_PROCESS = 2**22 + 1


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], str]]:
    commands: list[tuple[list[str], str]] = []
    monkeypatch.setattr(network, "_run", lambda command, text="": commands.append((command, text)))
    return commands


def test_every_host_has_an_address_of_its_own() -> None:
    subnet = ipaddress.ip_network("10.99.0.0/24")
    found = [ipaddress.ip_address(network.address(index)) for index in range(1, 245)]
    assert len(set(found)) == 244
    assert all(address in subnet for address in found)
    assert subnet.broadcast_address not in found
    assert ipaddress.ip_address("10.99.0.1") not in found  # the bridge
    assert network.address(1) == "10.99.0.11"


def test_the_bridge_has_the_first_address(calls: list[tuple[list[str], str]]) -> None:
    network.create_bridges(7, 2)
    ((command, text),) = calls
    assert command == [*network.into(7), "ip", "-batch", "-"]
    assert "--target=7" in command
    assert text.count("addr add") == 1 and "addr add 10.99.0.1/24 dev br0\n" in text
    assert "link set br0 up\n" in text and "link set br1 up\n" in text


def test_every_host_has_a_hardware_address_of_its_own() -> None:
    found = {network.mac(index) for index in range(1, 1000)}
    assert len(found) == 999
    assert all(re.fullmatch(r"02(:[0-9a-f]{2}){5}", one) for one in found)


def test_a_host_is_plugged_in_without_a_limit(calls: list[tuple[list[str], str]]) -> None:
    network.plug_in(7, 8, "node1", 1, 1, None)
    (lab, host) = calls
    assert "--target=7" in lab[0] and "--target=8" in host[0]
    assert "link add v-node1 type veth peer name eth0 address 02:99:00:00:00:01 netns 8\n" in lab[1]
    assert "link set v-node1 master br1 up\n" in lab[1]
    assert "addr add 10.99.0.11/24 dev eth0\n" in host[1]


@pytest.mark.parametrize(("bandwidth", "burst"), [(1_000_000, 65536), (131_072_000, 65536), (10**9, 500_000)])
def test_both_ends_of_a_link_are_shaped(
    calls: list[tuple[list[str], str]], bandwidth: int, burst: int
) -> None:
    network.plug_in(7, 8, "node1", 1, 0, bandwidth)
    shaped = [" ".join(command) for command, _ in calls if "tc" in command]
    limit = f"root tbf rate {bandwidth}bit burst {burst} latency 200ms"
    assert [line.partition(" tc ")[2] for line in shaped] == [
        f"qdisc add dev eth0 {limit}",
        f"qdisc add dev v-node1 {limit}",
    ]
    assert "--target=8" in shaped[0] and "--target=7" in shaped[1]


@pytest.mark.parametrize("ipv6", [True, False])
def test_a_trunk_and_a_detached_host_have_a_free_end(
    calls: list[tuple[list[str], str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ipv6: bool
) -> None:
    monkeypatch.setattr(network, "_IPV6", tmp_path if ipv6 else tmp_path / "none")
    assert network.add_trunk(7, 2) == "w2"
    assert network.detach(7, "client", 1) == "x-client"
    network.reattach(7, "client", 1)
    trunk, added, pulled, back = (text for _, text in calls)
    assert "link add s2 type veth peer name w2\n" in trunk and "link set s2 master br2 up" in trunk
    assert ("addrgenmode none" in trunk) is ipv6
    assert "link set i-client master br1 up\n" in added
    assert pulled == "link set v-client nomaster\n"
    assert back == "link del i-client\nlink set v-client master br1\n"


def test_large_frames_are_allowed_and_forbidden(calls: list[tuple[list[str], str]]) -> None:
    network.allow_large_frames(7, "s0", False)
    network.allow_large_frames(7, "s0", True)
    assert [text.split()[-1] for _, text in calls] == ["1", "65535"]


def test_reports_a_failure_with_its_remedy() -> None:
    with pytest.raises(FiveninesError) as refused:
        network.create_bridges(NO_PROCESS, 1)
    first, second = str(refused.value).splitlines()
    assert first.startswith("the lab's network could not be set up: fivenines-core: cannot enter ")
    assert second == "run `fivenines doctor` to list what this machine lacks"
