"""Verdicts: of a comparison (an atom), and of several that make up a claim.

A 95 % interval decides an atom. A claim that requires all of several atoms holds if each does, which needs no
correction (intersection-union: Berger, Technometrics 24 (1982) 295), and is contradicted if one is at Holm's
level; a claim that requires any of several mirrors this.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fivenines.analysis.statistics.holm import adjusted
from fivenines.studies.claims.figures import Place, Sample

Status = Literal["holds", "contradicted", "inconclusive"]

# Error that decides an atom: 1 - the confidence of its interval.
ERROR = 0.05

# Why an atom is inconclusive.
#
#     width        the interval contains the limit
#     trials       fewer than two trials, or no published spread: there is no interval
#     equal        a few values that are all equal have no spread, and prove nothing
#     bounds       service did not recover, so an end of the interval is unknown
#     client       the client was the bottleneck of the load
#     errors       transactions failed without a fault
#     missing      there are no figures
#     unavailable  it cannot be run here
#     levels       the axis has too few levels
#     zero         a mean of 0 has no ratio, and no line in per cent
#     chance       decided alone, but not as one of so many comparisons
Why = Literal[
    "",
    "width",
    "trials",
    "equal",
    "bounds",
    "client",
    "errors",
    "missing",
    "unavailable",
    "levels",
    "zero",
    "chance",
]

Outcome = Literal["holds", "does not hold", "inconclusive", "cannot be run here"]


@dataclass(frozen=True)
class Figure:
    """A sample of an atom, with its name and place."""

    name: str
    measure: str
    place: Place
    sample: Sample


@dataclass(frozen=True)
class Span:
    """The compared quantity with its interval and limits; unknown ends are None.

    Attributes:
        kind: ratio, share, slope, or value (in the measure's unit).
        estimate: the estimate.
        low, high: ends of the interval.
        at_least, at_most: claimed limits; None: no limit.
    """

    kind: Literal["ratio", "share", "slope", "value"]
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Atom:
    """One comparison.

    Attributes:
        status: status within the claim.
        sentence: the observation, the claim, and why it is inconclusive.
        about: distinguishes it from others ("at 32 connections"); empty: the only one.
        why, reason: why it is inconclusive, as a word and as a part of the sentence.
        alone: status before Holm's correction.
        figures: figures that decide.
        span: the compared quantity; None for a set.
        members: for a set: the members not shown to differ from the best.
        holding, against: the smallest errors with which it would hold and be contradicted; 1: above 5 %.
    """

    status: Status
    sentence: str
    about: str = ""
    why: Why = ""
    reason: str = ""
    alone: Status = "inconclusive"
    figures: Sequence[Figure] = ()
    span: Span | None = None
    members: Sequence[str] = ()
    holding: float = 1.0
    against: float = 1.0

    @property
    def judged(self) -> bool:
        """Return whether the atom has figures."""
        return not self.why or self.why in ("width", "bounds", "chance")


@dataclass(frozen=True)
class Verdict:
    """Verdict of a test.

    Attributes:
        rule: whether all of its parts must hold, or any.
        parts: atoms, and verdicts of contained tests.
        status: status of the whole.
        holding, against: as of an atom.
    """

    rule: Literal["all", "any"]
    parts: Sequence["Atom | Verdict"]
    status: Status
    holding: float
    against: float

    @property
    def atoms(self) -> list[Atom]:
        """Return all comparisons, including those of contained tests."""
        return [atom for part in self.parts for atom in ([part] if isinstance(part, Atom) else part.atoms)]

    @property
    def judged(self) -> bool:
        """Return whether any atom has figures."""
        return any(part.judged for part in self.parts)

    @property
    def outcome(self) -> Outcome:
        """Return the outcome of a claim with this verdict."""
        if self.status == "holds":
            return "holds"
        if self.status == "contradicted":
            return "does not hold"
        # More trials here would not decide it.
        open_ones = [atom for atom in self.atoms if atom.status == "inconclusive"]
        if open_ones and all(atom.why == "unavailable" for atom in open_ones):
            return "cannot be run here"
        return "inconclusive"

    @property
    def tally(self) -> str:
        """Return counts by status: "3 of 5 hold, 2 inconclusive"; empty for a single comparison."""
        atoms = self.atoms
        if len(atoms) < 2:
            return ""
        counts = {
            "hold": sum(atom.status == "holds" for atom in atoms),
            "contradicted": sum(atom.status == "contradicted" for atom in atoms),
            "cannot be run here": sum(atom.why == "unavailable" for atom in atoms),
        }
        counts["inconclusive"] = len(atoms) - sum(counts.values())
        seen = [f"{number} {words}" for words, number in counts.items() if number]
        first, *rest = seen
        number, _, words = first.partition(" ")
        return ", ".join([f"{number} of {len(atoms)} {words}", *rest])


def verdict(rule: Literal["all", "any"], parts: Sequence[Atom | Verdict]) -> Verdict:
    """Return the verdict of several parts, with Holm's correction of their atoms."""
    judged = [part for part in parts if part.judged]
    errors = adjusted([part.against if rule == "all" else part.holding for part in judged])
    known = iter(errors)
    result = [_among(part, rule, next(known) if part.judged else 1.0, len(judged)) for part in parts]
    item = min(errors, default=1.0)
    every = max((part.holding if rule == "all" else part.against for part in parts), default=1.0)
    holding, against = (every, item) if rule == "all" else (item, every)
    status: Status = "inconclusive"
    if holding <= ERROR:
        status = "holds"
    elif against <= ERROR:
        status = "contradicted"
    return Verdict(rule, result, status, holding, against)


def _among(part: Atom | Verdict, rule: Literal["all", "any"], error: float, number: int) -> Atom | Verdict:
    """Return an atom after Holm's correction, which may make it inconclusive."""
    risky: Status = "contradicted" if rule == "all" else "holds"
    if not isinstance(part, Atom):
        return part
    if part.alone != risky or error <= ERROR:
        return part
    reason = f"one of {number} comparisons may look so by chance"
    sentence = f"{part.sentence.rstrip('.')}; alone it is {risky}, but {reason}."
    return replace(part, status="inconclusive", why="chance", reason=reason, sentence=sentence)
