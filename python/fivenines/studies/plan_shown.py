"""Output about studies before they run: the list of studies, and the parts and claims of a study."""

from collections.abc import Sequence
from typing import Any

from fivenines.analysis.wording import NOTHING, count
from fivenines.base.errors import FiveninesError
from fivenines.base.units import about
from fivenines.experiment.source import Part
from fivenines.studies import found
from fivenines.studies.judged import asked_parts
from fivenines.studies.run import Chosen, PartPlan, choose, seconds_of_parts
from fivenines.studies.source import FORMS, Loaded, load_study
from fivenines.studies.tally import Whose, whose


def rows(chosen: Chosen, at_once: int = 1) -> list[list[object]]:
    """Return a row for each part; `at_once` trials run in parallel."""
    return [
        [
            plan.part.name,
            plan.cells,
            plan.trials,
            f"{_most([plan])}{about(plan.seconds_by(at_once))}",
            plan.left_out,
        ]
        for plan in chosen.plans
    ]


def _most(plans: Sequence[PartPlan]) -> str:
    """Return "at most " for parts that may end before their last trial."""
    return "at most " if any(plan.part.experiment.until_decided is not None for plan in plans) else ""


def endings(chosen: Chosen) -> list[str]:
    """Return a line for each running part that ends by its claims."""
    return [
        f"{plan.part.name} ends once its claims are decided"
        f"{'' if settings.within is None else f', or after {about(settings.within)}'}; they are first judged "
        f"after {settings.at_least} trials of each cell, or blocks"
        for plan in chosen.plans
        if not plan.left_out and (settings := plan.part.experiment.until_decided) is not None
    ]


def total(chosen: Chosen, at_once: int = 1) -> str:
    """Return a summary of the parts that run; `at_once` trials run in parallel."""
    running = [plan for plan in chosen.plans if not plan.left_out]
    if not running:
        return "no part runs"
    parallel = f"{at_once} in parallel, " if at_once > 1 else ""
    return (
        f"{count(len(running), 'part')}, {count(sum(plan.trials for plan in running), 'trial')}, "
        f"{parallel}{_most(running)}about {about(seconds_of_parts(running, at_once))} "
        "once engines and data are in the cache"
    )


def claims(chosen: Chosen, group: Whose) -> list[list[str]]:
    """Return a row for each claim that is judged, of the authors' claims or of ours."""
    return [
        [claim["claim"], ", ".join(claim["parts"]) or NOTHING, claim["says"]]
        for claim in _claims(chosen)
        if (claim["basis"] == "ours") == (group == "ours")
    ]


def as_json(chosen: Chosen, at_once: int = 1) -> dict[str, Any]:
    """Return the plan for programs; `at_once` trials run in parallel."""
    return {
        "study": chosen.study.study,
        "form": chosen.form,
        "differs": chosen.study.differs,
        "expected_seconds": seconds_of_parts([plan for plan in chosen.plans if not plan.left_out], at_once),
        "at_once": at_once,
        "parts": [
            {
                "part": plan.part.name,
                "cells": plan.cells,
                "trials": plan.trials,
                "expected_seconds": plan.seconds_by(at_once),
                "may_end_earlier": bool(_most([plan])),
                "left_out": plan.left_out,
            }
            for plan in chosen.plans
        ],
        "claims": _claims(chosen),
    }


def listed() -> tuple[list[dict[str, Any]], list[str]]:
    """Return the packaged studies with their durations, and the errors of those that cannot be read."""
    every, wrong = [], []
    for name in found.names():
        try:
            every.append(_brief(load_study(found.FOLDER / f"{name}.yaml")))
        except FiveninesError as error:
            wrong.append(str(error))
    return every, wrong


def _brief(loaded: Loaded) -> dict[str, Any]:
    study = loaded.study
    plans = {form: choose(loaded, form, [], []) for form in FORMS}
    seconds = {form: seconds_of_parts(plan.plans) for form, plan in plans.items()}
    refused = {
        form: [plan.part.name for plan in chosen.plans if plan.left_out and not plan.cannot]
        for form, chosen in plans.items()
    }
    return {
        "study": study.study,
        "by": f"{_names(study.cite.authors)}, {study.cite.year}",
        "question": study.question,
        "seconds": seconds,
        "only_by_name": refused,
        "claims": sum(whose(claim) == "authors" for claim in study.claims),
        "ours": sum(whose(claim) == "ours" for claim in study.claims),
        "cannot": _cannot(plans["full"]),
    }


def _names(authors: Sequence[str]) -> str:
    """Return the authors' family names; of three or more the first."""
    family = [author.split()[-1] for author in authors]
    return " and ".join(family) if len(family) < 3 else f"{family[0]} and others"


def _cannot(chosen: Chosen) -> list[str]:
    """Return the parts of a study that cannot run here, grouped by reason."""
    unavailable = {name: item.why for name, item in chosen.study.unavailable.items()}
    names: dict[str, list[str]] = {}
    for name, why in {**chosen.cannot, **unavailable}.items():
        names.setdefault(why, []).append(name)
    return [f"{', '.join(some)}: {why}" for why, some in names.items()]


def _claims(chosen: Chosen) -> list[dict[str, Any]]:
    every: list[Part] = [plan.part for plan in chosen.plans]
    return [
        {
            "claim": claim.id,
            "says": claim.says,
            "basis": claim.basis,
            "fidelity": claim.fidelity,
            "parts": asked_parts(claim, every, chosen.study.unavailable),
        }
        for claim in chosen.study.claims
        if not chosen.only or claim.id in chosen.only
    ]
