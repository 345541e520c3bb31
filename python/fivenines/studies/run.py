"""A study on this machine: the choice of parts, and the verdicts that are stored with their runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fivenines.analysis.measures.trials import exactly
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.base.units import about
from fivenines.experiment.document import Document
from fivenines.experiment.interleaved_plan import Block, blocks, seconds_of
from fivenines.experiment.machines import require_machines
from fivenines.experiment.plan import Trial, plan
from fivenines.experiment.source import Part
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation import lab as lab_checks
from fivenines.experiment.validation.checks import machine_problem
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.results import layout, parts
from fivenines.results.store import write_text
from fivenines.studies import page, written
from fivenines.studies.judged import StudyResult, asked_parts, judge
from fivenines.studies.models import Form, Study
from fivenines.studies.planned import spots_of_part
from fivenines.studies.source import Loaded


@dataclass(frozen=True)
class Changes:
    """Changes of a study's experiments by the command line.

    Attributes:
        trials: number of trials of each cell, and of blocks of interleaved parts; None: as in the study.
        lab: machines over SSH; None: this machine.
    """

    trials: int | None = None
    lab: LabSettings | None = None

    def of(self, part: Part) -> Part:
        """Return a part with the changes."""
        experiment = part.experiment
        if self.trials is not None:
            blocks = experiment.interleaved.model_copy(update={"blocks": self.trials})
            fixed = {"trials": exactly(self.trials), "interleaved": blocks, "until_decided": None}
            experiment = experiment.model_copy(update=fixed)
        if self.lab is not None:
            experiment = experiment.model_copy(update={"lab": self.lab})
        return replace(part, experiment=experiment)


@dataclass(frozen=True)
class PartPlan:
    """Plan of a part of a study.

    Attributes:
        part: the experiment.
        cells, trials: their numbers; blocks count as trials.
        seconds: approximate duration.
        cannot: why the part cannot run on this machine; empty: it can.
        left_out: why the part does not run now; empty: it does.
    """

    part: Part
    cells: int
    trials: int
    seconds: float
    cannot: str = ""
    left_out: str = ""

    def seconds_by(self, at_once: int) -> float:
        """Return the approximate duration with parallel trials, in seconds."""
        return self.seconds / max(1, min(at_once, self.trials))


@dataclass(frozen=True)
class Chosen:
    """Choice of the parts and claims of a study.

    Attributes:
        study: the study.
        source: its file.
        form: the chosen form.
        only: ids of the claims to judge; empty: all.
        plans: all parts.
    """

    study: Study
    source: Document
    form: Form
    only: Sequence[str]
    plans: Sequence[PartPlan]

    @property
    def parts(self) -> list[Part]:
        """Return the parts that run."""
        return [plan.part for plan in self.plans if not plan.left_out]

    @property
    def cannot(self) -> dict[str, str]:
        """Return why parts cannot run on this machine, by their names."""
        return {plan.part.name: plan.cannot for plan in self.plans if plan.cannot}


def choose(
    loaded: Loaded, form: Form, only: Sequence[str], named: Sequence[str], changes: Changes | None = None
) -> Chosen:
    """Choose the parts and claims of a study.

    Args:
        loaded: the study.
        form: the form.
        only: ids of claims: only the parts run whose figures they use.
        named: parts: only these run, regardless of their duration.
        changes: changes of the experiments; None: none.

    Raises:
        UsageError: no such claim or part.
    """
    changes = changes or Changes()
    study, experiments = loaded.study, [changes.of(part) for part in loaded.experiments[form]]
    _require_known("claim", only, [claim.id for claim in study.claims])
    _require_known("part", named, list(study.parts))
    expected = named or [
        part
        for claim in study.claims
        if not only or claim.id in only
        for part in (asked_parts(claim, experiments, study.unavailable) if only else study.parts)
    ]
    plans = [
        _plan(experiment, experiment.name in expected, experiment.name in named, study)
        for experiment in experiments
    ]
    return Chosen(study, loaded.source, form, only, plans)


def judged_folder(run: Path, file: Path | None) -> tuple[Path, Form]:
    """Return the study file and the form that judge the runs in a folder.

    Args:
        run: the folder of a study that has run.
        file: the study file from the command line; None: the stored one.

    Raises:
        UsageError: the folder contains no study.
    """
    record = parts.read(run) if parts.is_group(run) else None
    if record is None or not record.form:
        raise UsageError(f"{run} contains no study: name a folder that `replicate` has written")
    return file or run / layout.STUDY_SOURCE, record.form


def judge_run(chosen: Chosen, folder: Path) -> StudyResult:
    """Judge the finished runs, and write nothing."""
    every = [plan.part for plan in chosen.plans]
    return judge(chosen.study, chosen.form, every, folder, chosen.only, chosen.cannot)


def judge_and_write(chosen: Chosen, folder: Path) -> StudyResult:
    """Judge the finished runs, and write `claims.json` and `study.html` into their folder."""
    result = judge_run(chosen, folder)
    written.write_json(result)
    page.write_html(result)
    return result


def keep_source(chosen: Chosen, folder: Path) -> None:
    """Copy the study's file next to its runs, so that they can be judged later."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / layout.STUDY_SOURCE, chosen.source.text)


def _plan(part: Part, expected: bool, named: bool, study: Study) -> PartPlan:
    experiment = part.experiment
    planned, trials = blocks(experiment), plan(experiment)
    seconds = seconds_of([*planned, *trials], experiment)
    cannot = _obstacle(experiment, planned, trials)
    left_out = ""
    if cannot:
        left_out = f"{part.name} cannot run on {_where(experiment)}: {cannot}"
    elif not expected:
        left_out = "not requested"
    elif seconds > study.refuse_above and not named:
        left_out = f"{part.name} takes about {about(seconds)}, so it runs only on request: --part {part.name}"
    return PartPlan(part, len(spots_of_part(part)), len(planned) + len(trials), seconds, cannot, left_out)


def _obstacle(experiment: Experiment, planned: Sequence[Block], trials: Sequence[Trial]) -> str:
    """Return why an experiment cannot run on its machines; empty if no obstacle is known."""
    if problem := next(filter(None, map(machine_problem, experiment.solutions)), ""):
        return problem
    if mistakes := lab_checks.mistakes(experiment):
        return "; ".join(dict.fromkeys(mistake.text for mistake in mistakes))
    try:
        require_machines(experiment, trials, planned)
    except UsageError as error:
        return str(error)
    return ""


def _where(experiment: Experiment) -> str:
    inventory = experiment.lab.inventory
    return "this machine" if inventory is None else f"the machines of {inventory}"


def _require_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(
                f"the study has no {what} {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}"
            )


def seconds_of_parts(plans: Sequence[PartPlan], at_once: int = 1) -> float:
    """Return the approximate duration of parts that run one after another, in seconds."""
    return sum(plan.seconds_by(at_once) for plan in plans)
