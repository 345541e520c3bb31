"""A campaign: all trials of a plan, one after another, into one run folder. It can be resumed."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fivenines import __version__
from fivenines.analysis.wording import listed
from fivenines.base.errors import UsageError
from fivenines.campaign.as_needed import AsNeeded, Spares
from fivenines.campaign.dispatch import Dispatch
from fivenines.campaign.preflight import require_accepted
from fivenines.campaign.preparation import prepare
from fivenines.campaign.schedule import Schedule
from fivenines.campaign.searches import Searches
from fivenines.campaign.until_decided import UntilDecided
from fivenines.campaign.workers.base import Here, Worker
from fivenines.experiment import document
from fivenines.experiment.defaults import as_dict
from fivenines.experiment.document import Document
from fivenines.experiment.interleaved_plan import Block, keys, seconds_of
from fivenines.experiment.plan import Trial, is_at_most
from fivenines.experiment.spec import Experiment
from fivenines.lab.lab import remove_tree
from fivenines.lab.machine import describe
from fivenines.results import calibrations, layout, stops, store
from fivenines.results.records import Manifest, PlannedBlock, PlannedSeverity, PlannedTrial
from fivenines.software import versions
from fivenines.trial.progress import CampaignFinished, CampaignStarted, Listener


def run_campaign(
    experiment: Experiment,
    source: str | Document,
    planned: Sequence[Trial | Block],
    folder: Path,
    resume: bool,
    listener: Listener,
    workers: Sequence[Worker] = (),
    decided: Callable[[], bool] | None = None,
) -> list[str]:
    """Run all trials and blocks that `folder` lacks; return the ids of those that were given up.

    The caller holds the lock of the folder (`claims.claimed`), as it may write more files, such as the
    report. `source` is the text of the experiment file; or the parsed file, of
    which the experiment may be a part. Without `workers` this process runs all trials sequentially. With
    `until_decided`, `decided` returns whether the finished trials decide the claims of the study.

    Raises:
        UsageError: the folder contains another experiment, or a run without `resume`; or a server refuses
            settings of the file.
        FiveninesError: an engine or a data set is not available, or the solutions of an interleaved
            comparison do not fit into memory.
    """
    written = source if isinstance(source, Document) else document.parse(source, layout.SOURCE)
    with ExitStack() as used:
        stops.forget_others(folder)
        begun = resume and (folder / layout.MANIFEST).exists()
        trials = [work for work in planned if isinstance(work, Trial)]
        blocks = [work for work in planned if isinstance(work, Block)]
        every = [*trials, *(member for block in blocks for member in block.members())]
        left = _left(planned, folder)
        waiting = {work.id for work in left}
        result = prepare(every, experiment.stacks, waiting, begun, listener, used)
        require_accepted([item for item in every if item.id in waiting], written, listener)
        manifest = _manifest(experiment, written.text, trials, blocks, result)
        _open(folder, manifest, resume)
        as_needed: Spares = AsNeeded(experiment.trials, folder)
        if experiment.until_decided is not None and decided is not None:
            as_needed = UntilDecided(experiment.until_decided, folder, decided)
        may_end = experiment.trials.until is not None or isinstance(as_needed, UntilDecided)
        may_end = may_end or any(trial.cell.fault.searched for trial in trials)
        searches = Searches(folder, as_needed)
        left = searches.left(left) if begun else left
        seconds, longest = seconds_of(left, experiment), is_at_most(every, experiment)
        workers = workers or [Here()]
        at_once = max(1, min(len(workers), len(left)))
        listener(CampaignStarted(len(left), seconds / at_once, left, may_end, longest, at_once=at_once))
        schedule = Schedule(left, _owners(folder, workers))
        dispatch = Dispatch(schedule, experiment, folder, searches, listener, result)
        for worker in workers:
            used.callback(worker.close)
        dispatch.run(workers)
        listener(CampaignFinished(folder))
        return dispatch.broken


def _owners(folder: Path, workers: Sequence[Worker]) -> dict[int, str]:
    """Return the machine of each replication that a resumed run has already begun."""
    hosts = {worker.host for worker in workers}
    result = {}
    for trial in store.open_run(folder).complete:
        worker = trial.record.worker
        if worker is not None and worker.host in hosts:
            result[trial.record.number] = worker.host
    return result


def _left(planned: Sequence[Trial | Block], folder: Path) -> list[Trial | Block]:
    """Return the remaining work; blocks alternate with trials, so that both run at similar times."""
    # A block precedes the trials of the same number.
    work = sorted(planned, key=lambda item: (item.number, isinstance(item, Trial)))
    return [item for item in work if not layout.trial_folder(folder, item.id).exists()]


def _manifest(
    experiment: Experiment,
    source: str,
    trials: Sequence[Trial],
    blocks: Sequence[Block],
    versions: dict[str, str],
) -> Manifest:
    machine = describe()
    return Manifest(
        fivenines=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        experiment=as_dict(experiment),
        source=source,
        engines=versions,
        machine=machine,
        calibration=calibrations.load(machine),
        plan=[
            PlannedTrial(
                id=trial.id,
                cell=trial.cell.key,
                number=trial.number,
                seed=trial.seed,
                search=_range(trial),
                severity=_severity(trial),
            )
            for trial in trials
        ],
        blocks=[
            PlannedBlock(id=block.id, cells=keys(block), number=block.number, seed=block.seed)
            for block in blocks
        ],
    )


def _range(trial: Trial) -> tuple[float, float] | None:
    """Return the range in which the length of a trial's fault is searched."""
    search = trial.cell.fault.search
    return None if search is None else (search.at_least, search.at_most)


