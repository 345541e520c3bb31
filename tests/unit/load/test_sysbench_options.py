"""What sysbench is asked for: every setting is mapped, or refused."""

import shutil
import subprocess
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.load.bounds import Keepalive
from fivenines.load.settings import LoadSettings
from fivenines.load.sysbench_options import (
    address_flags,
    load_problems,
    run_flags,
    script_flags,
    workload_problems,
    writes,
)
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.tpcc import Tpcc

KINDS = (
    "oltp_point_select",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
)

# For each setting of the load that sysbench has not, another value than the default.
OTHER: dict[str, Any] = {
    "steps": ["100@5s"],
    "think_time": 1.0,
    "burst": True,
    "retries": 3,
    "reconnect": 10,
    "read_share": 50.0,
    "answer_timeout": 3.0,
    "connect_timeout": 3.0,
    "keepalive": Keepalive(idle=5),
    "tcp_user_timeout": 5.0,
    "tls": "require",
    "tls_ca": "ca.pem",
    "spread": "random",
}


class Later(LoadSettings):
    """Settings of the load with an unknown one."""

    unheard: int = 0


def test_every_other_setting_of_the_load_is_refused() -> None:
    assert set(OTHER) <= set(LoadSettings.model_fields)
    for name, value in OTHER.items():
        message = dict(load_problems(LoadSettings(**{name: value})))
        assert list(message) == [name], name
        assert "sysbench" in message[name]
    message = dict(load_problems(Later(unheard=1)))
    assert message["unheard"].startswith("sysbench does not support it")
    assert not dict(load_problems(Later()))


def test_the_usual_load_is_not_refused() -> None:
    assert not list(load_problems(LoadSettings()))
    # without bounds clients wait as sysbench's do
    assert not list(load_problems(LoadSettings(answer_timeout=None, tcp_user_timeout=None)))
    assert not list(load_problems(LoadSettings(rate=500, arrivals="poisson", spread="first")))


def test_a_rate_is_whole_and_its_starts_are_random() -> None:
    assert [key for key, _ in load_problems(LoadSettings(rate=500))] == ["rate"]
    assert [key for key, _ in load_problems(LoadSettings(rate=0.5, arrivals="poisson"))] == ["rate"]


def test_every_setting_of_the_workload_is_mapped_or_refused() -> None:
    # of the data alone, names, and a distribution that is refused
    elsewhere = {"workload", "name", "program", "secondary_indexes", "rand_zipfian_exp"}
    flags = script_flags(Oltp(workload="oltp_read_write"))
    names = {flag.removeprefix("--").partition("=")[0].replace("-", "_") for flag in flags}
    names = (names - {"rand_type"}) | {"distribution"}
    assert names == set(Oltp.model_fields) - elsewhere
    message = dict(workload_problems(Oltp(workload="oltp_read_write", distribution="zipfian")))
    assert list(message) == ["distribution"]


def test_options_have_the_values_of_the_settings() -> None:
    workload = Oltp(
        workload="oltp_read_only",
        tables=7,
        table_size=500,
        range_size=9,
        skip_trx=True,
        distribution="pareto",
        rand_pareto_h=0.3,
        auto_inc=False,
    )
    flags = script_flags(workload)
    wanted = {
        "--tables=7",
        "--table_size=500",
        "--range_size=9",
        "--skip_trx=on",
        "--rand-type=pareto",
        "--rand-pareto-h=0.3",
        "--auto_inc=off",
        "--secondary=off",
    }
    assert wanted <= set(flags)


@pytest.mark.parametrize("kind", KINDS)
def test_the_real_sysbench_takes_all_options(kind: Any) -> None:
    program = shutil.which("sysbench")
    assert program, "sysbench is missing: run `make tools`"
    flags = script_flags(Oltp(workload=kind, tables=2, table_size=50))
    flags += run_flags(LoadSettings(), 2, 0, 0.0, 1.0)
    flags = ["--events=20" if flag == "--events=0" else flag for flag in flags]
    done = subprocess.run(
        [program, kind, "--mysql-dry-run=on", *flags, "run"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Initializing random number generator from seed (1)" in done.stdout
    assert "transactions:                        20 " in done.stdout


def test_how_long_and_how_fast() -> None:
    flags = run_flags(LoadSettings(rate=250, arrivals="poisson"), 16, 42, 3.0, 13.0)
    wanted = {"--threads=16", "--time=13", "--rate=250", "--report-checkpoints=3", "--rand-seed=42"}
    assert wanted <= set(flags)
    assert not any("checkpoints" in flag for flag in run_flags(LoadSettings(), 1, 1, 0.0, 5.0))


def test_where_it_connects_to() -> None:
    assert address_flags("postgres", ["10.0.0.1:5432"], "app", "sbtest") == [
        "--db-driver=pgsql",
        "--pgsql-host=10.0.0.1",
        "--pgsql-port=5432",
        "--pgsql-user=app",
        "--pgsql-db=sbtest",
    ]
    several = address_flags("mysql", ["10.0.0.1:3306", "10.0.0.2:3306"], "app", "sbtest")
    assert several[1:3] == ["--mysql-host=10.0.0.1,10.0.0.2", "--mysql-port=3306"]
    for driver, endpoints in (
        ("postgres", ["10.0.0.1:5432", "10.0.0.2:5432"]),
        ("mysql", ["10.0.0.1:3306", "10.0.0.2:3307"]),
    ):
        with pytest.raises(FiveninesError, match="cannot distribute its connections"):
            address_flags(driver, endpoints, "app", "sbtest")


def test_other_workloads_are_not_sysbenchs() -> None:
    other: WorkloadSettings = Tpcc(workload="tpcc")
    assert [key for key, _ in workload_problems(other)] == ["workload"]
    insert = Oltp(workload="oltp_insert", auto_inc=False)
    assert [key for key, _ in workload_problems(insert)] == ["auto_inc"]


def test_which_transactions_write() -> None:
    reading = [kind for kind in KINDS if not writes(Oltp(workload=kind))]
    assert reading == ["oltp_point_select", "oltp_read_only"]
