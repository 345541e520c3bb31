"""Data sets: loaded once, cached per engine version, workload and scale, copied for every trial.

A data set is the data directory of a cleanly stopped server, and those of further servers that store data
for it. All nodes of a solution start from identical copies, so a cluster needs no state transfer.
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

from fivenines.base import locks, paths, private, space
from fivenines.base.errors import FiveninesError, NoSpaceError
from fivenines.base.units import format_size
from fivenines.lab.disks.data_folder import DataFolder
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.load.commands import prepare_command
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Server, Value
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.servers.member import Member
from fivenines.software.base import Engine, Report, waiting

# Increased when the contents of data sets change, so that older ones are no longer used.
_LAYOUT = 4

_RECEIPT = "dataset.json"

# The folder of a data set in an external cluster.
NOWHERE = Path()


# A solution's action on a loaded, stopped server before its data is copied to all nodes.
Bootstrap = Callable[[LocalServer], None]

# Creates data in a lab, and returns the directories to cache, by name.
Fill = Callable[[Lab], Mapping[str, Path]]

# The name of a database server's directory in a data set.
ONE = "data"


def ensure(
    engine: Engine,
    workload: WorkloadSettings,
    report: Report,
    bootstrap: tuple[str, Bootstrap] | None = None,
    made_with: Mapping[str, Value] | None = None,
) -> Path:
    """Return the folder of the data set (its data directory is `data` below it), loaded if not cached.

    Args:
        engine: the engine; pulled if needed.
        workload: the workload and its scale.
        report: receives progress.
        bootstrap: name and action of a solution's preparation beyond the plain data.
        made_with: the user's settings that the data directory or its tables depend on.

    Raises:
        FiveninesError: loading failed.
    """
    given = dict(made_with or {})
    described = {**described_by(engine, workload, report), **described_settings(given)}
    if bootstrap is None:
        fill = _alone(engine, lambda one: _load(one, workload, report), given)
        return kept(engine, described, report, fill)
    name, action = bootstrap
    plain = ensure(engine, workload, report, made_with=given)
    described["bootstrap"] = name

    def build(seed: LocalServer) -> None:
        report(f"preparing it for {name}", None)
        copy(plain, seed)
        action(seed)

    return kept(engine, described, report, _alone(engine, build, given))


def kept(engine: Engine, described: Mapping[str, str | int], report: Report, fill: Fill) -> Path:
    """Return the folder of a data set, created by `fill` if not cached.

    Args:
        engine: the engine of the data.
        described: the key of the data set; the layout is added.
        report: receives the process that is waited for.
        fill: creates the data.
    """
    described = {"layout": _LAYOUT, **described}
    key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:12]
    folder = paths.cache() / "data" / f"{engine.file_name}-{key}"
    if _whole(folder):
        return folder
    with locks.one_at_a_time(_lock(folder, "lock"), waiting(report)):
        if not _whole(folder):
            what = f"the damaged data set {folder.name}"
            with locks.held(
                _lock(folder, "used.lock"), what, "it will be loaded again when that process has ended"
            ):
                _build(folder, engine, described, fill)
    return folder


def described_by(engine: Engine, workload: WorkloadSettings, report: Report) -> dict[str, str | int]:
    """Return the key of an engine's data set of a workload; the engine is pulled if needed."""
    version = engine.require(report).version
    return {"engine": engine.name, "version": version, **workload.data_set()}


def described_settings(made_with: Mapping[str, Value]) -> dict[str, str]:
    """Return the part of the key for the user's settings; empty without any."""
    return {"made with": json.dumps(made_with, sort_keys=True)} if made_with else {}


def _alone(engine: Engine, action: Bootstrap, made_with: Mapping[str, Value]) -> Fill:
    """Return a function that creates the data of a single server, with the user's settings."""

    def fill(lab: Lab) -> Mapping[str, Path]:
        seed = server(lab.add_host("seed", engine.root()), engine)
        seed.setup.made_with = made_with
        try:
            action(seed)
        except FiveninesError as error:
            if not made_with:
                raise
            given = ", ".join(f"server.{name}: {value}" for name, value in made_with.items())
            raise FiveninesError(f"the data set could not be created with {given}\n{error}") from error
        return {ONE: seed.data}

    return fill


@contextmanager
def used(make: Callable[[], Path], report: Report) -> Iterator[Path]:
    """Return the folder of a data set, created by `make` if not cached, and lock it."""
    while True:
        folder = make()
        if folder == NOWHERE:
            yield folder
            return
        with locks.shared(_lock(folder, "used.lock"), waiting(report)):
            # Another process may have removed it before this process held the lock.
            if _whole(folder):
                yield folder
                return


