"""Prometheus metrics of a load without a server: what a scrape gets agrees with the result."""

import socket
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from fivenines.base.errors import FiveninesError
from fivenines.load.bench.generator import Second, run
from fivenines.load.bench.metrics import LoadCollector, offered
from fivenines.load.bench.plan import Bench
from fivenines.load.dsn import NOOP, parse_dsn
from fivenines.load.workloads.mix import Mix, Part
from fivenines.load.workloads.oltp import Oltp

MIX = Mix(
    workload="mix",
    parts=[Part(workload=Oltp(workload="oltp_read_only")), Part(workload=Oltp(workload="oltp_point_select"))],
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def scraped(url: str) -> dict[tuple[str, str], float]:
    """Values by name and by the label that tells them apart."""
    with urllib.request.urlopen(url, timeout=5) as answer:
        text = answer.read().decode()
    return {
        (sample.name, sample.labels.get("outcome") or sample.labels.get("type") or ""): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_bucket") or sample.labels["le"] == "+Inf"
    }


def test_a_scrape_gets_what_the_load_has_done(tmp_path: Path) -> None:
    collector = LoadCollector(tmp_path, {"workload": "mix"})
    answers: list[dict[tuple[str, str], float]] = []
    with offered(collector, "127.0.0.1", free_port()) as url:

        def listen(second: Second) -> None:
            collector.feed(second)
            answers.append(scraped(url))

        ended = run(Bench(parse_dsn(NOOP), MIX, seconds=3.2), tmp_path, listen)
        final = scraped(url)
    first, last = answers[0], answers[-1]
    done = ended.record.transactions.ok
    ok = ("fivenines_transactions_total", "ok")
    # the last look may come so late that nothing is done after it
    assert 0 <= first[ok] < last[ok] <= final[ok] == done
    assert 0 < last["fivenines_queries_total", ""] <= ended.record.queries * 1.01
    assert last["fivenines_connections", ""] == 8
    count = "fivenines_transaction_seconds_count"
    assert 0 < last[count, "all"] <= final[count, "all"] == done
    assert final[count, "oltp_read_only"] + final[count, "oltp_point_select"] == done
    assert final["fivenines_transaction_seconds_bucket", "all"] == done
    assert final["fivenines_transaction_seconds_sum", "all"] > 0


def test_an_open_loop_has_its_rate_and_backlog(tmp_path: Path) -> None:
    collector = LoadCollector(tmp_path, {"workload": "w"})
    with offered(collector, "127.0.0.1", free_port()) as url:
        assert scraped(url)["fivenines_transactions_total", "ok"] == 0
        collector.feed(Second(1.0, 5.0, 9.0, 2.5, 3, 1, 4))
        closed = scraped(url)
        collector.feed(Second(3.0, 5.0, 9.0, 2.5, 3, 1, 4, offered=10, backlog=7))
        found = scraped(url)
    assert ("fivenines_backlog", "") not in closed
    assert found["fivenines_transactions_total", "in_doubt"] == 1
    assert found["fivenines_errors_total", ""] == 3
    assert found["fivenines_queries_total", ""] == 27
    assert found["fivenines_backlog", ""] == 7
    assert found["fivenines_offered_rate", ""] == 10
    assert found["fivenines_transaction_p95_seconds", ""] == 0.0025


def test_a_port_in_use_is_one_message(tmp_path: Path) -> None:
    collector = LoadCollector(tmp_path, {})
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with (
            pytest.raises(FiveninesError, match=f"listen on port {port}: it is in use"),
            offered(collector, "127.0.0.1", port),
        ):
            pass
