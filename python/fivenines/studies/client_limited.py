"""A verdict although the client was the bottleneck in some trials.

Such a trial says less about the servers than the others, and its figure is too low or too high by an unknown
amount. To drop it selects trials by their result, to keep it mixes two things. So a claim is decided only if
both ways give the same verdict; the figures shown are those without the limited trials. With half of a sample
limited or more it stays inconclusive.
"""

from collections.abc import Callable
from typing import Literal, Protocol, Self, TypeVar

from fivenines.analysis.wording import count, listed
from fivenines.studies.claims.verdicts import Verdict

# What becomes of trials in which the client was the bottleneck: they make a comparison inconclusive, count
# like all others, or are left out.
Limited = Literal["hinder", "keep", "leave out"]


T = TypeVar("T", bound="Limitable")


class Limitable(Protocol):
    """Figures that treat such trials in each of these ways."""

    def with_limited(self, limited: Limited) -> Self:
        """Return the same figures with another treatment."""


def judge_client(judge: Callable[[T], Verdict], figures: T) -> tuple[Verdict, str]:
    """Return the verdict on figures, and a sentence about the trials that it leaves out; empty: none."""
    found = judge(figures)
    limited = [atom for atom in found.atoms if atom.why == "client"]
    if found.outcome != "inconclusive" or not limited:
        return found, ""
    kept, rest = judge(figures.with_limited("keep")), judge(figures.with_limited("leave out"))
    if rest.status == "inconclusive" or kept.status != rest.status:
        return found, ""
    texts = [
        f"{figure.name}: {figure.sample.limited}"
        for atom in limited
        for figure in atom.figures
        if figure.sample.limited
    ]
    named = listed(list(dict.fromkeys(texts)))
    left = f"Trials in which the client was the bottleneck are left out ({named})"
    return rest, f"{left}; with them the verdict is the same."


def mostly_limited(limited: int, of: int) -> str:
    """Return why a sample has too many limited trials to leave them out; empty: it has not."""
    if 2 * limited < of:
        return ""
    return f"the client was the bottleneck in {limited} of {count(of, 'trial')}"
