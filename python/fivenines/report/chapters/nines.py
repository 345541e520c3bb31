"""The chapter on availability: what assumed failures and measured outages make of a year."""

import math
from collections.abc import Callable, Sequence

from fivenines.analysis.nines import Availability, Estimate, assumed_mtbf, availabilities
from fivenines.analysis.wording import NOTHING, count, milliseconds, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, where
from fivenines.report.section import Drawer, Section, explained
from fivenines.report.table import Table, right, without_empty


def chapter(data: Data) -> Section:
    """The availability that follows from the outages."""
    found = availabilities(data.done, assumed_mtbf(data.run))
    if not found:
        return Section("nines", TITLE)
    table = nines_table(found, data.names)
    drawers = [Drawer("Availability of each", [table]), explained(*texts(found))]
    own = [] if sentence(found, data.names) else [_rarity(found)]
    return Section("nines", TITLE, own, drawers=drawers)


TITLE = "Nines"

_SAID = 6
"""So many solutions are said; the table has all."""


def _rarity(found: Sequence[Availability]) -> str:
    """Without an assumption: how rare the fault must be for five nines."""
    ranked = sorted(found, key=lambda one: one.needed_mtbf)
    parts = [
        f"{one.key.solution}{f' ({one.fault})' if len({o.fault for o in found}) > 1 else ''}"
        f" once in {OPPOSITE[one.bound]} {long_time(one.needed_mtbf)}".replace("  ", " ")
        for one in ranked
    ]
    if len(parts) > _SAID:
        parts = [f"{parts[0]} (the least)", f"{parts[-1]} (the most)"]
    return f"Five nines (99.999 %) allow such a fault: {'; '.join(dict.fromkeys(parts))}."


OPPOSITE = {"": "", "at most": "at least", "at least": "at most"}
"""How the downtime is bounded where the availability is."""


def nines_table(found: Sequence[Availability], names: Names) -> Table:
    """MTTR, MTBF, availability, nines and downtime a year, with their intervals."""
    columns = [
        "Solution",
        "Conditions",
        "Fault",
        "Trials",
        "MTTR (writes unavailable, in all)",
        "MTBF (assumed)",
        "Availability",
        "Nines",
        "Downtime a year",
        "MTBF for five nines",
    ]
    rows = []
    for one in found:
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


def texts(found: Sequence[Availability]) -> list[str]:
    """What to know before the table is read."""
    if not found:
        return []
    if all(one.mtbf is None for one in found):
        return [
            "This experiment assumes no rates of failure, so there is no availability: set"
            " `availability: {mtbf: {kill: 90d}}` in the experiment file, or `mtbf:` of a fault. The"
            " last column says how rare the fault must be for five nines (99.999 %)."
        ]
    said = [
        "The outages are measured, the times between failures are assumptions of the experiment."
        " Intervals cover the measured part alone."
    ]
    if any(one.bound for one in found):
        said.append(
            "At most, at least: service was not back within the observed time, or no outage was"
            " noticed at all, so that only a bound is known."
        )
    return said


def sentence(found: Sequence[Availability], names: Names) -> str:
    """Who reaches how many nines under the assumptions; "" without any."""
    known = [one for one in found if one.nines is not None]
    together = [one for one in known if one.fault == "all together"]
    shown = together or known
    if not shown:
        return ""
    ranked = sorted(shown, key=lambda one: -(one.nines.value if one.nines else 0.0))
    parts = []
    for one in ranked[:8]:
        assert one.nines and one.downtime
        about = [*([] if together else [one.fault]), where(one.key, names)]
        said = ", ".join(filter(None, about))
        fault = f" ({said})" if said else ""
        bound = f"{one.bound} " if one.bound else ""
        opposite = f"{OPPOSITE[one.bound]} " if one.bound else ""
        parts.append(
            f"{one.key.solution}{fault} {bound}{nines_text(one.nines.value)}"
            f" ({opposite}{long_time(one.downtime.value)} a year)"
        )
    more = f" and {count(len(ranked) - 8, 'more', 'more')}" if len(ranked) > 8 else ""
    return f"Nines under the assumed failure rates: {'; '.join(parts)}{more}."


def share_text(share: float) -> str:
    """99.95 %, 99.9987 %: two digits after the nines."""
    away = 1 - share
    if away <= 0:
        return "100 %"
    digits = max(1, math.ceil(-math.log10(100 * away)) + 1)
    return f"{100 * share:.{min(digits, 12)}f} %"


def nines_text(value: float) -> str:
    """3.27; an infinity sign where no downtime is possible."""
    return "∞" if math.isinf(value) else f"{value:.2f}"


def long_time(seconds: float) -> str:
    """A time in the unit that suits it, up to days: 870 ms, 12.3 s, 4.56 min, 7.89 h, 90 d."""
    for unit, size in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= (2 * size if unit == "d" else size):
            return f"{number(seconds / size)} {unit}"
    return milliseconds(1000 * seconds)


def _text(value: Estimate | None, show: Callable[[float], str], bound: str) -> str:
    """The value with its interval; of a bound no interval, but the word."""
    if value is None:
        return NOTHING
    if bound:
        return f"{bound} {show(value.value)}"
    if value.low is None or value.high is None:
        return show(value.value)
    return f"{show(value.value)} ({show(value.low)} to {show(value.high)})"
