"""Chapter `agreement` of the report: do two tools, asked the same, say the same of the solutions?"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fivenines.analysis.agreement import Agreement, Tools, agreements, programs_of, tools
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics import Difference
from fivenines.analysis.wording import NOTHING, bearable, clause, count, listed, mean_with_interval, number
from fivenines.report.answer import Answer
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, names_of_keys
from fivenines.report.section import Section, explained
from fivenines.report.table import CELL, Table, without_empty
from fivenines.results.store import Run

TITLE = "Do two tools agree?"

_VERDICTS = {"agree": "agree", "disagree": "disagree", "open": "cannot be told"}


def chapter(data: Data) -> Section:
    """What each program says of each pair of solutions, and of each cell."""
    tables = [pair_table(data.run, data.done), tool_table(data.run, data.done)]
    if not any(table.rows for table in tables):
        return Section("agreement", TITLE)
    how = explained(_RULE, *_made_by(data), *_LIMITS)
    return Section("agreement", TITLE, [], tables, [], [how])


_RULE = (
    "A pattern that one tool alone shows may be the tool's own, so it counts only if both show it, each by"
    " trials of its own (the rule of the 2016 study of Aurora and Galera). Both agree where each tells a"
    " difference, and in the same direction; they disagree where each tells one, and not in the same"
    " direction; where one of them tells none, nothing can be told, and more trials may tell it. Intervals"
    " are those of 95 %."
)
_LIMITS = (
    "sysbench tells its rate once a second, so stalls of less than that were not seen in its trials. Its"
    " response times are those of its histogram, each known to 0.9 %.",
    "sysbench tries a transaction again after a deadlock, a conflict or a lock wait, and the time of all"
    " tries counts; with our load generator such a transaction has failed, unless `load.retries` says"
    " otherwise.",
)


def agreement_answers(run: Run, cells: Sequence[CellResult]) -> list[Answer]:
    """Whether the tools agree, for the head of the report; none where one program made all loads."""
    found = agreements(run, cells)
    if not found:
        return []
    names = names_of_keys([one.a for one in found])
    said = [Answer("Two tools", _counted(found, names), "agreement")]
    return said + [
        Answer("Caution", f"{_place(one, names)}{_sides(one)}: do not rely on either.", "agreement")
        for one in found
        if one.verdict == "disagree"
    ]


def _counted(found: Sequence[Agreement], names: Names) -> str:
    """How often they agree; of a single comparison of speed what they say."""
    speeds = [one for one in found if one.metric.name == "throughput"] or list(found)
    programs = listed(list(speeds[0].by))
    what = speeds[0].metric.name
    if len(speeds) == 1:
        one = speeds[0]
        verdict = {
            "agree": f"agree on the {what}" + (", but not on how much" if one.sizes_differ else ""),
            "disagree": f"disagree on the {what}",
            "open": f"do not both tell a difference in {what}",
        }[one.verdict]
        return f"{programs} {verdict}: {_sides(one)}."
    counts = Counter(one.verdict for one in speeds)
    parts = [f"agree in {counts['agree']}"]
    parts += [f"disagree in {counts['disagree']}"] if counts["disagree"] else []
    rest = f"; {counts['open']} cannot be told" if counts["open"] else ""
    return f"{programs} {listed(parts)} of {count(len(speeds), 'comparison')} of {what}{rest}."


def _sides(one: Agreement) -> str:
    """What each program says of a pair: "a is 23 % faster than b (15 to 31 %) by fivenines, ..."."""
    words = one.metric.words
    said = [f"{clause(one.b.solution, each, words)} by {name}" for name, each in one.by.items()]
    measure = "" if one.metric.name == "throughput" else f"the {one.metric.name} of "
    return f"{measure}{one.a.solution} is {listed(said)}"


def _place(one: Agreement, names: Names) -> str:
    label = names.label(one.a)
    return f"{label}: " if label else ""


def pair_table(run: Run, cells: Sequence[CellResult]) -> Table:
    """Each pair of solutions by each program."""
    found = agreements(run, cells)
    names = names_of_keys([one.a for one in found])
    programs = list(dict.fromkeys(name for one in found for name in one.by))
    columns = ["Conditions", "Solutions", "Measure", *(f"By {name}" for name in programs), "Verdict"]
    rows = [
        [
            names.label(one.a) or "all cells",
            f"{one.a.solution} / {one.b.solution}",
            one.metric.name,
            *(_ratio(one.by[name]) if name in one.by else NOTHING for name in programs),
            _verdict(one),
        ]
        for one in found
    ]
    caption = "Ratio of two solutions by each program (mean of a over mean of b, with its interval)"
    return Table(caption, columns, rows, 2)


def _verdict(one: Agreement) -> str:
    text = _VERDICTS[one.verdict]
    if one.verdict == "open" and one.telling:
        text += f": only {listed(one.telling)} tells a difference"
    return f"{text}, not on how much" if one.sizes_differ and one.verdict == "agree" else text


def tool_table(run: Run, cells: Sequence[CellResult]) -> Table:
    """Each cell by both programs."""
    found = tools(run, cells)
    names = names_of_keys([one.key for one in found])
    columns = [*CELL, "Measure", *_heads(found)]
    rows = [
        [
            one.key.solution,
            names.label(one.key),
            one.metric.name,
            _ratio(one.difference),
            _mean(one, one.difference.a),
            _mean(one, one.difference.b),
        ]
        for one in found
    ]
    table = Table("The programs against each other, cell by cell", columns, rows, 2)
    return without_empty(table, "Conditions") if rows else table


def _heads(found: Sequence[Tools]) -> list[str]:
    if not found:
        return ["Ratio", "", ""]
    one = found[0]
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
    """Which programs made the loads, with their versions."""
    versions = {
        f"{load['program']} {load.get('program_version', '')}".strip()
        for cell in data.done
        for trial in cell.trials
        if isinstance((load := trial.record.load).get("program"), str)
    }
    others = sorted(versions)
    ours = f"fivenines {data.run.manifest.fivenines}"
    return [f"The loads were made by {listed([ours, *others])}."] if others else []


def agreement_numbers(run: Run, cells: Sequence[CellResult]) -> dict[str, Any]:
    """The same for JSON: ratios with their intervals."""
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
