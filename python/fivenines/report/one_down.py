"""What the solution to be taken does when one of its nodes fails, and what that can lose, by its manuals."""

from collections.abc import Iterable, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.report.decision import Verdict

_MOST = 2
"""Of more solutions that cannot be told apart the chapter on what each takes says it."""


def one_down(found: Sequence[Verdict], cells: Iterable[CellResult]) -> list[str]:
    """A sentence for each solution that is best under some condition, by what its manuals say."""
    best = {name for one in found for name in one.decision.best}
    known: dict[str, str] = {}
    for cell in cells:
        deployments = (trial.record.deployment for trial in cell.trials)
        facts = next((one.facts for one in deployments if one and one.facts), None)
        if facts and cell.key.solution in best:
            loses = facts.one_failure_loses
            known.setdefault(cell.called, f"{facts.one_down}. It can lose: {loses}.")
    if len(known) > _MOST:
        return []
    return [f"If a node of {name} fails, by its manuals: {text}" for name, text in known.items()]
