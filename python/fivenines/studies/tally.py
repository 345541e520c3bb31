"""Counts of verdicts: the claims that the authors made, and apart from them the questions of ours."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from fivenines.studies.claims.verdicts import Outcome
from fivenines.studies.models import Claim

# Verdict on a claim.
Result = Outcome | Literal["not run"]

# Words for a number of claims with a verdict: singular, plural.
_WORDS: dict[Result, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "cannot be run here": ("cannot be run here", "cannot be run here"),
    "not run": ("has not run", "have not run"),
}

# Whose claims, in the order in which they are shown.
Whose = Literal["authors", "ours"]
WHOSE: tuple[Whose, ...] = ("authors", "ours")

# Whose claims in a sentence: a single one, several.
_SUBJECTS: Mapping[Whose, tuple[str, str]] = {
    "authors": ("the authors' claim", "of the authors' {} claims"),
    "ours": ("our question", "of {} questions of ours"),
}


def whose(claim: Claim) -> Whose:
    """Return whose claim it is: one that the study measures or states is the authors'."""
    return "ours" if claim.basis == "ours" else "authors"


def counts(results: Sequence[tuple[Claim, Result]]) -> dict[Whose, dict[Result, int]]:
    """Return how many claims have each verdict, by whose they are; verdicts without a claim are left out."""
    found: dict[Whose, Counter[Result]] = {group: Counter() for group in WHOSE}
    for claim, result in results:
        found[whose(claim)][result] += 1
    return {
        group: {result: numbers[result] for result in _WORDS if numbers[result]}
        for group, numbers in found.items()
    }


def sentence(results: Sequence[tuple[Claim, Result]]) -> str:
    """Return a summary of the verdicts: "Of the authors' 2 claims 1 holds, 1 does not hold; our
    question holds".
    """
    texts = [_summary(group, numbers) for group, numbers in counts(results).items() if numbers]
    text = "; ".join(texts) or "no claim was judged"
    return f"{text[:1].upper()}{text[1:]}"


def _summary(group: Whose, numbers: Mapping[Result, int]) -> str:
    one, several = _SUBJECTS[group]
    total = sum(numbers.values())
    if total == 1:
        (result,) = numbers
        return f"{one} {_WORDS[result][0]}"
    parts = [f"{number} {_WORDS[result][number > 1]}" for result, number in numbers.items()]
    return f"{several.format(total)} {', '.join(parts)}"
