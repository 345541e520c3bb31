"""Counts of verdicts, of the authors' claims and of questions of ours."""

from collections.abc import Sequence

import pytest

from fivenines.studies.models import Claim
from fivenines.studies.tally import Result, counts, sentence


def claims(*pairs: tuple[str, Result]) -> list[tuple[Claim, Result]]:
    test = {"limit": {"measure": "tps", "at_least": 1}}
    return [
        (Claim.model_validate({"id": f"c{n}", "says": "So.", "basis": basis, "test": test}), result)
        for n, (basis, result) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (
            [("measured", "holds"), ("stated", "inconclusive"), ("measured", "holds")],
            "Of the authors' 3 claims 2 hold, 1 is inconclusive",
        ),
        (
            [("measured", "does not hold"), ("measured", "not run"), ("ours", "holds"), ("ours", "holds")],
            "Of the authors' 2 claims 1 does not hold, 1 has not run; of 2 questions of ours 2 hold",
        ),
        ([("stated", "cannot be run here")], "The authors' claim cannot be run here"),
        ([("ours", "inconclusive")], "Our question is inconclusive"),
        ([], "No claim was judged"),
    ],
)
def test_the_sentence_counts_the_authors_claims_alone(
    pairs: Sequence[tuple[str, Result]], words: str
) -> None:
    assert sentence(claims(*pairs)) == words


def test_counts_leave_out_verdicts_without_a_claim() -> None:
    found = counts(claims(("measured", "holds"), ("ours", "does not hold"), ("ours", "holds")))
    assert found == {"authors": {"holds": 1}, "ours": {"holds": 1, "does not hold": 1}}
