"""JUnit's XML, which pipelines show: a test case for each thing that was judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from fivenines.analysis.thresholds import Outcome
from fivenines.results.store import write_text


@dataclass(frozen=True)
class Case:
    """What was judged: where, what, what became of it, and on what evidence."""

    where: str
    name: str
    outcome: Outcome
    why: str


def write_junit(path: Path, name: str, cases: Sequence[Case]) -> None:
    """Write them; undecided ones are skipped, with what would decide them.

    Raises:
        FiveninesError: it cannot be written.
    """
    outcomes = [one.outcome for one in cases]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(outcomes.count("failed")),
        skipped=str(outcomes.count("undecided")),
        errors="0",
    )
    for one in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=f"{name}.{one.where}", name=one.name)
        if one.outcome == "failed":
            ElementTree.SubElement(case, "failure", message=one.why)
        elif one.outcome == "undecided":
            ElementTree.SubElement(case, "skipped", message=one.why)
    ElementTree.indent(suite)
    write_text(path, ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")
