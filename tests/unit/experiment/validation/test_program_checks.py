"""Programs that make the load: what sysbench cannot do is refused where it stands, the rest is spread."""

import re
from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.plan import cells
from fivenines.experiment.source import load_experiment, parse_experiment
from fivenines.experiment.spec import Experiment

GOOD = """\
name: two tools
solutions: [{solution: standalone, engine: postgres-18}]
workloads:
  - oltp_read_write
  - {workload: oltp_point_select, name: reads}
load: {program: [fivenines, sysbench]}
ledger: {rate: 0}
timing: {warmup: 2s, steady: 5s}
"""


def refusals(text: str) -> dict[str, str]:
    """What is wrong with a file, by line and column."""
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "f.yaml")
    lines = [line for line in str(refused.value).splitlines() if line.startswith("f.yaml:")]
    found = (re.match(r"f\.yaml:(\d+:\d+): (.*)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_each_program_measures_every_cell_under_a_name_that_is_separate() -> None:
    experiment = parse_experiment(GOOD, "f.yaml")
    assert [(one.name, one.program) for one in experiment.workloads] == [
        ("oltp_read_write", "fivenines"),
        ("oltp_read_write (sysbench)", "sysbench"),
        ("reads", "fivenines"),
        ("reads (sysbench)", "sysbench"),
    ]
    keys = [cell.key for cell in cells(experiment)]
    assert len(set(keys)) == len(keys) == 4
    ours, other = experiment.workloads[:2]
    # The same data, and no trace of the program in the document for fivenines-core.
    assert ours.data_set() == other.data_set()
    assert "program" not in ours.document()


def test_one_program_alone_has_its_name_too() -> None:
    experiment = parse_experiment(changed("[fivenines, sysbench]", "sysbench"), "f.yaml")
    assert [one.name for one in experiment.workloads] == ["oltp_read_write (sysbench)", "reads (sysbench)"]
    usual = parse_experiment(changed("load: {program: [fivenines, sysbench]}", "load: {}"), "f.yaml")
    assert [one.name for one in usual.workloads] == ["oltp_read_write", "reads"]


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("- oltp_read_write", "- tpcc", "4:5", "workloads[0].workload: sysbench does not support tpcc"),
        ("name: reads", "distribution: zipfian", "5:49", "does not support zipfian"),
        ("name: reads", f"name: {'x' * 55}", "5:5", "at most 60 characters"),
        ("name: reads", "name: oltp_read_write (sysbench)", "4:5", "another `name:`"),
        ("name: reads", "program: sysbench", "5:44", "is derived from `load.program`"),
        ("sysbench]}", "sysbench], think_time: 1s}", "6:52", "load.think_time: sysbench supports no pauses"),
        ("sysbench]}", "sysbench], retries: 2}", "6:49", "load.retries: "),
        ("sysbench]}", "sysbench], rate: 100}", "6:46", "arrivals: poisson"),
        ("postgres-18}", "postgres-18, reads: replicas}", "2:64", "does not support endpoints for reads"),
        ("rate: 0", "rate: 5", "7:16", "ledger.rate: sysbench has no ledger alongside its load"),
        ("ledger: {rate: 0}\n", "", "6:17", "write `ledger: {rate: 0}`"),
        ("rate: 0", "rate: 0, bank: {rate: 3}", "7:32", "ledger.bank.rate: "),
        ("warmup: 2s", "warmup: 2500ms", "8:18", "timing.warmup: sysbench supports only whole seconds"),
        ("steady: 5s", "steady: 1500ms", "8:30", "timing.steady: sysbench supports only whole seconds"),
        ("timing:", "faults: [none, kill]\ntiming:", "8:16", "no outage can be measured"),
        (
            "timing:",
            "design: interleaved\ntiming:",
            "8:9",
            "sysbench does not support interleaved comparisons",
        ),
        ("timing:", "clients: [{name: a}, {name: b}]\ntiming:", "8:10", "at the same time as other clients"),
        (
            "timing:",
            "network: [{name: slow, bandwidth: 1Mbit/s, from: load}]\ntiming:",
            "8:50",
            "sysbench cannot wait",
        ),
        ("fivenines, sysbench", "fivenines, sysbnch", "6:17", "did you mean 'sysbench'?"),
        ("fivenines, sysbench", "sysbench, sysbench", "6:17", "is repeated"),
        ("[fivenines, sysbench]", "[]", "6:17", "the list of programs is empty"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(old: str, new: str, place: str, words: str) -> None:
    found = refusals(changed(old, new))
    assert words in found[place], found


def test_our_own_program_is_refused_nothing_of_that() -> None:
    text = changed("load: {program: [fivenines, sysbench]}", "load: {think_time: 1s}")
    assert parse_experiment(text.replace("rate: 0", "rate: 5"), "f.yaml").ledger.rate == 5


def test_one_client_among_several_has_no_program_that_is_separate() -> None:
    clients = "clients: [{name: a, load: {program: sysbench}}]"
    found = refusals(changed("load: {program: [fivenines, sysbench]}", clients))
    assert any("set it in `load.program`" in text for text in found.values()), found


def test_a_file_on_disk_is_spread_too(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(GOOD)
    experiment: Experiment = load_experiment(file)[0]
    assert len(experiment.workloads) == 4
