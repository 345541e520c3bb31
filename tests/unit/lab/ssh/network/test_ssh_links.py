"""What the way from one machine to another does: links between sites and links of hosts, joined."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.ssh.network.host_links import LinksBetween
from fivenines.lab.ssh.network.links import joined

SITES = {"a": "east", "b": "west", "c": "west"}
FAR = {"sites": ["east", "west"], "link": {"rtt": 0.04}}

links = st.builds(
    LinkSettings,
    rtt=st.floats(0, 10),
    jitter=st.floats(0, 1),
    loss=st.floats(0, 1),
    reorder=st.floats(0, 1),
    bandwidth=st.none() | st.integers(1, 10**9),
    queue=st.none() | st.floats(0.01, 5),
)


class Outgoing:
    """The last links of one machine, by the last byte of the address."""

    def __init__(self) -> None:
        self.links: Mapping[str, LinkSettings] = {}
        self.gone = 0

    def use(self, links: Mapping[str, LinkSettings]) -> None:
        self.links = links

    def switched_off(self) -> None:
        self.gone += 1
        self.links = {}

    def rtt(self, host: str) -> float:
        return self.links[host].rtt


def between(**network: Any) -> tuple[LinksBetween, dict[str, Any]]:
    made = LinksBetween(NetworkSettings.model_validate(network), SITES.__getitem__)
    machines = {host: Outgoing() for host in SITES}
    for host, outgoing in machines.items():
        made.add(host, host, outgoing)  # type: ignore[arg-type]
    return made, machines


def test_a_link_between_sites_is_that_of_each_pair_of_machines() -> None:
    _, machines = between(**FAR)
    assert [machines["a"].rtt(other) for other in "bc"] == [0.04, 0.04]
    assert [machines["b"].rtt(other) for other in "ac"] == [0.04, 0.0]


def test_an_impaired_host_adds_latency_in_both_directions() -> None:
    made, machines = between(**FAR)
    made.impair("b", LinkSettings(rtt=0.1, loss=0.5))
    assert machines["a"].links["b"] == LinkSettings(rtt=0.14, loss=0.5)
    assert (machines["b"].rtt("c"), machines["c"].rtt("b"), machines["c"].rtt("a")) == (0.1, 0.1, 0.04)
    assert made.delay("a", "b") == 0.07
    made.impair(("east", "west"), LinkSettings(rtt=0.01))
    assert machines["c"].rtt("a") == 0.01
    made.restore(("east", "west"))
    made.restore("b")
    assert [machines["a"].rtt(other) for other in "bc"] == [0.04, 0.04]


def test_links_that_begin_with_the_load_end_with_it() -> None:
    made, machines = between(**FAR, **{"from": "load"})
    assert machines["a"].rtt("b") == 0
    made.begin()
    assert machines["a"].rtt("b") == 0.04
    made.end()
    assert machines["a"].rtt("b") == 0


def test_a_machine_gets_its_links_again_after_a_power_cycle() -> None:
    made, machines = between(**FAR)
    made.switched_off("a")
    made.impair("b", LinkSettings(rtt=0.1))
    assert machines["a"].links == {} and machines["a"].gone == 1
    made.switched_on("a")
    assert machines["a"].links["b"] == LinkSettings(rtt=0.14)


@given(links, links)
def test_joined_links_are_never_better_than_either(one: LinkSettings, other: LinkSettings) -> None:
    both = joined([one, other])
    assert both.rtt == one.rtt + other.rtt and both.jitter == one.jitter + other.jitter
    for each in (one, other):
        assert both.loss >= each.loss - 1e-12
        if each.bandwidth is not None:
            assert both.bandwidth is not None and both.bandwidth <= each.bandwidth
    assert both.bandwidth in (one.bandwidth, other.bandwidth)
    assert joined([one]) == one.model_copy(
        update={
            "queue": one.queue if one.bandwidth else None,
            "loss": joined([one]).loss,
            "reorder": joined([one]).reorder,
        }
    )
