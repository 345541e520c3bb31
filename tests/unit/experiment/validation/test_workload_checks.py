"""A level of isolation that a solution does not give is refused, with its place; no message names another
one's figures."""

import pytest

from fivenines.base.errors import UsageError
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
    assert "isolation: 'ndb 2+2' supports only read_committed" in str(refused.value)
    # and every other solution takes it
    parse_experiment(text.join(("name: x\nsolutions: [{solution: galera}]\n", "")), "x.yaml")


@pytest.mark.parametrize("level", ["server", "read_committed"])
def test_what_it_gives_is_taken(level: str) -> None:
    parse_experiment(f"{NDB}workloads: [{{workload: bank, isolation: {level}}}]\n", "x.yaml")


def test_rows_that_ndb_cannot_number_are_refused() -> None:
    text = "workloads: [{workload: oltp_read_write, secondary: true}]\n"
    with pytest.raises(UsageError, match="NDB numbers rows only in the primary key"):
        parse_experiment(NDB + text, "x.yaml")
    parse_experiment(NDB + text.replace("true", "true, auto_inc: false"), "x.yaml")


GROUPS = ("group-replication", "innodb-cluster")


@pytest.mark.parametrize("solution", GROUPS)
@pytest.mark.parametrize(
    "workload",
    [
        "{workload: oltp_read_write, secondary: true}",
        "{workload: oltp_insert, secondary: true, auto_inc: false}",
        "{workload: mix, parts: [{workload: {workload: oltp_insert, secondary: true}}, "
        "{workload: {workload: bank}}]}",
    ],
)
def test_a_group_takes_no_table_without_a_primary_key(solution: str, workload: str) -> None:
    text = f"name: x\nsolutions: [{{solution: {solution}}}]\nworkloads:\n  - {workload}\n"
    with pytest.raises(UsageError, match=r"x\.yaml:4:5: .*takes no writes to a table without a"):
        parse_experiment(text, "x.yaml")
    parse_experiment(text.replace("secondary: true", "secondary: false"), "x.yaml")


def test_a_group_with_several_primaries_takes_no_serializable_transactions() -> None:
    text = (
        "name: x\nsolutions: [{{solution: group-replication, mode: {}}}]\n"
        "workloads: [{{workload: bank, isolation: serializable}}]\n"
    )
    with pytest.raises(UsageError, match="supports only read_committed or repeatable_read"):
        parse_experiment(text.format("multi-primary"), "x.yaml")
    parse_experiment(text.format("single-primary"), "x.yaml")
    given = text.replace("mode: {}", "mode: multi-primary, server: {{transaction-isolation: SERIALIZABLE}}")
    with pytest.raises(UsageError, match=r"server\.transaction-isolation: a group with several"):
        parse_experiment(given.format(), "x.yaml")


@pytest.mark.parametrize(
    ("engine", "setting"),
    [("mysql-9.7", "sql-require-primary-key"), ("mariadb-10.11", "innodb_force_primary_key")],
)
def test_servers_that_need_keys_get_no_table_without_one(engine: str, setting: str) -> None:
    text = (
        f"name: x\nsolutions: [{{solution: standalone, engine: {engine}, server: {{{setting}: true}}}}]\n"
        "workloads: [{workload: oltp_read_write, secondary: true}]\n"
    )
    with pytest.raises(
        UsageError, match=f"secondary: with server.{setting} each table must have a primary key"
    ):
        parse_experiment(text, "x.yaml")
    parse_experiment(text.replace(": true}}", ": false}}"), "x.yaml")


@pytest.mark.parametrize("workload", ["crud", "{workload: ingest, foreign_keys: true}"])
def test_a_group_with_several_primaries_takes_no_foreign_keys_that_cascade(workload: str) -> None:
    group = "{solution: group-replication, mode: multi-primary}"
    text = f"name: x\nsolutions: [{group}]\nworkloads: [{workload}]\n"
    with pytest.raises(UsageError, match="refuses cascading foreign keys"):
        parse_experiment(text, "x.yaml")
    parse_experiment(text.replace("multi-primary", "single-primary"), "x.yaml")


def test_a_key_that_the_server_makes_will_do() -> None:
    given = "{solution: group-replication, server: {sql-generate-invisible-primary-key: true}}"
    kind = "{workload: oltp_insert, secondary: true}"
    text = f"name: x\nsolutions: [{given}]\nworkloads: [{kind}]\n"
    with pytest.raises(UsageError, match="set auto_inc to false"):
        parse_experiment(text, "x.yaml")
    parse_experiment(text.replace("secondary: true", "secondary: true, auto_inc: false"), "x.yaml")
