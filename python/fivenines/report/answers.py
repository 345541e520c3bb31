"""The answer of a run in plain sentences, the most important first."""

from collections.abc import Mapping

from fivenines.analysis.cells import CellResult
from fivenines.analysis.nines import availabilities
from fivenines.analysis.statistics import compare, never_upper_bound
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
from fivenines.report import clocks, sharing, stalls, workers
from fivenines.report.answer import Answer
from fivenines.report.chapters import nines
from fivenines.report.chapters.truth import isolation_answers, stale_answers
from fivenines.report.groups import Group, Names, before_faults, by_solution, groups_of
from fivenines.report.many_faults import MOST, worst_outages
from fivenines.report.outage_answers import failover_sentences, outage_sentences
from fivenines.results.records import SettingSeen

_MOST_SETTINGS = 5
"""Settings that changed with a recovery of which each has a sentence."""


def answers(cells: list[CellResult], names: Names, mtbf: Mapping[str, float] | None = None) -> list[Answer]:
    """What the run says, by topic; [] if no trial is complete. Intervals are of 95 %.

    `mtbf`: seconds between two faults of a kind, as assumed.
    """
    done = [cell for cell in cells if cell.complete]
    faulted = [cell for cell in done if cell.faulted]
    undisturbed = groups_of(before_faults(done), names)
    found = [Answer("Speed", text, "speed") for group in undisturbed for text in _speed(group)]
    found += [Answer("Speed", text, "speed") for text in stalls.sentences(done)]
    faults = _by_fault(faulted, names)
    if len(faults) > MOST:
        found += [Answer("Outage", text, "outage") for text in worst_outages(faults)]
        faults = []
    for label, members in faults:
        said = outage_sentences(label, members, names)
        found += [Answer("Outage", text, "outage", minor=n > 0) for n, text in enumerate(said)]
        said = failover_sentences(label, members, names)
        found += [Answer("Failover", text, "phases") for text in said]
    found += [
        Answer("Nines", text, "nines")
        for text in [nines.sentence(availabilities(faulted, mtbf or {}), names)]
        if text
    ]
    found += [Answer("Data", text, "invariants") for text in _violations(done)]
    found += [Answer("Data", text, "loss") for text in _losses(faulted)]
    found += [Answer("Data", text, "truth") for text in stale_answers(done)]
    found += [Answer("Data", text, "isolation") for text in isolation_answers(done)]
    found += [Answer("Caution", text, "rejoin") for text in _stuck(done)]
    found += [Answer("Caution", text, "trust", minor=True) for text in _caveats(done)]
    return list(dict.fromkeys(found))


def rejoin_failures(cells: list[CellResult]) -> list[tuple[CellResult, str, str, str]]:
    """Nodes that were restarted and did not rejoin: cell, trial, node, reason."""
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
    """The sentence behind its place; a name of a solution at its begin stays as it is."""
    if where:
        return f"{where}: {rest}"
    return rest[0].upper() + rest[1:] if rest.startswith(("all ", "both ")) else rest


def _speed(group: Group) -> list[str]:
    """The fastest at the largest number of connections, and how it compares with the others."""
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
    """Of cells that kept what was offered their rates say nothing: their response times do."""
    rates = list(dict.fromkeys(number(cell.offered or 0.0) for cell in cells))
    kept = f"kept the offered rate of {listed(rates)} transactions per second"
    measured = [cell for cell in cells if cell.latency["p95"].mean is not None]
    ranked = sorted(measured, key=lambda cell: cell.latency["p95"].mean or 0.0)
    everybody = "both solutions" if len(cells) == 2 else f"all {len(cells)} solutions"
    who = everybody if len(cells) > 1 else cells[0].key.solution
    if not ranked:
        return f"{who} {kept}."
    best, *others = ranked
    time = mean_with_interval(best.latency["p95"], milli=True)
    if not others:
        return f"{who} {kept}, with a 95th percentile of the response time of {time}."
    clauses = [
        clause(other.key.solution, compare(best.latency["p95"], other.latency["p95"]), DURATION)
        for other in others
    ]
    return (
        f"{who} {kept}; {best.key.solution} has the shortest response time (mean 95th percentile"
        f" {time}): {listed(clauses)}."
    )


