"""What clients of the playground's load saw of a break by hand, in two lines."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.playground import Clients, Rows

# Longest wait, in seconds, until writes are back.
PATIENCE = 60.0

_LOOK = 0.5
# Seconds for which writes must have gone on, and for which clients were watched, before it is told.
_CALM, _OBSERVED = 2.0, 3.0


def tell(moment: int | None) -> None:
    """Say what clients saw since a moment, once writes are back; nothing where there is no load."""
    if moment is None:
        return
    from fivenines.cli import console
    from fivenines.playground import clients

    found = _awaited(moment)
    console.say(f"clients: {sentence(found)}", "" if found.back or found.unknown else "red")
    if rows := clients(moment, check=True).rows:
        console.say(f"rows: {about_rows(rows)}", "bold red" if rows.lost else "")


def sentence(found: "Clients") -> str:
    """What they saw, in words."""
    if found.unknown:
        return f"what they saw cannot be told: {found.unknown}"
    if not found.noticed:
        return f"writes went on; the longest time between two was {found.outage:.2f} s"
    if not found.back or found.returned is None:
        return f"no write for {found.outage:.2f} s, and none yet"
    often = f" at the longest, {found.times} times" if found.times > 1 else ""
    return f"no write for {found.outage:.2f} s{often}; back {found.returned:.2f} s after it"


def about_rows(rows: "Rows") -> str:
    """What became of acknowledged rows, in words."""
    if rows.lost is None:
        return f"whether acknowledged rows are lost cannot be told: {rows.detail}"
    doubt = f"; {rows.in_doubt:,} in doubt" if rows.in_doubt else ""
    doubt += f"; {rows.before:,} more were lost before" if rows.before else ""
    if rows.lost:
        return f"{rows.lost:,} of {rows.acknowledged:,} acknowledged are LOST on {rows.node}{doubt}"
    return f"none of {rows.acknowledged:,} acknowledged is lost on {rows.node}{doubt}"


def _awaited(moment: int) -> "Clients":
    from fivenines.playground import clients

    deadline = time.monotonic() + PATIENCE
    while True:
        found = clients(moment)
        settled = found.back and found.calm >= _CALM and found.observed >= _OBSERVED
        if settled or found.unknown or time.monotonic() > deadline:
            return found
        time.sleep(_LOOK)