def _severity(trial: Trial) -> PlannedSeverity | None:
    """Return the search for the severity of a trial's fault."""
    fault = trial.cell.fault
    if fault.severity is None:
        return None
    of, (low, high) = fault.severity.of, fault.severity.ends(fault.severities)
    return PlannedSeverity(of=of, unit=fault.severities[of], at_least=low, at_most=high)


def _open(folder: Path, manifest: Manifest, resume: bool) -> None:
    for kind in (layout.TRIALS, layout.BLOCKS):
        for part in (folder / kind).glob(".*.part"):  # left by a process that was killed
            remove_tree(part)
    if not (folder / layout.MANIFEST).exists():
        (folder / layout.TRIALS).mkdir(parents=True, exist_ok=True)
        store.write_text(folder / layout.SOURCE, manifest.source)
        store.write_json(folder / layout.MANIFEST, manifest)
        return
    if not resume:
        raise UsageError(f"{folder} already contains a run: continue it with --resume, or choose --out")
    earlier = store.open_run(folder).manifest
    store.write_json(folder / layout.MANIFEST, _joined(earlier, manifest, folder))


def _joined(earlier: Manifest, now: Manifest, folder: Path) -> Manifest:
    """Return the manifest of a resumed run, which may have more trials or more solutions."""
    planned = {trial.id: trial for trial in earlier.plan}
    blocks = {block.id: block for block in earlier.blocks}
    clash = any(planned.get(trial.id, trial) != trial for trial in now.plan)
    clash = clash or any(blocks.get(block.id, block) != block for block in now.blocks)
    if clash or _matrix(earlier) != _matrix(now):
        if other := _other_fivenines(earlier, now):
            raise UsageError(
                f"{folder} was begun by another version of fivenines ({other}), so trials would not be "
                "comparable. Continue it with that version, or start a new run without --resume"
            )
        raise UsageError(
            f"{folder} contains a run of another experiment: resume it with its file, "
            f"{folder / layout.SOURCE}"
        )
    if diff := versions.changed(earlier.engines, now.engines):
        raise UsageError(
            f"{folder} was begun with other versions ({diff}), so trials would not be comparable. Pull the "
            "version that it was begun with, or start a new run without --resume"
        )
    planned |= {trial.id: trial for trial in now.plan}
    blocks |= {block.id: block for block in now.blocks}
    now_planned = {trial.cell for trial in now.plan}
    return earlier.model_copy(
        update={
            "plan": [planned[name] for name in sorted(planned)],
            "blocks": [blocks[name] for name in sorted(blocks)],
            "experiment": {**earlier.experiment, "trials": _trials(earlier, now, folder)},
            # Cells with newly planned trials are judged again.
            "decided": None,
            "settled": [item for item in earlier.settled if item.cell not in now_planned],
            "engines": {**earlier.engines, **now.engines},
        }
    )


def _other_fivenines(earlier: Manifest, now: Manifest) -> str:
    """Return the evidence that another version of fivenines began a run that does not match; empty if
    none.
    """
    if earlier.source == now.source and earlier.fivenines != now.fivenines:
        return f"{earlier.fivenines}, this is {now.fivenines}"
    before, after = _flat(_matrix(earlier)), _flat(_matrix(now))
    new = sorted(after.keys() - before.keys())
    if not new or any(after.get(name) != value for name, value in before.items()):
        return ""
    return f"it has no {listed(new[:3])}"


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Return the scalar values of an experiment by the path of their keys."""
    if isinstance(value, dict):
        inner = {f"{name}.{key}".lstrip("."): item for key, item in value.items()}
    elif isinstance(value, list):
        inner = {f"{name}[{index}]": item for index, item in enumerate(value)}
        inner[f"{name}[]"] = len(value)
    else:
        return {name: value}
    result: dict[str, Any] = {}
    for key, item in inner.items():
        result |= _flat(item, key)
    return result


def _trials(earlier: Manifest, now: Manifest, folder: Path) -> Any:
    """Return the number of trials of a resumed run: the larger number, or the current `until`.

    With trials as needed the level of intervals depends on all looks, so earlier settings are preserved.
    """
    before, after = earlier.experiment["trials"], now.experiment["trials"]
    if isinstance(before, int):
        return max(before, after) if isinstance(after, int) else after
    if isinstance(after, int):
        raise UsageError(
            f"{folder} was begun with trials as needed, which stopped cells by interim results: a fixed "
            "number would make their intervals too narrow. Continue it with `until`, or start a new run"
        )
    looks = {
        "at_least": min(before["at_least"], after["at_least"]),
        "at_most": max(before["at_most"], after["at_most"]),
    }
    return {**after, **looks}


def _matrix(manifest: Manifest) -> dict[str, Any]:
    judged_by = ("trials", "decide", "thresholds")
    return {key: value for key, value in manifest.experiment.items() if key not in judged_by}
