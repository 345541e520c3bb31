"""Export the figures of a run for other programs and for papers: Markdown, JSON, CSV."""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from fivenines.analysis.availability.fault_results import FaultResult
from fivenines.analysis.availability.nines import Availability, assumed_mtbf, availabilities
from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.availability.phases import PHASES
from fivenines.analysis.availability.severity import Severity, severities
from fivenines.analysis.availability.tolerance import Tolerance, tolerances
from fivenines.analysis.cells import CellResult
from fivenines.analysis.comparisons import Comparison, comparisons
from fivenines.analysis.configuration import of_run
from fivenines.analysis.figure_cache import one_look
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.performance.interleaved import interleaved_results
from fivenines.analysis.performance.sweeps import Compared, compared
from fivenines.analysis.resources.cost import prices
from fivenines.analysis.resources.side_by_side import loaded_results, solution_results
from fivenines.analysis.stacks.cell import stacks_of
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.troubles import TroubleResult, trouble_results
from fivenines.report.chapters import broken, configuration, decision, differences, solutions, summary, trust
from fivenines.report.chapters.availability import (
    applications,
    deaths_in_turn,
    needless,
    nines,
    phases,
    rejoin,
    severity,
    tolerance,
)
from fivenines.report.chapters.consistency import invariants, isolation, loss, split, truth
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance import agreement, errors, transactions
from fivenines.report.chapters.performance.interleaved import pair_figures, ratio_table, side_table
from fivenines.report.chapters.performance.power import resolution_table
from fivenines.report.chapters.performance.sweeps import best_tables, variant_tables
from fivenines.report.chapters.problems import alarms, trouble_table
from fivenines.report.export.measured_numbers import measured_numbers
from fivenines.report.export.plain import plain
from fivenines.report.export.sweep_numbers import difference_numbers, sweep_numbers
from fivenines.report.groups import before_faults, names_of
from fivenines.report.sentences.cautions import cautions
from fivenines.report.sentences.decision import Verdict, settings_of, verdicts
from fivenines.report.sentences.node_failure import node_failure
from fivenines.report.sentences.overview import overview
from fivenines.report.sentences.run_answers import run_answers
from fivenines.report.terminal.summary import summary_table
from fivenines.results.store import Run, opened

Format = Literal["md", "json", "csv"]

# What outages concern.
_KINDS = ("writes", "reads", "connections")


