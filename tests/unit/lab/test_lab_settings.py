"""Networks: what links do in each direction, and what makes no sense."""

from typing import Any

import pytest

from fivenines.lab.settings import LinkSettings, NetworkSettings


def network(**settings: Any) -> NetworkSettings:
    return NetworkSettings.model_validate(settings)


def test_a_direction_differs_only_in_its_own_keys() -> None:
    made = network(
        sites=["a", "b", "c"],
        link={"rtt": "10ms", "loss": 0.1},
        links=[{"source": "a", "target": "b", "loss": 0.0, "bandwidth": "1Mbit/s"}],
    )
    assert made.problems() == []
    assert made.direction("a", "b") == LinkSettings(rtt=0.01, bandwidth=1_000_000)
    assert made.direction("b", "a") == made.direction("a", "c") == LinkSettings(rtt=0.01, loss=0.1)
    assert made.direction("a", "a") == LinkSettings()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"sites": ["a", ""]}, "sites: a name must have 1 to 30 characters"),
        ({"sites": {"a": ["node1"], "b": ["node1"]}}, "sites: the host 'node1' is listed twice"),
        ({"sites": [f"s{i}" for i in range(17)]}, "sites: 17 sites, but at most 16 are possible"),
        ({"link": {"rtt": "1ms"}}, "link: a link connects two sites; name them"),
        (
            {"sites": ["a", "b"], "links": [{"source": "a", "target": "c"}]},
            "links[0]: unknown site 'c'; the sites are: a, b",
        ),
        (
            {"sites": ["a", "b"], "links": [{"source": "a", "target": "a"}]},
            "links[0]: source and target must be different sites",
        ),
        (
            {"sites": ["a", "b"], "links": [{"source": "a", "target": "b"}] * 2},
            "links: 'a' to 'b' is listed twice",
        ),
        (
            {"sites": ["a", "b"], "links": [{"source": "a", "target": "b", "reorder": 0.5}]},
            "links[0]: reorder needs an rtt",
        ),
    ],
)
def test_reports_contradictions_of_settings(settings: dict[str, Any], expected: str) -> None:
    (problem,) = network(**settings).problems()
    assert problem.startswith(expected)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (LinkSettings(rtt=0.01, jitter=0.006), "jitter must be at most half of rtt"),
        (LinkSettings(reorder=0.1), "reorder needs an rtt"),
        (LinkSettings(queue=1.0), "queue needs a bandwidth"),
    ],
)
def test_a_link_that_makes_no_sense(link: LinkSettings, expected: str) -> None:
    assert link.problems()[0].startswith(expected)


def test_an_ordinary_link_is_right() -> None:
    link = LinkSettings(rtt=0.01, jitter=0.005, reorder=0.1, bandwidth=57_000, queue=1.0)
    assert not link.problems() and link.changes
    assert not LinkSettings().changes
