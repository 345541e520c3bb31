"""Report in two lines what clients of the running deployment's load saw of a manual fault."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.trial.manual import Clients, Rows

# Longest wait, in seconds, until writes are available again.
PATIENCE = 60.0

_LOOK = 0.5
# Seconds of uninterrupted writes, and of observation, before the result is reported.
_CALM, _OBSERVED = 2.0, 3.0


def report(moment: int | None) -> None:
    """Report what clients saw since a moment, once writes are available; nothing without a load."""
    if moment is None:
        return
    from fivenines.cli.output import console
    from fivenines.trial.manual import clients

    found = _awaited(moment)
    console.say(f"clients: {sentence(found)}", "" if found.back or found.unknown else "red")
    if rows := clients(moment, check=True).rows:
        console.say(f"rows: {about_rows(rows)}", "bold red" if rows.lost else "")


def sentence(found: "Clients") -> str:
    """Describe what clients saw."""
    if found.unknown:
        return f"unknown: {found.unknown}"
    if not found.noticed:
        return f"no outage; the longest gap between two writes was {found.outage:.2f} s"
    if not found.back or found.returned is None:
        return f"writes unavailable for {found.outage:.2f} s, not yet recovered"
    often = f" (longest of {found.times} outages)" if found.times > 1 else ""
    return f"writes unavailable for {found.outage:.2f} s{often}; available again after {found.returned:.2f} s"


def about_rows(rows: "Rows") -> str:
    """Describe the fate of acknowledged rows."""
    if rows.lost is None:
        return f"the check for lost rows was inconclusive: {rows.detail}"
    doubt = f"; {rows.in_doubt:,} in doubt" if rows.in_doubt else ""
    doubt += f"; {rows.before:,} more were lost earlier" if rows.before else ""
    if rows.lost:
        return f"{rows.lost:,} of {rows.acknowledged:,} acknowledged rows are LOST on {rows.node}{doubt}"
    return f"none of {rows.acknowledged:,} acknowledged rows is lost on {rows.node}{doubt}"


def _awaited(moment: int) -> "Clients":
    from fivenines.trial.manual import clients

    deadline = time.monotonic() + PATIENCE
    while True:
        found = clients(moment)
        settled = found.back and found.calm >= _CALM and found.observed >= _OBSERVED
        if settled or found.unknown or time.monotonic() > deadline:
            return found
        time.sleep(_LOOK)
