"""Needs in words for readers: "no acknowledged row lost" for `lost = 0`, and how each one is judged."""

from fivenines.analysis.decision.judging import trials_without
from fivenines.analysis.wording import listed, percent
from fivenines.requirements.condition import Requirement

_NEVER = {
    "not_recovered": "writes came back",
    "lost": "no acknowledged row lost",
    "phantom": "no refused row found",
    "duplicate": "no row found twice",
    "stale": "no stale read",
    "split_brain": "no split brain",
    "violated": "invariants of the workload hold",
    "diverged": "all nodes hold the same rows",
}
"""What is so where an event never happens; of others it is said by their noun."""


def in_words(requirement: Requirement) -> str:
    """The need for the head of a column; its exact condition is `need.text`."""
    measure = requirement.measure
    limit = requirement.text.rpartition(requirement.relation)[2].strip()
    if measure.kind == "event":
        if requirement.relation == "=":
            return _NEVER.get(measure.name, f"no {measure.noun}")
        few = "at most" if requirement.relation == "<=" else "less than"
        return f"{measure.noun} in {few} {limit} of trials"
    beyond = (
        "" if requirement.percentile is None else f", {percent(100 * requirement.percentile)} % of trials"
    )
    return f"{measure.noun} {requirement.relation} {limit}{beyond}"


def quoted(requirements: list[Requirement], last: str = "and") -> str:
    """Needs in a sentence: "no stale read" and "writes came back", in quotation marks."""
    return listed(
        [
            f"\N{LEFT DOUBLE QUOTATION MARK}{in_words(one)}\N{RIGHT DOUBLE QUOTATION MARK}"
            for one in requirements
        ],
        last,
    )


def how_judged(requirement: Requirement) -> str:
    """When it is met and when missed; else it is undecided."""
    if requirement.measure.kind == "number":
        return "by what the solution is; trials have no part in it"
    if requirement.measure.kind == "event" and requirement.relation == "=":
        share, trials = percent(100 * requirement.limit), trials_without(requirement.limit)
        return (
            f"missed by one trial that fails it; met once more than {share} % of trials can be excluded, "
            f"which takes {trials} trials that all hold it"
        )
    if requirement.measure.kind == "event" or requirement.percentile is not None:
        return "met or missed where the whole 95 % interval of the share of trials lies on one side"
    return "met or missed where the whole 95 % interval of the mean lies on one side of the limit"
