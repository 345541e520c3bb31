"""Write JUnit XML for pipelines: a test case for each threshold that was judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from fivenines.analysis.decision.thresholds import Outcome
from fivenines.results.store import write_text


@dataclass(frozen=True)
class Case:
    """A judged threshold: its place, its text, the outcome and the evidence."""

    where: str
    name: str
    outcome: Outcome
    why: str


def write_junit(path: Path, name: str, cases: Sequence[Case]) -> None:
    """Write the cases. Inconclusive ones are skipped, with what would decide them.

    Raises:
        FiveninesError: the file is not writable.
    """
    outcomes = [one.outcome for one in cases]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(outcomes.count("failed")),
        skipped=str(outcomes.count("inconclusive")),
        errors="0",
    )
    for one in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=f"{name}.{one.where}", name=one.name)
        if one.outcome == "failed":
            ElementTree.SubElement(case, "failure", message=one.why)
        elif one.outcome == "inconclusive":
            ElementTree.SubElement(case, "skipped", message=one.why)
    ElementTree.indent(suite)
    write_text(path, ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")
