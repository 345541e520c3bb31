"""State the results of a run in sentences, the most important first."""

from collections.abc import Mapping

from fivenines.analysis.availability.nines import availabilities
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import compare, never_upper_bound
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import (
    DURATION,
    SPEED,
    clause,
    count,
    listed,
    mean_with_interval,
    number,
    percent,
)
from fivenines.report.chapters.availability import nines
from fivenines.report.chapters.consistency.isolation import isolation_answers
from fivenines.report.chapters.consistency.truth import stale_answers
from fivenines.report.groups import Group, Names, before_faults, by_solution, groups_of
from fivenines.report.sentences import clocks, sharing, stalls, unobserved, workers
from fivenines.report.sentences.answer import Answer
from fivenines.report.sentences.many_faults import MOST, worst_outages
from fivenines.report.sentences.outage_answers import failover_sentences, outage_sentences
from fivenines.results.records import SettingSeen

_MOST_SETTINGS = 5
"""Settings that changed with a recovery of which each has a sentence."""


def answers(cells: list[CellResult], names: Names, mtbf: Mapping[str, float] | None = None) -> list[Answer]:
    """Return the results by topic, with 95 % intervals; [] if no trial is complete.

    `mtbf` is the assumed time between two faults of a kind, in seconds.
    """
    done = [cell for cell in cells if cell.complete]
    faulted = [cell for cell in done if cell.faulted]
    undisturbed = groups_of(before_faults(done), names)
    every = [Answer("Speed", text, "speed") for group in undisturbed for text in _speed(group)]
    every += [Answer("Speed", text, "speed") for text in stalls.sentences(done)]
    faults = _by_fault(faulted, names)
    if len(faults) > MOST:
        every += [Answer("Outage", text, "outage") for text in worst_outages(faults)]
        faults = []
    for label, members in faults:
        outages = outage_sentences(label, members, names)
        every += [Answer("Outage", text, "outage", minor=n > 0) for n, text in enumerate(outages)]
        every += [Answer("Failover", text, "phases") for text in failover_sentences(label, members, names)]
    if text := nines.sentence(availabilities(faulted, mtbf or {}), names):
        every.append(Answer("Nines", text, "nines"))
    every += [Answer("Data", text, "invariants") for text in _violations(done)]
    every += [Answer("Data", text, "loss") for text in _losses(faulted)]
    every += [Answer("Data", text, "truth") for text in stale_answers(done)]
    every += [Answer("Data", text, "isolation") for text in isolation_answers(done)]
    every += [Answer("Caution", text, "rejoin") for text in _stuck(done)]
    every += [Answer("Caution", text, "trust", minor=True) for text in _caveats(done)]
    return list(dict.fromkeys(every))


def rejoin_failures(cells: list[CellResult]) -> list[tuple[CellResult, str, str, str]]:
    """Return cell, trial, node and reason of each restarted node that did not rejoin."""
    return [
        (cell, trial.record.id, fault.node, fault.rejoin_detail or "no reason was recorded")
        for cell in cells
        for trial in cell.trials
        for fault in trial.record.faults
        if fault.rejoined is False
    ]


def _where(group: Group, connections: int) -> str:
    parts = [group.label] if group.label else []
    if len(group.connections) > 1:
        parts.append(count(connections, "connection"))
    return ", ".join(parts)


def _prefix(where: str, rest: str) -> str:
    """Put the conditions before a sentence; without any, capitalise it unless it begins with a name."""
    if where:
        return f"{where}: {rest}"
    return rest[0].upper() + rest[1:] if rest.startswith(("all ", "both ")) else rest


def _speed(group: Group) -> list[str]:
    """Compare the fastest solution at the largest number of connections with the others."""
    top = group.connections[-1]
    ranked = sorted(
        (cell for cell in group.at(top) if cell.tps.mean is not None),
        key=lambda cell: cell.tps.mean or 0.0,
        reverse=True,
    )
    if not ranked:
        return []
    where = _where(group, top)
    if all(cell.kept for cell in ranked):
        return [_prefix(where, _all_kept(ranked))]
    best, *others = ranked
    figure = f"{mean_with_interval(best.tps)} transactions per second"
    if not others:
        return [_prefix(where, f"{best.key.solution} reaches {figure}.")]
    clauses = [clause(other.key.solution, compare(best.tps, other.tps), SPEED) for other in others]
    text = f"{best.key.solution} has the highest mean, {figure}: {listed(clauses)}."
    return [_prefix(where, text)]


def _all_kept(cells: list[CellResult]) -> str:
    """Compare response times, as all cells sustained the offered rate."""
    rates = list(dict.fromkeys(number(cell.offered or 0.0) for cell in cells))
    kept = f"sustained the offered rate of {listed(rates)} transactions per second"
    measured = [cell for cell in cells if cell.latency["p95"].mean is not None]
    ranked = sorted(measured, key=lambda cell: cell.latency["p95"].mean or 0.0)
    every = "both solutions" if len(cells) == 2 else f"all {len(cells)} solutions"
    subject = every if len(cells) > 1 else cells[0].key.solution
    if not ranked:
        return f"{subject} {kept}."
    best, *others = ranked
    time = mean_with_interval(best.latency["p95"], milli=True)
    if not others:
        return f"{subject} {kept}, with a 95th percentile of the response time of {time}."
    clauses = [
        clause(other.key.solution, compare(best.latency["p95"], other.latency["p95"]), DURATION)
        for other in others
    ]
    return (
        f"{subject} {kept}. {best.key.solution} has the shortest response time (mean 95th percentile"
        f" {time}): {listed(clauses)}."
    )


