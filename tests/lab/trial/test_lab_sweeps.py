"""A sweep of a real server: begun with one variant, resumed, and analysed to its best case."""

from pathlib import Path

from lab_support import HEAD, timing

from fivenines.analysis.performance.sweeps import compared
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan, select
from fivenines.experiment.source import parse_experiment
from fivenines.report import summary_rows, write_html
from fivenines.report.chapters.performance.sweeps import sweep_answers
from fivenines.results import store

SWEPT = """\
solutions:
  - {solution: standalone, engine: postgres-18, name: pg, sweep: {server.commit_delay: [0, 2000]}}
"""


def test_a_sweep_ends_in_a_best_case(tmp_path: Path) -> None:
    text = HEAD.replace("trials: 1", "trials: 2") + SWEPT + timing(recovery=1)
    experiment = parse_experiment(text, "tiny.yaml")
    folder, trials = tmp_path / "run", plan(experiment)
    selected = select(trials, ["pg [commit_delay=2000]"])
    assert run_campaign(experiment, text, selected, folder, False, lambda _told: None) == []
    alone = compared(store.open_run(folder))
    assert alone.sweeps == [] and alone.cells[0].key.solution == "pg [commit_delay=2000]"

    assert run_campaign(experiment, text, trials, folder, True, lambda _told: None) == []
    run = store.open_run(folder)
    assert (len(run.complete), run.missing, run.problems) == (4, [], [])
    for trial in run.complete:
        assert trial.record.deployment is not None
        value = trial.record.cell.solution.partition("=")[2].rstrip("]")
        assert trial.record.deployment.settings["node1"]["commit_delay"] == value

    comparison = compared(run)
    (cell,) = comparison.cells
    assert cell.key.solution == "pg (best of 2)" and cell.best is not None
    assert [trial.record.number for trial in cell.trials] == [2]
    choice = comparison.sweeps[0].units[0].choice
    assert choice is not None and choice.best.name == cell.best.variant
    assert choice.best.choosing.n == choice.best.reporting.n == 1
    assert choice.verdict == "unknown"  # Half of a single trial has no interval.
    assert summary_rows(run)[0]["Solution"].startswith("pg (best of 2: commit_delay=")
    assert "run 4 or more trials of each" in sweep_answers(compared(run))[0].text
    assert "Sweep of pg" in write_html(run).read_text()
