"""The chapter on availability, computed from assumed failure rates and measured outages."""

import math
from collections.abc import Callable, Sequence

from fivenines.analysis.availability.nines import Availability, Estimate, assumed_mtbf, availabilities
from fivenines.analysis.wording import NOTHING, count, milliseconds, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, where
from fivenines.report.html.section import Drawer, Section, explained
from fivenines.report.table import Table, right, without_empty


def chapter(data: Data) -> Section:
    """Return the availability that follows from the outages."""
    results = availabilities(data.done, assumed_mtbf(data.run))
    if not results:
        return Section("nines", TITLE)
    table = nines_table(results, data.names)
    drawers = [Drawer("Availability of each solution", [table]), explained(*texts(results))]
    lines = [] if sentence(results, data.names) else [_rarity(results)]
    return Section("nines", TITLE, lines, drawers=drawers)


TITLE = "Availability (nines)"

# Up to this number the sentence lists solutions; the table has all of them.
_LISTED = 6


def _rarity(results: Sequence[Availability]) -> str:
    """Return how rare the fault must be for five nines."""
    ranked = sorted(results, key=lambda one: one.needed_mtbf)
    parts = [
        f"{one.key.solution}{f' ({one.fault})' if len({o.fault for o in results}) > 1 else ''}"
        f" once in {OPPOSITE[one.bound]} {long_time(one.needed_mtbf)}".replace("  ", " ")
        for one in ranked
    ]
    if len(parts) > _LISTED:
        parts = [f"{parts[0]} (shortest)", f"{parts[-1]} (longest)"]
    return f"Five nines (99.999 %) allow this fault: {'; '.join(dict.fromkeys(parts))}."


# The bound of the downtime for each bound of the availability.
OPPOSITE = {"": "", "at most": "at least", "at least": "at most"}


def nines_table(results: Sequence[Availability], names: Names) -> Table:
    """Return MTTR, MTBF, availability, nines and downtime per year, with their intervals."""
    columns = [
        "Solution",
        "Conditions",
        "Fault",
        "Trials",
        "MTTR (total outage of writes)",
        "MTBF (assumed)",
        "Availability",
        "Nines",
        "Downtime per year",
        "MTBF for five nines",
    ]
    rows = []
    for one in results:
        bound, opposite = one.bound, OPPOSITE[one.bound]
        rows.append(
            [
                one.key.solution,
                names.label(one.key),
                one.fault,
                str(one.trials),
                _text(one.mttr, lambda s: milliseconds(1000 * s), opposite),
                NOTHING if one.mtbf is None else long_time(one.mtbf),
                _text(one.share, share_text, bound),
                _text(one.nines, nines_text, bound),
                _text(one.downtime, long_time, opposite),
                f"{opposite} {long_time(one.needed_mtbf)}".strip(),
            ]
        )
    caption = "Availability by MTBF / (MTBF + MTTR), with 95 % intervals from the measured outages"
    table = Table(caption, columns, rows, 3, right(columns, *columns[:3]))
    return without_empty(table, "Conditions")


def texts(results: Sequence[Availability]) -> list[str]:
    """Return how to read the table."""
    if not results:
        return []
    if all(one.mtbf is None for one in results):
        return [
            "This experiment assumes no failure rates, so there is no availability. Set"
            " `availability: {mtbf: {kill: 90d}}` in the experiment file, or `mtbf:` of a fault. The last"
            " column shows how rare the fault must be for five nines (99.999 %)."
        ]
    lines = [
        "Outages are measured; times between failures are assumptions of the experiment. Intervals cover only"
        " the measured part."
    ]
    if any(one.bound for one in results):
        lines.append(
            "At most, at least: service did not recover within the observed time, or there was no noticeable"
            " outage, so only a bound is known."
        )
    return lines


def sentence(results: Sequence[Availability], names: Names) -> str:
    """Return the nines of each solution under the assumptions; "" without assumptions."""
    known = [one for one in results if one.nines is not None]
    together = [one for one in known if one.fault == "all together"]
    shown = together or known
    if not shown:
        return ""
    ranked = sorted(shown, key=lambda one: -(one.nines.value if one.nines else 0.0))
    parts = []
    for one in ranked[:8]:
        assert one.nines and one.downtime
        about = [*([] if together else [one.fault]), where(one.key, names)]
        place = ", ".join(filter(None, about))
        fault = f" ({place})" if place else ""
        bound = f"{one.bound} " if one.bound else ""
        opposite = f"{OPPOSITE[one.bound]} " if one.bound else ""
        parts.append(
            f"{one.key.solution}{fault} {bound}{nines_text(one.nines.value)}"
            f" ({opposite}{long_time(one.downtime.value)} of downtime per year)"
        )
    more = f" and {count(len(ranked) - 8, 'more', 'more')}" if len(ranked) > 8 else ""
    return f"Nines under the assumed failure rates: {'; '.join(parts)}{more}."


def share_text(share: float) -> str:
    """Return 99.95 % or 99.9987 %, with two digits after the nines."""
    unavailable = 1 - share
    if unavailable <= 0:
        return "100 %"
    digits = max(1, math.ceil(-math.log10(100 * unavailable)) + 1)
    return f"{100 * share:.{min(digits, 12)}f} %"


def nines_text(value: float) -> str:
    """Return 3.27, or an infinity sign without downtime."""
    return "∞" if math.isinf(value) else f"{value:.2f}"


def long_time(seconds: float) -> str:
    """Return a time in a unit by its size, up to days: 870 ms, 12.3 s, 4.56 min, 7.89 h, 90 d."""
    for unit, size in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= (2 * size if unit == "d" else size):
            return f"{number(seconds / size)} {unit}"
    return milliseconds(1000 * seconds)


def _text(value: Estimate | None, show: Callable[[float], str], bound: str) -> str:
    """Return the value with its interval; for a bound, with its word instead."""
    if value is None:
        return NOTHING
    if bound:
        return f"{bound} {show(value.value)}"
    if value.low is None or value.high is None:
        return show(value.value)
    return f"{show(value.value)} ({show(value.low)} to {show(value.high)})"
