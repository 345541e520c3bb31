"""Data sets: loaded once, kept per engine version, workload and scale, copied fresh for every trial.

A data set is the data directory of a cleanly stopped server, and those of further servers where these keep
the data for it. All nodes of a solution start from identical copies, so a cluster needs no state transfer.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fivenines import locks, paths, private, space
from fivenines.errors import FiveninesError, NoSpaceError
from fivenines.lab.data_folder import DataFolder
from fivenines.lab.lab import Lab, remove_tree
from fivenines.load.commands import prepare_command
from fivenines.servers.base import Server, Value
from fivenines.servers.families import server
from fivenines.servers.member import Member
from fivenines.software.base import Engine, Report, waiting
from fivenines.units import format_size
from fivenines.workloads.settings import WorkloadSettings

_LAYOUT = 4
"""Raised when what a data set contains changes: older ones are then not used any more."""

_RECEIPT = "dataset.json"

NOWHERE = Path()
"""The folder of a data set that lies in a cluster which others run."""


Bootstrap = Callable[[Server], None]
"""What a kind of solution does to a loaded, stopped server before its data is copied to all nodes."""

Fill = Callable[[Lab], Mapping[str, Path]]
"""Makes data in a lab; the directories that are to be kept, by name."""

ONE = "data"
"""The directory of a database server, in a data set."""


def ensure(
    engine: Engine,
    workload: WorkloadSettings,
    report: Report,
    bootstrap: tuple[str, Bootstrap] | None = None,
    made_with: Mapping[str, Value] | None = None,
) -> Path:
    """The folder of the data set (its data directory is `data` below it), loaded now if it is not kept.

    Args:
        engine: whose data directory it is; pulled if needed.
        workload: what is loaded, at which scale.
        report: told about progress.
        bootstrap: name and action of what a kind of solution needs beyond the plain data.
        made_with: settings of a person that the data directory, or its tables, are made with.

    Raises:
        FiveninesError: it could not be loaded.
    """
    given = dict(made_with or {})
    described = {**described_by(engine, workload, report), **described_settings(given)}
    if bootstrap is None:
        fill = _alone(engine, lambda one: _load(one, workload, report), given)
        return kept(engine, described, report, fill)
    name, action = bootstrap
    plain = ensure(engine, workload, report, made_with=given)
    described["bootstrap"] = name

    def build(seed: Server) -> None:
        report(f"preparing it for {name}", None)
        copy(plain, seed)
        action(seed)

    return kept(engine, described, report, _alone(engine, build, given))


def kept(engine: Engine, described: Mapping[str, str | int], report: Report, fill: Fill) -> Path:
    """The folder of what `fill` makes, made now if it is not kept.

    Args:
        engine: whose data it is.
        described: what tells it from other data sets; the layout is added.
        report: told who is waited for.
        fill: makes it.
    """
    described = {"layout": _LAYOUT, **described}
    key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:12]
    folder = paths.cache() / "data" / f"{engine.file_name}-{key}"
    if _whole(folder):
        return folder
    with locks.one_at_a_time(_lock(folder, "lock"), waiting(report)):
        if not _whole(folder):
            what = f"the damaged data set {folder.name}"
            with locks.held(_lock(folder, "used.lock"), what, "it is loaded again when that ends"):
                _build(folder, engine, described, fill)
    return folder


def described_by(engine: Engine, workload: WorkloadSettings, report: Report) -> dict[str, str | int]:
    """What tells an engine's data set of a workload from others; the engine is pulled if needed."""
    version = engine.require(report).version
    return {"engine": engine.name, "version": version, **workload.data_set()}


def described_settings(made_with: Mapping[str, Value]) -> dict[str, str]:
    """What tells a data set that is made with settings of a person from others; without any nothing."""
    return {"made with": json.dumps(made_with, sort_keys=True)} if made_with else {}


def _alone(engine: Engine, action: Bootstrap, made_with: Mapping[str, Value]) -> Fill:
    """What one server makes by itself, with settings of a person."""

    def fill(lab: Lab) -> Mapping[str, Path]:
        seed = server(lab.add_host("seed", engine.root()), engine)
        seed.made_with = made_with
        try:
            action(seed)
        except FiveninesError as error:
            if not made_with:
                raise
            given = ", ".join(f"server.{name}: {value}" for name, value in made_with.items())
            raise FiveninesError(f"no data set could be made with {given}\n{error}") from error
        return {ONE: seed.data}

    return fill


@contextmanager
def used(make: Callable[[], Path], report: Report) -> Iterator[Path]:
    """The folder of a data set that `make` makes where it is not kept; in the block nobody replaces it."""
    while True:
        folder = make()
        if folder == NOWHERE:
            yield folder
            return
        with locks.shared(_lock(folder, "used.lock"), waiting(report)):
            # somebody may have taken it away before we held the lock
            if _whole(folder):
                yield folder
                return


def _lock(folder: Path, kind: str) -> Path:
    """`lock`: whoever loads it; `used.lock`: whoever needs it to stay as it is."""
    return folder.with_name(f"{folder.name}.{kind}")


Each = Callable[[Callable[[Any], None], Sequence[Any]], None]
"""Does something with several servers at once."""


