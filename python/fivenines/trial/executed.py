"""The table `executed`: when the server executed each write of the ledger, on the load's clock."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fivenines.results import store


def keep_executed(part: Path, rows: Sequence[tuple[int, int | None]], load: Mapping[str, Any]) -> None:
    """Write the table into a trial's folder.

    Server and load share the machine's clock. The moment that load.json has on both clocks converts times
    since 1970 to times since t = 0.

    Args:
        part: the trial's folder.
        rows: id and microseconds since 1970.
        load: load.json; without its `started_unix_ns` nothing is written.

    Raises:
        FiveninesError: no space.
    """
    started = load.get("started_unix_ns")
    if not isinstance(started, int):
        return
    moments = ((identifier, moment - started // 1000) for identifier, moment in rows if moment is not None)
    store.write_table(part, "executed", moments)
