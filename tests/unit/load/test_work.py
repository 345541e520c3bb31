"""Fixed work: its form in files, in manifests and in the load generator's flags."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.experiment.defaults import as_dict
from fivenines.experiment.source import parse_experiment
from fivenines.load.work import MOST, WorkSettings

FILE = "name: x\nsolutions: [standalone]\nworkloads: [tpcc]\n"


def asked(load: str, more: str = "") -> Any:
    return parse_experiment(f"{FILE}load: {load}\n{more}", "x.yaml").load.transactions


def test_work_is_a_number_or_of_each() -> None:
    assert asked("{transactions: 500}") == WorkSettings(together=500)
    assert asked("{transactions: {each: 20}}") == WorkSettings(each=20)
    assert asked("{}") is None


@given(st.integers(1, MOST), st.booleans())
def test_what_a_run_keeps_is_what_was_written(count: int, of_each: bool) -> None:
    written = f"{{each: {count}}}" if of_each else f"{count}"
    experiment = parse_experiment(f"{FILE}load: {{transactions: {written}}}\n", "x.yaml")
    kept = as_dict(experiment)["load"]["transactions"]
    assert kept == ({"each": count} if of_each else count)


@pytest.mark.parametrize("written", ["0", "-5", "1.5", "many", "true", "{each: 0}", "{all: 5}", "[5]"])
def test_other_words_are_refused_with_what_is_allowed(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked(f"{{transactions: {written}}}")
    assert "load.transactions" in str(refused.value), refused.value


def test_a_warm_up_comes_before_the_work() -> None:
    assert WorkSettings(together=5).flags(0.0) == ["--transactions", "5"]
    assert WorkSettings(each=5).flags(1.5) == ["--transactions-each", "5", "--work-after", "1.5s"]
