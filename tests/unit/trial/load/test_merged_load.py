"""load.json of several loads: sums of what adds up, and nothing made up of what does not."""

from typing import Any

import pytest

from fivenines.analysis.performance.load import bottleneck, errors_of, offered_rate
from fivenines.results.load_summary import LoadSummary
from fivenines.trial.load.merged_load import merged


def together(**loads: dict[str, Any]) -> LoadSummary:
    """Merge the loads of these clients."""
    return merged({name: LoadSummary.of(load) for name, load in loads.items()})


def _load(ok: int, p99: float, rate: float | None = None, **more: Any) -> dict[str, Any]:
    return {
        "format": 2,
        "workload": "oltp",
        "driver": "postgres",
        "connections": 4,
        "connections_without_success": 1,
        "seed": 1,
        "started_monotonic_ns": 17,
        "started_unix_ns": 18,
        "duration_s": 10.0 + ok / 1000,
        "transactions": {"ok": ok, "failed": 1, "in_doubt": 2},
        "expected": 0,
        "retries": 3,
        "types": [
            {"name": "rw", "writes": True, "ok": ok, "expected": 0, "failed": 1, "in_doubt": 2, "retries": 3}
        ],
        "reads": {"ok": 5, "failed": 0},
        "writes": {"ok": ok, "failed": 0, "in_doubt": 0},
        "queries": 9,
        "reconnects": 1,
        "connects_ok": 4,
        "connects_failed": 0,
        "connects": {
            "ok": 4,
            "failed": 0,
            "refused": 0,
            "timed_out": 1,
            "burst_ms": None,
            "p50_ms": 2.0,
            "p99_ms": p99,
            "max_ms": p99,
        },
        "schedule": {
            "kind": "closed" if rate is None else "open",
            "rate": rate,
            "arrivals": None,
            "burst": False,
            "think_ms": None,
            "arrived": ok,
            "started": ok,
            "abandoned": 0,
            "backlog_max": 1,
            "backlog_end": 0,
            "lag_p50_us": 1,
            "lag_p99_us": 50,
            "lag_max_us": 70,
        },
        "bounds": {"answer_timeout_s": 30.0},
        "steps": [
            {
                "from_s": 0.0,
                "to_s": 10.0,
                "rate": rate,
                "connections": 4,
                "ok": ok,
                "failed": 3,
                "p50_ms": 1.0,
                "p95_ms": 2.0,
                "p99_ms": p99,
                "max_ms": p99,
            }
        ],
        "search": None,
        "errors": [
            {
                "class": "refused",
                "code": "os111",
                "message": "Connection refused",
                "count": 2,
                "first_ms": ok,
                "last_ms": ok,
                "source": "load",
            }
        ],
        "statements": {"begin": ok},
        "ledger": {
            "writes": {"ok": 7, "failed": 0, "in_doubt": 1},
            "reads": {"ok": 3, "failed": 0},
            "skipped": 2,
        },
        "alongside": {"bank": {"transactions": {"ok": 1, "failed": 0, "in_doubt": 0}, "skipped": 4}},
        "probes": {"ok": 5, "failed": 1, "in_doubt": 0, "skipped": 0, "every_s": 0.01},
        "client": {
            "user_s": 0.5,
            "system_s": 0.25,
            "wall_s": 10.0,
            "limit": None,
            "limits": [],
            "bottleneck": False,
        },
        "endpoints": {"10.99.0.11:5432": {"connects": 4, "ok": ok, "tls": None}},
        **more,
    }


def test_counts_are_sums_and_percentiles_are_not_made_up() -> None:
    result = together(ann=_load(100, 8.0), bob=_load(300, 20.0))
    assert result.document["transactions"] == {"ok": 400, "failed": 2, "in_doubt": 4}
    assert (result.connections, result.retries, result.duration_s) == (8, 6, 10.3)
    assert (result.document["ledger"]["writes"]["ok"], result.document["ledger"]["skipped"]) == (14, 4)
    assert result.document["alongside"]["bank"] == {
        "transactions": {"ok": 2, "failed": 0, "in_doubt": 0},
        "skipped": 8,
    }
    assert (result.document["probes"]["ok"], result.document["probes"]["every_s"]) == (10, 0.01)
    assert result.document["endpoints"]["10.99.0.11:5432"]["ok"] == 400
    (type_,) = result.types or ()
    assert (type_.name, type_.ok, type_.retries) == ("rw", 400, 6)
    connects = result.connects
    assert connects is not None
    assert (connects.ok, connects.timed_out, connects.p99_ms, connects.max_ms) == (8, 2, None, 20.0)
    (step,) = result.steps
    assert (step.ok, step.connections, step.p99_ms, step.max_ms) == (400, 8, None, 20.0)
    (error,) = errors_of(result)
    assert error.count == 4
    assert result.document["errors"][0]["first_ms"] == 100
    assert result.document["errors"][0]["last_ms"] == 300


