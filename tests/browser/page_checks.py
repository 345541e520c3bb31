"""What a reader would stumble over on a page that a browser shows."""

from pathlib import Path

from driven import Driven

_SCRIPT = Path(__file__).with_suffix(".js")
_MOST = 1000
"""No page has so much to reach."""

_LOOKS = ("sideways", "cut", "overlaps", "contrast", "marks")


def defects(page: Driven) -> list[str]:
    """Sentences about what scrolls sideways, is cut, overlaps or is hard to read; [] if nothing is."""
    page.js(_SCRIPT.read_text() + "; 1")
    looks = ", ".join(f"...pageChecks.{name}()" for name in _LOOKS)
    found = page.js(f"[{looks}].slice(0, 40)")
    assert isinstance(found, list)
    return [str(one) for one in found]


def unfold(page: Driven) -> None:
    """Open all that is folded away."""
    page.js("document.querySelectorAll('details').forEach(one => one.open = true)")


def screens(page: Driven, height: int) -> float:
    """The length of the page in windows of this height."""
    return float(page.js("document.documentElement.scrollHeight")) / height


def unreached(page: Driven) -> list[str]:
    """What the Tab key does not reach, or reaches without a visible frame; [] if there is nothing.

    Parts that come to life when they are seen are counted, too: it goes on until the focus leaves the page.
    """
    page.js(_SCRIPT.read_text() + "; document.activeElement.blur(); 1")
    for _ in range(_MOST):
        page.press("Tab")
        if not page.js("pageChecks.visit()"):
            break
    found = page.js("pageChecks.unvisited()")
    assert isinstance(found, list)
    return [str(one) for one in found]
