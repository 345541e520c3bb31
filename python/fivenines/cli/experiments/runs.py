"""Find runs on disk by what the user types."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.base import paths
from fivenines.base.errors import UsageError

if TYPE_CHECKING:
    from fivenines.experiment.spec import Experiment


def slug(name: str) -> str:
    """Derive a folder's name from an experiment's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"


def new_name(name: str, now: datetime) -> Path:
    """Return a folder that does not exist yet."""
    stem = f"{slug(name)}-{now:%Y%m%d-%H%M%S}"
    folder, number = paths.runs() / stem, 2
    while folder.exists():
        folder, number = paths.runs() / f"{stem}-{number}", number + 1
    return folder


def called(folder: Path) -> str:
    """Return a run's name: that of its folder, preceded by that of all parts if it is a part."""
    from fivenines.results import parts

    return f"{folder.parent.name}/{folder.name}" if parts.is_group(folder.parent) else folder.name


def runs_in(folder: Path) -> list[Path]:
    """Return the runs of the parts in a folder, or the folder itself if it has none."""
    from fivenines.results import parts

    return parts.runs_of(folder) if parts.is_group(folder) else [folder]


def all_runs() -> list[Path]:
    """Return all runs under ./runs, including those of parts, the newest last."""
    from fivenines.results.layout import MANIFEST

    if not paths.runs().is_dir():
        return []
    found = [run for path in paths.runs().iterdir() for run in runs_in(path) if (run / MANIFEST).is_file()]
    return sorted(found, key=lambda path: ((path / MANIFEST).stat().st_mtime_ns, path.name))


def find(name: str | None, by_experiment: bool = False, groups: bool = False) -> Path:
    """Return the run that the user names: a path, a name under ./runs, or None for the newest.

    `by_experiment` permits the name of an experiment, for its newest run; `groups` a folder
    of the runs of several parts.

    Raises:
        UsageError: there is no such run.
    """
    from fivenines.base.spelling import nearest

    known = all_runs()
    if name is None:
        if not known:
            raise UsageError(f"there is no run in {paths.runs()}/. Name the folder of a run")
        return known[-1]
    for path in (Path(name), paths.runs() / name):
        if path.exists():
            return path if groups else _one(path)
    if by_experiment and (folder := _newest_of(name)) is not None:
        return folder
    names = [called(path) for path in known]
    raise UsageError(f"unknown run {name!r}{nearest(name, names) or _some(names)}")


def _one(folder: Path) -> Path:
    """Return the run in a folder.

    Raises:
        UsageError: the folder contains the runs of several parts.
    """
    from fivenines.results import parts

    if not parts.is_group(folder):
        return folder
    begun = [called(one) for one in parts.runs_of(folder)]
    known = f"Name one of them: {', '.join(begun)}" if begun else "None of them has begun"
    raise UsageError(f"{folder} contains the runs of several parts. {known}")


def _some(names: list[str]) -> str:
    """Name the newest runs to choose from."""
    if not names:
        return f": {paths.runs()}/ has no runs"
    newest, more = names[: -_SHOWN - 1 : -1], len(names) - _SHOWN
    rest = f" and {more} more" if more > 0 else ""
    return f"\n    newest runs: {', '.join(newest)}{rest} (fivenines results list)"


# Number of newest runs that a message names.
_SHOWN = 5


def newest(experiment: str) -> Path:
    """Return the newest run of an experiment.

    Raises:
        UsageError: there is none.
    """
    if (folder := _newest_of(experiment)) is not None:
        return folder
    raise _none_to_continue(experiment)


def newest_group(title: str, form: str = "") -> Path:
    """Return the newest folder of a file with parts; `form`: the form of a study.

    Raises:
        UsageError: there is none.
    """
    from fivenines.results import parts
    from fivenines.results.layout import PARTS

    folders = paths.runs().iterdir() if paths.runs().is_dir() else []
    groups = sorted(
        (path for path in folders if parts.is_group(path)),
        key=lambda path: ((path / PARTS).stat().st_mtime_ns, path.name),
    )
    for folder in reversed(groups):
        record = parts.read(folder)
        if (record.title, record.form) == (title, form):
            return folder
    raise _none_to_continue(title)


def _none_to_continue(name: str) -> UsageError:
    return UsageError(
        f"there is no run of {name!r} in {paths.runs()}/ to continue. "
        "Leave --resume out, or name its folder with --out"
    )


def _newest_of(experiment: str) -> Path | None:
    from fivenines.results.store import open_run

    for folder in reversed(all_runs()):
        is_called = re.fullmatch(re.escape(slug(experiment)) + r"-\d{8}-\d{6}(-\d+)?", folder.name)
        if not is_called and "/" not in called(folder):
            continue
        if open_run(folder).manifest.experiment.get("name") == experiment:
            return folder
    return None


def check_same(folder: Path, experiment: "Experiment") -> None:
    """Refuse to continue a run with a changed experiment.

    Raises:
        UsageError: with the first setting that differs.
    """
    from fivenines.experiment.defaults import as_dict
    from fivenines.results.store import open_run

    before = _leaves(open_run(folder).manifest.experiment)
    after = _leaves(as_dict(experiment))
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key, "absent"), after.get(key, "absent")
        # More trials continue the same experiment, and other requirements may judge it.
        judged_by = key.startswith(("decide", "thresholds"))
        if old != new and key != "trials" and not judged_by:
            raise UsageError(
                f"{folder} cannot be continued: the experiment has changed since the run began "
                f"({key} was {old}, is {new}). Undo the change, or start a new run without --resume"
            )


def _leaves(value: object, path: str = "") -> dict[str, object]:
    if isinstance(value, dict):
        items = [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, list):
        items = [(f"{path}[{index}]", inner) for index, inner in enumerate(value)]
    else:
        return {path: value}
    return {leaf: found for key, inner in items for leaf, found in _leaves(inner, key).items()}