def tables(run: Run | Path, format: Format) -> str:  # noqa: A002 (the word of the command line)
    """Return the run's figures: `md` for reading, `json` with everything, `csv` with a line for each cell.

    Times are in ms, rates per second. Figures that were not measured are empty (csv) or null (json).

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    writers: dict[str, Callable[[Run, Compared], str]] = {"md": _markdown, "json": _json, "csv": _csv}
    with one_look():
        return writers[format](stored, compared(stored))


def _markdown(run: Run, swept: Compared) -> str:
    answers = run_answers(run, swept)
    data = Data(run, swept, answers)
    done, names, blocks = data.done, data.names, data.blocks
    assumed = assumed_mtbf(run)
    decided = verdicts(run, swept, settings_of(run), blocks)
    every = [
        decision.conditions_table(decided),
        trouble_table(trouble_results(run, swept.measured), names_of(swept.measured)),
        summary_table(data.cells),
        trust.calibration_table(run.manifest.calibration),
        *best_tables(swept),
        agreement.pair_table(run, data.done),
        agreement.tool_table(run, data.done),
        *variant_tables(swept),
        ratio_table(blocks),
        side_table(blocks),
        *solutions.chapter(data).every_table,
        *transactions.type_tables(data),
        transactions.schedule_table(data),
        transactions.step_table(data),
        transactions.connect_table(data),
        summary.spread_table(data),
        *applications.application_tables(data),
        phases.phase_table(list(phases.faults_of(done)), names),
        phases.effects_table(data),
        nines.nines_table(availabilities(done, assumed), names),
        *deaths_in_turn.chapter(data).every_table,
        *needless.chapter(data).every_table,
        tolerance.tolerance_table(data),
        severity.severity_table(data),
        split.split_table(done, names),
        loss.loss_table(data),
        loss.lost_ids_table(data),
        truth.read_table(data),
        truth.view_table(data),
        truth.divergence_table(data),
        truth.difference_table(data),
        truth.execution_table(data),
        isolation.level_table(data),
        isolation.isolation_table(data),
        isolation.example_table(data),
        invariants.violated_table(data),
        invariants.unknown_table(data),
        *differences.difference_tables(data),
        resolution_table(data),
        errors.errors_table(data),
        rejoin.rejoin_table(data),
        broken.broken_table(data),
        *(table for one in configuration.compared(of_run(run)).values() for table in one),
    ]
    title = str(run.manifest.experiment.get("name", "Run"))
    lines = [f"- SPLIT BRAIN: {text}" for text in alarms(swept.measured)]
    lines += [f"- {answer.topic}: {answer.text}" for answer in answers]
    summary_text = "\n".join(lines) or "There are no results: no trial is complete."
    summary_text = f"{_decided(decided, data)}{summary_text}"
    shown = "\n".join(table.markdown() for table in every if table.rows)
    return f"# {title}\n\n## Results\n\n{summary_text}\n\n## Tables\n\n{shown}"


def _decided(decided: Sequence[Verdict], data: Data) -> str:
    """Return the recommendation, cautions, reasons and the table of requirements; "" without a decision."""
    if not decided:
        return ""
    further = decision.further(decided)
    first, *rest = [*overview(decided), *further, *node_failure(decided, data.done)]
    warnings = [f"- Caution: {text}" for text in cautions(decided, data)]
    lines = [*warnings, *(f"- Decision: {text}" for text in rest)]
    table = decision.requirements_table(decided, data).markdown()
    return "\n".join([f"**{first}**", "", *lines, "", table, ""])


def _json(run: Run, swept: Compared) -> str:
    cells = swept.cells
    blocks = interleaved_results(run)
    priced, calibration = prices(run.manifest.experiment), run.manifest.calibration
    loaded = loaded_results(run.complete, before_faults(cells), priced)
    data = {
        "experiment": run.manifest.experiment.get("name"),
        "created": run.manifest.created,
        "calibration": calibration.model_dump(mode="json") if calibration else None,
        "cells": [_cell(cell) for cell in cells],
        "severities": [_severity(one) for one in severities(swept.searched, run.manifest)],
        "tolerances": [_tolerance(one) for one in tolerances(swept.searched, run.manifest)],
        "sweeps": [sweep_numbers(sweep) for sweep in swept.sweeps],
        "variants": [_cell(cell) for cell in swept.variants],
        "availability": [_availability(one) for one in availabilities(cells, assumed_mtbf(run))],
        "solutions": solutions.solution_figures(solution_results(cells)),
        "loaded": solutions.loaded_figures(loaded, priced),
        "troubles": [_trouble(one) for one in trouble_results(run, swept.measured)],
        "blocks": pair_figures(blocks),
        "differences": [_comparison(comparison) for comparison in comparisons(cells, speed=not blocks)],
        "agreement": agreement.agreement_numbers(run, cells),
        "broken": [
            {
                "trial": stored.record.id,
                "attempt": stored.record.attempt,
                **stored.record.cell.model_dump(),
                "reason": stored.record.reason,
            }
            for stored in run.broken
        ],
        "configuration": {
            name: [file.model_dump(mode="json") for file in one.files] for name, one in of_run(run).items()
        },
        "problems": run.problems,
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _cell(cell: CellResult) -> dict[str, Any]:
    return {
        **cell.key.model_dump(),
        "planned": cell.planned,
        "complete": cell.complete,
        "broken": cell.broken,
        "measures": measured_numbers(cell.trials),
        **{name: _summary(summary) for name, summary in _summaries(cell).items()},
        **{f"outage_{what}_trials": _points(one) for what, one in _outages(cell).items()},
        "interruptions": _interruptions(cell),
        "stalls": _stalls(cell),
        **{f"{what}_not_recovered": one.not_recovered for what, one in _outages(cell).items()},
        "failover_not_recovered": cell.failover.not_recovered,
        "loss": plain(cell.loss) | {"upper_bound": cell.loss.upper_bound},
        "in_doubt": cell.in_doubt,
        "stale": cell.stale,
        "errors": [plain(error) for error in cell.errors],
        "bottlenecks": cell.bottlenecks,
        "offered": cell.offered,
        "types": [plain(one) for one in cell.types],
        "invariants": [plain(one) for one in cell.invariants],
        "violated_trials": cell.violated,
        "faults": [_fault(fault) for fault in cell.faults],
        "truth": truth.truth_figures(cell),
        "stacks": [plain(one) for one in stacks_of(cell)],
        "best_case": plain(cell.best) if cell.best else None,
        "split_brains": split.split_figures(cell),
        "responses": [plain(trial.response) for trial in cell.trials if trial.response is not None],
    }


def _tolerance(one: Tolerance) -> dict[str, Any]:
    """Return a search with its outcomes; lengths in seconds."""
    return {
        **one.cell.key.model_dump(),
        "design": plain(one.design),
        "outcomes": [plain(outcome) for outcome in one.outcomes],
        "responses": dict(one.kinds),
        "not_counted": one.not_counted,
        "threshold": plain(one.threshold),
        "drift": plain(one.drift) if one.drift else None,
    }


def _severity(one: Severity) -> dict[str, Any]:
    """Return a search for a severity with its trials; values in seconds, or shares."""
    return {
        **one.cell.key.model_dump(),
        "search": one.planned.model_dump(),
        "tries": [plain(item) for item in one.tries],
        "not_counted": one.not_counted,
        "starved": plain(one.starved),
        "failover": plain(one.failover),
        "zone": plain(one.zone) if one.zone else None,
    }


def _trouble(one: TroubleResult) -> dict[str, Any]:
    values = plain(one)
    return {**one.key.model_dump(), **{key: values[key] for key in values if key != "key"}}


def _fault(fault: FaultResult) -> dict[str, Any]:
    """Return a fault's figures with phases by name; `values` are those of trials whose writes recovered."""
    values = plain(fault)
    for what, outages in _outages(fault).items():
        values[what] = _summary(outages.summary)
        values[f"{what}_total"] = _summary(outages.total)
        values[f"{what}_interruptions"] = plain(outages.number)
        values[f"{what}_noticed"], values[f"{what}_not_recovered"] = outages.noticed, outages.not_recovered
    values["phases"] = {
        phase.pop("name"): phase | {"open": phase["summary"]["bounds"]} for phase in values["phases"]
    }
    return values


