"""The page of a study in a real browser shows verdicts first, and is readable at both widths."""

import pytest
from driven import Driven
from page_form import LAPTOP, PageForm
from synthetic_run import Matrix, Recipe, write_run

from fivenines.studies.judged import judge
from fivenines.studies.page import render
from fivenines.studies.source import parse_study

STUDY = """\
study: small
cite: {authors: [A. Person, B. Other], title: On servers that wait for their disks, year: 2020}
question: What does it cost to wait for the disk, and what does it save?
differs: [two cores for four, a smaller table]
experiment: {workloads: [oltp_read_write], connections: [1, 8, 32]}
quick: {trials: 4, timing: {warmup: 1s, steady: 4s}}
parts:
  speed:
    experiment:
      solutions:
        - {solution: standalone, name: strict as can be}
        - {solution: standalone, name: relaxed, durability: relaxed}
  loss:
    experiment:
      solutions: [{solution: hot-standby, name: pair}]
      connections: [8]
      faults: [kill]
  later:
    experiment:
      solutions: [{solution: hot-standby, name: late}]
unavailable: {aurora: {why: a cloud account, instead: solution external}}
published:
  - {source: table 1, measure: tps, part: speed, solution: strict as can be, n: 30, by: connections,
     mean: {1: 100, 8: 400, 32: 700}, sd: {1: 5, 8: 20, 32: 30}}
  - {source: table 1, measure: tps, part: speed, solution: relaxed, n: 30, by: connections,
     mean: {1: 180, 8: 500, 32: 710}, sd: {1: 5, 8: 20, 32: 30}}
claims:
  - id: faster
    says: A relaxed server does at least 1.2 times as much at every number of connections.
    test:
      greater: {measure: tps, part: speed, a: relaxed, b: strict as can be, by: 1.2, for_each: connections}
  - id: nothing-lost
    says: Nothing is lost.
    basis: stated
    fidelity: stand-in
    note: One standby stands for two.
    test: {never: {measure: lost, part: loss, solution: pair, at_most: 60%}}
  - id: cloud
    says: A cloud is ahead.
    test: {greater: {measure: tps, part: speed, connections: 8, a: aurora, b: relaxed}}
  - id: later
    says: The late one does at least 10 a second.
    test: {limit: {measure: tps, part: later, connections: 8, at_least: 10}}
"""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Claims that fail, hold, cannot run, and have not run."""
    folder = tmp_path_factory.mktemp("study")
    speed = [Recipe("strict as can be", tps=1000.0, outage=None), Recipe("relaxed", tps=1000.0, outage=None)]
    matrix = Matrix(speed, faults=["none"], trials=4, connections=[1, 8, 32])
    write_run(folder / "speed", matrix)
    write_run(folder / "loss", Matrix([Recipe("pair")], trials=6))
    found = parse_study(STUDY, "small.yaml")
    result = judge(found.study, "quick", found.experiments["quick"], folder)
    assert [one.result for one in result.claims] == [
        "does not hold",
        "holds",
        "cannot be run here",
        "not run",
    ]
    page = folder / "study.html"
    page.write_text(render(result), encoding="utf-8")
    return page.as_uri()


class TestForm(PageForm):
    pass


def test_the_verdicts_of_all_claims_are_on_the_first_screen(page: Driven, address: str) -> None:
    page.window(*LAPTOP)
    page.open(address)
    shown = page.js(
        "[...document.querySelectorAll('#claims li')].map("
        "one => [one.innerText, one.getBoundingClientRect().bottom])"
    )
    words = ["does not hold", "holds", "cannot be run here", "not run"]
    assert len(shown) == len(words)
    for (text, bottom), word in zip(shown, words, strict=True):
        assert word in text and bottom <= LAPTOP[1]
    verdict = page.js("document.querySelector('header .verdict').innerText")
    assert "1 of" in verdict or "1 holds" in verdict


def test_each_claim_compares_measured_and_printed_figures(page: Driven, address: str) -> None:
    page.window(*LAPTOP)
    page.open(address)
    heads = page.js("[...document.querySelectorAll('#claim-faster th')].map(one => one.innerText.trim())")
    assert {"Measured here", "Printed"} <= set(heads)
    assert page.js("document.querySelectorAll('#claim-faster tbody tr').length") == 6
    assert page.js("document.querySelectorAll('#claim-faster svg').length") == 1
