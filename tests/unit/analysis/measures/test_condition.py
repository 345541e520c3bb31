"""Parse conditions; errors say what to write instead."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.measures.condition import EXAMPLES, NEVER, parse_requirement
from fivenines.analysis.measures.entries.resources import counter_parts
from fivenines.analysis.measures.measures import MEASURES, measure_named


@pytest.mark.parametrize(
    ("text", "measure", "relation", "limit", "percentile"),
    [
        ("outage_writes<10s", "outage_writes", "<", 10_000.0, None),
        ("  outage_writes  <  1m30s ", "outage_writes", "<", 90_000.0, None),
        ("failover p95 <= 8s", "failover", "<=", 8000.0, 0.95),
        ("tps >= 500", "tps", ">=", 500.0, None),
        ("lost = 0", "lost", "=", NEVER, None),
        ("lost == 0", "lost", "=", NEVER, None),
        ("lost <= 0%", "lost", "=", NEVER, None),
        ("stale <= 5%", "stale", "<=", 0.05, None),
        ("hosts <= 3", "hosts", "<=", 3.0, None),
        ("cost < 0.75", "cost", "<", 0.75, None),
        ("counter:Com_commit/s p95 < 900", "counter:Com_commit/s", "<", 900.0, 0.95),
        (
            "counter:pg_stat_activity.state.idle in transaction < 3",
            "counter:pg_stat_activity.state.idle in transaction",
            "<",
            3.0,
            None,
        ),
        ("cov_in_time < 20%", "cov_in_time", "<", 0.2, None),
        ("last_quarter >= 0.9", "last_quarter", ">=", 0.9, None),
        ("memory:node <= 900 MB", "memory:node", "<=", 900.0, None),
        ("phase:catch_up < 3s", "phase:catch_up", "<", 3000.0, None),
    ],
)
def test_parse_a_condition(
    text: str, measure: str, relation: str, limit: float, percentile: float | None
) -> None:
    requirement = parse_requirement(text)
    assert (requirement.measure.name, requirement.relation, requirement.limit) == (measure, relation, limit)
    assert requirement.percentile == percentile


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quick", "is not a condition: write a measure, a relation and a limit, as in outage_writes < 10s"),
        ("outage_write < 3s", "no measure 'outage_write'; did you mean 'outage_writes'"),
        ("speed > 3", "no measure 'speed': there are tps, "),
        ("outage_writes < 3", "'3' is not a duration"),
        ("tps = 5", "write <= or >="),
        ("tps >= 10%", "tps is not a percentage: write a number"),
        ("tps >= many", "'many' is not a number"),
        ("tps >= inf", "'inf' is not a limit"),
        ("lost = 3", "write `lost = 0`, or a share of trials, as in `lost <= 5%`"),
        ("lost >= 5%", "less of lost is better: write <="),
        ("failover > 5s", "less of failover is better: write <="),
        ("lost = 5%", "write <= for a share of trials"),
        ("lost <= 101%", "at most 100%"),
        ("lost p95 = 0", "has no percentiles"),
        ("hosts p50 < 3", "has no percentiles"),
        ("counter:Com_commit/sec < 3", "write per second (/s) or per transaction (/transaction)"),
        ("counter: < 3", "is not a measure: write counter:NAME/s"),
        ("countr:Com_commit/s < 3", "did you mean 'counter:Com_commit/s'?"),
        ("phase:rout < 3s", "did you mean 'phase:route'?"),
        ("host_cpu:2 < 3", "names no host"),
        ("memory < 3GB", "'3GB' is not a number"),
    ],
)
def test_an_invalid_condition_is_refused_with_advice(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_requirement(text)


@pytest.mark.parametrize("text", EXAMPLES.split(", "))
def test_the_examples_are_conditions_that_read_back(text: str) -> None:
    assert parse_requirement(parse_requirement(text).text) == parse_requirement(text)


@given(st.text(max_size=40))
def test_any_text_is_parsed_or_refused_with_a_message(text: str) -> None:
    try:
        assert parse_requirement(text).measure.name in MEASURES
    except ValueError as error:
        assert str(error)


@given(
    st.sampled_from(["counter:{}/s", "counter:{}/transaction", "counter:{}"]),
    st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,30}", fullmatch=True),
)
def test_any_counter_can_be_named(form: str, name: str) -> None:
    measure = measure_named(form.format(name))
    assert counter_parts(measure.name.partition(":")[2])[0] == name
    assert measure.more is None and measure.valued
    assert parse_requirement(f"{measure.name} <= 3").measure == measure
