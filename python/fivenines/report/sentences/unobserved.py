"""Cautions on figures that servers did not show: what is missing, why, and for which solutions."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.unobserved import unobserved_in_words
from fivenines.analysis.wording import listed


def cautions(cells: Sequence[CellResult]) -> list[str]:
    """Return what the servers' logs omit with their configuration, and figures that servers did not show."""
    logs: dict[str, list[str]] = {}
    figures: dict[str, list[str]] = {}
    for cell in cells:
        for trial in cell.trials:
            if trial.unseen:
                logs.setdefault(trial.unseen, []).append(cell.key.solution)
            if trial.record.unobserved:
                reasons = "; ".join(unobserved_in_words(trial.record.unobserved))
                figures.setdefault(reasons, []).append(cell.key.solution)
    return [
        *(
            f"The server logs of {_solutions(named)} are incomplete: they do not show {what}."
            for what, named in logs.items()
        ),
        *(
            f"The servers of {_solutions(named)} do not show all figures, and these are not 0: {what}."
            for what, named in figures.items()
        ),
    ]


def _solutions(names: Sequence[str]) -> str:
    return listed(list(dict.fromkeys(names)))
