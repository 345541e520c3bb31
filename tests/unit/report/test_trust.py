"""The chapter on the reliability of a run's figures."""

import json
from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, write_run

from fivenines.report import tables, write_html
from fivenines.report.chapters.trust import TITLE
from fivenines.results import layout, store
from fivenines.results.calibration import Calibration, Line, Step
from fivenines.results.records import Manifest
from fivenines.results.store import open_run


def calibrated(folder: Path, within: bool, **machine: object) -> Manifest:
    manifest = open_run(folder).manifest
    line = Line(planted="an outage of 50 ms", measured="52 ms", error="+2 ms", bounds="10 ms", within=within)
    found = Calibration(
        fivenines=manifest.fivenines,
        machine=manifest.machine.model_copy(update=machine),
        steps=[
            Step(name="outages", title="Outages", at=manifest.created, seconds=1.0, short=False, lines=[line])
        ],
    )
    store.write_json(folder / layout.MANIFEST, manifest.model_copy(update={"calibration": found}))
    return open_run(folder).manifest


def page(folder: Path) -> str:
    text = write_html(folder).read_text()
    start = text.index(f"{TITLE}</h2>")
    return text[start : text.index("</section>", start)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", QUICKSTART)


def test_a_run_without_a_calibration_has_a_note(run: Path) -> None:
    assert "was not calibrated" in page(run)


def test_a_run_without_the_calibration_key_is_readable(run: Path) -> None:
    file = run / layout.MANIFEST
    manifest = json.loads(file.read_text())
    assert manifest.pop("calibration") is None
    file.write_text(json.dumps(manifest))
    assert open_run(run).manifest.calibration is None


def test_the_calibration_comes_early_on_the_page(run: Path) -> None:
    calibrated(run, within=True)
    text = page(run)
    assert "1 of 1 line within bounds" in text and "may not apply" not in text
    assert "an outage of 50" in text and "<td" in text
    whole = write_html(run).read_text()
    assert whole.index(f"{TITLE}</h2>") < whole.index("Outages</h2>")


def test_errors_out_of_bounds_and_another_kernel_are_reported(run: Path) -> None:
    calibrated(run, within=False, kernel="Linux 2.4")
    text = page(run)
    assert "out of bounds: outages (1)" in text and ">NO<" in text and "0 of 1" in text
    assert "another kernel (Linux 2.4)" in text and "may be wrong" in text


def test_exports_have_it(run: Path) -> None:
    calibrated(run, within=True)
    assert "an outage of 50 ms" in tables(run, "md")
    assert json.loads(tables(run, "json"))["calibration"]["steps"][0]["name"] == "outages"