def _lock(folder: Path, kind: str) -> Path:
    """Return the lock file: `lock` for loading, `used.lock` for using the data set."""
    return folder.with_name(f"{folder.name}.{kind}")


# Runs a function on several servers in parallel.
Each = Callable[[Callable[[Any], None], Sequence[Any]], None]


def hand_out(dataset: Path, nodes: Sequence[Server], each: Each) -> None:
    """Copy a data set to every node of a lab, with the lab's passwords.

    Raises:
        FiveninesError: no space is left, or a copy failed.
    """
    first, *others = nodes
    if first.one_history:
        # All copies must share one log, so the passwords are changed in the first, which is then copied.
        copy(dataset, first)
        each(lambda node: _fill(node, first.host.data), others)
    else:
        each(lambda node: copy(dataset, node), nodes)


def copy(dataset: Path, target: Server) -> None:
    """Replace a server's data directory by a copy, with its lab's passwords.

    The server must be stopped.

    Raises:
        FiveninesError: no space is left, or the copy failed.
    """
    _fill(target, dataset / ONE)
    target.setup.take_over()


def copy_part(dataset: Path, name: str, target: Member) -> None:
    """Copy one of a data set's directories to a server without passwords.

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
    """Return the size of a copy on disk, in bytes."""
    return sum(path.stat().st_blocks * 512 for path in dataset.rglob("*") if path.is_file())


def require_space(folder: Path, dataset: Path, copies: int) -> None:
    """Require enough free space for the copies and the servers' logs.

    Raises:
        NoSpaceError: too little space is left.
    """
    needed = copies * (2 * size(dataset) + 256 * 2**20)
    free = space.free(folder)
    if free < needed:
        raise NoSpaceError(
            f"not enough disk space at {folder}: {copies} nodes need about "
            f"{format_size(needed // 2**20 * 2**20)}, "
            f"but {format_size(free // 2**20 * 2**20)} are free. Free some, or choose another --out"
        )


def _whole(folder: Path) -> bool:
    try:
        receipt = json.loads((folder / _RECEIPT).read_text())
        return bool(receipt["files"] == _count(folder))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _count(folder: Path) -> int:
    """Count the files in the directories of a data set."""
    parts = (part for part in folder.iterdir() if part.is_dir())
    return sum(1 for part in parts for path in part.rglob("*") if path.is_file())


@private.alone()
def _build(folder: Path, engine: Engine, described: object, fill: Fill) -> None:
    remove_tree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Left by a killed process, as this process holds the lock.
    for stale in folder.parent.glob(f".{folder.name}.*"):
        remove_tree(stale)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with (
            space.reported(folder.parent),
            engine.used(lambda _message, _fraction: None),
            NamespaceLab(part / "lab") as lab,
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


def _load(seed: LocalServer, workload: WorkloadSettings, report: Report) -> None:
    report("initialising a server", None)
    seed.setup.initialise()
    # The data can be loaded again, so the server need not wait for the disk.
    seed.setup.configure(seed.unsafe_settings)
    seed.start()
    seed.wait_ready()
    fill_tables(seed, workload, report)
    seed.stop()
    if seed.alive:
        raise FiveninesError(f"the loading server did not stop.\n{seed.last_words()}")


def fill_tables(seed: LocalServer, workload: WorkloadSettings, report: Report) -> None:
    """Load all data of a workload into a running server.

    Raises:
        FiveninesError: loading failed, with the reason.
    """
    for part in workload.prepares():
        load_tables(seed, part, reporter(workload, report))
    for file in workload.setup_files():
        report(f"running {file.name}", None)
        seed.sql.run_file(file)
    seed.setup.finish_loading()


# Receives the number of rows loaded, and of all rows; 0: the total is unknown, as with scripts.
Loading = Callable[[int, int], None]


def reporter(workload: WorkloadSettings, report: Report) -> Loading:
    """Return a function that reports the progress of `load_tables`."""

    def show(done: int, total: int) -> None:
        if total:
            report(f"loading {workload.name}", done / total)
        else:
            report(f"loading {workload.name}: {done} rows", None)

    return show


def load_tables(seed: Server, workload: WorkloadSettings, progress: Loading, drop: bool = False) -> bool:
    """Create and fill a workload's tables; return whether they were complete already.

    Raises:
        FiveninesError: loading failed, with the reason.
    """
    command, environment = prepare_command(seed, workload, drop)
    process = subprocess.Popen(
        seed.host.commands.outside(command),
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
    errors = process.stderr.read()
    if process.wait() != 0:
        raise FiveninesError(f"the data set could not be loaded: {errors.strip()[-500:]}")
    return already
