"""The section `ledger:`: its flags, and what cannot run alongside a load."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fivenines.base.errors import UsageError
from fivenines.experiment.sections.ledger import LedgerSettings
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import AnyWorkload
from fivenines.load.workloads.append import Append
from fivenines.load.workloads.bank import Bank
from fivenines.load.workloads.registers import Registers


def _ledger(**settings: Any) -> LedgerSettings:
    return LedgerSettings.model_validate(settings)


LEDGER = ["--ledger-rate=100", "--ledger-clients=4", "--ledger-read-rate=100"]
PROBES = ["--probe-every=10ms", "--probe-calm=500ms", "--probe-timeout=2s"]


def test_the_defaults_need_few_flags_and_no_rule() -> None:
    ledger = _ledger()
    assert ledger.flags() == [*LEDGER, *PROBES]
    assert ledger.invariants() == []


def test_fresh_connections_are_tried_often_from_the_fault_on() -> None:
    assert _ledger().flags(fault_at=13.0) == [*LEDGER, *PROBES, "--probe-dense-from=13s"]
    slower = _ledger(probe={"every": 0.05, "calm": 1.0, "timeout": 3.0})
    assert slower.flags()[3:] == ["--probe-every=50ms", "--probe-calm=1s", "--probe-timeout=3s"]
    assert _ledger(probe={"every": 0.0}).flags(fault_at=13.0) == LEDGER
    assert not any("probe" in flag for flag in _ledger(rate=0).flags(13.0)), "without a ledger"


def test_servers_that_bear_fewer_connections_are_tried_less_often_unless_it_is_reported() -> None:
    assert "--probe-every=250ms" in _ledger().flags(13.0, at_most_every=0.25)
    assert "--probe-every=10ms" in _ledger().flags(13.0, at_most_every=0.001)
    message = _ledger(probe={"every": 0.02})
    assert "--probe-every=20ms" in message.flags(13.0, at_most_every=0.25)


def test_what_runs_alongside_the_load_has_its_flags() -> None:
    ledger = _ledger(
        rate=0.5,
        bank={"rate": 20, "accounts": 3},
        append={"rate": 2.5, "isolation": "serializable"},
        registers={"rate": 7, "keys": 2},
    )
    flags = ledger.flags()
    assert flags[0] == "--ledger-rate=0.5"
    messages = [flag.removeprefix("--alongside=") for flag in flags if flag.startswith("--alongside=")]
    bank, append, registers = (json.loads(text) for text in messages)
    assert (bank["rate"], append["rate"], registers["rate"]) == (20, 2.5, 7)
    assert bank["workload"] == Bank(workload="bank", accounts=3).document()
    assert append["workload"] == Append(workload="append", isolation="serializable").document()
    assert registers["workload"] == Registers(workload="registers", keys=2).document()
    (rule,) = ledger.invariants()
    assert "300 in all" in rule.name


@pytest.mark.parametrize(
    "settings",
    [
        {"rate": -1},
        {"clients": 0},
        {"clients": 65},
        {"bank": {"accounts": 1}},
        {"append": {"operations": 0}},
        {"append": {"isolation": "snapshot"}},
        {"registers": {"keys": 0}},
        {"registers": {"read_only": 100}},
        {"registers": {"isolation": "serializable"}},
        {"probe": 1},
        {"probe": {"every": -1}},
        {"probe": {"calm": 0}},
        {"probe": {"timeout": 0.001}},
    ],
)
def test_what_is_out_of_range_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        _ledger(**settings)


def test_a_workload_does_not_run_alongside_itself() -> None:
    def workload(**settings: Any) -> Any:
        return TypeAdapter(AnyWorkload).validate_python(settings)

    bank = workload(workload="bank")
    parts = [{"workload": {"workload": "bank"}}, {"workload": {"workload": "tatp"}}]
    mix = workload(workload="mix", parts=parts)
    ledger = _ledger(bank={"rate": 1})
    assert "set its rate to 0" in ledger.problems_with(bank)[0]
    assert ledger.problems_with(mix)
    assert _ledger().problems_with(bank) == []
    assert _ledger(append={"rate": 1}).problems_with(bank) == []
    assert _ledger(registers={"rate": 1}).problems_with(workload(workload="registers"))


def test_the_file_is_reported_where_it_is_wrong() -> None:
    text = (
        "name: twice\nsolutions: [standalone]\nworkloads: [{workload: append}]\nledger: {append: {rate: 5}}\n"
    )
    with pytest.raises(UsageError, match=r"workloads\[0\]: ledger\.append cannot run alongside a load"):
        parse_experiment(text, "twice.yaml")
