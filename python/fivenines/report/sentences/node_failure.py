"""State what the manuals of the recommended solution say about the failure of one node."""

from collections.abc import Iterable, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.report.sentences.decision import Verdict

# With more recommended solutions than this, only the chapter on the solutions states it.
_MOST = 2


def node_failure(decided: Sequence[Verdict], cells: Iterable[CellResult]) -> list[str]:
    """Return a sentence for each solution that is best under some condition."""
    best = {name for verdict in decided for name in verdict.decision.best}
    known: dict[str, str] = {}
    for cell in cells:
        deployments = (trial.record.deployment for trial in cell.trials)
        facts = next((one.facts for one in deployments if one and one.facts), None)
        if facts and cell.key.solution in best:
            loses = facts.one_failure_loses
            known.setdefault(cell.called, f"{facts.one_down}. It can lose: {loses}.")
    if len(known) > _MOST:
        return []
    return [f"If a node of {name} fails, according to its manuals: {text}" for name, text in known.items()]
