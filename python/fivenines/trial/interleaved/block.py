"""A block of an interleaved comparison: all solutions of a group run, and one at a time is loaded.

The block's folder appears whole or not at all.
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fivenines.analysis.availability.served import seconds_of, why_not
from fivenines.base.errors import FiveninesError
from fivenines.experiment.interleaved_plan import LEAD_SECONDS, Block, Window, deployment_order, windows
from fivenines.experiment.spec import Experiment
from fivenines.lab.lab import remove_tree
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.results import layout, store
from fivenines.results.configuration import keep
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import BlockRecord, BlockSide, Deployment, WorkerRecord
from fivenines.trial.deployment.deployed import Deploy, Deployed, data_set
from fivenines.trial.interleaved.memory import MemoryShortError, require_memory
from fivenines.trial.interleaved.tables import keep_side, keep_usage, keep_windows
from fivenines.trial.interleaved.usage import Usage
from fivenines.trial.machine_watch import watched
from fivenines.trial.observers.idle import idle_usage
from fivenines.trial.progress import Listener, TrialPhase

# File with the windows of a load, in the folder of the load's files.
_WINDOWS = "windows"

# Seconds that loads may take after their last window.
_PATIENCE = 60.0


@dataclass
class _Side:
    """A running solution and its load."""

    deployed: Deployed
    deployment: Deployment
    load: RunningLoad
    # File that the load waits for.
    windows: Path


def run_block(
    block: Block,
    experiment: Experiment,
    run: Path,
    attempt: int,
    listener: Listener,
    deploy: Deploy = Deployed,
    worker: WorkerRecord | None = None,
) -> BlockRecord:
    """Run a block and write its folder: `<id>`, or `<id>.broken-<attempt>` with the reason and logs.

    A failure within the block breaks it without an exception. Lack of memory or disk space, and
    KeyboardInterrupt, are raised; the block's folder is then removed.

    Raises:
        MemoryShortError: the solutions together do not fit into the memory of this machine.
        NoSpaceError: the disk is full.
    """
    part = run.absolute() / layout.BLOCKS / f".{block.id}.part"
    remove_tree(part)
    part.mkdir(parents=True)
    began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    try:
        sides, reason = watched(
            run, lambda: _perform(block, experiment, part, listener, deploy), (MemoryShortError,)
        )
        record = BlockRecord(
            id=block.id,
            number=block.number,
            seed=block.seed,
            attempt=attempt,
            status="broken" if reason else "complete",
            reason=reason,
            started=started,
            seconds=round(time.monotonic() - began, 3),
            window_ms=experiment.interleaved.window * 1000,
            skip_ms=experiment.interleaved.skip * 1000,
            sides=sides or [],
            worker=worker,
        )
        store.write_json(part / layout.BLOCK, record)
    except BaseException:
        remove_tree(part)
        raise
    target = layout.trial_folder(run, f"{block.id}.broken-{attempt}" if reason else block.id)
    remove_tree(target)
    store.move(part, target)
    return record


def _perform(
    block: Block, experiment: Experiment, part: Path, listener: Listener, deploy: Deploy
) -> list[BlockSide]:
    plan = windows(block, experiment)
    with ExitStack() as stack:
        up = _bring_up(block, part, stack, listener, deploy, experiment.lab)
        sides = _ready(block, experiment, up, plan, part)
        try:
            origin, results = _take_turns(block, sides, plan, part, listener)
        finally:
            for side in sides:
                if not side.load.process.ended:
                    side.load.stop()
        for item in up:
            item.lab.require_sound()
            _require_answers(item)
    result = _saved(block, sides, plan, origin, results, part)
    _require_service(result, part)
    return result


def _require_service(sides: Sequence[BlockSide], part: Path) -> None:
    """Check that each solution served its load.

    Raises:
        FiveninesError: a solution did not; the message has the server's error.
    """
    for number, side in enumerate(sides):
        seconds = seconds_of(store.table_path(part / str(number), "timeline"))
        end = side.load.duration_s * 1000
        if why := why_not(seconds, side.load, 0.0, end, in_turn=True):
            raise FiveninesError(f"{side.cell.solution}: {why}")


def _bring_up(
    block: Block, part: Path, stack: ExitStack, listener: Listener, deploy: Deploy, lab: LabSettings
) -> list[Deployed]:
    """Deploy all solutions in the order of the block's cells; the stack saves their logs at its end."""
    up: dict[int, Deployed] = {}
    for number in deployment_order(block):
        cell = block.cells[number]
        listener(TrialPhase(block.id, f"deploying {cell.key.solution}", 5.0))
        require_memory(cell.solution, list(up.values()))
        data = data_set(cell.solution, cell.workload, lambda _message, _fraction: None)
        deployed = deploy(cell.solution, data, part / f"lab-{number}", cell.network, lab)
        up[number] = stack.enter_context(deployed)
        stack.callback(_collect, deployed, part / str(number) / layout.LOGS)
        deployed.bring_up()
    result = [up[number] for number in range(len(block.cells))]
    require_memory(None, result)
    return result


