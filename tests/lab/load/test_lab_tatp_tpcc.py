"""TATP and TPC-C on real servers: every transaction works, ends as often as specified, and leaves sound
data.
"""

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab_prepare import Site, each_site, workload_flags
from lab_support import LIMIT

from fivenines.base.core import core_binary
from fivenines.lab.network import network
from fivenines.load.commands import account, described, secret
from fivenines.load.invariants import check_after, count_before
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.tatp import TRANSACTIONS as TATP_TYPES
from fivenines.load.workloads.tatp import Tatp
from fivenines.load.workloads.tpcc import TRANSACTIONS as TPCC_TYPES
from fivenines.load.workloads.tpcc import Tpcc
from fivenines.results.load_summary import LoadSummary

place = each_site

SUBSCRIBERS = 20_000
TATP_SHARES = (35, 10, 35, 2, 14, 2, 2)
TPCC_SHARES = (45, 43, 4, 4, 4)
# Share of transactions that find their rows, from the population rules; see docs/workloads/tatp.md.
SUCCEEDS = {
    "get_subscriber_data": 1.0,
    "get_new_destination": 0.148,
    "get_access_data": 0.625,
    "update_subscriber_data": 0.625,
    "update_location": 1.0,
    "insert_call_forwarding": 0.3125,
    "delete_call_forwarding": 0.3125,
}


def load(place: Site, out: Path, *flags: str) -> dict[str, Any]:
    """Run the load to completion and return its summary."""
    node = place.node
    command = [*network.into(node.host.pid), str(core_binary()), "load", *account(node)]
    command += ["--write", f"{node.host.address}:{node.port}", "--out", str(out), *flags]
    subprocess.run(
        command, env={**os.environ, **secret(node)}, timeout=LIMIT, check=True, capture_output=True
    )
    read: dict[str, Any] = json.loads((out / "load.json").read_text())
    return read


def ended(of_type: dict[str, Any]) -> int:
    """Return the number of completed transactions of a type."""
    return int(of_type["ok"] + of_type["expected"])


def near(count: int, of: int, share: float, population: float = math.inf) -> bool:
    """Return whether a count out of `of` fits a share, within five standard deviations.

    `population`: the share itself is that of a random population of this size.
    """
    deviation = math.sqrt(share * (1 - share) * (1 / of + 1 / population))
    return abs(count / of - share) <= 5 * deviation + 1 / of


def shares_fit(loaded: dict[str, Any], names: tuple[str, ...], shares: tuple[int, ...]) -> None:
    """Check that all types ran as often as the mix says."""
    types = loaded["types"]
    assert tuple(of_type["name"] for of_type in types) == names
    total = sum(map(ended, types))
    assert total > 300
    for of_type, share in zip(types, shares, strict=True):
        assert ended(of_type) > 0
        assert near(ended(of_type), total, share / 100), of_type


def sound(place: Site, settings: WorkloadSettings, before: dict[str, int], done: Any) -> None:
    """Check that the workload's invariants hold, given the load's acknowledged transactions."""
    node = place.node
    checked = check_after(
        node.sql.open_data, node.driver, settings.invariants(), before, LoadSummary.of(done)
    )
    assert len(checked) > 10
    assert [check for check in checked if check.status != "holds"] == []


def test_tatp(place: Site, tmp_path: Path) -> None:
    settings = Tatp(workload="tatp", subscribers=SUBSCRIBERS, choice="uniform")
    assert place.prepare(*described(settings)).code == 0
    before = count_before(place.node.sql.open_data, settings.invariants())
    flags = ("--connections", "8", "--duration", "40s", "--transactions", "6000")
    loaded = load(place, tmp_path / "out", *described(settings), *flags)
    assert loaded["errors"] == []
    shares_fit(loaded, TATP_TYPES, TATP_SHARES)
    for of_type in loaded["types"]:
        share = SUCCEEDS[of_type["name"]]
        # Inserted rows last longer than loaded ones, and are found a little more often.
        drift = 0.01 if of_type["name"] == "get_new_destination" else 0
        fits = [near(of_type["ok"], ended(of_type), share + up, SUBSCRIBERS) for up in (0, drift)]
        assert any(fits), of_type
    sound(place, settings, before, loaded)


@pytest.mark.parametrize("keys", [False, pytest.param(True, marks=pytest.mark.long)])
def test_tpcc(place: Site, tmp_path: Path, keys: bool) -> None:
    settings = Tpcc(workload="tpcc", warehouses=2, foreign_keys=keys)
    assert place.prepare(*described(settings), "--drop").code == 0
    before = count_before(place.node.sql.open_data, settings.invariants())
    flags = ("--connections", "16", "--transactions", "1000", "--duration", "90s", "--retries", "3")
    loaded = load(place, tmp_path / "out", *described(settings), *flags)
    assert {error["class"] for error in loaded["errors"]} <= {"deadlock", "conflict"}
    shares_fit(loaded, TPCC_TYPES, TPCC_SHARES)
    for of_type in loaded["types"]:
        undone = 0.01 if of_type["name"] == "new_order" else 0
        assert near(of_type["expected"], ended(of_type), undone), of_type
    sound(place, settings, before, loaded)


def test_a_smaller_data_set_than_the_setting_is_reported(place: Site, tmp_path: Path) -> None:
    assert place.prepare(*workload_flags("tatp", subscribers=100), "--drop").code == 0
    larger = workload_flags("tatp", subscribers=5000)
    loaded = load(place, tmp_path / "out", *larger, "--transactions", "50", "--duration", "5s")
    assert loaded["errors"]
    assert all("have fewer been loaded" in error["message"] for error in loaded["errors"])