def _summary(summary: Summary) -> dict[str, Any]:
    """Return a summary; with `bounds` > 0 the mean is a lower bound without spread and interval."""
    values = plain(summary)
    return values | {"sd": None, "cov": None, "ci_low": None} if summary.bounds else values


def _interruptions(cell: CellResult) -> list[dict[str, Any]]:
    """Return every interruption of every trial, in ms of its load."""
    return [
        {
            "trial": trial.record.id,
            "of": what,
            "start": one.gap.start,
            "end": one.gap.end,
            "ended": one.gap.closed,
            "cause": one.cause,
            "event": one.event,
            "client_wait_ms": one.wait.ms if one.wait else None,
            "client_bound": one.wait.bound if one.wait else "",
        }
        for trial in cell.trials
        for what in _KINDS
        for one in getattr(trial.interruptions, what)
    ]


def _stalls(cell: CellResult) -> list[dict[str, Any]]:
    """Return every stall of every steady window, in ms of its load."""
    return [
        {"trial": trial.record.id, "start": gap.start, "end": gap.end, "ended": gap.closed}
        for trial in cell.trials
        for gap in trial.stalls
    ]


def _availability(one: Availability) -> dict[str, Any]:
    """Return an availability; times in s, infinite nines as null."""
    known = one.nines
    ends = (known.value, known.low, known.high) if known else (None, None, None)
    value, low, high = (None if n is None or math.isinf(n) else n for n in ends)
    return {
        **one.key.model_dump(),
        "fault": one.fault,
        "trials": one.trials,
        "mttr_s": plain(one.mttr),
        "mtbf_s": one.mtbf,
        "availability": plain(one.share) if one.share else None,
        "nines": {"value": value, "low": low, "high": high} if known else None,
        "downtime_s_a_year": plain(one.downtime) if one.downtime else None,
        "mtbf_for_five_nines_s": one.needed_mtbf,
        "bound": one.bound,
    }


