"""Names of several runs in one report."""

from collections.abc import Sequence

from fivenines.base.errors import UsageError
from fivenines.results.store import Run


def run_names(runs: Sequence[Run]) -> list[str]:
    """Return the names of their folders; the whole path of those whose folders have the same name.

    Raises:
        UsageError: a run occurs twice.
    """
    paths = [run.folder.resolve() for run in runs]
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"{path} is named twice")
    names = [path.name for path in paths]
    return [path.name if names.count(path.name) == 1 else str(path) for path in paths]
