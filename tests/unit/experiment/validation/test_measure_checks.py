"""Counters that an experiment names are those that its servers have, and that are observed."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment

MARIADB = """\
name: x
solutions: [{solution: standalone, engine: mariadb-10.11}]
workloads: [oltp_read_write]
"""


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (
            "decide: {requirements: ['counter:Handler_wirte/s < 5']}\n",
            "x.yaml:4:25: decide.requirements[0]: no server of this experiment has a counter "
            "'Handler_wirte'; did you "
            "mean 'Handler_write'?",
        ),
        (
            "thresholds: ['counter:pg_stat_database.xact_commit/s >= 5']\n",
            "x.yaml:4:14: thresholds[0]: no server of this experiment has a counter",
        ),
        (
            "observe: {counters: [Innodb_*]}\nthresholds: ['counter:Com_commit/s >= 5']\n",
            "x.yaml:5:14: thresholds[0]: the counter Com_commit is not observed: add it to "
            "`observe.counters`",
        ),
        (
            "trials: {until: {measure: counter:Handler_wirte/s, within: 10%}}\n",
            "no server of this experiment has a counter 'Handler_wirte'; did you mean 'Handler_write'?",
        ),
        (
            "decide: {prefer: [host_cpu]}\n",
            "host_cpu cannot be a preference, as neither more nor less of it is better: write a condition",
        ),
        ("decide: {prefer: ['counter:Com_commit/s']}\n", "counter:Com_commit/s cannot be a preference"),
        ("decide: {requirements: [reported_lag_mx < 2s]}\n", "did you mean 'reported_lag_max'?"),
    ],
)
def test_what_no_trial_will_have_is_reported_with_its_place(section: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_experiment(MARIADB + section, "x.yaml")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "requirement",
    [
        "counter:Handler_write/transaction < 9",
        "counter:Com_create_table/s <= 0",
        "counter:Threads_running < 90",
        "host_cpu:node <= 2 cores",
        "memory <= 900 MB",
        "cov_in_time < 20%",
        "phase:route < 3s",
        "reported_lag_max p95 < 2s",
        "stale_share <= 1%",
        "wire_bytes_per_transaction < 5000 B",
    ],
)
def test_all_kinds_of_measures_are_needs(requirement: str) -> None:
    found = parse_experiment(f"{MARIADB}decide: {{requirements: ['{requirement}']}}\n", "x.yaml")
    assert found.decide.requirements[0].text == requirement
    again = parse_experiment(f"{MARIADB}thresholds: ['standalone: {requirement}']\n", "x.yaml")
    assert again.thresholds[0].requirement == found.decide.requirements[0]
