"""State the outages of a run in sentences: durations, causes, and lower bounds without recovery."""

from collections.abc import Sequence

from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import summarise
from fivenines.analysis.wording import NOT_RECOVERED, count, listed, mean_with_interval, milliseconds, open_in
from fivenines.report.chapters.availability import phases
from fivenines.report.groups import Names, by_solution, where
from fivenines.report.terminal.summary import OUTAGES, Get, outage_text

# Up to this number, a sentence lists the cells of a solution; with more it gives the range of their means.
_LISTED = 2

# A total less than 5 % longer than the longest interruption is only in the tables.
_NOTABLE = 1.05


def outage_sentences(label: str, cells: Sequence[CellResult], names: Names) -> list[str]:
    """Return sentences on outages of writes, new connections and reads after a fault; [] if not measured."""
    texts = [_sentence(label, what, cells, get, names) for what, get in OUTAGES.items()]
    return [text for text in texts if text]


def failover_sentences(label: str, cells: Sequence[CellResult], names: Names) -> list[str]:
    """Return sentences on the phases up to the first write, and on catching up, at the most connections."""
    most = max(cell.key.connections for cell in cells)
    own = [cell for cell in cells if cell.key.connections == most]
    text, after = phases.composition(own, names), phases.catching_up(own, names)
    place = f", with {count(most, 'connection')}" if names.connections > 1 else ""
    texts = [f"From the fault ({label}) to the first write of the load{place}: {text}."] if text else []
    if after:
        texts.append(
            f"From then on, until throughput recovered and no surviving replica was behind{place}: {after}."
        )
    return texts


def _sentence(label: str, what: str, cells: Sequence[CellResult], get: Get, names: Names) -> str:
    parts = []
    for solution, own in by_solution(cells).items():
        if members := [cell for cell in own if get(cell).points]:
            parts.append(f"{solution} {_members(members, get, names)}")
    return f"After the fault ({label}), {what} were unavailable: {'; '.join(parts)}." if parts else ""


def _members(cells: Sequence[CellResult], get: Get, names: Names) -> str:
    if len(cells) <= _LISTED:
        texts = [(_outage(get(cell)), where(cell.key, names)) for cell in cells]
        if len({text for text, _ in texts}) == 1:
            return texts[0][0]
        return listed([f"{text} with {place}" if place else text for text, place in texts])
    ranked = sorted(cells, key=lambda cell: get(cell).summary.mean or 0.0)
    least, most = ranked[0], ranked[-1]
    unrecovered = sum(get(cell).not_recovered for cell in cells)
    trials = sum(len(get(cell).points) for cell in cells)
    if not any(get(cell).noticed for cell in cells):
        longest = max(point.ms for cell in cells for point in get(cell).points)
        return f"not noticeably (longest gap {milliseconds(longest)})"
    ends = [_end(one, get, names) for one in (least, most)]
    some = f"; {NOT_RECOVERED}{open_in(unrecovered, trials)}" if unrecovered else ""
    return f"from {ends[0]} to {ends[1]} (means of {len(cells)} cells{some})"


def _end(cell: CellResult, get: Get, names: Names) -> str:
    mean, place = milliseconds(get(cell).summary.mean or 0.0), where(cell.key, names)
    least = "at least " if get(cell).not_recovered else ""
    return f"{least}{mean} with {place}" if place else f"{least}{mean}"


def _outage(outages: Outages) -> str:
    """Return the longest interruption; with several, also their total and their events."""
    if not outages.noticed:
        return outage_text(outages).replace("none noticed", "not noticeably")
    text = mean_with_interval(outages.summary, milli=True) + waited(outages)
    longest, whole = outages.summary.mean or 0.0, outages.total.mean or 0.0
    if not outages.several or whole < _NOTABLE * longest:
        return text
    events = listed([f"{n} by {event}" for event, n in outages.events.items()])
    total = milliseconds(whole)
    least = "at least " if outages.not_recovered else ""
    causes = f" (in {outages.counted}: {events})" if events else ""
    return f"{text}, and {least}{total} with all interruptions{causes}"


def waited(outages: Outages) -> str:
    """ ", of which 23.6 s until the client's own time-out of 30 s": the share of client time-outs."""
    if not outages.waits:
        return ""
    bound = listed(list(dict.fromkeys(wait.bound for wait in outages.waits)))
    known = [wait.ms for wait in outages.waits if wait.ms is not None]
    some = open_in(len(outages.waits), len(outages.points))
    if not known:
        return f", ended by the client's own {bound}{some}"
    mean = milliseconds(summarise(known).mean or 0.0)
    return f", of which {mean} until the client's own {bound}{some}"
