"""`fivenines calibrate` on real servers: it finds planted defects and reports wrong measurements as out of
bounds.
"""

import json
import math
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_support import LIMIT, PATIENCE, fivenines, program

from fivenines.analysis.consistency import consistency, staleness
from fivenines.base import paths
from fivenines.campaign.calibration import divergence, links, outages, rows
from fivenines.campaign.calibration.base import CalibrationContext
from fivenines.campaign.calibration.judging import MeasuredOutage, judge_outages
from fivenines.lab.namespaces.network import NamespaceNetwork
from fivenines.lab.settings import LinkSettings
from fivenines.results.calibration import Line
from fivenines.results.store import StoredTrial, open_run
from fivenines.trial import verification


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a cache without calibrations that shares the user's engines."""
    own = tmp_path_factory.mktemp("cache")
    for part in ("engines", "data"):
        (paths.cache() / part).mkdir(parents=True, exist_ok=True)
        (own / part).symlink_to(paths.cache() / part)
    return own


def context(folder: Path) -> CalibrationContext:
    return CalibrationContext(folder, lambda _text: None, short=True)


def out(lines: list[Line]) -> list[str]:
    return [line.planted for line in lines if line.within is False]


@pytest.mark.lasts(80)
@pytest.mark.timeout(900 * PATIENCE)
def test_a_quick_calibration_is_stored_and_written_into_later_runs(cache: Path, tmp_path: Path) -> None:
    env = {"FIVENINES_CACHE": str(cache)}
    only = "machine,rows,divergence,links,throughput"
    done = fivenines(
        "calibrate", "--quick", "--only", only, "--format", "json", cwd=tmp_path, env=env, timeout=500
    )
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["within_bounds"] else 1), done.stderr
    steps = {step["name"]: step for step in answer["measured"]}
    assert list(steps) == only.split(",") and not any(step["failure"] for step in steps.values())
    # Counts must be right on any machine; times may be disturbed.
    for name, number in (("rows", 5), ("divergence", 2)):
        lines = [line for line in steps[name]["lines"] if "ages" not in line["planted"]]
        assert len(lines) == number and all(line["within"] for line in lines), lines
    assert [line["within"] for line in steps["throughput"]["lines"][1:]] == [True, True]
    assert len(steps["links"]["lines"]) == 5

    (tmp_path / "one.yaml").write_text(
        "name: one\ntrials: 1\nsolutions: [{solution: standalone}]\nconnections: [2]\n"
        "workloads: [{workload: oltp_point_select, tables: 2, table_size: 500}]\n"
        "timing: {warmup: 500ms, steady: 1s, recovery: 1s, settle: 5s}\n"
    )
    ran = fivenines("run", "one.yaml", "--out", "run", cwd=tmp_path, env=env)
    assert ran.returncode == 0, ran.stderr
    calibration = open_run(tmp_path / "run").manifest.calibration
    assert calibration is not None and [step.name for step in calibration.steps] == only.split(",")
    report = tmp_path / "report.html"
    fivenines("report", "run", "--output", report, cwd=tmp_path, env=env)
    assert "rows that differ between two nodes" in report.read_text()

    doctor = fivenines("doctor", "--json", cwd=tmp_path, env=env)
    last = json.loads(doctor.stdout)["checks"][-1]
    assert last["name"] == "calibration" and "it did not measure outages and same" in last["seen"]


