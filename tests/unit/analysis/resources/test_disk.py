"""Which witness of bytes written can be believed."""

from dataclasses import replace

import numpy as np
import pytest

from fivenines.analysis.resources.disk import Written, server_written, written
from fivenines.analysis.resources.series import Series

T = np.arange(0.0, 11_000, 1000)


def _grows(per_second: float, start: float = 0.0) -> Series:
    return Series(T, start + per_second * T / 1000)


def test_a_charge_of_whole_folios_is_left_out() -> None:
    """The figures of a standby on Linux 6.18: 2,464 MB/s charged, below 7 MB/s of WAL."""
    figures = Written(5.0, servers=35e6, charged=12_320e6, device=60e6)
    assert not figures.charge_believed and figures.servers_believed
    assert figures.charge_excess == pytest.approx(12_320 / 35)
    assert not replace(figures, device=None).charge_believed
    assert not replace(figures, servers=None).charge_believed


def test_a_charge_that_others_confirm_is_believed() -> None:
    figures = Written(5.0, servers=23.5e6, charged=24.4e6, device=40e6)
    assert figures.charge_believed and figures.charge_excess is None
    # nobody to compare it with
    assert not Written(5.0, None, 24.4e6, None).charge_believed
    # what waits in the page cache is no contradiction
    assert Written(5.0, 1e6, 9e6, 2e6).charge_believed


def test_servers_cannot_have_written_more_than_the_device_saw() -> None:
    assert not Written(5.0, servers=500e6, charged=None, device=20e6).servers_believed
    assert Written(5.0, servers=500e6, charged=None, device=None).servers_believed
    assert not Written(5.0, None, None, 20e6).servers_believed


def test_each_kind_of_server_has_its_counters() -> None:
    mariadb = {
        "Innodb_data_written": {"node1": _grows(15.0)},
        "Innodb_os_log_written": {"node1": _grows(8.0)},
    }
    assert server_written(mariadb)["node1"].v[-1] == 230.0
    # MySQL's Innodb_data_written has its log, too; its files are counted one by one
    mysql = {**mariadb, "file_summary_by_event_name.write_bytes": {"node1": _grows(9.0)}}
    assert server_written(mysql)["node1"].v[-1] == 90.0
    postgres = {
        "pg_stat_io.wal.write_bytes": {"node1": _grows(2.0)},
        "pg_stat_io.relation.write_bytes": {"node1": _grows(1.0)},
    }
    assert server_written(postgres)["node1"].v[-1] == 30.0
    assert server_written({}) == {}


def test_all_nodes_must_tell() -> None:
    charged = {"node1": _grows(30.0), "client": _grows(1000.0)}
    figures = written({"node1": _grows(5.0)}, charged, _grows(40.0, 1e9), {"node1"}, (2000, 7000))
    assert (figures.servers, figures.charged, figures.device, figures.seconds) == (25, 150, 200, 5)
    figures = written({"node1": _grows(5.0)}, charged, None, {"node1", "node2"}, (2000, 7000))
    assert (figures.servers, figures.charged, figures.device) == (None, None, None)
