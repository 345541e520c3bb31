"""Collect every sentence of a run's results: blocks, trials, agreement of load generators, and sweeps."""

from fivenines.analysis.availability.nines import assumed_mtbf
from fivenines.analysis.performance.sweeps import Compared
from fivenines.report.chapters.availability.applications import application_answers
from fivenines.report.chapters.availability.deaths_in_turn import turn_answers as deaths_answers
from fivenines.report.chapters.availability.in_turn import turn_sentences, turns
from fivenines.report.chapters.availability.severity import severity_answers
from fivenines.report.chapters.availability.tolerance import tolerance_answers
from fivenines.report.chapters.performance.agreement import agreement_answers
from fivenines.report.chapters.performance.interleaved import interleaved_answers
from fivenines.report.chapters.performance.sweeps import sweep_answers
from fivenines.report.groups import names_of
from fivenines.report.sentences.answer import Answer
from fivenines.report.sentences.answers import answers
from fivenines.results.store import Run


def run_answers(run: Run, swept: Compared) -> list[Answer]:
    """Return the answers of a run by topic, the most important first; [] if nothing is complete.

    If interleaved blocks compare the speed, sentences on the speed of single trials are left out: trials are
    short and not interleaved, so they could contradict the blocks.
    """
    of_blocks = interleaved_answers(run)
    names = names_of(swept.cells)
    of_trials = answers(swept.cells, names, assumed_mtbf(run))
    if of_blocks:
        of_trials = [answer for answer in of_trials if answer.topic != "Speed"]
    agreed = agreement_answers(run, swept.cells)
    applied = application_answers(swept.cells, names)
    in_turn = [Answer("Hiccups", text, "needless") for text in turn_sentences(turns(swept.cells))]
    tolerated = [*tolerance_answers(run, swept), *in_turn]
    # A dead zone is worse than a slow failover: it comes first.
    dead = severity_answers(run, swept)
    deaths = deaths_answers(swept.cells)
    every = [*dead, *of_blocks, *of_trials, *deaths, *tolerated, *applied, *agreed, *sweep_answers(swept)]
    return sorted(every, key=lambda answer: answer.topic == "Caution")
