"""Deaths in turn on one cluster, from planted faults, states and lost rows."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fivenines.analysis.availability.deaths_in_turn import Death, Deaths, clustered, deaths_in_turn, order
from fivenines.analysis.availability.node_states import StateChange
from fivenines.results.records import FaultRecord

# A kill at 5, 15 and 25 s, each with an outage, whose node is a member again after 4 s.
MOMENTS = (5000.0, 15_000.0, 25_000.0)
OUTAGES = (900.0, 1100.0, 1300.0)

# Roles change with each death.
NODES = {
    "node1": [(0, "writable"), (5010, "away"), (8000, "read_only"), (16_000, "writable"), (25_010, "away")],
    "node2": [(0, "read_only"), (6000, "writable"), (15_010, "away"), (18_000, "read_only")],
}


def kill(at: float, **other: Any) -> FaultRecord:
    values = {"kind": "kill", "node": "node1", "nodes": ["node1"], "role": "primary", "detail": ""}
    back = {"rejoined": True, "rejoined_at": at + 4000}
    return FaultRecord(**{"at": at, "verified": True, **values, **back, **other})


def of(
    faults: Sequence[FaultRecord] = (),
    lost: Sequence[float] | None = (),
    nodes: dict[str, list[tuple[int, str]]] = NODES,
    back: bool = True,
) -> Deaths | None:
    states = {name: [StateChange(t, state) for t, state in own] for name, own in nodes.items()}
    faults = faults or [kill(at) for at in MOMENTS]
    untils = [*(fault.at for fault in faults[1:]), 60_000.0]
    measures: Any = [
        SimpleNamespace(
            fault_window=SimpleNamespace(faults=(fault,), at=fault.at, until=until),
            availability=SimpleNamespace(writes=SimpleNamespace(ms=outage, back=back)),
        )
        for fault, until, outage in zip(faults, untils, OUTAGES, strict=False)
    ]
    return deaths_in_turn(states, measures, lambda: lost)


def found(made: Deaths | None) -> list[tuple[float | None, int | None]]:
    assert made is not None
    return [(death.outage_ms, death.lost) for death in made.deaths]


def test_each_death_has_its_outage_and_its_lost_rows() -> None:
    # Before the first death; by the old primary after it; after its recovery; after the last recovery.
    lost = [4999.0, 5500.0, 9001.0, 14_000.0, 30_000.0]
    assert found(of(lost=lost)) == [(900.0, 2), (1100.0, 2), (1300.0, 1)]
    assert found(of(lost=None)) == [(900.0, None), (1100.0, None), (1300.0, None)]


def test_every_lost_row_belongs_to_one_death() -> None:
    lost = np.linspace(0, 59_999, 500).tolist()
    assert sum(rows or 0 for _, rows in found(of(lost=lost))) == 500


def test_what_did_not_recover_ends_the_count() -> None:
    never = kill(15_000, rejoined=False, rejoined_at=None)
    made = of((kill(5000), never, kill(25_000)))
    assert found(made) == [(900.0, 0), (1100.0, 0)]
    assert made is not None and made.planned == 3
    late = kill(5000, rejoined_at=16_000)
    assert found(of((late, kill(15_000), kill(25_000)))) == [(900.0, 0)]
    unverified = kill(15_000, verified=False)
    assert found(of((kill(5000), unverified, kill(25_000)))) == [(900.0, 0)]


def test_a_cluster_with_fewer_nodes_is_another_one() -> None:
    away = {**NODES, "node3": [(0, "read_only"), (20_000, "away")]}
    assert found(of(nodes=away)) == [(900.0, 0), (1100.0, 0)]


def test_rows_that_only_a_later_death_lost_are_not_those_of_the_last_that_counts() -> None:
    unverified = kill(25_000, verified=False)
    assert found(of((kill(5000), kill(15_000), unverified), lost=[24_000.0])) == [(900.0, 0), (1100.0, 0)]


def test_a_cluster_that_never_recovers_from_its_first_death_counts() -> None:
    # The other nine were not injected.
    never = kill(5000, rejoined=False, rejoined_at=None, planned=10)
    made = of((never,), lost=[4000.0, 50_000.0], back=False)
    assert made == Deaths((Death(1, 900.0, False, 2),), 10)


def test_faults_at_once_are_no_deaths_in_turn() -> None:
    made = of((kill(5000, planned=3, verified=False),))
    assert made == Deaths((), 3)


def test_other_faults_have_no_deaths_in_turn() -> None:
    assert of((kill(5000), kill(15_000, role="replica"))) is None
    assert of((kill(5000),)) is None
    assert of((kill(5000), kill(15_000, kind="host-kill"))) is None
    assert of((kill(5000, kind="freeze"), kill(15_000, kind="freeze"))) is None


def cluster(*outages: float, back: bool = True) -> Deaths:
    deaths = tuple(Death(number + 1, outage, back, 0) for number, outage in enumerate(outages))
    return Deaths(deaths, len(deaths))


def test_the_interval_is_that_of_the_clusters() -> None:
    alike = [cluster(*[1000.0] * 20), cluster(*[1200.0] * 20), cluster(*[1100.0] * 20)]
    result = clustered(alike)
    # Three means of 1000, 1200 and 1100: 1100 +- 4.303 * 100 / sqrt(3).
    assert result.n == 3 and result.mean == pytest.approx(1100)
    assert result.ci_low == pytest.approx(851.6, abs=0.1)
    assert clustered([cluster(900.0, 1100.0)]).ci_low is None
    assert clustered([cluster(900.0, back=False), cluster(1000.0)]).bounds == 1


def test_a_planted_trend_and_planted_likeness_are_found() -> None:
    rng = np.random.default_rng(20261130)
    rising = [cluster(*(1000 + 30 * n + rng.normal(0, 50) for n in range(15))) for _ in range(3)]
    effect = order(rising)
    assert effect is not None and effect.seen and effect.trend == pytest.approx(0.35, abs=0.1)
    like = []
    for _ in range(4):
        values = [0.0]
        for _ in range(20):
            values.append(0.8 * values[-1] + rng.normal(0, 50))
        like.append(cluster(*(1000 + value for value in values)))
    effect = order(like)
    assert effect is not None and effect.seen and effect.likeness > 0.3


def test_an_order_without_effect_is_rarely_said_to_have_one() -> None:
    rng = np.random.default_rng(20261130)
    seen = 0
    for _ in range(200):
        effect = order([cluster(*rng.exponential(1000, 10)) for _ in range(3)])
        seen += effect is not None and effect.seen
    # An error of 5 % for both tests together; more than 21 of 200 has a probability below 0.1 %.
    assert seen <= 21


def test_a_death_without_end_is_no_effect_of_the_order() -> None:
    rng = np.random.default_rng(20261130)
    seen = 0
    for _ in range(200):
        clusters = []
        for _ in range(10):
            made = cluster(*rng.exponential(1000, 10))
            # It is always the last one of its cluster, and the longest.
            clusters.append(replace(made, deaths=(*made.deaths, Death(11, 60_000.0, False, 0))))
        effect = order(clusters)
        seen += effect is not None and effect.seen
    assert seen <= 21


def test_too_few_deaths_have_no_order() -> None:
    assert order([cluster(1000.0, 1200.0)]) is None
    assert order([cluster(1000.0, 1000.0, 1000.0)]) is None
