"""Verdicts: of one comparison (an atom), and of several that make a claim.

An atom is decided by its own interval, of 95 %. A claim that asks for all of several holds if each one does,
which needs no correction (intersection-union: Berger, Technometrics 24 (1982) 295), and is contradicted if
one is at Holm's level; one that asks for any mirrors it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fivenines.analysis.holm import adjusted
from fivenines.studies.claims.figures import Place, Sample

Status = Literal["holds", "contradicted", "inconclusive"]

# What an atom is decided with: 1 - the confidence of its interval.
ERROR = 0.05

# Why an atom is inconclusive.
#
#     width        the interval reaches over the limit
#     trials       fewer than two trials, or no spread was printed: there is no interval
#     equal        a few values that are all equal have no spread, and prove nothing
#     bounds       service was not back, so that an end of the interval is not known
#     client       the load was limited by the client
#     errors       transactions failed, where nothing was broken
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
    """A sample that an atom is judged by: who it is of, and where it was taken."""

    name: str
    measure: str
    place: Place
    sample: Sample


@dataclass(frozen=True)
class Span:
    """What is compared with the limits, and its interval; ends that are not known are None.

    Attributes:
        kind: ratio, share, slope, or value (in the measure's unit).
        estimate: as measured.
        low, high: of the interval.
        at_least, at_most: between which the claim wants it; None: no limit there.
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
        status: as one of all of its claim.
        sentence: what was seen, what was claimed, and why it is inconclusive.
        about: which of several it is ("at 32 connections"); empty: the only one.
        why, reason: why it is inconclusive, as a word and as a part of the sentence.
        alone: its status by itself, before Holm's correction.
        figures: what it was judged by.
        span: what was compared with the limits; None of a set.
        members: of a set: those that cannot be told from the best.
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
        """Return whether there were figures to judge it by."""
        return not self.why or self.why in ("width", "bounds", "chance")


@dataclass(frozen=True)
class Verdict:
    """What becomes of a test.

    Attributes:
        rule: whether it asks for all of its parts or for any.
        parts: atoms, and verdicts of tests inside it.
        status: of the whole.
        holding, against: as of an atom.
    """

    rule: Literal["all", "any"]
    parts: Sequence["Atom | Verdict"]
    status: Status
    holding: float
    against: float

    @property
    def atoms(self) -> list[Atom]:
        """Return all comparisons, also of tests inside it."""
        return [atom for part in self.parts for atom in ([part] if isinstance(part, Atom) else part.atoms)]

    @property
    def judged(self) -> bool:
        """Return whether there were figures for any of it."""
        return any(part.judged for part in self.parts)

    @property
    def outcome(self) -> Outcome:
        """Return what a claim of this test is said to be."""
        if self.status == "holds":
            return "holds"
        if self.status == "contradicted":
            return "does not hold"
        # more trials would tell nothing of it
        open_ones = [atom for atom in self.atoms if atom.status == "inconclusive"]
        if open_ones and all(atom.why == "unavailable" for atom in open_ones):
            return "cannot be run here"
        return "inconclusive"

    @property
    def tally(self) -> str:
        """Return how many do what: "3 of 5 hold, 2 inconclusive"; empty of a single comparison."""
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
    """Return the verdict of several parts, whose atoms get the status that they have among the others."""
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
    """Return an atom that is decided alone, but not among the others, is inconclusive."""
    risky: Status = "contradicted" if rule == "all" else "holds"
    if not isinstance(part, Atom):
        return part
    if part.alone != risky or error <= ERROR:
        return part
    reason = f"one of {number} comparisons may look so by chance"
    sentence = f"{part.sentence.rstrip('.')}; alone it is {risky}, but {reason}."
    return replace(part, status="inconclusive", why="chance", reason=reason, sentence=sentence)