def test_work_is_done_when_the_last_client_has_done_its_own() -> None:
    def part(done: int, start: float, end: float, **more: Any) -> dict[str, Any]:
        work = {"transactions": 30, "each": None, "from_s": start, "to_s": end}
        return _load(
            done,
            1.0,
            done=done,
            completed=done == 30,
            cut=done != 30,
            total_s=end - start,
            work={**work, **more},
        )

    done = together(ann=part(30, 2.0, 9.5), bob=part(30, 2.001, 12.0))
    assert done.work is not None
    assert (done.work.done, done.work.completed, done.work.total_s) == (60, True, 10.0)
    assert done.document["cut"] is False
    assert done.document["work"] == {"transactions": 60, "each": None, "from_s": 2.0, "to_s": 12.0}
    assert together(ann=part(30, 2.0, 9.5), bob=part(7, 2.0, 12.0)).document["cut"]
    assert "total_s" not in together(ann=part(30, 2.0, 9.5), bob=_load(5, 1.0)).document


def test_offered_rates_add_up_unless_one_is_closed() -> None:
    both = together(ann=_load(1, 1.0, 50.0), bob=_load(1, 1.0, 25.0))
    assert offered_rate(both.schedule, both.steps, 0, 10_000) == 75.0
    mixed = together(ann=_load(1, 1.0, 50.0), bob=_load(1, 1.0))
    assert offered_rate(mixed.schedule, mixed.steps, 0, 10_000) is None


def _stepping(border: float, rate: float = 10.0, **more: Any) -> dict[str, Any]:
    steps = [
        {"from_s": 0.0, "to_s": border, "rate": rate, "connections": 4, "ok": 40, "failed": 0, "max_ms": 3.0},
        {
            "from_s": border,
            "to_s": 10.0 + border / 9,
            "rate": 2 * rate,
            "connections": 4,
            "ok": 120,
            "failed": 1,
            "max_ms": 9.0,
        },
    ]
    return _load(160, 2.0, rate, steps=steps, **more)


def test_steps_that_begin_together_add_up() -> None:
    result = together(ann=_stepping(4.0), bob=_stepping(4.012, 30.0))
    first, second = result.steps
    assert (first.ok, first.rate, second.ok, second.rate, second.failed) == (80, 40, 240, 80, 2)
    assert offered_rate(result.schedule, [first, second], 0, 4000) == 40


@pytest.mark.parametrize("other", [_load(5, 2.0, 1.0), _stepping(6.0), _load(5, 2.0, 1.0, steps=[])])
def test_steps_that_do_not_go_together_are_none_of_an_unknown_rate(other: dict[str, Any]) -> None:
    result = together(ann=other, bob=_stepping(4.0))
    assert result.steps == ()
    assert offered_rate(result.schedule, [], 0, 4000) is None


def test_rows_of_clients_that_end_at_different_times_are_of_the_time_of_all() -> None:
    def part(rows: int, seconds: float) -> dict[str, Any]:
        inserted = {"inserted": rows, "per_second": rows / seconds}
        return _load(1, 1.0) | {"duration_s": seconds, "rows": inserted}

    result = together(ann=part(1000, 10.0), bob=part(1000, 40.0)).rows
    assert result is not None and result.per_second == 50.0


def test_the_share_of_work_that_was_cut_is_known_however_it_was_asked_for() -> None:
    def part(done: int, **requested: Any) -> dict[str, Any]:
        work = {"transactions": None, "each": None, "from_s": 2.0, "to_s": 12.0, **requested}
        return _load(1, 1.0, done=done, completed=False, cut=True, total_s=10.0, work=work)

    def share(*parts: dict[str, Any]) -> float | None:
        found = together(**dict(zip(("ann", "bob"), parts, strict=True))).work
        assert found is not None
        return found.share

    assert share(part(40, each=25), part(20, each=50)) == 60 / 300
    assert share(part(40, each=25), part(10, transactions=100)) == 50 / 200
    assert share(part(40, each=25), part(10)) is None


def test_who_was_the_limit_is_named() -> None:
    limited = {
        "limit": "its core was busy",
        "limits": [{"kind": "busy", "text": "its core was busy"}],
        "bottleneck": True,
        "user_s": 9.0,
    }
    result = together(ann=_load(1, 1.0), bob=_load(1, 1.0, client=limited))
    assert bottleneck(result) == bottleneck(result, watched=True) == "bob: its core was busy"
    assert result.document["client"]["user_s"] == 9.5
    assert bottleneck(together(ann=_load(1, 1.0), bob=_load(1, 1.0))) == ""
