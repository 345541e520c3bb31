"""Functions that run on another machine: a trial in a scratch folder, returned as an archive.

They do not depend on the cluster's library, which calls them (`ray_cluster`).
"""

import io
import os
import platform
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fivenines import __version__
from fivenines.base import locks, paths, private
from fivenines.base.errors import FiveninesError
from fivenines.campaign.preparation import prepare
from fivenines.campaign.workers.base import Delivered, Order, perform
from fivenines.campaign.workers.processors import allowed, shares
from fivenines.campaign.workers.room import Room
from fivenines.experiment.interleaved_plan import Block
from fivenines.lab.lab import remove_tree
from fivenines.lab.machine import describe
from fivenines.results import layout, store
from fivenines.results.basics import Machine
from fivenines.results.records import WorkerRecord
from fivenines.software import versions
from fivenines.trial.progress import Listener

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Place:
    """Place of a trial: name of the worker, name of its machine, and its share of the CPUs."""

    name: str
    host: str
    share: int
    of: int


@dataclass(frozen=True)
class Introduction:
    """Description of a machine, before trials run there."""

    fivenines: str
    # Boot id of the kernel: two nodes with the same id are one machine.
    boot: str
    machine: Machine
    room: Room


def introduce() -> Introduction:
    """Describe this machine."""
    return Introduction(__version__, _BOOT.read_text().strip(), describe(), Room.here())


def carry_out(order: Order, place: Place, listener: Listener) -> tuple[Delivered, bytes]:
    """Run a trial here; return its result, and its folder as an archive (tar).

    Engines and data sets are created once per machine and stay in its cache. The scratch folder is removed,
    even after an interrupt.

    Raises:
        FiveninesError: an engine is not available or has another version than the run's; the disk is full.
    """
    with ExitStack() as used, private.alone(), _scratch() as folder, _on(place) as cores:
        members = order.work.members() if isinstance(order.work, Block) else [order.work]
        stacks = order.experiment.stacks
        _require_same(order.engines, prepare(members, stacks, {order.work.id}, True, listener, used))
        worker = WorkerRecord(
            name=place.name, host=place.host, cores=cores, neighbours=place.of - 1, machine=describe()
        )
        (folder / layout.TRIALS).mkdir()
        delivered = perform(replace(order, folder=folder), listener, worker)
        return delivered, _archive(_made(folder, delivered, order.attempt))


def unpack(archive: bytes, run: Path, delivered: Delivered, attempt: int) -> None:
    """Put a trial's folder into the run: whole or not at all.

    Raises:
        FiveninesError: the archive is damaged.
    """
    record = delivered.record
    part = layout.part_folder(run, record.id)
    remove_tree(part)
    part.mkdir(parents=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(part, filter="data")
    except (tarfile.TarError, OSError) as error:
        remove_tree(part)
        raise FiveninesError(f"{record.id}: the returned archive cannot be unpacked: {error}") from error
    target = _made(run, delivered, attempt)
    remove_tree(target)
    store.move(part, target)


def _made(run: Path, delivered: Delivered, attempt: int) -> Path:
    """Return the folder of a finished trial."""
    record = delivered.record
    broken = "" if record.status == "complete" else f".broken-{attempt}"
    return layout.trial_folder(run, f"{record.id}{broken}")


def _archive(folder: Path) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder, arcname=".")
    return packed.getvalue()


@contextmanager
def _scratch() -> Iterator[Path]:
    """Provide a scratch folder, and remove those of processes that were killed."""
    every = paths.cache() / "remote"
    every.mkdir(parents=True, exist_ok=True)
    # The lock prevents another process from removing a folder that was just created and is not locked yet.
    with locks.one_at_a_time(every / layout.LOCK, lambda _by: None):
        for stale in every.glob("*/"):
            if (lock := locks.take(_lock(stale))) is not None:
                remove_tree(stale)
                lock.release(remove=True)
        folder = Path(tempfile.mkdtemp(dir=every))
        lock = locks.take(_lock(folder))
    try:
        yield folder
    finally:
        remove_tree(folder)
        if lock is not None:
            lock.release(remove=True)


def _lock(scratch: Path) -> Path:
    """Return the lock file of a scratch folder: next to it, as the lock must outlive the folder."""
    return scratch.with_name(f"{scratch.name}.lock")


@contextmanager
def _on(place: Place) -> Iterator[list[int]]:
    """Pin this thread and its child processes to the place's CPUs within this context."""
    before = os.sched_getaffinity(0)
    cores = shares(allowed(), place.of)[place.share]
    os.sched_setaffinity(0, cores)
    try:
        yield cores
    finally:
        os.sched_setaffinity(0, before)


def _require_same(engines: Mapping[str, str], here: Mapping[str, str]) -> None:
    expected = {name: version for name, version in engines.items() if name in here}
    if changed := versions.changed(expected, dict(here)):
        raise FiveninesError(
            f"{platform.node()} has other versions than the run ({changed}): trials would not be comparable"
        )
