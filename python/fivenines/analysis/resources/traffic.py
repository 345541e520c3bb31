"""Traffic of a solution's hosts, to their clients and among themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

from fivenines.analysis.resources.cost import CLIENT
from fivenines.analysis.resources.series import Samples, gain_between
from fivenines.results.records import HostFacts


@dataclass(frozen=True)
class Traffic:
    """Bytes of one trial's steady window."""

    sent: float
    clients: float
    between: float


def traffic(sampled: Samples, hosts: Mapping[str, HostFacts], start: float, end: float) -> Traffic | None:
    """Return the traffic of a solution's hosts from `start` to `end` (ms); None if a host was not sampled.

    Each host's interface counts frames, large ones before segmentation. The client talks to forwarders, if
    there are any, otherwise to the nodes. So the client's bytes arrive there, the rest that forwarders
    receive comes from nodes, and all other bytes of nodes go to nodes.
    """
    sent: dict[str, float] = {}
    received: dict[str, float] = {}
    for name in hosts:
        for figure, into in (("net_sent_bytes", sent), ("net_received_bytes", received)):
            series = sampled.get(figure, {}).get(name)
            gained = None if series is None else gain_between(series, start, end)
            if gained is None:
                return None
            into[name] = gained
    own = [name for name, host in hosts.items() if host.kind != CLIENT]
    clients = [name for name, host in hosts.items() if host.kind == CLIENT]
    forwarders = [name for name in own if hosts[name].forwards]
    total, to_clients = sum(sent[name] for name in own), sum(received[name] for name in clients)
    between = total - to_clients
    if forwarders:
        passed = sum(sent[name] + received[name] for name in forwarders)
        between = total - passed + sum(sent[name] for name in clients)
    return Traffic(total, to_clients, max(0.0, between))
