"""Needs in words for readers: "no acknowledged row lost" for `lost = 0`, and how each one is judged."""

from fivenines.analysis.decision.judging import trials_without
from fivenines.analysis.wording import listed, percent
from fivenines.needs.condition import Need

_NEVER = {
    "not_back": "writes came back",
    "lost": "no acknowledged row lost",
    "phantom": "no refused row found",
    "duplicate": "no row found twice",
    "stale": "no stale read",
    "split_brain": "no split brain",
    "violated": "invariants of the workload hold",
    "diverged": "all nodes hold the same rows",
}
"""What is so where an event never happens; of others it is said by their noun."""


def in_words(need: Need) -> str:
    """The need for the head of a column; its exact condition is `need.text`."""
    measure = need.measure
    limit = need.text.rpartition(need.relation)[2].strip()
    if measure.kind == "event":
        if need.relation == "=":
            return _NEVER.get(measure.name, f"no {measure.noun}")
        few = "at most" if need.relation == "<=" else "less than"
        return f"{measure.noun} in {few} {limit} of trials"
    beyond = "" if need.percentile is None else f", {percent(100 * need.percentile)} % of trials"
    return f"{measure.noun} {need.relation} {limit}{beyond}"


def quoted(needs: list[Need], last: str = "and") -> str:
    """Needs in a sentence: "no stale read" and "writes came back", in quotation marks."""
    return listed(
        [
            f"\N{LEFT DOUBLE QUOTATION MARK}{in_words(one)}\N{RIGHT DOUBLE QUOTATION MARK}"
            for one in needs
        ],
        last,
    )


def how_judged(need: Need) -> str:
    """When it is met and when missed; else it is undecided."""
    if need.measure.kind == "number":
        return "by what the solution is; trials have no part in it"
    if need.measure.kind == "event" and need.relation == "=":
        share, trials = percent(100 * need.limit), trials_without(need.limit)
        return (
            f"missed by one trial that fails it; met once more than {share} % of trials can be excluded, "
            f"which takes {trials} trials that all hold it"
        )
    if need.measure.kind == "event" or need.percentile is not None:
        return "met or missed where the whole 95 % interval of the share of trials lies on one side"
    return "met or missed where the whole 95 % interval of the mean lies on one side of the limit"
