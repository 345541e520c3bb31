"""The list-append check: all anomalies of a history, counted, with examples in words.

After Elle (Kingsbury and Alvaro 2020, "Elle: Inferring Isolation Anomalies from Experimental
Observations"): transactions append unique elements to lists and read whole lists, so that the order of
versions, and from it the dependencies between transactions, can be inferred from the reads alone.
"""

import time
from collections.abc import Mapping

import duckdb

from fivenines.analysis.consistency.isolation.cycles import Cycles, find_cycles
from fivenines.analysis.consistency.isolation.direct import find
from fivenines.analysis.consistency.isolation.graph import edges_of
from fivenines.analysis.consistency.isolation.history import read_history
from fivenines.analysis.consistency.isolation.time_cycles import find_in_time
from fivenines.analysis.consistency.isolation.words import cycle_anomaly, direct_anomaly
from fivenines.results.records import Isolation

# Maximum number of anomalies of each kind that are described in words.
EXAMPLES = 10

# Seconds for the search of cycles with rw edges; in a sick history there may be millions.
SEARCH = 10.0


def check_lists(
    connection: duckdb.DuckDBPyConnection, search: float = SEARCH, *, one_clock: bool = True
) -> Isolation | None:
    """Judge the rows of source `lists` of the relation `history`; None if there is none.

    Args:
        connection: with a relation `history` whose columns are those of `layout.TABLES`.
        search: seconds for each search of cycles with rw edges.
        one_clock: whether all clients have the same clock; otherwise the order in time is not judged.
    """
    began = time.monotonic()
    history = read_history(connection)
    if not len(history.txns):
        return None
    direct = find(history, EXAMPLES, one_clock=one_clock)
    edges = edges_of(history)
    cycles = find_cycles(edges, len(history.txns), EXAMPLES, search)
    in_time = find_in_time(history, edges, EXAMPLES, search) if one_clock else None
    examples = [direct_anomaly(finding, history) for finding in direct.findings]
    searches = [cycles, *([in_time] if in_time else [])]
    for found in searches:
        for kind, some in found.cycles.items():
            examples += [cycle_anomaly(kind, cycle, history) for cycle in some if cycle]
    return Isolation(
        source="lists",
        transactions=len(history.txns),
        counts=_sorted({**direct.counts, **cycles.counts}),
        in_time=_sorted(in_time.counts) if in_time else None,
        complete=all(found.searched == found.all for found in searches),
        examples=sorted(examples, key=lambda anomaly: _place(anomaly.kind)),
        seconds=round(time.monotonic() - began, 3),
        note=_note(cycles, in_time, search),
    )


# Kinds of cycles that may close only in time.
IN_TIME = ("G0", "G1c", "G-single", "G-nonadjacent", "G2-item")

# Kinds in the order of reports: anomalies that no isolation level allows come first.
SEVERITY = (
    "duplicate-elements",
    "unknown-element",
    "incompatible-order",
    "lost-append",
    "G0",
    "G1a",
    "G1b",
    "dirty-update",
    "G1c",
    "internal",
    "lost-update",
    "G-single",
    "G-nonadjacent",
    "G2-item",
    *(f"{kind}-{order}" for order in ("process", "realtime") for kind in IN_TIME),
)


def _place(kind: str) -> int:
    return SEVERITY.index(kind)


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: counts[kind] for kind in sorted(counts, key=_place)}


def _note(cycles: Cycles, in_time: Cycles | None, seconds: float) -> str:
    notes = [
        f"The search for cycles with rw edges{where} ended after {seconds:g} s, with {found.searched:,} of"
        f" {found.all:,} rw edges on cycles looked at: their counts are lower bounds."
        for found, where in ((cycles, ""), (in_time, " that close only in time"))
        if found is not None and found.searched < found.all
    ]
    notes += [] if in_time else ["The order in time was not judged: the clients have separate clocks."]
    return " ".join(notes)
