"""Chapter `broken` of the report."""

from fivenines.analysis.wording import count
from fivenines.report import details, duet
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """What could not be measured."""
    tables = full(
        details.broken_table(data.run, data.names), details.notes_table(data.done, data.names)
    )
    texts = [*data.run.problems, *duet.broken_texts(data.run)]
    if data.run.missing:
        ids = ", ".join(planned.id for planned in data.run.missing)
        texts.append(f"{count(len(data.run.missing), 'planned trial')} not complete: {ids}.")
    if not tables and not texts:
        texts = ["None: every planned trial is complete."]
    return Section("broken", "Broken and missing trials", texts, tables)