def _by_fault(cells: list[CellResult], names: Names) -> list[tuple[str, list[CellResult]]]:
    """Cells with the same fault and network, whatever the workload and the connections."""
    found: dict[tuple[str, str], list[CellResult]] = {}
    for cell in cells:
        found.setdefault((cell.key.fault, cell.key.network), []).append(cell)
    return [
        (f"{fault}, network {network}" if names.networks > 1 else fault, members)
        for (fault, network), members in found.items()
    ]


def _violations(cells: list[CellResult]) -> list[str]:
    """Who left data behind that contradict the workload's invariants, and which."""
    sentences: list[str] = []
    for solution in dict.fromkeys(cell.key.solution for cell in cells if cell.violated):
        members = [cell for cell in cells if cell.key.solution == solution and cell.invariants]
        hit = sum(cell.violated for cell in members)
        checked = sum(cell.complete for cell in members)
        names = [one.name for cell in members for one in cell.invariants if one.violated]
        sentences.append(
            f"{solution} left data that contradict the workload in {hit} of"
            f" {count(checked, 'trial')}: {'; '.join(dict.fromkeys(names))}."
        )
    return sentences


def _losses(cells: list[CellResult]) -> list[str]:
    """Who lost acknowledged rows, and how far "none" goes."""
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
            f"{' each' if len(solutions) > 1 else ''} (loss in up to {bound} % of trials cannot be"
            " excluded at 95 % confidence)."
        )
    return sentences


def _unkept(cells: list[CellResult]) -> list[str]:
    """Who did not keep the rate that was offered."""
    behind = [
        f"{cell.key.solution} {percent(kept)} %"
        for cell in cells
        if (kept := cell.kept_percent) is not None and not cell.kept
    ]
    if not behind:
        return []
    return [
        f"The offered rate was not kept ({listed(behind)}): response times there are mostly time in"
        " the queue, and grow with the length of the load."
    ]


def _stuck(cells: list[CellResult]) -> list[str]:
    """Of nodes that did not become members again."""
    stuck = rejoin_failures(cells)
    if not stuck:
        return []
    solutions = listed(list(dict.fromkeys(cell.key.solution for cell, *_ in stuck)))
    trials = len({trial for _, trial, *_ in stuck})
    return [
        f"A restarted node did not rejoin in {count(trials, 'trial')} ({solutions})."
        " Where it had been the primary, it may hold transactions that its successor lacks;"
        " lost rows count those of the ledger only, not those of the load."
    ]


def _caveats(cells: list[CellResult]) -> list[str]:
    sentences = _unkept(cells)
    limited = listed(list(dict.fromkeys(c.key.solution for c in cells if c.bottlenecks)))
    if limited:
        sentences.append(
            f"The load generator may have been the bottleneck with {limited}: the throughput there"
            " is a lower bound."
        )
    sentences += _unseen(cells)
    sentences += _changed_settings(cells)
    told = clocks.note(cells)
    own_clocks = [told] if told else []
    return [*sentences, *workers.cautions(cells), *own_clocks, *sharing.cautions(cells)]


def _changed_settings(cells: list[CellResult]) -> list[str]:
    """Settings that are not in effect any more after the recovery from a fault, with both values."""
    found: dict[tuple[str, SettingSeen], int] = {}
    for cell in cells:
        for trial in cell.trials:
            check = trial.record.in_effect_after
            for one in check.differing if check is not None else ():
                found[cell.key.solution, one] = found.get((cell.key.solution, one), 0) + 1
    sentences = [
        f"After the recovery {one.place} of {solution} has {one.setting} = {one.found or 'no value'}, and "
        f"{one.asked or 'no value'} was asked for{f' ({one.why})' if one.why else ''}: seen in "
        f"{count(trials, 'trial')}."
        for (solution, one), trials in found.items()
    ]
    more = len(sentences) - _MOST_SETTINGS
    rest = [f"{count(more, 'more setting')} changed with a recovery: see trial.json."]
    return [*sentences[:_MOST_SETTINGS], *(rest if more > 0 else [])]


def _unseen(cells: list[CellResult]) -> list[str]:
    """What the logs of servers do not tell as these are configured, and the solutions with such servers."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        for trial in cell.trials:
            if trial.unseen:
                found.setdefault(trial.unseen, []).append(cell.key.solution)
    return [
        f"The servers' logs do not tell all with {listed(list(dict.fromkeys(solutions)))}:"
        f" not observed are {what}."
        for what, solutions in found.items()
    ]
