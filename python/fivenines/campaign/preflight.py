"""Check before the first trial: starts a server of each solution with the server settings of the file."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.base.errors import UsageError
from fivenines.experiment.document import Document
from fivenines.experiment.plan import Trial
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted
from fivenines.load import dataset
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment.deployed import data_set
from fivenines.trial.deployment.preflight import refusal
from fivenines.trial.progress import DataSet, Listener


def require_accepted(trials: Sequence[Trial], source: Document, listener: Listener) -> None:
    """Check that the servers start with the user's settings.

    Args:
        trials: all trials to run; their engines and data sets are in the cache.
        source: the experiment with positions in its file.
        listener: called with progress.

    Raises:
        UsageError: a server does not start; the message has its error, and file and line of the setting.
    """
    for settings, data in _distinct(trials):
        listener(DataSet(f"checking the server settings of {settings.name}"))
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="fivenines-try-") as folder:
            result = refusal(settings, data, Path(folder) / "lab")
        if result is None:
            took = time.monotonic() - begun
            listener(DataSet(f"a server of {settings.name} starts with its settings ({took:.1f} s)"))
            continue
        path = place_of(source, settings, result.keys)
        what = f"{dotted(path)}: {settings.engine} {result.what}:\n    "
        mistake = Mistake(source.place(path), path, what + result.words.replace("\n", "\n    "))
        raise UsageError(mistake.block(source.file))


def place_of(text: Document, settings: SolutionSettings, keys: tuple[str, ...]) -> KeyPath:
    """Return the position of a solution's setting in a file; variants of a sweep have other list indices."""
    entries = text.data.get("solutions") if isinstance(text.data, dict) else None
    names = {settings.name, settings.variant.of if settings.variant is not None else ""}
    places: list[tuple[int, KeyPath]] = []
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if not isinstance(entry, dict) or entry.get("solution") != settings.solution:
            continue
        path: KeyPath = ("solutions", index, *keys)
        swept = _swept(index, entry, settings, keys)
        named = entry.get("name") in names
        if path in text.values:
            places.append((0 if named else 1, path))
        elif swept in text.values:
            places.append((0 if named else 1, swept))
        else:
            places.append((2 if named else 3, ("solutions", index)))
    return min(places, key=lambda item: item[0])[1] if places else ("solutions",)


def _swept(index: int, entry: dict[str, Any], settings: SolutionSettings, keys: tuple[str, ...]) -> KeyPath:
    """Return the position of a variant's setting within an entry's sweep; that of the value, if it exists."""
    sweep, key = entry.get("sweep"), ".".join(keys)
    place: KeyPath = ("solutions", index, "sweep")
    if isinstance(sweep, dict) and isinstance(sweep.get("settings"), dict):
        sweep, place = sweep["settings"], (*place, "settings")
    values = sweep.get(key) if isinstance(sweep, dict) else None
    value = settings.variant.settings.get(key) if settings.variant is not None else None
    if isinstance(values, list) and value in values:
        return (*place, key, values.index(value))
    return (*place, key)


def _distinct(trials: Sequence[Trial]) -> list[tuple[SolutionSettings, Path]]:
    """Return each solution with server settings once, with the smallest of its data sets."""
    result: dict[object, tuple[SolutionSettings, list[Path]]] = {}
    for trial in trials:
        settings = trial.cell.solution
        given = settings.handed_over()
        if not given or settings.external:
            continue
        manager = getattr(settings.failover_manager, "kind", "")
        key = (settings.solution, settings.engine, manager, tuple(given.items()))
        _, sets = result.setdefault(key, (settings, []))
        data = data_set(settings, trial.cell.workload, lambda _message, _fraction: None)
        if data not in sets:
            sets.append(data)
    return [(settings, min(sets, key=dataset.size)) for settings, sets in result.values()]
