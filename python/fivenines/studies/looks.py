"""Looks at a running part of a study: whether its claims are decided, so that it needs no more trials."""

from collections.abc import Callable, Mapping
from pathlib import Path

from fivenines.studies.claims.verdicts import Verdict, Why
from fivenines.studies.client_limited import judge_client
from fivenines.studies.judged import asked_parts, part_figures, run_figures
from fivenines.studies.run import Chosen

# Reasons of inconclusive comparisons that further trials may remove.
_MAY_CHANGE: tuple[Why, ...] = ("width", "trials", "equal", "bounds", "missing", "chance")


def looks(chosen: Chosen, folder: Path) -> Mapping[str, Callable[[], bool]]:
    """Return for each part that ends by its claims a function that returns whether they are decided.

    Args:
        chosen: the study, with the claims that count.
        folder: folder of the parts' runs.
    """
    parts = [part.name for part in chosen.parts if part.experiment.until_decided is not None]
    return {part: _look(chosen, folder, part) for part in parts}


def _look(chosen: Chosen, folder: Path, part: str) -> Callable[[], bool]:
    every = [plan.part for plan in chosen.plans]
    claims = [
        claim
        for claim in chosen.study.claims
        if (not chosen.only or claim.id in chosen.only)
        and part in asked_parts(claim, every, chosen.study.unavailable)
    ]

    def decided() -> bool:
        measured = run_figures(chosen.study, part_figures(every, folder), chosen.cannot)
        # Without claims on it a part has no reason to end.
        return bool(claims) and all(
            is_closed(judge_client(claim.test.judge, measured)[0]) for claim in claims
        )

    return decided


def is_closed(verdict: Verdict) -> bool:
    """Return whether a claim is decided, or whether no number of trials would decide it."""
    if verdict.outcome != "inconclusive":
        return True
    return not any(atom.status == "inconclusive" and atom.why in _MAY_CHANGE for atom in verdict.atoms)
