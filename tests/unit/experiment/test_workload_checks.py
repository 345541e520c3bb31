"""A level of isolation that a solution does not give is refused, with its place; nobody is told another
one's figures."""

import pytest

from fivenines.errors import UsageError
from fivenines.experiment.source import parse_experiment

NDB = "name: x\nsolutions: [{solution: ndb}]\n"


@pytest.mark.parametrize(
    "text",
    [
        "workloads: [{workload: bank, isolation: serializable}]\n",
        "workloads: [{workload: append, isolation: repeatable_read}]\n",
        "workloads: [{workload: mix, parts: [{workload: {workload: bank, isolation: serializable}}, "
        "{workload: {workload: oltp_read_write}}]}]\n",
        "workloads: [oltp_read_write]\nledger: {append: {rate: 5, isolation: serializable}}\n",
    ],
)
def test_what_ndb_does_not_give_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_experiment(NDB + text, "x.yaml")
    assert "isolation: 'ndb 2+2' runs every transaction at read_committed" in str(refused.value)
    # and every other solution takes it
    parse_experiment(text.join(("name: x\nsolutions: [{solution: galera}]\n", "")), "x.yaml")


@pytest.mark.parametrize("level", ["server", "read_committed"])
def test_what_it_gives_is_taken(level: str) -> None:
    parse_experiment(f"{NDB}workloads: [{{workload: bank, isolation: {level}}}]\n", "x.yaml")


def test_rows_that_ndb_cannot_number_are_refused() -> None:
    text = "workloads: [{workload: oltp_read_write, secondary: true}]\n"
    with pytest.raises(UsageError, match="NDB numbers rows by the primary key alone"):
        parse_experiment(NDB + text, "x.yaml")
    parse_experiment(NDB + text.replace("true", "true, auto_inc: false"), "x.yaml")
