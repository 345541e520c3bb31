"""Chapter `wrong` of the report."""

from fivenines.analysis.troubles import trouble_results
from fivenines.report.chapters.data import Data
from fivenines.report.groups import names_of
from fivenines.report.section import Section, drawer, full, is_long
from fivenines.report.troubles import trouble_table, trouble_text


def chapter(data: Data) -> Section:
    """Where they are many, the first of each kind stands for the rest."""
    cells = data.swept.measured
    names, found = names_of(cells), trouble_results(data.run, cells)
    table = trouble_table(found, names)
    texts = [trouble_text(found)] if found else []
    if not is_long(table):
        return Section("wrong", "What went wrong", texts, full(table))
    first = {one.kind: one for one in reversed(found)}
    short = trouble_table(list(first.values())[::-1], names)
    return Section("wrong", "What went wrong", texts, [short], [], drawer("All of it", table))
