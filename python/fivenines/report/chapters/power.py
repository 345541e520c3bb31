"""Chapter `power` of the report."""

from fivenines.analysis.tellable import by_duets, by_trials
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full
from fivenines.report.tellable import LEGEND, tellable_table


def chapter(data: Data) -> Section:
    """How large a difference this run can tell."""
    found = [*by_duets(data.duets), *by_trials(data.done, speed=not data.duets)]
    tables = full(tellable_table(found, data.names))
    texts = [LEGEND] if found else []
    return Section("power", "What differences this run can tell", texts, tables)
