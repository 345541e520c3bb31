"""Key figures of a finished trial, for the line that reports its completion."""

from pathlib import Path

from fivenines.results import layout
from fivenines.results.records import BlockRecord, TrialRecord
from fivenines.results.store import StoredTrial
from fivenines.trial.progress import Figures

# Maximum bytes of tables: the report computes the figures of longer trials, so the next trial need not wait.
LARGEST = 64 * 2**20


def figures_of(run: Path, record: TrialRecord | BlockRecord) -> Figures:
    """Return the figures of a stored trial, as the report will show them; a block has none of them.

    Called between two trials, so that it disturbs no measurement. The figures are cached for the report.
    """
    from fivenines.analysis.trials import measures  # noqa: PLC0415  (takes most of a second)

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
    measured = result.availability
    outage = (measured.writes or measured.reads) if measured else None
    if outage is None:
        # Failures are expected during a fault; without a fault the user must be informed.
        failed = 0 if result.faults else record.load.transactions.failed
        return Figures(tps, lost=result.lost, failed=failed)
    return Figures(tps, outage.ms if outage.noticed else 0.0, outage.back, result.lost)
