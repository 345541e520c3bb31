"""All that a run says in sentences: of its blocks, its trials, its programs and its sweeps."""

from fivenines.analysis.nines import assumed_mtbf
from fivenines.analysis.sweeps import Compared
from fivenines.report.answer import Answer
from fivenines.report.answers import answers
from fivenines.report.chapters.agreement import agreement_answers
from fivenines.report.chapters.interleaved import interleaved_answers
from fivenines.report.chapters.sweeps import sweep_answers
from fivenines.report.groups import names_of
from fivenines.results.store import Run


def said(run: Run, swept: Compared) -> list[Answer]:
    """The answers of a run by topic, the most important first; [] if nothing is complete.

    Where blocks compare the speed, trials say nothing of it: they are short and alone, and would only
    contradict.
    """
    of_blocks = interleaved_answers(run)
    of_trials = answers(swept.cells, names_of(swept.cells), assumed_mtbf(run))
    if of_blocks:
        of_trials = [answer for answer in of_trials if answer.topic != "Speed"]
    agreed = agreement_answers(run, swept.cells)
    found = [*of_blocks, *of_trials, *agreed, *sweep_answers(swept)]
    return sorted(found, key=lambda answer: answer.topic == "Caution")
