"""Matrices of networks: what they become, and where their mistakes are said to be."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import as_dict, with_defaults
from fivenines.experiment.plan import cells
from fivenines.experiment.source import parse_experiment

HEAD = "name: x\nworkloads: [oltp_read_only]\nsolutions: [standalone]\n"


def _names(text: str) -> list[str]:
    return [one.name for one in parse_experiment(HEAD + text, "x.yaml").network]


def test_lists_become_one_network_each() -> None:
    text = "network: [{name: far, sites: [a, b], link: {rtt: [0ms, 10ms], bandwidth: [1Mbit/s, null]}}]\n"
    experiment = parse_experiment(HEAD + text, "x.yaml")
    assert [(one.name, one.link.rtt, one.link.bandwidth) for one in experiment.network] == [
        ("far 0 ms, 1 Mbit/s", 0.0, 1_000_000),
        ("far 0 ms, any bandwidth", 0.0, None),
        ("far 10 ms, 1 Mbit/s", 0.01, 1_000_000),
        ("far 10 ms, any bandwidth", 0.01, None),
    ]
    assert [cell.key.network for cell in cells(experiment)] == [n.name for n in experiment.network]
    written = as_dict(experiment)["network"][2]
    assert written["link"]["rtt"] == "10ms" and written["sites"] == {"a": [], "b": []}
    assert parse_experiment(with_defaults(experiment), "x.yaml") == experiment


def test_a_list_of_one_and_none_at_all() -> None:
    assert _names("network: [{sites: [a, b], link: {rtt: [5ms]}}, {}]\n") == ["wan 5 ms", "lan"]
    assert _names("network: [{name: n, sites: [a, b], link: {rtt: 5ms}}]\n") == ["n"]
    assert _names("") == ["lan"]


@given(
    st.lists(st.integers(0, 500), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(1, 999), min_size=1, max_size=4, unique=True),
)
def test_the_matrix_is_whole_and_its_names_are_distinct(rtts: list[int], rates: list[int]) -> None:
    lists = f"rtt: [{', '.join(f'{ms}ms' for ms in rtts)}]"
    lists += f", bandwidth: [{', '.join(f'{rate}Mbit/s' for rate in rates)}]"
    text = f"network: [{{sites: [a, b], link: {{{lists}}}}}]\n"
    found = parse_experiment(HEAD + text, "x.yaml").network
    seen = [(round(one.link.rtt * 1000), (one.link.bandwidth or 0) // 10**6) for one in found]
    assert seen == list(product(rtts, rates))
    assert len({one.name for one in found}) == len(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "network: [{}, {name: w, sites: [a, b], link: {rtt: [1ms, soon]}}]\n",
            "x.yaml:4:58: network[1].link.rtt[1]: found 'soon'\n"
            "    allowed: a duration at most 1m, with a unit, as 500ms, 10s, 1m30s",
        ),
        (
            "network: [{sites: [a, b], link: {rtt: [1ms, 1ms]}}]\n",
            "x.yaml:4:45: network[0].link.rtt[1]: '1ms' is repeated: remove one of them",
        ),
        (
            "network: [{sites: [a, a]}]\n",
            "x.yaml:4:23: network[0].sites[1]: 'a' is repeated: remove one of them",
        ),
        (
            "network: [{sites: [a, b], link: {rtt: []}}]\n",
            "x.yaml:4:39: network[0].link.rtt: found an empty list",
        ),
        (
            "network: [{sites: [a, b], link: {rtt: [1ms, 2ms], loss: 2}}]\n",
            "x.yaml:4:57: network[0].link.loss: found 2\n"
            "    allowed: a number from 0 to 1, or a percentage, as 0.5%",
        ),
        (
            "network: [{link: {rtt: [1ms, 2ms]}}]\n",
            "x.yaml:4:11: network[0]: link: a link connects two sites; name them, as in "
            "`sites: [east, west]`",
        ),
        (
            "network: [{sites: {a: [nod1], b: []}}]\n",
            "x.yaml:4:11: network[0]: sites: unknown host 'nod1'; the hosts are node1 to node",
        ),
        (
            "network: [{sites: {a: 1, b: []}}]\n",
            "x.yaml:4:23: network[0].sites.a: found 1\n    allowed: a list of: text",
        ),
        (
            "network: [{sites: [a, b], link: {latency: 1ms}}]\n",
            "x.yaml:4:34: unknown key 'latency' in network[0].link",
        ),
        (
            "network: [{name: 5, sites: [a, b], link: {rtt: [1ms, 2ms]}}]\n",
            "x.yaml:4:18: network[0].name: found 5",
        ),
    ],
)
def test_a_mistake_is_reported_where_it_stands_and_once(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_experiment(HEAD + text, "x.yaml")
    message = str(refused.value)
    assert message.startswith(said) and "mistakes" not in message