def _outages(measured: CellResult | FaultResult) -> dict[str, Outages]:
    return {what: getattr(measured, what) for what in _KINDS}


def _points(outages: Outages) -> list[dict[str, Any]]:
    return [plain(point) for point in outages.points]


def _comparison(comparison: Comparison) -> dict[str, Any]:
    difference = comparison.difference
    numbers = difference_numbers(difference)
    return {
        "metric": comparison.metric,
        "a": comparison.a.model_dump(),
        "b": comparison.b.model_dump(),
        "difference": numbers.pop("absolute"),
        **numbers,
        "degrees_of_freedom": difference.df,
        "differs": difference.differs if difference.known else None,
        "text": comparison.text,
    }


def _csv(run: Run, swept: Compared) -> str:
    """Return a line for each cell as it is compared, then one for each variant with all its trials."""
    sweeps = {name: sweep.name for sweep in swept.sweeps for name in sweep.variants}
    lines = [
        {**_flat(cell), "variant_of": variant_of}
        for cell, variant_of in (
            *((cell, "") for cell in swept.cells),
            *((cell, sweeps[cell.key.solution]) for cell in swept.variants),
        )
    ]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return buffer.getvalue()


def _flat(cell: CellResult) -> dict[str, Any]:
    line: dict[str, Any] = cell.key.model_dump()
    line |= {"planned": cell.planned, "complete": cell.complete, "broken": cell.broken}
    for name, one in _summaries(cell).items():
        values = _summary(one)
        line |= {f"{name}_{key}": values[key] for key in _KEYS}
    for what, outages in _outages(cell).items():
        line |= {f"{what}_noticed": outages.noticed, f"{what}_not_recovered": outages.not_recovered}
    line |= {
        "failover_not_recovered": cell.failover.not_recovered,
        "loss_checked": cell.loss.checked,
        "lost_total": cell.loss.total,
        "lost_largest": cell.loss.largest,
        "trials_with_loss": cell.loss.trials_with_loss,
        "phantom": cell.loss.phantom,
        "duplicate": cell.loss.duplicate,
        "in_doubt": cell.in_doubt,
        "stale": cell.stale,
        "errors": sum(error.count for error in cell.errors),
        "offered": cell.offered,
        "violated_trials": cell.violated,
        "best_case": cell.best.variant if cell.best else "",
        "split_brain_trials": cell.split if any(trial.watched for trial in cell.trials) else None,
    }
    return line


_KEYS = ("n", "mean", "sd", "cov", "ci_low", "ci_high", "bounds")


def _column(measure: str) -> str:
    return MEASURES[measure].column


def _summaries(cell: CellResult) -> dict[str, Summary]:
    return {
        _column("tps"): cell.tps,
        _column("qps"): cell.qps,
        **{f"latency_{name}_ms": summary for name, summary in cell.latency.items()},
        _column("outage_writes"): cell.writes.summary,
        "outage_writes_total_ms": cell.writes.total,
        "interruptions_writes": cell.writes.number,
        _column("outage_reads"): cell.reads.summary,
        "outage_reads_total_ms": cell.reads.total,
        _column("outage_connections"): cell.connections.summary,
        "outage_connections_total_ms": cell.connections.total,
        _column("stalls"): cell.stalls.number,
        _column("stalls_longest"): cell.stalls.longest,
        "stalls_total_ms": cell.stalls.total,
        _column("failover"): cell.failover.summary,
        "deployment_s": cell.deployment,
        **_first_fault(cell),
    }


def _first_fault(cell: CellResult) -> dict[str, Summary]:
    """Return the figures of the first fault; empty without faults. JSON has all faults."""
    first = cell.faults[0] if cell.faults else None
    none = summarise([])
    return {
        **{
            _column(f"phase:{name.replace(' ', '_')}"): first.phase(name).summary if first else none
            for name in PHASES
        },
        "brownout_ms": first.brownout if first else none,
        "failed_operations": first.failed if first else none,
        "work_lost_transactions": first.work_lost if first else none,
    }
