"""The table `executed`: when the server executed each write of the ledger, on the load's clock."""

from collections.abc import Sequence
from pathlib import Path

from fivenines.results import store
from fivenines.results.load_summary import LoadSummary


def keep_executed(part: Path, rows: Sequence[tuple[int, int | None]], load: LoadSummary) -> None:
    """Write the table into a trial's folder.

    Server and load share the machine's clock. The start of the load, known on both clocks, converts times
    since 1970 to times since t = 0.

    Args:
        part: the trial's folder.
        rows: id and microseconds since 1970.
        load: the load; without its `started_unix_ns` nothing is written.

    Raises:
        FiveninesError: no space.
    """
    started = load.started_unix_ns
    if started is None:
        return
    moments = ((identifier, moment - started // 1000) for identifier, moment in rows if moment is not None)
    store.write_table(part, "executed", moments)
