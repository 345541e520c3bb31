"""Every study that comes along: it is read, plans both forms, and its claims find what they name."""

import pytest

from fivenines.studies import found
from fivenines.studies.judged import asked_parts
from fivenines.studies.models import Claim
from fivenines.studies.run import choose, seconds_of_parts
from fivenines.studies.source import FORMS, Loaded, load_study

# All trials of parts that end once their claims are decided, and the longest time after each fault.
LONGEST_QUICK = 110 * 60


@pytest.fixture(params=found.names())
def study(request: pytest.FixtureRequest) -> Loaded:
    """Each of them; reading it has walked its claims over the plan, see `studies.naming`."""
    return load_study(found.FOLDER / f"{request.param}.yaml")


def test_it_is_called_as_its_file(study: Loaded) -> None:
    assert f"{study.study.study}.yaml" in study.source.file


def test_both_forms_have_a_plan_and_the_quick_one_is_quick(study: Loaded) -> None:
    plans = {form: choose(study, form, [], []).plans for form in FORMS}
    for form in FORMS:
        assert [plan.part.name for plan in plans[form]] == list(study.study.parts)
        assert all(plan.trials for plan in plans[form])
    here = [plan for plan in plans["quick"] if not plan.cannot]
    assert seconds_of_parts(here) <= LONGEST_QUICK
    assert seconds_of_parts(plans["quick"]) < seconds_of_parts(plans["full"])


def test_every_claim_asks_for_a_part_or_says_why_it_cannot_be_run(study: Loaded) -> None:
    names = set(study.study.unavailable)
    for claim in study.study.claims:
        used = {named.name for named in claim.test.named()}
        assert _asked(study, claim) or used & names, claim.id


def test_every_part_has_a_claim(study: Loaded) -> None:
    requested = {part for claim in study.study.claims for part in _asked(study, claim)}
    assert requested == set(study.study.parts)


def _asked(study: Loaded, claim: Claim) -> list[str]:
    return asked_parts(claim, study.experiments["full"], study.study.unavailable)


def test_it_says_what_differs(study: Loaded) -> None:
    assert study.study.differs
