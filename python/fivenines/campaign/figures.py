"""Key figures of a finished trial, for the line that reports its completion."""

from pathlib import Path
from typing import Literal

from fivenines.results import layout
from fivenines.results.records import BlockRecord, TrialRecord
from fivenines.results.store import StoredTrial
from fivenines.trial.progress import Figures

# Maximum bytes of tables: the report computes the figures of longer trials, so the next trial need not wait.
LARGEST = 64 * 2**20

# The outage is that of writes, of reads where the load does not write.
_SERVICES: tuple[Literal["writes", "reads"], ...] = ("writes", "reads")


def figures_of(run: Path, record: TrialRecord | BlockRecord) -> Figures:
    """Return the figures of a stored trial, as the report will show them; a block has none of them.

    Called between two trials, so that it disturbs no measurement. The figures are cached for the report.
    """
    from fivenines.analysis.cells import outages_in  # noqa: PLC0415  (takes most of a second)
    from fivenines.analysis.trials import measures  # noqa: PLC0415

    folder = layout.trial_folder(run, record.id)
    if isinstance(record, BlockRecord):
        return Figures()
    if sum(file.stat().st_size for file in folder.glob("*.parquet")) > LARGEST:
        return Figures()
    try:
        (result,) = measures([StoredTrial(folder, record)])
    except Exception:  # the report explains damaged tables; a status line must not end a campaign
        return Figures()
    tps = result.throughput.tps if result.throughput else None
    outages = next((one for of in _SERVICES if (one := outages_in([result], of)).points), None)
    if outages is None:
        # Failures are expected during a fault; without a fault the user must be informed.
        failed = 0 if result.faults else record.load.transactions.failed
        return Figures(tps, lost=result.lost, failed=failed)
    mean = (outages.summary.mean or 0.0) if outages.noticed else 0.0
    return Figures(tps, mean, not outages.not_recovered, result.lost)
