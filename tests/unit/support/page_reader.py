"""A page of the report as a test reads it."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "rect", "path", "line", "hr", "img", "input", "link"}
# The end tags of these may be left out.
OPEN = {"tr", "td", "th"}


class Page(HTMLParser):
    """What a page consists of; complains about tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID | OPEN:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID | OPEN:
            assert self.stack.pop() == tag

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def without_scripts(page: str) -> str:
    """Return the page without its scripts and what they read."""
    return re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)


def text_of(page: str) -> str:
    """Return its words, without tags, with plain spaces."""
    text = re.sub(r"<[^>]+>", "", without_scripts(page))
    words = re.sub(r"\s+", " ", text).replace("\N{NO-BREAK SPACE}", " ")
    return words.replace("\N{NARROW NO-BREAK SPACE}", " ")
