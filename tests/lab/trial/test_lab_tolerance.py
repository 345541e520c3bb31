"""The longest hiccup that is survived: a search with a manager whose timeout is known."""

import json
from pathlib import Path

import pytest
from lab_support import GENTLE

from fivenines.analysis.availability.tolerance import Tolerance
from fivenines.analysis.performance.sweeps import compared
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.report.chapters.availability.tolerance import tolerance_answers
from fivenines.report.chapters.data import Data
from fivenines.results import store
from fivenines.trial.progress import Progress

pytestmark = pytest.mark.usefixtures("patient")

MANAGER = Path(__file__).parents[1] / "support" / "planted_manager.py"

# Seconds without an answer after which the manager promotes the standby.
TIMEOUT = 4.0

TEXT = """name: planted
trials: {trials}
workloads: [oltp_read_write]
connections: [2]
solutions:
  - solution: hot-standby
    engine: postgres-18
    manager:
      kind: program
      name: planted
      command: [python3, "<< files >>/manager.py", "{timeout}", "<< files >>/account.json"]
      ready: {{says: '^watching'}}
      marks:
        - {{says: '^gives up', means: decided}}
        - {{says: '^promoted (?P<node>\\S+)', means: promoted}}
      files: {{manager.py: {program}, account.json: {account}}}
faults: [{{fault: freeze, search: {{at_least: {at_least}, at_most: {at_most}}}}}]
timing: {{warmup: 500ms, steady: 500ms, recovery: {recovery}}}
"""

ACCOUNT = """{
"user": "<< manager.user >>", "password": "<< manager.password >>",
"primary": "<< primary.address >>:<< primary.port >>",
"standby": "<< replicas[0].address >>:<< replicas[0].port >>", "name": "<< replicas[0].name >>"}
"""


def searched(folder: Path, **settings: object) -> tuple[Tolerance, str]:
    """Search the length of a freeze that the planted manager survives; return it, and its sentence."""
    files = {"program": json.dumps(MANAGER.read_text()), "account": json.dumps(ACCOUNT)}
    text = TEXT.format(timeout=TIMEOUT, **files, **settings) + GENTLE
    (folder / "planted.yaml").write_text(text.replace("<<", "{{").replace(">>", "}}"))
    experiment, source = load_experiment(folder / "planted.yaml")
    progress: list[Progress] = []
    broken = run_campaign(experiment, source, plan(experiment), folder / "run", False, progress.append)
    assert not broken
    run = store.open_run(folder / "run")
    swept = compared(run)
    (found,) = Data(run, swept).tolerances
    (answer,) = tolerance_answers(run, swept)
    return found, answer.text


@pytest.mark.lasts(100)
def test_a_search_finds_on_which_side_of_a_timeout_freezes_are(tmp_path: Path) -> None:
    found, text = searched(tmp_path, trials=6, at_least="1s", at_most="9s", recovery="13s")
    assert len(found.outcomes) == 6 and found.not_counted == 0, found
    # A busy machine lets the manager look late: only lengths far from its timeout have a known outcome.
    wrong = [one for one in found.outcomes if one.failover != (one.length > TIMEOUT)]
    assert all(2.0 < one.length < 6.5 for one in wrong), found.outcomes
    assert {one.failover for one in found.outcomes} == {True, False}, found.outcomes
    assert ", freeze: " in text and "6 trials" in text, text


@pytest.mark.long
def test_the_timeout_of_a_manager_is_found(tmp_path: Path) -> None:
    found, text = searched(tmp_path, trials=20, at_least="500ms", at_most="10s", recovery="13s")
    threshold = found.threshold
    assert threshold.state == "bracketed" and threshold.low is not None and threshold.high is not None
    assert threshold.low <= TIMEOUT + 0.1 and threshold.high >= TIMEOUT - 0.1, (threshold, found.outcomes)
    assert "half of the trials fail over at" in text