def _ready(
    block: Block, experiment: Experiment, up: Sequence[Deployed], plan: Sequence[Window], part: Path
) -> list[_Side]:
    """Return the facts of each solution, and its load, which connects and then waits."""
    hosts = {f"{n}/{name}": host for n, item in enumerate(up) for name, host in item.lab.hosts.items()}
    idle = idle_usage(hosts, experiment.observe.idle)
    sides = []
    for number, item in enumerate(up):
        own = {name: idle[key] for name in item.lab.hosts if (key := f"{number}/{name}") in idle}
        load = _load(block, experiment, number, item, plan, part)
        keep(part, item.configuration)
        sides.append(_Side(item, item.record(own), load, load.out / _WINDOWS))
    return sides


def _require_answers(deployed: Deployed) -> None:
    """Check that all servers still answer: a block has no faults, so a lost server breaks it."""
    silent = [node.name for node in deployed.solution.nodes if not node.answers()]
    if silent:
        raise FiveninesError(
            f"{', '.join(silent)} of {deployed.solution.settings.name} did not answer at the end"
        )


def _collect(deployed: Deployed, target: Path) -> None:
    with suppress(OSError):
        deployed.collect_logs(target)


def _load(
    block: Block, experiment: Experiment, number: int, deployed: Deployed, plan: Sequence[Window], part: Path
) -> RunningLoad:
    """Return a load whose connections are open, and that waits for its windows."""
    cell = block.cells[number]
    longest = plan[-1].to + _PATIENCE
    out = part / f"load-{number}"
    flags = ("--windows", str(out / _WINDOWS))
    load = LoadPlan(cell.workload, cell.connections, longest, block.seed + number, experiment.load, flags)
    assert deployed.client is not None
    return RunningLoad(
        deployed.client,
        deployed.solution.nodes[0],
        deployed.access.endpoints(),
        load,
        out,
        lambda _event: None,
    )


def _take_turns(
    block: Block, sides: Sequence[_Side], plan: Sequence[Window], part: Path, listener: Listener
) -> tuple[int, list[LoadSummary]]:
    """Write the loads' windows and wait for their ends; return the first window's start, and
    the summary of each.
    """
    for side in sides:
        side.load.await_start()
    origin = time.monotonic_ns() + int(LEAD_SECONDS * 1e9)
    for number, side in enumerate(sides):
        own = [window for window in plan if window.index == number]
        its = side.load.host.clock.its_moment
        lines = [
            " ".join(str(its(origin + int(at * 1e9))) for at in (item.start, item.measured, item.to))
            for item in own
        ]
        side.load.host.files.put(side.windows, "\n".join(lines) + "\n")
    usage = Usage([side.deployed.lab for side in sides], part / "usage.csv")
    rounds = plan[-1].round
    for position, window in enumerate(plan):
        _await(origin / 1e9 + window.start, sides)
        usage.look(position, origin / 1e9 + window.measured)
        solution = block.cells[window.index].key.solution
        which = f"round {window.round} of {rounds}" if window.round else "warm-up"
        listener(TrialPhase(block.id, f"{which}: {solution} is loaded", plan[-1].to - window.start))
    _await(origin / 1e9 + plan[-1].to, sides)
    usage.look(len(plan), origin / 1e9 + plan[-1].to + plan[-1].measured - plan[-1].start)
    usage.close()
    return origin, [side.load.await_end(_PATIENCE) for side in sides]


def _await(moment: float, sides: Sequence[_Side]) -> None:
    """Wait until this moment of CLOCK_MONOTONIC; a failed load breaks the block at once."""
    for side in sides:
        if side.load.process.ended:
            # A load may end after its last window; its result shows whether it succeeded.
            side.load.await_end(1.0)
    time.sleep(max(0.0, moment - time.monotonic()))


def _saved(
    block: Block,
    sides: Sequence[_Side],
    plan: Sequence[Window],
    origin: int,
    results: Sequence[LoadSummary],
    part: Path,
) -> list[BlockSide]:
    """Convert the files of the loads to tables; return the record of each solution."""
    starts = [(side.load.started_ns - origin) / 1e6 for side in sides]
    for number, side in enumerate(sides):
        keep_side(side.load.out, part / str(number))
        side.windows.unlink(missing_ok=True)
    keep_windows(plan, results, starts, part)
    keep_usage(part)
    return [
        BlockSide(cell=cell.key, deployment=side.deployment, load=result, started_ms=round(start, 3))
        for cell, side, result, start in zip(block.cells, sides, results, starts, strict=True)
    ]
