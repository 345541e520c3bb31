"""Chapter `agreement` of the report: whether two load generators agree on the same solutions."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.performance.agreement import Agreement, Tools, agreements, programs_of, tools
from fivenines.analysis.statistics.means import Difference
from fivenines.analysis.wording import NOTHING, bearable, clause, count, listed, mean_with_interval, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, names_of_keys
from fivenines.report.html.section import Section, explained
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import CELL, Table, without_empty
from fivenines.results.store import Run

TITLE = "Agreement of load generators"

_VERDICTS = {"agree": "agree", "disagree": "disagree", "open": "inconclusive"}


def chapter(data: Data) -> Section:
    """Compare the results of the load generators for each pair of solutions, and for each cell."""
    tables = [pair_table(data.run, data.done), tool_table(data.run, data.done)]
    if not any(table.rows for table in tables):
        return Section("agreement", TITLE)
    how = explained(_RULE, *_made_by(data), *_LIMITS)
    return Section("agreement", TITLE, [], tables, [], [how])


_RULE = (
    "A pattern that only one load generator shows may be an artefact, so it counts only if both show it in"
    " separate trials (the rule of the 2016 study of Aurora and Galera). They agree if each shows a"
    " difference in the same direction, and disagree if each shows one in opposite directions. If one of"
    " them shows no difference, the result is inconclusive, and more trials may decide it. Intervals have"
    " 95 % confidence."
)
_LIMITS = (
    "sysbench reports its rate once a second, so its trials do not show shorter stalls. Its response times"
    " come from its histogram, each exact to 0.9 %.",
    "sysbench retries a transaction after a deadlock, a conflict or a lock wait, and counts the time of all"
    " attempts. With the load generator of fivenines such a transaction fails, unless `load.retries` is set.",
)


def agreement_answers(run: Run, cells: Sequence[CellResult]) -> list[Answer]:
    """Return whether the load generators agree; [] if one program made all loads."""
    every = agreements(run, cells)
    if not every:
        return []
    names = names_of_keys([one.a for one in every])
    answers = [Answer("Load generators", _counted(every, names), "agreement")]
    return answers + [
        Answer("Caution", f"{_place(one, names)}{_sides(one)}: do not rely on either.", "agreement")
        for one in every
        if one.verdict == "disagree"
    ]


def _counted(every: Sequence[Agreement], names: Names) -> str:
    """Return how often the programs agree; for a single comparison of speed, its results."""
    speeds = [one for one in every if one.metric.name == "throughput"] or list(every)
    programs = listed(list(speeds[0].by))
    what = speeds[0].metric.name
    if len(speeds) == 1:
        one = speeds[0]
        verdict = {
            "agree": f"agree on the {what}" + (", but not on its size" if one.sizes_differ else ""),
            "disagree": f"disagree on the {what}",
            "open": f"do not both show a difference in {what}",
        }[one.verdict]
        return f"{programs} {verdict}: {_sides(one)}."
    counts = Counter(one.verdict for one in speeds)
    parts = [f"agree in {counts['agree']}"]
    parts += [f"disagree in {counts['disagree']}"] if counts["disagree"] else []
    rest = f"; {counts['open']} inconclusive" if counts["open"] else ""
    return f"{programs} {listed(parts)} of {count(len(speeds), 'comparison')} of {what}{rest}."


def _sides(one: Agreement) -> str:
    """Return "a is 23 % faster than b (15 to 31 %) by fivenines, and ..."."""
    words = one.metric.words
    clauses = [f"{clause(one.b.solution, each, words)} by {name}" for name, each in one.by.items()]
    measure = "" if one.metric.name == "throughput" else f"the {one.metric.name} of "
    return f"{measure}{one.a.solution} is {listed(clauses)}"


def _place(one: Agreement, names: Names) -> str:
    label = names.label(one.a)
    return f"{label}: " if label else ""


def pair_table(run: Run, cells: Sequence[CellResult]) -> Table:
    """Return each pair of solutions by each program."""
    every = agreements(run, cells)
    names = names_of_keys([one.a for one in every])
    programs = list(dict.fromkeys(name for one in every for name in one.by))
    columns = ["Conditions", "Solutions", "Measure", *(f"By {name}" for name in programs), "Verdict"]
    rows = [
        [
            names.label(one.a) or "all cells",
            f"{one.a.solution} / {one.b.solution}",
            one.metric.name,
            *(_ratio(one.by[name]) if name in one.by else NOTHING for name in programs),
            _verdict(one),
        ]
        for one in every
    ]
    caption = "Ratio of two solutions by each program (mean of a over mean of b, with its interval)"
    return Table(caption, columns, rows, 2)


def _verdict(one: Agreement) -> str:
    text = _VERDICTS[one.verdict]
    if one.verdict == "open" and one.telling:
        text += f": only {listed(one.telling)} shows a difference"
    return f"{text}, not on the size" if one.sizes_differ and one.verdict == "agree" else text


def tool_table(run: Run, cells: Sequence[CellResult]) -> Table:
    """Return each cell by both programs."""
    every = tools(run, cells)
    names = names_of_keys([one.key for one in every])
    columns = [*CELL, "Measure", *_heads(every)]
    rows = [
        [
            one.key.solution,
            names.label(one.key),
            one.metric.name,
            _ratio(one.difference),
            _mean(one, one.difference.a),
            _mean(one, one.difference.b),
        ]
        for one in every
    ]
    table = Table("Load generators compared cell by cell", columns, rows, 2)
    return without_empty(table, "Conditions") if rows else table


def _heads(every: Sequence[Tools]) -> list[str]:
    if not every:
        return ["Ratio", "", ""]
    one = every[0]
    return [f"{one.program} / {one.reference}", f"By {one.program}", f"By {one.reference}"]


def _mean(one: Tools, summary: Any) -> str:
    return mean_with_interval(summary, milli=one.metric.words.unit == "ms")


def _ratio(one: Difference) -> str:
    if one.ratio is None:
        return NOTHING
    if one.ratio_low is None or one.ratio_high is None:
        return f"{number(one.ratio)} (no interval)"
    return bearable(one.ratio, one.ratio_low, one.ratio_high)


def _made_by(data: Data) -> list[str]:
    """Return the programs that made the loads, with their versions."""
    versions = {
        f"{trial.record.load.program} {trial.record.load.program_version}".strip()
        for cell in data.done
        for trial in cell.trials
        if trial.record.load.foreign
    }
    others = sorted(versions)
    ours = f"fivenines {data.run.manifest.fivenines}"
    return [f"Load generators: {listed([ours, *others])}."] if others else []


def agreement_numbers(run: Run, cells: Sequence[CellResult]) -> dict[str, Any]:
    """Return the ratios with their intervals for JSON."""
    return {
        "programs": {name: program for name, (_, program) in programs_of(run).items()},
        "solutions": [
            {
                **one.a.model_dump(exclude={"solution"}),
                "measure": one.metric.name,
                "a": one.a.solution,
                "b": one.b.solution,
                "verdict": one.verdict,
                "sizes_differ": one.sizes_differ,
                "by": {name: _numbers(each) for name, each in one.by.items()},
            }
            for one in agreements(run, cells)
        ],
        "cells": [
            {
                **one.key.model_dump(),
                "measure": one.metric.name,
                "program": one.program,
                "reference": one.reference,
                **_numbers(one.difference),
            }
            for one in tools(run, cells)
        ],
    }


def _numbers(one: Difference) -> dict[str, float | bool | None]:
    return {
        "ratio": one.ratio,
        "low": one.ratio_low,
        "high": one.ratio_high,
        "differs": one.differs if one.known else None,
    }
