"""Prometheus metrics of a campaign."""

from cli_support import SMALL, record
from prometheus_client import CollectorRegistry, generate_latest

from fivenines.campaign.metrics import RunCollector
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.trial.progress import (
    CampaignStarted,
    Figures,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialStarted,
)


def _scraped(collector: RunCollector) -> dict[str, float]:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    lines = generate_latest(registry).decode().splitlines()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_counters_grow_over_trials_and_gauges_are_of_the_one_that_runs() -> None:
    trial = plan(parse_experiment(SMALL, "small.yaml"))[0]
    collector = RunCollector("small")
    assert "fivenines_trials_planned" in _scraped(collector)
    labels = f'solution="{trial.cell.key.solution}",workload="oltp_read_only"'
    cell = 'connections="8",fault="none",network="lan",{}' + labels
    for number in (1, 2):
        collector(CampaignStarted(2, 50.0))
        collector(TrialStarted(trial, number))
        collector(TrialLive(trial.id, 1.0, 100.0, 2000.0, 0, 12.0, ok=100, failed=1, connected=8))
        collector(TrialLive(trial.id, 2.0, 50.0, 1000.0, 0, 15.0, ok=150, failed=1, connected=7))
        collector(TrialEvent(trial.id, 1500.0, "fault", "node1", "kill"))
        live = _scraped(collector)
        assert live["fivenines_transaction_p95_seconds"] == 0.015
        assert live["fivenines_connections"] == 7
        assert live["fivenines_transactions_total{" + cell.format('outcome="ok",') + "}"] == 150 * number
        collector(TrialFinished(record(trial.id), Figures(120.0, 3200.0, True, 0)))
    over = _scraped(collector)
    assert "fivenines_transaction_rate" not in over
    plain = "{" + cell.format("") + "}"
    assert over["fivenines_trials_total" + plain] == 2
    assert over["fivenines_faults_total" + plain] == 2
    assert over["fivenines_last_outage_seconds" + plain] == 3.2
    assert over["fivenines_last_lost_rows" + plain] == 0
