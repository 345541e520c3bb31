"""What a reader would stumble over on a page that a browser shows."""

from pathlib import Path

from driven import Driven

_SCRIPT = Path(__file__).with_suffix(".js")
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
    """What the Tab key does not reach, or reaches without a visible frame; [] if there is nothing."""
    page.js(_SCRIPT.read_text() + "; document.body.focus(); 1")
    total = int(page.js("pageChecks.focusable().length"))
    seen: dict[int, bool] = {}
    for _ in range(total + 2):
        page.press("Tab")
        now = page.js("pageChecks.focused()")
        seen[int(now["index"])] = bool(now["seen"])
    names = page.js(
        "pageChecks.focusable().map(one => `${one.tagName} ${one.innerText.slice(0, 40)}`)"
    )
    lost = [f"{names[n]} is not reached" for n in range(total) if n not in seen]
    return lost + [f"{names[n]} shows no focus" for n in seen if 0 <= n < total and not seen[n]]
