"""Detect layout defects of a page in a browser."""

from pathlib import Path

from driven import Driven

_SCRIPT = Path(__file__).with_suffix(".js")
# The largest number of elements that the Tab key reaches.
_MOST = 1000

_LOOKS = ("sideways", "cut", "overlaps", "contrast", "marks")


def defects(page: Driven) -> list[str]:
    """Return sentences on content that scrolls sideways, is cut, overlaps or has low contrast."""
    page.js(_SCRIPT.read_text() + "; 1")
    looks = ", ".join(f"...pageChecks.{name}()" for name in _LOOKS)
    found = page.js(f"[{looks}].slice(0, 40)")
    assert isinstance(found, list)
    return [str(one) for one in found]


def unfold(page: Driven) -> None:
    """Open all folded parts."""
    page.js("document.querySelectorAll('details').forEach(one => one.open = true)")


def screens(page: Driven, height: int) -> float:
    """Return the length of the page in windows of this height."""
    return float(page.js("document.documentElement.scrollHeight")) / height


def unreached(page: Driven) -> list[str]:
    """Return elements that the Tab key does not reach, or reaches without a visible frame.

    The Tab key is pressed until the focus leaves the page, so parts that become live on the way count too.
    """
    page.js(_SCRIPT.read_text() + "; document.activeElement.blur(); 1")
    for _ in range(_MOST):
        page.press("Tab")
        if not page.js("pageChecks.visit()"):
            break
    found = page.js("pageChecks.unvisited()")
    assert isinstance(found, list)
    return [str(one) for one in found]
