"""Verdicts on a study's claims: each is judged by the runs, and by the published figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.analysis.wording import listed
from fivenines.experiment.interleaved_plan import Block, blocks, seconds_of
from fivenines.experiment.plan import Trial, plan
from fivenines.experiment.source import Part
from fivenines.studies import tally
from fivenines.studies.claims.verdicts import Verdict
from fivenines.studies.client_limited import judge_client
from fivenines.studies.measured import PartFigures, RunFigures
from fivenines.studies.models import Claim, Form, Study, Unavailable
from fivenines.studies.planned import PlannedFigures, spots_of_part
from fivenines.studies.printed import PrintedFigures
from fivenines.studies.tally import Result, Whose


@dataclass(frozen=True)
class Judged:
    """A claim and its verdicts.

    Attributes:
        claim: the claim of the study.
        result: the verdict in a word.
        verdict: verdict by the runs.
        printed: verdict by the published figures; None without any for the test.
        parts: parts whose figures the test uses.
        left_out: which trials the verdict leaves out, as a sentence; empty: none.
    """

    claim: Claim
    result: Result
    verdict: Verdict
    printed: Verdict | None
    parts: Sequence[str]
    left_out: str = ""

    @property
    def sentences(self) -> list[str]:
        """Return a sentence for each comparison."""
        if self.result == "not run":
            names = listed(list(self.parts))
            return [f"The part{'s' * (len(self.parts) > 1)} {names} {_HAVE[len(self.parts) > 1]} not run."]
        atoms = dict.fromkeys(atom.sentence for atom in self.verdict.atoms)
        return [*atoms, *([self.left_out] if self.left_out else [])]


_HAVE = {True: "have", False: "has"}


@dataclass(frozen=True)
class PartState:
    """Progress of a part: complete and planned trials and blocks; `cannot`: why it cannot run here."""

    name: str
    complete: int
    planned: int
    seconds: float
    cannot: str = ""


@dataclass(frozen=True)
class StudyResult:
    """A study with the verdicts on its claims."""

    study: Study
    form: Form
    folder: Path
    parts: Sequence[PartState]
    claims: Sequence[Judged]

    @property
    def sentence(self) -> str:
        """Return a summary of the verdicts: "Of the authors' 5 claims 3 hold, 2 are inconclusive"."""
        return tally.sentence(self._results)

    @property
    def counts(self) -> dict[Whose, dict[Result, int]]:
        """Return how many claims have each verdict, by whose they are."""
        return tally.counts(self._results)

    def of(self, group: Whose) -> list[Judged]:
        """Return the claims of the authors, or those of ours."""
        return [claim for claim in self.claims if tally.whose(claim.claim) == group]

    @property
    def _results(self) -> list[tuple[Claim, Result]]:
        return [(claim.claim, claim.result) for claim in self.claims]


def judge(
    study: Study,
    form: Form,
    parts: Sequence[Part],
    folder: Path,
    only: Sequence[str] = (),
    cannot: Mapping[str, str] | None = None,
) -> StudyResult:
    """Judge a study by the runs in a folder.

    Args:
        study: the study.
        form: the form that ran.
        parts: the study's experiments in this form.
        folder: folder of the runs, which may be missing.
        only: ids of the claims; empty: all.
        cannot: why a part cannot run on this machine, by part.
    """
    result = part_figures(parts, folder)
    complete = {item.name: item.complete for item in result}
    cannot = _still(cannot or {}, result)
    unavailable = _unavailable(study, cannot)
    measured, printed = RunFigures(result, unavailable), PrintedFigures(study.published)
    claims = [
        _judged(claim, asked_parts(claim, parts, unavailable), measured, printed, complete)
        for claim in study.claims
        if not only or claim.id in only
    ]
    states = [_state(part, own, cannot) for part, own in zip(parts, result, strict=True)]
    return StudyResult(study, form, folder, states, claims)


def part_figures(parts: Sequence[Part], folder: Path) -> list[PartFigures]:
    """Return the figures of each part of a study, whose runs are in a folder."""
    return [PartFigures(item.name, spots_of_part(item), folder / item.name) for item in parts]


def run_figures(study: Study, parts: Sequence[PartFigures], cannot: Mapping[str, str]) -> RunFigures:
    """Return the figures of all parts, for tests; `cannot`: why a part cannot run on this machine."""
    return RunFigures(parts, _unavailable(study, _still(cannot, parts)))


def _still(cannot: Mapping[str, str], parts: Sequence[PartFigures]) -> dict[str, str]:
    """Return why parts cannot run here, without those that have run elsewhere."""
    begun = {part.name for part in parts if part.complete}
    return {name: why for name, why in cannot.items() if name not in begun}


def _unavailable(study: Study, cannot: Mapping[str, str]) -> dict[str, Unavailable]:
    return {**study.unavailable, **{name: Unavailable(why=why) for name, why in cannot.items()}}


def asked_parts(claim: Claim, parts: Sequence[Part], unavailable: Mapping[str, Unavailable]) -> list[str]:
    """Return the parts whose figures a claim uses, in the order of the study."""
    spots = [spot for part in parts for spot in spots_of_part(part)]
    plan = PlannedFigures(spots, unavailable)
    claim.test.judge(plan)
    return [part.name for part in parts if part.name in plan.parts]


def _judged(
    claim: Claim,
    requested: Sequence[str],
    measured: RunFigures,
    printed: PrintedFigures,
    complete: Mapping[str, int],
) -> Judged:
    verdict, left_out = judge_client(claim.test.judge, measured)
    result: Result = verdict.outcome
    if result == "inconclusive" and requested and not any(complete[item] for item in requested):
        result = "not run"
    theirs = claim.test.judge(printed)
    # Events have no samples, but are judged as well.
    has_figures = theirs.judged or any(
        figure.sample.summary.n for atom in theirs.atoms for figure in atom.figures
    )
    return Judged(claim, result, verdict, theirs if has_figures else None, requested, left_out)


def _state(part: Part, figures: PartFigures, cannot: Mapping[str, str]) -> PartState:
    work: list[Block | Trial] = [*blocks(part.experiment), *plan(part.experiment)]
    number = len(work) if figures.planned is None else figures.planned
    seconds = seconds_of(work, part.experiment)
    return PartState(part.name, figures.complete, number, seconds, cannot.get(part.name, ""))
