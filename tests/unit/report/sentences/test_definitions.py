"""The glossary of a page has the words that the page uses, and no others."""

from pathlib import Path

from synthetic_run import QUICKSTART, SWEPT, write_run

from fivenines.report.html.page import render
from fivenines.report.sentences.definitions import DEFINITIONS, used
from fivenines.results.store import open_run


def _terms(*texts: str) -> list[str]:
    return [term for term, _ in used(texts)]


def test_only_terms_that_are_used_are_explained() -> None:
    assert _terms("Nothing of that kind.") == []
    assert _terms("Brown-out of 3 s") == ["Brown-out"]
    assert "Phases of a failover" in _terms("the failover took 3 s")


def test_a_word_alone_calls_for_the_whole_term() -> None:
    assert "Interruption, outage, total" in _terms("the outage of writes")


def test_a_page_explains_its_terms(tmp_path: Path) -> None:
    swept = render(open_run(write_run(tmp_path / "swept", SWEPT)))
    plain = render(open_run(write_run(tmp_path / "plain", QUICKSTART)))
    assert "<dt>Sweep, variant, best case</dt>" in swept
    assert "<dt>Sweep, variant, best case</dt>" not in plain
    assert "<dt>Failover time</dt>" in plain
    assert plain.count("<dt>") < len(DEFINITIONS) + 20
