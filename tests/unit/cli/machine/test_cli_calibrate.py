"""`fivenines calibrate`: its help, its choice, its exit code."""

import json
from pathlib import Path
from typing import ClassVar

import pytest
from cli_support import Fivenines

from fivenines.analysis.calibration import ROUND_SPREAD, TRIAL_SPREAD
from fivenines.campaign.calibration import base, run
from fivenines.campaign.calibration.base import CalibrationContext, Calibrator, calibrators
from fivenines.results.calibration import Line

within: list[bool] = []


class Fake(Calibrator):
    name = "links"
    title = "Links between sites"
    order = 1
    seconds: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def measure(self, place: CalibrationContext) -> list[Line]:
        place.tell("10 ms")
        return [
            Line(planted="10 ms", measured="10.1 ms", error="+0.1 ms", bounds="1 ms", within=one)
            for one in within
        ]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    within[:] = [True]
    for module in (base, run):
        monkeypatch.setattr(module, "calibrators", lambda: [Fake])
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))


def test_help_names_every_calibrator(fivenines: Fivenines) -> None:
    answer = fivenines("calibrate", "--help")
    assert answer.code == 0 and "Ctrl-C keeps" in answer.out
    for kind in calibrators():
        # in the list of what is done, and among the values of --only
        assert answer.out.count(kind.name) >= 2


def test_an_unknown_name_is_a_mistake_of_usage(fivenines: Fivenines) -> None:
    answer = fivenines("calibrate", "--only", "link")
    assert answer.code == 2 and "unknown step 'link'" in answer.err


@pytest.mark.usefixtures("fake")
def test_what_is_within_bounds_and_what_is_not(fivenines: Fivenines) -> None:
    answer = fivenines("calibrate")
    assert answer.code == 0 and "[1 of 1] links" in answer.err and "10 ms" in answer.err
    assert "ok  10 ms" in answer.out and "1 of 1 line within bounds" in answer.out
    within[:] = [True, False]
    answer = fivenines("calibrate")
    assert answer.code == 1 and "OUT  10 ms" in answer.out and "out of bounds: links (1)" in answer.out
    shown = fivenines("calibrate", "--show")
    assert shown.code == 1 and shown.out == answer.out


@pytest.mark.usefixtures("fake")
def test_json_is_json(fivenines: Fivenines) -> None:
    output = json.loads(fivenines("calibrate", "--format", "json").out)
    assert output["within_bounds"] is True
    assert output["measured"][0]["lines"][0]["planted"] == "10 ms"
    assert output["kept"]["steps"] == output["measured"]


@pytest.mark.usefixtures("fake")
def test_showing_what_is_not_there_is_reported(fivenines: Fivenines) -> None:
    answer = fivenines("calibrate", "--show")
    assert answer.code == 1 and "has not been calibrated" in answer.out
    assert json.loads(fivenines("calibrate", "--show", "--format", "json").out)["kept"] is None


@pytest.mark.usefixtures("fake")
def test_doctor_ends_in_a_verdict(fivenines: Fivenines) -> None:
    last = fivenines("doctor").out.splitlines()[-3:-1]
    assert last[0] == "warning  calibration: this machine has not been calibrated"
    assert "fivenines calibrate" in last[1]
    fivenines("calibrate")
    verdict = fivenines("doctor").out.splitlines()[-2]
    assert verdict.startswith("ok       calibration: 1 of 1 line within bounds")
    within[:] = [False]
    fivenines("calibrate")
    last = fivenines("doctor").out.splitlines()[-3:-1]
    assert last[0].startswith("warning  calibration: 0 of 1 line within bounds; out of bounds: links")
    assert "--show" in last[1]


class Noise(Fake):
    name = "same"

    def measure(self, place: CalibrationContext) -> list[Line]:
        (line,) = super().measure(place)
        return [line.model_copy(update={"figures": {TRIAL_SPREAD: 0.31, ROUND_SPREAD: 0.07}})]


def test_a_dry_run_reckons_with_the_noise_that_was_seen(
    fivenines: Fivenines, fake: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "vary by 20 % (assumed" in fivenines("run", "small.yaml", "--dry-run").out
    for module in (base, run):
        monkeypatch.setattr(module, "calibrators", lambda: [Noise])
    fivenines("calibrate")
    output = fivenines("run", "small.yaml", "--dry-run").out
    assert "vary by 31 % (measured by `fivenines calibrate` on this machine)" in output
