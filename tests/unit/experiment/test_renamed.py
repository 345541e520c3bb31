"""Old words of experiment files: read as today's, each with a hint at its place."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.errors import RenamedWarning, UsageError
from fivenines.experiment import renamed
from fivenines.experiment.source import fault_from, parse_experiment, parse_parts

HEAD = """\
name: words
solutions: [{solution: standalone, engine: postgres-18}]
workloads: [oltp_read_write]
timing: {recovery: 90s}
"""
OLD = """\
faults:
  - slow_disk
  - {fault: repeat, of: full_disk}
  - {fault: sequence, steps: [{fault: long_transaction}, {at: 9s, fault: {fault: connection_storm}}]}
  - {fault: command, strike: "true", mend: "false"}
ledger: {lists: {rate: 10}}
availability: {mtbf: {slow_disk: 90d}}
"""
NEW = """\
faults:
  - slow-disk
  - {fault: repeat, of: full-disk}
  - {fault: sequence, steps: [{fault: long-transaction}, {at: 9s, fault: {fault: connection-storm}}]}
  - {fault: command, inject: "true", recover: "false"}
ledger: {append: {rate: 10}}
availability: {mtbf: {slow-disk: 90d}}
"""


def test_an_old_file_is_todays_experiment_and_each_old_word_has_a_hint() -> None:
    with pytest.warns(RenamedWarning) as said:
        old = parse_experiment(HEAD + OLD, "old.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old == parse_experiment(HEAD + NEW, "new.yaml")
    hints = [str(one.message).split(" is called ") for one in said]
    assert [place for place, _ in hints] == [
        "old.yaml:6:5: `slow_disk`",
        "old.yaml:7:25: `full_disk`",
        "old.yaml:8:39: `long_transaction`",
        "old.yaml:8:82: `connection_storm`",
        "old.yaml:9:22: `strike`",
        "old.yaml:9:38: `mend`",
        "old.yaml:10:10: `lists`",
        "old.yaml:11:23: `slow_disk`",
    ]
    assert hints[5][1] == "`recover` now; the old word is read by this version only"


@pytest.mark.filterwarnings("ignore::fivenines.errors.RenamedWarning")
def test_a_mistake_below_an_old_word_is_told_at_its_place() -> None:
    text = HEAD + "faults: [{fault: command, strike: 7}]\nledger: {lists: {rate: many}}\n"
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "old.yaml")
    assert "old.yaml:5:35: faults[0].inject: found 7" in str(refused.value)
    assert "old.yaml:6:24: ledger.append.rate" in str(refused.value)


@pytest.mark.filterwarnings("ignore::fivenines.errors.RenamedWarning")
def test_who_writes_both_words_is_told_that_one_is_unknown() -> None:
    text = HEAD + "ledger: {lists: {rate: 1}, append: {rate: 2}}\n"
    with pytest.raises(UsageError, match=r"unknown key 'lists' in ledger"):
        parse_experiment(text, "both.yaml")


def test_a_fault_of_a_command_line_may_have_its_old_name() -> None:
    with pytest.warns(RenamedWarning, match="inject: `stalled_replica` is called"):
        assert fault_from({"fault": "stalled_replica"}, "inject").fault == "stalled-replica"


WORDS = st.sampled_from(
    ["faults", "fault", "steps", "of", "command", "strike", "inject", "slow_disk", "ledger", "lists", "x"]
)
DATA = st.recursive(
    WORDS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
)


@given(DATA)
def test_what_was_said_of_is_what_was_changed(data: Any) -> None:
    today, words = renamed.today(data)
    assert (today == data) == (not words)
    assert renamed.today(today) == (today, [])


def test_no_example_uses_an_old_word() -> None:
    for path in sorted((Path(__file__).parents[3] / "examples").glob("*.yaml")):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RenamedWarning)
            parse_parts(path.read_text(), str(path))