def test_an_interruption_stores_finished_steps_and_leaves_nothing(cache: Path, tmp_path: Path) -> None:
    own = tmp_path / "cache"
    own.mkdir()
    (own / "engines").symlink_to(cache / "engines")
    (own / "data").symlink_to(cache / "data")
    running = subprocess.Popen(
        program("calibrate", "--quick", "--only", "machine,links"),
        cwd=tmp_path,
        env={**os.environ, "FIVENINES_CACHE": str(own)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if "round trip of 10 ms" in line:
            running.send_signal(signal.SIGINT)
            break
    output = running.stderr.read()
    assert running.wait(LIMIT) == 130 and "kept: machine" in output
    (file,) = (own / "calibration").iterdir()  # No scratch folder is left next to it.
    assert [step["name"] for step in json.loads(file.read_text())["steps"]] == ["machine"]
    deadline = time.monotonic() + LIMIT
    while (left := _processes_of(own)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def _processes_of(folder: Path) -> list[str]:
    """Return the command lines that name a folder."""
    processes = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            processes.append(words)
    return processes


def test_a_proxy_that_reports_200_ms_more_or_less_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def measured(*arguments: Any) -> Any:
        calls.append(arguments)
        return _MEASURED(*arguments)

    monkeypatch.setattr(outages, "measured", measured)
    few = dict.fromkeys((0.05, 0.5), (2, 2))
    monkeypatch.setattr(outages, "LENGTHS", few)
    # A stall of the machine during an outage made it longer: try again, and judge the quietest turn.
    noise = math.inf
    for turn in range(8):
        measured_now = outages.Outages().measure(context(tmp_path / str(turn)))
        found = _MEASURED(*calls[-1])
        if (off := max(_off(outage) for outage in found)) < noise:
            noise, right, lines = off, found, measured_now
            trial, expected, planted = calls[-1]
        if noise <= 150:
            break
    # Each outage of sessions and of new connections.
    assert len(lines) == 8
    # Far beyond any noise: each outage was measured, with an error far below half a second.
    assert noise < 400, right
    for wrong in (200_000_000, -200_000_000):
        lying = [replace(outage, ended=outage.ended + wrong) for outage in planted]
        lines = judge_outages(_MEASURED(trial, expected, lying))
        # Noise could hide only an error that is not much larger.
        assert len(out(lines)) == len(lines) or noise > 150, lines


_MEASURED = outages.measured


def _off(outage: MeasuredOutage) -> float:
    """Return the error of a measured outage, in ms; infinite if its end was not seen."""
    return math.inf if outage.measured_ms is None else abs(outage.measured_ms - outage.planted_ms)


def test_each_blind_checker_of_rows_is_out_of_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(*arguments: Any) -> Any:
        check = consistency.check_nodes(*arguments)
        nothing = {
            "lost": 0,
            "lost_ids": [],
            "phantom": 0,
            "phantom_ids": [],
            "duplicate": 0,
            "disordered": 0,
            "disordered_ids": [],
        }
        return check.model_copy(update={"nodes": [node.model_copy(update=nothing) for node in check.nodes]})

    monkeypatch.setattr(verification, "check_nodes", blind)
    monkeypatch.setattr(
        staleness,
        "ages_of",
        lambda shown, _writes: (np.zeros(len(shown.at)), np.zeros(len(shown.at), dtype=np.bool_)),
    )
    planted: list[tuple[StoredTrial, rows.Planted]] = []
    judged: Callable[..., list[Line]] = rows.judged

    def noted(trial: Any, arguments: Any) -> Any:
        planted.append((trial, arguments))
        return judged(trial, arguments)

    monkeypatch.setattr(rows, "judged", noted)
    lines = rows.Rows().measure(context(tmp_path))
    assert len(lines) == 6 and len(out(lines)) == 6, lines
    ((_, arguments),) = planted
    assert (
        len(arguments.lost),
        len(arguments.phantom),
        len(arguments.doubled),
        len(arguments.disordered),
    ) == (4, 3, 3, 5)


def test_a_comparison_that_overlooks_a_row_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare = divergence.compare

    def overlooks(*arguments: Any) -> Any:
        found = compare(*arguments)
        less = [
            difference.model_copy(update={"keys": difference.keys[1:]}) for difference in found.differences
        ]
        return found.model_copy(update={"differences": less})

    monkeypatch.setattr(divergence, "compare", overlooks)
    nothing, planted = divergence.DivergenceOfNodes().measure(context(tmp_path))
    assert nothing.within is True
    assert planted.within is False and planted.error == f"missed {divergence.EXPECTED[0]}"


def test_a_link_that_differs_from_its_settings_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impair = NamespaceNetwork.impair

    def wrong(network: NamespaceNetwork, where: Any, link: LinkSettings) -> None:
        half = None if link.bandwidth is None else link.bandwidth // 2
        impair(network, where, link.model_copy(update={"rtt": link.rtt + 0.02, "bandwidth": half}))

    monkeypatch.setattr(NamespaceNetwork, "impair", wrong)
    monkeypatch.setattr(links, "ROUND_TRIPS", (0.0005, 0.1))
    monkeypatch.setattr(links, "BANDWIDTHS", (10_000_000,))
    lines = links.Links().measure(context(tmp_path))
    assert len(lines) == 3 and len(out(lines)) == 3, lines
