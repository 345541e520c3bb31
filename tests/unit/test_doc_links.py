"""Every link in a page of ours leads somewhere: to a file, and to a heading in it."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from repository import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/*.md"),
    ROOT / "findings" / "README.md",
]
SITE = ROOT / "tools" / "site"

_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def targets(text: str) -> list[str]:
    """Where the links and images of a page point, without those to other machines."""
    prose = re.sub(r"`[^`\n]*`", "", _FENCED.sub("", text))
    return [one for one in _LINK.findall(prose) if not re.match(r"[a-z]+:", one)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as forges and the site make them."""
    return frozenset(_anchor(one) for one in _HEADING.findall(_FENCED.sub("", page.read_text())))


def _anchor(heading: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    plain = unicodedata.normalize("NFKD", plain).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def dead(page: Path) -> list[str]:
    """The links of a page that lead nowhere; the site has no pages for folders."""
    lost = []
    for target in targets(page.read_text()):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.is_file() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            lost.append(target)
    return lost


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    assert dead(page) == []


def test_the_site_has_every_page_that_another_links_to() -> None:
    script = (SITE / "build.sh").read_text()
    (named,) = re.findall(r"^for page in (.*); do$", script, re.MULTILINE)
    tops = [ROOT / name for name in named.split()]
    linked = {
        (page.parent / name).resolve()
        for page in PAGES
        for name in (target.partition("#")[0] for target in targets(page.read_text()))
        if name.endswith(".md")
    }
    assert [page for page in linked if not any(page.is_relative_to(top) for top in tops)] == []


def test_the_navigation_of_the_site_has_every_page() -> None:
    patterns = re.findall(r"[\w./*-]+(?:\.md|/\*)$", (SITE / "nav.yml").read_text(), re.MULTILINE)
    shown = {file for pattern in patterns for file in ROOT.glob(pattern)}
    assert [page for page in PAGES if page not in shown] == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` heading\n[1](gone.md) [2](#a-b-heading) [3](#gone) ![4](gone.png) `[5](x.md)`\n"
        "```\n# no heading\n[6](y.md)\n```\n[7](https://example.org/gone) [8](page.md#no-heading) [9](.)\n"
    )
    assert dead(page) == ["gone.md", "#gone", "gone.png", "page.md#no-heading", "."]
