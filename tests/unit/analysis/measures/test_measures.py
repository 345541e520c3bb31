"""The list of measures: each entry is whole, and can be copied to another process."""

import copy
import pickle
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.analysis.measures.measures import FAMILIES, MEASURES, measure_named, noun, title
from fivenines.analysis.performance.clients import OF_A_CLIENT
from fivenines.analysis.performance.latency import Latency
from fivenines.analysis.trial_figures import TypeMeasure
from fivenines.results.load_parts import TypeCounts

MEMBERS = (
    "counter:Com_commit/s",
    "counter:Threads_running",
    "host_cpu:primary",
    "memory:node1",
    "spread:pay",
)


@pytest.mark.parametrize("name", [*MEASURES, *MEMBERS])
def test_a_measure_is_computed_by_its_kind(name: str) -> None:
    measure = MEASURES[name]
    if measure.kind == "estimate":
        assert (measure.value, measure.seen, measure.number) == (None, None, None), "of all trials together"
        return
    ways = {"event": measure.seen, "number": measure.number}
    assert ways.get(measure.kind, measure.value) is not None
    assert sum(way is not None for way in (measure.value, measure.seen, measure.number)) == 1
    assert not measure.never or measure.kind == "event"


def test_values_and_events_are_those_of_the_list() -> None:
    assert set(VALUES) == {name for name, measure in MEASURES.items() if measure.valued}
    assert set(EVENTS) == {name for name, measure in MEASURES.items() if measure.kind == "event"}
    assert list(VALUES)[:3] == ["tps", "qps", "latency_mean"]
    assert list(EVENTS)[:5] == ["lost", "phantom", "duplicate", "stale", "not_recovered"]
    with pytest.raises(KeyError):
        VALUES["lost"]


@pytest.mark.parametrize("field", ["name", "title", "noun", "column"])
def test_no_two_measures_have_the_same_name(field: str) -> None:
    names = [getattr(measure, field) for measure in MEASURES.values()]
    repeated = {name for name in names if names.count(name) > 1}
    # The share of stale reads and the event have different titles.
    assert repeated <= {noun("stale")}


def test_columns_have_names_that_sql_does_not_quote() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", measure.column) for measure in MEASURES.values())
    assert (MEASURES["phase:detect"].column, MEASURES["tps"].column) == ("phase_detect_ms", "tps")


@pytest.mark.parametrize("name", ["tps", "lost", "hosts", "phase:route", *MEMBERS])
def test_a_measure_is_copied_by_its_name(name: str) -> None:
    measure = MEASURES[name]
    assert pickle.loads(pickle.dumps(measure)) == copy.deepcopy(measure) == measure


def test_members_of_a_family_are_read_together_as_the_whole_is() -> None:
    for stem in ("host_cpu", "memory"):
        member = FAMILIES[stem].read("node1")
        assert member.steady and MEASURES[stem].steady
        assert (member.unit, member.more, member.source) == (
            MEASURES[stem].unit,
            MEASURES[stem].more,
            MEASURES[stem].source,
        )


def test_words_of_a_measure_are_found_by_its_name() -> None:
    assert (title("outage_writes"), noun("outage_writes")) == ("Outage, writes", "outage of writes")
    assert [MEASURES[name].unit_in_words for name in ("tps", "qps", "memory")] == [
        "transactions per second",
        "1/s",
        "MB",
    ]
    with pytest.raises(KeyError):
        title("nonesuch")


def test_measures_of_a_client_are_those_of_its_load() -> None:
    assert (
        *("tps", "latency_mean", "latency_p50", "latency_p95", "latency_p99"),
        *("outage_writes", "outage_reads"),
    ) == OF_A_CLIENT


def test_names_of_measures_do_not_need_the_analysis() -> None:
    code = "import sys, fivenines.analysis.measures.measures; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_spread_of_a_type_is_that_of_its_own_response_times() -> None:
    counts = TypeCounts(name="pay", ok=9)
    slow = Latency(9, 1.0, 20.0, 10.0, 30.0, 40.0, 50.0, 50.0, 50.0, 50.0)
    trial: Any = SimpleNamespace(types=[TypeMeasure(counts, slow, 1.0), TypeMeasure(_OTHER, None, 1.0)])
    value = MEASURES["spread:pay"].value
    assert value is not None and value(trial) == (4.0, False)
    for name in ("spread:rest", "spread:unknown"):
        value = MEASURES[name].value
        assert value is not None and value(trial) is None
    with pytest.raises(ValueError, match="names no type of transaction"):
        measure_named("spread:a b")


_OTHER = TypeCounts(name="rest")
