"""sysbench's OLTP family as `fivenines-core` is asked for it."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.core import core_binary
from fivenines.workloads.oltp import Oltp

KINDS = get_args(Oltp.model_fields["workload"].annotation)
DISTRIBUTIONS = get_args(Oltp.model_fields["distribution"].annotation)
COUNTS = [
    name
    for name, field in Oltp.model_fields.items()
    if "in a transaction" in (field.description or "")
]

workloads = st.builds(
    Oltp,
    workload=st.sampled_from(KINDS),
    tables=st.integers(1, 1000),
    table_size=st.integers(1, 10**8),
    distribution=st.sampled_from(DISTRIBUTIONS),
    range_size=st.integers(1, 10**6),
    skip_trx=st.booleans(),
    auto_inc=st.booleans(),
    secondary_indexes=st.integers(0, 3),
    secondary=st.booleans(),
    **{name: st.integers(0, 1000) for name in COUNTS},
)


@cache
def _help(command: str) -> str:
    return subprocess.run(
        [core_binary(), command, "--help"], capture_output=True, text=True, check=True
    ).stdout


@cache
def _known(command: str) -> dict[str, str]:
    """The flags of a command, and what its help says of each."""
    found = re.split(r"^ +(?:-h, )?--([a-z-]+)", _help(command), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def _values(command: str, flag: str) -> list[str]:
    said = re.search(r"\[possible values: (.*)\]", _known(command)[flag])
    assert said is not None
    return said[1].split(", ")


def _pairs(flags: list[str]) -> dict[str, str]:
    assert flags[0] == "--workload"
    parted = [flag.partition("=") for flag in flags[2:]]
    assert all(name.startswith("--") and value for name, _, value in parted)
    return {"workload": flags[1]} | {name[2:]: value for name, _, value in parted}


@settings(max_examples=50, deadline=None)
@given(workloads)
def test_every_setting_arrives_under_a_flag_that_the_program_knows(workload: Oltp) -> None:
    flags = workload.load_flags()
    pairs = _pairs(flags)
    assert set(pairs) <= set(_known("load"))
    read: dict[str, Any] = {name.replace("-", "_"): value for name, value in pairs.items()}
    assert Oltp(**read) == workload
    (prepared,) = workload.prepare_flags()
    assert set(_pairs(prepared)) <= set(_known("prepare"))


def test_the_program_knows_the_same_kinds_and_distributions() -> None:
    refused = subprocess.run(
        [core_binary(), "load", "--workload", "oltp"], capture_output=True, text=True, check=False
    ).stderr
    assert set(KINDS) <= set(re.findall(r"\w+", refused))
    assert sorted(_values("load", "distribution")) == sorted(DISTRIBUTIONS)


def test_the_counts_of_a_transaction_have_the_programs_defaults() -> None:
    workload = Oltp(workload="oltp_read_write")
    plain = [
        "rand_spec_iter",
        "rand_spec_pct",
        "rand_spec_res",
        "rand_pareto_h",
        "rand_zipfian_exp",
    ]
    plain += ["range_size", "distribution", "secondary_indexes"]
    for name in [*COUNTS, *plain]:
        default = re.search(r"\[default: (.*)\]", _known("load")[name.replace("_", "-")])
        assert default is not None
        assert str(getattr(workload, name)) == default[1], name
    assert len(COUNTS) == 8


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_takes_every_kind(tmp_path: Path, kind: str) -> None:
    workload = Oltp(
        workload=kind, tables=2, table_size=50, skip_trx=kind == "oltp_delete",  # type: ignore[arg-type]
    )  # fmt: skip
    command = [core_binary(), "load", "--driver", "noop", "--write", "nowhere:1"]
    command += ["--connections", "1", "--transactions", "3", "--duration", "5", "--out", tmp_path]
    ended = subprocess.run(
        [*command, *workload.load_flags()], capture_output=True, text=True, check=False, timeout=10
    )
    assert ended.returncode == 0, ended.stderr


def test_the_program_prepares_what_is_asked_for() -> None:
    (flags,) = Oltp(workload="oltp_insert", tables=2, table_size=50).prepare_flags()
    assert flags == [
        "--workload", "oltp", "--tables=2", "--table-size=50", "--auto-inc=true",
        "--secondary-indexes=1", "--secondary=false",
    ]  # fmt: skip
    ended = subprocess.run(
        [core_binary(), "prepare", "--driver", "noop", *flags],
        capture_output=True, text=True, check=False, timeout=10,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


def test_unusual_keys_and_indexes_make_a_data_set_of_their_own() -> None:
    usual = Oltp(workload="oltp_insert")
    other = Oltp(workload="oltp_insert", auto_inc=False, secondary_indexes=3)
    assert other.data_set() == {**usual.data_set(), "auto_inc": 0, "secondary_indexes": 3}
    (flags,), (more,) = usual.prepare_flags(), other.prepare_flags()
    assert set(more) - set(flags) == {"--auto-inc=false", "--secondary-indexes=3"}


def test_a_name_in_reports_is_no_flag() -> None:
    plain, named = Oltp(workload="oltp_insert"), Oltp(workload="oltp_insert", name="inserts")
    assert named.load_flags() == plain.load_flags()
    assert "--skip-trx=false" in plain.load_flags()
    assert "--skip-trx=true" in Oltp(workload="oltp_insert", skip_trx=True).load_flags()


@given(workloads, workloads)
@settings(max_examples=50, deadline=None)
def test_only_the_scale_tells_data_sets_apart(one: Oltp, other: Oltp) -> None:
    scale = {name: getattr(one, name) for name in Oltp.scale}
    assert one.data_set() == {"family": "oltp", **scale}
    scaled = other.model_copy(update=scale)
    assert scaled.data_set() == one.data_set()
    assert scaled.prepare_flags() == one.prepare_flags()
    larger = one.model_copy(update={"table_size": one.table_size + 1})
    assert larger.data_set() != one.data_set()
    assert larger.prepare_flags() != one.prepare_flags()


@pytest.mark.parametrize(
    "wrong",
    [{"workload": "oltp"}, {"tables": 0}, {"table_size": 0}, {"point_selects": -1},
     {"point_selects": 1001}, {"distribution": "normal"}, {"range_size": 0}, {"threads": 1}],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Oltp(**{"workload": "oltp_read_write", **wrong})
