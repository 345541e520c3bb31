"""A campaign: its folder, what may be resumed, and what is tried again."""

import re
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import UsageError
from fivenines.campaign import campaign
from fivenines.experiment.plan import Trial, plan, select
from fivenines.experiment.source import parse_experiment
from fivenines.results import store
from fivenines.results.records import Manifest, Settled


def _source(trials: int = 2, **changes: Any) -> str:
    lines = {
        "name": "x",
        "seed": 1,
        "trials": trials,
        "connections": "[1]",
        "solutions": "[{solution: hot-standby, name: a}, {solution: standalone, name: b}]",
        "workloads": "[oltp_read_only]",
        **changes,
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def _trials(source: str) -> list[Trial]:
    return plan(parse_experiment(source, "x.yaml"))


def _manifest(source: str, chosen: list[Trial] | None = None, **engines: str) -> Manifest:
    experiment = parse_experiment(source, "x.yaml")
    trials = plan(experiment) if chosen is None else chosen
    versions = engines or {"postgres-18": "18.1"}
    return campaign._manifest(experiment, source, trials, (), versions)


def _open(folder: Path, manifest: Manifest, resume: bool = True) -> Manifest:
    campaign._open(folder, manifest, resume)
    return store.open_run(folder).manifest


def test_a_new_folder_holds_the_manifest_and_the_source(tmp_path: Path) -> None:
    folder = tmp_path / "deep/run"
    manifest = _manifest(_source())
    assert _open(folder, manifest, resume=False) == manifest
    assert (folder / "experiment.yaml").read_text() == _source()
    assert [planned.id for planned in manifest.plan] == ["0001", "0002", "0003", "0004"]


def test_a_run_is_continued_only_when_it_is_asked_for(tmp_path: Path) -> None:
    before = _open(tmp_path, _manifest(_source()))
    with pytest.raises(UsageError) as refused:
        campaign._open(tmp_path, _manifest(_source()), False)
    assert str(refused.value) == (
        f"{tmp_path} already contains a run: continue it with --resume, or choose --out"
    )
    assert _open(tmp_path, _manifest(_source())).plan == before.plan


def test_more_trials_may_be_asked_for(tmp_path: Path) -> None:
    first = _open(tmp_path, _manifest(_source(trials=1)))
    joined = _open(tmp_path, _manifest(_source(trials=3)))
    assert joined.experiment["trials"] == 3
    assert joined.plan[: len(first.plan)] == first.plan
    assert joined.plan == _manifest(_source(trials=3)).plan
    assert joined.created == first.created


def test_fewer_trials_take_nothing_away(tmp_path: Path) -> None:
    whole = _open(tmp_path, _manifest(_source(trials=3)))
    joined = _open(tmp_path, _manifest(_source(trials=1)))
    assert (joined.plan, joined.experiment) == (whole.plan, whole.experiment)


def test_the_other_solutions_may_come_later(tmp_path: Path) -> None:
    trials = _trials(_source())
    _open(tmp_path, _manifest(_source(), select(trials, ["b"])))
    joined = _open(tmp_path, _manifest(_source(), select(trials, ["a"]), other="1"))
    assert joined.plan == _manifest(_source()).plan
    assert joined.engines == {"postgres-18": "18.1", "other": "1"}


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"connections": "[2]"},
        {"name": "y"},
        {"workloads": "[oltp_read_write]"},
        {"timing": "{steady: 11s}"},
        {"solutions": "[{solution: hot-standby, name: a}]"},
    ],
)
def test_another_experiment_is_refused_and_changes_nothing(tmp_path: Path, changes: dict[str, Any]) -> None:
    before = _open(tmp_path, _manifest(_source()))
    with pytest.raises(UsageError) as refused:
        campaign._open(tmp_path, _manifest(_source(**changes)), True)
    assert str(refused.value) == (
        f"{tmp_path} contains a run of another experiment: resume it with its file, "
        f"{tmp_path / 'experiment.yaml'}"
    )
    assert store.open_run(tmp_path).manifest == before


def test_a_run_of_another_fivenines_is_called_that(tmp_path: Path) -> None:
    now = _manifest(_source())
    workloads = [dict(item) for item in now.experiment["workloads"]]
    workloads[0].pop("secondary")
    earlier = now.model_copy(update={"experiment": {**now.experiment, "workloads": workloads}})
    _open(tmp_path / "same", earlier)
    with pytest.raises(UsageError) as refused:
        _open(tmp_path / "same", now)
    assert str(refused.value) == (
        f"{tmp_path / 'same'} was begun by another version of fivenines (it has no "
        "workloads[0].secondary), so trials would not be comparable. Continue it with that version, or "
        "start a new run without --resume"
    )
    _open(tmp_path / "older", earlier.model_copy(update={"fivenines": "0.0.1"}))
    with pytest.raises(UsageError, match=r"another version of fivenines \(0\.0\.1, this is "):
        _open(tmp_path / "older", now)
    # another experiment is one, regardless of its origin
    with pytest.raises(UsageError, match="another experiment"):
        _open(tmp_path / "older", _manifest(_source(seed=2)))


def test_the_same_id_with_another_trial_is_a_clash(tmp_path: Path) -> None:
    """As a fivenines that shuffles otherwise would plan it."""
    manifest = _manifest(_source())
    _open(tmp_path, manifest)
    first, second, *rest = manifest.plan
    swapped = [first.model_copy(update={"id": "0002"}), second.model_copy(update={"id": "0001"})]
    with pytest.raises(UsageError, match="another experiment"):
        campaign._open(tmp_path, manifest.model_copy(update={"plan": [*swapped, *rest]}), True)


NEEDED = "{at_least: 3, at_most: 20, until: {measure: tps, within: 10%}}"


def _needed(**changes: str) -> str:
    text = NEEDED
    for key, value in changes.items():
        text = re.sub(rf"{key}: \d+", f"{key}: {value}", text)
    return _source().replace("trials: 2", f"trials: {text}")


def test_a_run_whose_trials_ended_by_looking_keeps_its_looks(tmp_path: Path) -> None:
    _open(tmp_path, _manifest(_needed()))
    with pytest.raises(UsageError, match="was begun with trials as needed"):
        campaign._open(tmp_path, _manifest(_source(trials=3)), True)
    joined = _open(tmp_path, _manifest(_needed(at_least="5", at_most="10")))
    trials = joined.experiment["trials"]
    assert (trials["at_least"], trials["at_most"]) == (3, 20)


def test_cells_that_are_not_asked_for_now_stay_settled(tmp_path: Path) -> None:
    manifest = _open(tmp_path, _manifest(_needed()))
    settled = [
        Settled(cell=cell, trials=3, measured=True, spared=17, seconds=9.0)
        for cell in dict.fromkeys(item.cell for item in manifest.plan)
    ]
    store.write_json(tmp_path / "manifest.json", manifest.model_copy(update={"settled": settled}))
    joined = _open(tmp_path, _manifest(_needed(), select(_trials(_needed()), ["b"])))
    assert [item.cell.solution for item in joined.settled] == ["a"]
