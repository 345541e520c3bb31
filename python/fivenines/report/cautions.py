"""What stands beside the throughput in the terminal: time that went to stalls, and to other programs."""

from pathlib import Path

from fivenines.analysis.cells import analyse
from fivenines.report import sharing, stalls
from fivenines.results.store import Run, opened


def caution_lines(run: Run | Path) -> list[str]:
    """The sentences of a run, [] where nothing is to be said.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    done = [cell for cell in analyse(opened(run)) if cell.complete]
    return [*stalls.sentences(done), *sharing.cautions(done)]
