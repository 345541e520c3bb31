"""What a finished trial came to, for the line that says it is done."""

from pathlib import Path

from fivenines.results import layout
from fivenines.results.records import BlockRecord, TrialRecord
from fivenines.results.store import StoredTrial
from fivenines.runner.progress import Figures

# Bytes of tables: what a longer trial came to is left to the report, so that the next one need not wait.
LARGEST = 64 * 2**20


def figures_of(run: Path, record: TrialRecord | BlockRecord) -> Figures:
    """Return the figures of a trial that is on disk, as the report will have them; an interleaved comparison
    has none of them.

    It is called between two trials, so that nothing is measured meanwhile. They are kept for the report.
    """
    from fivenines.analysis.load import failures  # noqa: PLC0415
    from fivenines.analysis.trials import measures  # noqa: PLC0415  (takes most of a second)

    folder = layout.trial_folder(run, record.id)
    if isinstance(record, BlockRecord):
        return Figures()
    if sum(file.stat().st_size for file in folder.glob("*.parquet")) > LARGEST:
        return Figures()
    try:
        (result,) = measures([StoredTrial(folder, record)])
    except Exception:  # the report says what is wrong with its tables; a line must not end a campaign
        return Figures()
    tps = result.throughput.tps if result.throughput else None
    measured = result.availability
    outage = (measured.writes or measured.reads) if measured else None
    if outage is None:
        # clients fail while something is broken; where nothing is, a person has to hear of it
        failed = 0 if result.faults else failures(record.load)
        return Figures(tps, lost=result.lost, failed=failed)
    return Figures(tps, outage.ms if outage.noticed else 0.0, outage.back, result.lost)