def hand_out(dataset: Path, nodes: Sequence[Server], each: Each) -> None:
    """A fresh copy for every node of a lab, with the lab's own passwords.

    Raises:
        FiveninesError: no space is left, or a copy failed.
    """
    first, *others = nodes
    if first.one_history:
        # the log of all copies must be one: the passwords are changed in the first, the others are its copies
        copy(dataset, first)
        each(lambda node: _fill(node, first.host.data), others)
    else:
        each(lambda node: copy(dataset, node), nodes)


def copy(dataset: Path, target: Server) -> None:
    """A fresh copy instead of what is in the server's data directory, with its lab's passwords.

    The server is stopped.

    Raises:
        FiveninesError: no space is left, or the copy failed.
    """
    _fill(target, dataset / ONE)
    target.take_over()


def copy_part(dataset: Path, name: str, target: Member) -> None:
    """A fresh copy of one of a data set's directories, for a server that has no passwords.

    Raises:
        FiveninesError: no space is left, or the copy failed.
    """
    _fill(target, dataset / name)


def _fill(target: Member, source: Path | DataFolder) -> None:
    try:
        target.host.data.fill(source)
    except FiveninesError as error:
        raise FiveninesError(f"the data set could not be copied for {target.name}: {error}") from error


def size(dataset: Path) -> int:
    """Bytes on disk of one copy."""
    return sum(path.stat().st_blocks * 512 for path in dataset.rglob("*") if path.is_file())


def require_space(folder: Path, dataset: Path, copies: int) -> None:
    """Refuse to start when the copies, and the logs that the servers will write, would not fit.

    Raises:
        NoSpaceError: too little space is left.
    """
    needed = copies * (2 * size(dataset) + 256 * 2**20)
    free = space.free(folder)
    if free < needed:
        raise NoSpaceError(
            f"no space: {copies} nodes need about {format_size(needed // 2**20 * 2**20)} at {folder}, "
            f"{format_size(free // 2**20 * 2**20)} are free; free some, or choose another --out"
        )


def _whole(folder: Path) -> bool:
    try:
        receipt = json.loads((folder / _RECEIPT).read_text())
        return bool(receipt["files"] == _count(folder))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _count(folder: Path) -> int:
    """Files in the directories of a data set."""
    parts = (part for part in folder.iterdir() if part.is_dir())
    return sum(1 for part in parts for path in part.rglob("*") if path.is_file())


@private.alone()
def _build(folder: Path, engine: Engine, described: object, fill: Fill) -> None:
    remove_tree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # of a loading that was killed: we hold the lock
    for stale in folder.parent.glob(f".{folder.name}.*"):
        remove_tree(stale)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with (
            space.told(folder.parent),
            engine.used(lambda _message, _fraction: None),
            Lab(part / "lab") as lab,
        ):
            made = fill(lab)
            (part / "set").mkdir()
            for name, data in made.items():
                data.rename(part / "set" / name)
        receipt = {"described": described, "files": _count(part / "set")}
        (part / "set" / _RECEIPT).write_text(json.dumps(receipt, indent=1))
        (part / "set").rename(folder)
    finally:
        remove_tree(part)


def _load(seed: Server, workload: WorkloadSettings, report: Report) -> None:
    report("initialising a server", None)
    seed.initialise()
    # nothing is lost here that could not be loaded again: do not wait for the disk
    seed.configure(seed.unsafe_settings)
    seed.start()
    seed.wait_ready()
    fill_tables(seed, workload, report)
    seed.stop()
    if seed.alive:
        raise FiveninesError(f"the loading server did not stop.\n{seed.last_words()}")


def fill_tables(seed: Server, workload: WorkloadSettings, report: Report) -> None:
    """All that a workload needs, on a server that runs.

    Raises:
        FiveninesError: it failed, with the reason.
    """
    for one in workload.prepares():
        load_tables(seed, one, told(workload, report))
    for file in workload.setup_files():
        report(f"running {file.name}", None)
        seed.run_file(file)
    seed.finish_loading()


Loading = Callable[[int, int], None]
"""Hears how many rows are there, and of how many: 0 where only the end will tell, as with scripts."""


def told(workload: WorkloadSettings, report: Report) -> Loading:
    """What passes the progress of `load_tables` on."""

    def tell(done: int, total: int) -> None:
        if total:
            report(f"loading {workload.name}", done / total)
        else:
            report(f"loading {workload.name}: {done} rows", None)

    return tell


def load_tables(seed: Server, workload: WorkloadSettings, progress: Loading, drop: bool = False) -> bool:
    """Make and fill a workload's tables; whether they were there already, whole.

    Raises:
        FiveninesError: it failed, with the reason.
    """
    command, environment = prepare_command(seed, workload, drop)
    process = subprocess.Popen(
        seed.host.outside(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdout is not None and process.stderr is not None
    already = False
    for line in process.stdout:
        event = json.loads(line)
        if event.get("event") == "progress":
            progress(event["done"], event.get("total", 0))
        already = already or event.get("event") == "already_loaded"
    said = process.stderr.read()
    if process.wait() != 0:
        raise FiveninesError(f"the data set could not be loaded: {said.strip()[-500:]}")
    return already
