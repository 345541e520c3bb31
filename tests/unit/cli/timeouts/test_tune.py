"""`fivenines tune`: the experiment that it writes, options that it refuses, and what it recommends."""

import json
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.needless_rate import NeedlessRate
from fivenines.analysis.decision.judging import judge
from fivenines.analysis.decision.tuning import SetResult
from fivenines.analysis.performance.sweeps import compared
from fivenines.base.errors import UsageError
from fivenines.cli.timeouts import asked as options
from fivenines.cli.timeouts import tuned
from fivenines.cli.timeouts.asked import Asked, Found
from fivenines.cli.timeouts.tune import tune
from fivenines.experiment.source import parse_experiment
from fivenines.faults.repeat import RepeatSettings
from fivenines.results.store import open_run

REQUIRE = ["needless < 1/year", "outage < 4s"]
HICCUPS = ["freeze 4/month lognormal 2s..8s"]


def asked() -> Asked:
    return options.asked("patroni", REQUIRE, HICCUPS, ["maximum_lag_on_failover=2MiB"], "host-kill", 12)


def test_the_experiment_has_all_sets_and_the_given_settings() -> None:
    text = asked().file.text()
    found = parse_experiment(text, "x.yaml")
    assert [one.name for one in found.solutions] == ["as given", *(f"set {n}" for n in range(1, 7))]
    assert all("maximum_lag_on_failover: 2MiB" in line for line in text.splitlines() if "patroni, " in line)
    death, freeze = found.faults
    assert death.fault == "host-kill" and freeze.search is not None
    # Below the shortest and above the longest lengths that are expected.
    assert freeze.search.at_least < 2.0 and freeze.search.at_most > 8.0
    assert found.trials.at_most == 12


def test_several_models_of_one_fault_share_a_search() -> None:
    models = ["freeze 4/month fixed 1s", "freeze 1/year fixed 20s", "partition 1/day fixed 2s"]
    file = options.asked("galera", ["needless < 1/year"], models, [], "kill", 12).file
    assert file.hiccups == {"freeze": (0.5, 40.0), "partition": (1.0, 4.0)}


@pytest.mark.parametrize(
    ("require", "hiccups", "options", "message"),
    [
        (["outage < 5s"], HICCUPS, {}, "--require: write one requirement on needless failovers"),
        (REQUIRE, ["freeze sometimes"], {}, "--hiccups: 'freeze sometimes' is not a model"),
        (REQUIRE, HICCUPS, {"death": "freeze"}, "--death freeze: the primary does not die of it"),
        (REQUIRE, HICCUPS, {"budget": "0"}, "--budget 0: write a time above 0"),
        (REQUIRE, HICCUPS, {"budget": "5"}, "--budget"),
        (REQUIRE, HICCUPS, {"solution": "standalone"}, "it has no timeouts to choose"),
    ],
)
def test_nothing_is_written_for_bad_input(
    require: list[str], hiccups: list[str], options: dict[str, str], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.yaml"
    words = {"solution": "patroni", **options}
    with pytest.raises(UsageError) as caught:
        tune(require=require, hiccups=hiccups, file=file, dry_run=True, **words)  # type: ignore[arg-type]
    assert message in str(caught.value) and not file.exists()


def test_a_dry_run_lists_the_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.yaml"
    tune("patroni", require=REQUIRE, hiccups=HICCUPS, file=file, dry_run=True)
    out = capsys.readouterr().out
    assert "retry_timeout" in out and "set 6" in out and "for each set" in out
    assert file.exists() and not (tmp_path / "runs").exists()


def planted(folder: Path) -> Found:
    """Return measured sets: as given calm and slow, set 3 restless and fast, set 4 calm and fast."""
    outages = {"as given": 9000, "set 3": 1000, "set 4": 2000}
    write_run(folder, Matrix([Recipe(name, outage=ms) for name, ms in outages.items()], faults=["kill"]))
    cells = {cell.key.solution: cell for cell in compared(open_run(folder)).cells}
    calm, restless = NeedlessRate(0.3, 0.1, 0.8), NeedlessRate(12.0, 8.0, 17.0)
    rates = {"as given": calm, "set 3": restless, "set 4": calm}
    request = asked()
    results = {
        name: SetResult(
            name,
            cells[name],
            {},
            tuple(judge(one, cells[name].trials) for one in request.wanted.conditions),
            rates[name],
            1.0,
        )
        for name in outages
    }
    return Found(request, results)


def test_the_recommendation_has_its_price_and_its_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    found = planted(folder)
    file = tmp_path / "tune.yaml"
    tuned.show(found, file, folder, as_json=False)
    out = " ".join(capsys.readouterr().out.split())
    assert "Recommended: ttl 30s, loop_wait 10s, retry_timeout 10s, primary_start_timeout 0s" in out
    assert (
        "As given: outage 9" in out and "Shorter timeouts (set 3): outage 1" in out and "12 (8 to 17)" in out
    )
    text = (tmp_path / "tune-proof.yaml").read_text()
    proof = parse_experiment(text, "proof")
    assert [one.name for one in proof.solutions] == ["as given", "set 4"]
    assert proof.trials.until is None and proof.trials.at_most == 60
    kill, hiccups = proof.faults
    assert kill.fault == "host-kill"
    # 143 hiccups without a failover show less than 1 in 48, in 60 trials of 3.
    assert isinstance(hiccups, RepeatSettings)
    assert (hiccups.times, hiccups.lengths, hiccups.of.mtbf) == (3, "lognormal 2s..8s", 657_450.0)
    assert "# 143 freezes without a failover show needless < 1/year.\n" in text
    assert hiccups.longest() < proof.timing.recovery.at_most
    values = json.loads((folder / "tune.json").read_text())
    assert values["recommended"] == "set 4" and values["finished"]
    assert [one["verdicts"]["needless < 1/year"] for one in values["sets"]] == ["met", "missed", "met"]


def test_without_a_calm_set_there_is_no_recommendation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    found = planted(folder)
    restless = NeedlessRate(12.0, 8.0, 17.0)
    found.results = {
        name: SetResult(name, one.deaths, {}, (), restless, 1.0) for name, one in found.results.items()
    }
    tuned.show(found, tmp_path / "tune.yaml", folder, as_json=True)
    values = json.loads(capsys.readouterr().out)
    assert values["recommended"] is None and values["proof"] is None
    assert not (tmp_path / "tune-proof.yaml").exists()
    assert "No measured set has few enough needless failovers" in tuned.sentences(found, None)[0]


def test_what_speaks_against_each_set_is_said(tmp_path: Path) -> None:
    found = planted(tmp_path / "run")
    restless = NeedlessRate(12.0, 8.0, 17.0)
    found.results["set 4"] = SetResult("set 4", found.results["set 4"].deaths, {}, (), restless, 1.0)
    (sentence,) = tuned.sentences(found, None)
    assert "as given has an outage of 9" in sentence and "set 3 and set 4: too many" in sentence