def _by_fault(cells: list[CellResult], names: Names) -> list[tuple[str, list[CellResult]]]:
    """Group cells by fault and network, over all workloads and numbers of connections."""
    groups: dict[tuple[str, str], list[CellResult]] = {}
    for cell in cells:
        groups.setdefault((cell.key.fault, cell.key.network), []).append(cell)
    return [
        (f"{fault}, network {network}" if names.networks > 1 else fault, members)
        for (fault, network), members in groups.items()
    ]


def _violations(cells: list[CellResult]) -> list[str]:
    """Return which solutions violated which invariants of the workload."""
    sentences: list[str] = []
    for solution in dict.fromkeys(cell.key.solution for cell in cells if cell.violated):
        members = [cell for cell in cells if cell.key.solution == solution and cell.invariants]
        hit = sum(cell.violated for cell in members)
        checked = sum(cell.complete for cell in members)
        names = [one.name for cell in members for one in cell.invariants if one.violated]
        sentences.append(
            f"{solution} violated invariants of the workload in {hit} of"
            f" {count(checked, 'trial')}: {'; '.join(dict.fromkeys(names))}."
        )
    return sentences


def _losses(cells: list[CellResult]) -> list[str]:
    """Return which solutions lost acknowledged rows, and the upper bound for those that did not.

    Losses of deaths in turn have sentences of their own (`chapters.availability.deaths_in_turn`).
    """
    cells = [cell for cell in cells if not all(map(_told_by_death, cell.trials))]
    sentences: list[str] = []
    clean: dict[int, list[str]] = {}
    for solution, members in by_solution(cells).items():
        losses = [cell.loss for cell in members]
        checked = sum(loss.checked for loss in losses)
        total = sum(loss.total for loss in losses)
        if total:
            hit = sum(loss.trials_with_loss for loss in losses)
            most = max(loss.largest for loss in losses)
            sentences.append(
                f"{solution} lost acknowledged rows in {hit} of {count(checked, 'trial')}:"
                f" {total} in all, at most {most} in one trial."
            )
        elif checked:
            clean.setdefault(checked, []).append(solution)
    for checked, solutions in clean.items():
        bound = percent(100 * never_upper_bound(checked))
        sentences.append(
            f"{listed(solutions)} lost no acknowledged row in {count(checked, 'trial')}"
            f"{' each' if len(solutions) > 1 else ''}. The loss rate is at most {bound} % of trials"
            " (95 % upper bound)."
        )
    return sentences


def _told_by_death(trial: TrialMeasures) -> bool:
    """Return whether all lost rows of a trial belong to its deaths in turn."""
    deaths = trial.deaths.deaths if trial.deaths is not None else ()
    return bool(deaths) and sum(death.lost or 0 for death in deaths) == trial.lost


def _overrun(cells: list[CellResult]) -> list[str]:
    """Return which solutions did not sustain the offered rate."""
    behind = [
        f"{cell.key.solution} {percent(kept)} %"
        for cell in cells
        if (kept := cell.kept_percent) is not None and not cell.kept
    ]
    if not behind:
        return []
    return [
        f"Some solutions did not sustain the offered rate ({listed(behind)}): their response times are mostly"
        " time in the queue, and grow with the length of the load."
    ]


def _stuck(cells: list[CellResult]) -> list[str]:
    """Return a sentence on nodes that did not rejoin after their restart."""
    stuck = rejoin_failures(cells)
    if not stuck:
        return []
    solutions = listed(list(dict.fromkeys(cell.key.solution for cell, *_ in stuck)))
    trials = len({trial for _, trial, *_ in stuck})
    return [
        f"A restarted node did not rejoin in {count(trials, 'trial')} ({solutions})."
        " If it was the primary, it may have transactions that its successor lacks."
        " Lost rows count only rows of the ledger, not those of the load."
    ]


def _caveats(cells: list[CellResult]) -> list[str]:
    sentences = _overrun(cells)
    limited = listed(list(dict.fromkeys(c.key.solution for c in cells if c.bottlenecks)))
    if limited:
        sentences.append(
            f"The load generator may have been the bottleneck for {limited}: that throughput is a lower"
            " bound."
        )
    sentences += unobserved.cautions(cells)
    sentences += _changed_settings(cells)
    note = clocks.note(cells)
    return [*sentences, *workers.cautions(cells), *([note] if note else []), *sharing.cautions(cells)]


def _changed_settings(cells: list[CellResult]) -> list[str]:
    """Return sentences on settings that differ from the request after the recovery, with both values."""
    trials: dict[tuple[str, SettingSeen], int] = {}
    for cell in cells:
        for trial in cell.trials:
            check = trial.record.in_effect_after
            for setting in check.differing if check is not None else ():
                key = cell.key.solution, setting
                trials[key] = trials.get(key, 0) + 1
    sentences = [
        f"After the recovery {seen.place} of {solution} has {seen.setting} = {seen.found or 'no value'} "
        f"instead of {seen.asked or 'no value'}{f' ({seen.why})' if seen.why else ''}: "
        f"seen in {count(n, 'trial')}."
        for (solution, seen), n in trials.items()
    ]
    more = len(sentences) - _MOST_SETTINGS
    rest = [f"{count(more, 'more setting')} changed during a recovery: see trial.json."]
    return [*sentences[:_MOST_SETTINGS], *(rest if more > 0 else [])]
