"""Several workloads at once."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.experiment.validation.checks import problems
from fivenines.load.workloads.invariant import Tally
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.tpcc import Tpcc


def mix(*parts: Any) -> Mix:
    return Mix(workload="mix", parts=list(parts))


TWO = mix({"weight": 3, "workload": {"workload": "tpcc", "warehouses": 2}}, {"workload": "oltp_read_only"})


def test_each_part_is_named_with_its_weight() -> None:
    assert TWO.document() == {
        "workload": "mix",
        "parts": [
            {"weight": 3, "workload": Tpcc(workload="tpcc", warehouses=2).document()},
            {"weight": 1, "workload": Oltp(workload="oltp_read_only").document()},
        ],
    }


def test_all_data_sets_are_loaded_and_reported_apart() -> None:
    assert TWO.prepares() == [Tpcc(workload="tpcc", warehouses=2), Oltp(workload="oltp_read_only")]
    assert TWO.data_set() == {
        "family": "mix",
        "tpcc": 1,
        "tpcc.warehouses": 2,
        "tpcc.foreign_keys": False,
        "oltp": 1,
        "oltp.tables": 4,
        "oltp.table_size": 10_000,
        "oltp.auto_inc": True,
        "oltp.secondary_indexes": 1,
        "oltp.secondary": False,
    }
    reads = mix({"workload": "oltp_read_only"}, {"workload": "oltp_insert"})
    assert len(reads.prepares()) == 1


def test_every_script_of_a_mix_has_its_own_data(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.lua").write_text(f"function prepare() print('{name}') end")

    def of(*names: str) -> Mix:
        parts = [{"workload": {"workload": "script", "files": [f"{name}.lua"]}} for name in names]
        return mix(*parts).located(tmp_path)

    assert [one.document()["files"][0]["path"] for one in of("a", "b").prepares()] == [
        f"{tmp_path}/a.lua",
        f"{tmp_path}/b.lua",
    ]
    assert of("a", "b").data_set() != of("c", "b").data_set()
    assert of("a", "b").data_set() != of("a", "c").data_set()


def test_the_invariants_of_all_parts_are_checked() -> None:
    mixed, alone = TWO.invariants(), Tpcc(workload="tpcc").invariants()
    assert [check.name for check in mixed] == [check.name for check in alone]


def test_types_of_equal_names_are_distinguished_by_their_workload() -> None:
    tallies = {check.name: check for check in TWO.invariants() if isinstance(check, Tally)}
    orders = tallies["orders: loaded + new orders"]
    assert orders.expected(10, {"new_order": (3, 1)}) == (13, 14)
    assert orders.expected(10, {"tpcc.new_order": (3, 1), "other.new_order": (7, 7)}) == (13, 14)


def test_parts_of_one_family_share_their_tables_and_nothing_else() -> None:
    clash = mix({"workload": {"workload": "oltp_read_only", "tables": 2}}, {"workload": "oltp_insert"})
    assert problems(clash) == [
        "parts[0] and parts[1]: workloads of one family share their tables, but tables differs"
    ]
    assert problems(TWO) == []
    skipping = {"workload": {"workload": "oltp_read_only", "skip_trx": True}}
    assert problems(mix(skipping, {"workload": "oltp_insert"})) == []


def test_a_mistake_in_a_part_is_reported_with_its_place() -> None:
    wrong = mix({"workload": "oltp_insert"}, {"workload": {"workload": "tatp", "mix": "1,2"}})
    (problem,) = problems(wrong)
    assert problem.startswith("parts[1]: mix: write 7 percentages")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [("tpcc", "tpcc", "both are tpcc"), ("bulkload", "tatp", "a workload that ends by itself")],
)
def test_what_cannot_be_mixed(first: str, second: str, said: str) -> None:
    found = problems(mix({"workload": first}, {"workload": second}))
    assert len(found) == 1 and said in found[0]


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"workload": "tpcc"}],
        [{"workload": "tpcc"}, {"workload": "mix"}],
        [{"workload": "tpcc"}, {"workload": "tatp", "weight": 0}],
    ],
)
def test_what_is_no_mix_is_refused(parts: list[Any]) -> None:
    with pytest.raises(ValidationError):
        mix(*parts)
