"""Put requirements into words: "no acknowledged row lost" for `lost = 0`, and how each one is judged."""

from fivenines.analysis.decision.judging import trials_without
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.wording import listed, percent


def in_words(requirement: Requirement) -> str:
    """Return the requirement for the head of a column; its exact condition is `requirement.text`."""
    measure = requirement.measure
    limit = requirement.text.rpartition(requirement.relation)[2].strip()
    if measure.kind == "event":
        if requirement.relation == "=":
            return measure.never or f"no {measure.noun}"
        few = "at most" if requirement.relation == "<=" else "less than"
        return f"{measure.noun} in {few} {limit} of trials"
    beyond = (
        "" if requirement.percentile is None else f", {percent(100 * requirement.percentile)} % of trials"
    )
    return f"{measure.noun} {requirement.relation} {limit}{beyond}"


def quoted(requirements: list[Requirement], last: str = "and") -> str:
    """Return requirements for a sentence, in quotation marks: "no stale read" and "writes recovered"."""
    return listed(
        [
            f"\N{LEFT DOUBLE QUOTATION MARK}{in_words(one)}\N{RIGHT DOUBLE QUOTATION MARK}"
            for one in requirements
        ],
        last,
    )


def how_judged(requirement: Requirement) -> str:
    """Return when a requirement is met and when not; otherwise it is inconclusive."""
    if requirement.measure.kind == "number":
        return "a property of the solution, independent of trials"
    if requirement.measure.kind == "estimate":
        return (
            "decided once the 95 % interval lies entirely on one side of the limit; met only if every fault "
            "with an assumed MTBF was measured"
        )
    if requirement.measure.kind == "event" and requirement.relation == "=":
        share, trials = percent(100 * requirement.limit), trials_without(requirement.limit)
        return (
            f"not met after one trial that fails; met once failures in more than {share} % of trials can be "
            f"excluded, which takes {trials} trials, or faults in turn, without a failure"
        )
    if requirement.measure.kind == "event" or requirement.percentile is not None:
        return "decided once the 95 % interval of the share of trials lies entirely on one side of the limit"
    return "decided once the 95 % interval of the mean lies entirely on one side of the limit"
