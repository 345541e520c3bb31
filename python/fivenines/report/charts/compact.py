"""Shorten SVGs: a report of many trials has tens of thousands of marks.

The result is SVG for HTML pages, where values of attributes need no quotes.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from fivenines.report.charts.paths import straight

# Namespaces, and characters that XML does not have.
_NOT_XML = re.compile(r' xmlns(?::xlink)?="[^"]*"|[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]')
_LONG = re.compile(r"-?\d+\.\d{2,}")
_PLACES = frozenset(["d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"])
# Presentation attributes that children inherit; opacity of a group is not that of its children.
_INHERITED = (
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
    *("font-size", "font-weight", "text-anchor"),
)
_NOISE = frozenset(["class", "role", "pointer-events", "stroke-miterlimit", "font-family", "aria-hidden"])
_OF = re.compile(r"\bof_(\w+?)_\d+_")
_MOVE = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_ROUND = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0Z?")
_CLIP = re.compile(r"url\(#([^)]+)\)")
_PLAIN = re.compile(r"""[^\s"'=<>`/&]+""")
_AXIS = re.compile(r"\brole-axis-(?:grid|tick|domain)\b")
# A group with one of these is not merged with the group within it.
_KEPT = {"clip-path", "class", "data-of"}
# The places of invisible points, until they become one of the tips.
_POINTS = "points"
# Descriptions of marks without a text.
_NO_TIPS = ("", "null", "undefined")


# The text of a mark, or the places and texts of invisible points.
Tip: TypeAlias = str | list[tuple[float, float, str]]


@dataclass(frozen=True)
class Compact:
    """An SVG, and the texts of its marks in the order of the document.

    Marks with texts have the class `t`, or are the children of a group that has it. A group of invisible
    points is empty; the script makes them from a list of [x, y, text], which is one of the `tips`.
    """

    svg: str
    tips: Sequence[Tip]


def compact(svg: str, file: bool = False) -> Compact:
    """Return the same picture in fewer bytes, without styles that the page has and invisible digits.

    A `file` of its own is XML: it has quotes, and the namespace.
    """
    root = ElementTree.fromstring(_NOT_XML.sub("", svg))
    _clips(root)
    size = {name: root.get(name, "") for name in ("width", "height", "viewBox")}
    about = {"xmlns": "http://www.w3.org/2000/svg"} if file else {"aria-hidden": "true"}
    shrunk = Element("svg", {**about, **size})
    first = next(iter(root), None)
    parts = [each for each in root if not (each is first and each.get("fill") == "transparent")]
    shrunk.extend(_merged([one for each in parts for one in _shrunk(each)]))
    tips: list[Tip] = []
    return Compact("".join(_written(shrunk, tips, _quoted if file else _bare)), tips)


def _shrunk(element: Element) -> list[Element]:
    """Return the elements that replace one: none if it is invisible, its children if it adds nothing."""
    kind = element.get("class", "")
    if kind in ("background", "foreground") and not ({"fill", "stroke"} & element.attrib.keys()):
        return []
    children = [one for each in element for one in _shrunk(each)]
    found = _shortened(element, kind)
    if element.tag == "g":
        return _group(found, kind, children) if children else []
    found.extend(children)
    return [found]


def _group(group: Element, kind: str, children: list[Element]) -> list[Element]:
    """Return the elements that replace a group."""
    if _AXIS.search(kind):
        children = _joined(children)
    if "role-mark" in kind:
        # A line is described by its first point only.
        _described(group, children, known=not ("mark-line" in kind or "mark-area" in kind))
    children = _merged(children)
    _hoist(group, children)
    if not group.attrib:
        return children
    if len(children) == 1 and children[0].tag == "g" and not _KEPT & {*group.keys(), *children[0].keys()}:
        (only,) = children
        move = " ".join(filter(None, (group.get("transform"), only.get("transform"))))
        only.attrib = {**group.attrib, **only.attrib, **({"transform": move} if move else {})}
        return [only]
    group.extend(children)
    return [group]


def _shortened(element: Element, kind: str) -> Element:
    found = Element(element.tag)
    found.text = element.text
    for name, value in element.attrib.items():
        if name == "aria-label" and value not in _NO_TIPS and element.get("role") == "graphics-symbol":
            found.set(name, value)
        elif name.startswith("aria-") or name in _NOISE or (name, value) in _DEFAULTS:
            continue
        elif name not in found.attrib:
            found.set(name, _LONG.sub(_short, value) if name in _PLACES else value)
    if owner := _OF.search(kind):
        found.set("data-of", owner[1])
    if not len(element):  # lines of a text begin at the left of the place
        _placed(found)
    if found.tag == "path":
        found.set("d", straight(found.get("d", "")))
    return found


_DEFAULTS = {
    ("opacity", "1"),
    ("transform", "translate(0,0)"),
    ("x2", "0"),
    ("y2", "0"),
    ("font-weight", "normal"),
}


def _placed(element: Element) -> None:
    """Write the place of texts and circles without a transformation."""
    move = _MOVE.fullmatch(element.get("transform", ""))
    circle = _ROUND.fullmatch(element.get("d", ""))
    if move and element.tag == "text":
        del element.attrib["transform"]
        element.attrib |= {"x": move[1], "y": move[2]}
    elif move and circle:
        element.tag = "circle"
        del element.attrib["transform"], element.attrib["d"]
        element.attrib = {"cx": move[1], "cy": move[2], "r": circle[1], **element.attrib}


def _joined(lines: Sequence[Element]) -> list[Element]:
    """Return lines of an axis with the same style as one path."""
    found: list[Element] = []
    for style, group in groupby(lines, lambda one: (one.tag, _style(one))):
        if style[0] != "line":
            found += group
            continue
        steps = ""
        for one in group:
            move = _MOVE.fullmatch(one.get("transform", "translate(0,0)"))
            if move is None:
                return list(lines)
            x, y = one.get("x2", "0"), one.get("y2", "0")
            steps += f"M{move[1]},{move[2]}" + (f"v{y}" if x == "0" else f"h{x}" if y == "0" else f"l{x},{y}")
        found.append(Element("path", {"d": steps, **dict(style[1])}))
    return found


def _circles(group: Element, circles: list[Element]) -> None:
    """Write the common height of circles on their group, and leave out those of invisible points."""
    if not circles or any(each.tag != "circle" for each in circles):
        return
    if all(each.get("opacity") == "0" and "aria-label" in each.attrib for each in circles):
        points = [(float(c.get("cx", 0)), float(c.get("cy", 0)), c.get("aria-label", "")) for c in circles]
        group.attrib = {_POINTS: json.dumps(points), "class": "t"}
        circles.clear()
    elif len(circles) > 1 and "clip-path" not in group.attrib and len({c.get("cy") for c in circles}) == 1:
        move = f"translate(0,{circles[0].get('cy')})"
        group.set("transform", " ".join(filter(None, (group.get("transform"), move))))
        for each in circles:
            del each.attrib["cy"]


def _style(element: Element) -> tuple[tuple[str, str], ...]:
    return tuple((k, v) for k, v in element.attrib.items() if k not in ("transform", "x2", "y2"))


def _merged(children: Sequence[Element]) -> list[Element]:
    """Return neighbours of the same solution, or with the same clip, as one group."""
    found: list[Element] = []
    for owner, group in groupby(children, _owner):
        parts = list(group)
        if owner is None or len(parts) == 1:
            found += parts
            continue
        whole = Element("g", dict([owner]))
        for part in parts:
            del part.attrib[owner[0]]
            whole.extend([part] if part.attrib else list(part))
        if owner[0] == "clip-path":
            _hoist(whole, list(whole))
        found.append(whole)
    return found


def _owner(element: Element) -> tuple[str, str] | None:
    if element.tag != "g":
        return None
    if "data-of" in element.attrib:
        return "data-of", element.attrib["data-of"]
    return ("clip-path", element.attrib["clip-path"]) if list(element.attrib) == ["clip-path"] else None


def _described(group: Element, marks: list[Element], known: bool) -> None:
    """Give marks with texts their class, and compress circles."""
    if not known:
        for each in marks:
            each.attrib.pop("aria-label", None)
        return
    _circles(group, marks)
    if len(marks) > 1 and all("aria-label" in each.attrib for each in marks):
        group.set("class", "t")
        return
    for each in marks:
        if "aria-label" in each.attrib:
            each.set("class", "t")


def _clips(root: Element) -> None:
    """Keep one of equal clips, and none that is not used."""
    same: dict[str, str] = {}
    known: dict[str, str] = {}
    for clip in root.iter("clipPath"):
        content = b"".join(ElementTree.tostring(each) for each in clip).decode()
        same[clip.get("id", "")] = known.setdefault(content, clip.get("id", ""))
    used = set()
    for each in root.iter():
        if match := _CLIP.fullmatch(each.get("clip-path", "")):
            used.add(same.get(match[1], match[1]))
            each.set("clip-path", f"url(#{same.get(match[1], match[1])})")
    for defs in root.findall(".//defs"):
        for clip in [one for one in defs if one.tag == "clipPath" and one.get("id") not in used]:
            defs.remove(clip)


def _hoist(group: Element, children: Sequence[Element]) -> None:
    """Write on a group what all its children have."""
    if len(children) < 2:
        return
    for name in _INHERITED:
        value = children[0].get(name)
        if value is not None and all(each.get(name) == value for each in children):
            group.set(name, value)
            for each in children:
                del each.attrib[name]


def _written(element: Element, tips: list[Tip], value: Callable[[str], str]) -> Iterator[str]:
    tip = element.attrib.pop("aria-label", None)
    points = element.attrib.pop(_POINTS, None)
    if tip is not None:
        tips.append(tip)
    elif points is not None:
        tips.append([(x, y, text) for x, y, text in json.loads(points)])
    words = [element.tag, *(f"{name}={value(text)}" for name, text in element.attrib.items())]
    if not len(element) and not element.text:
        yield f"<{' '.join(words)} />" if element.attrib else f"<{element.tag}/>"
        return
    yield f"<{' '.join(words)}>"
    if element.text:
        yield escape(element.text, quote=False)
    for each in element:
        yield from _written(each, tips, value)
    yield f"</{element.tag}>"


def _quoted(value: str) -> str:
    return f'"{escape(value)}"'


def _bare(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else _quoted(value)


def _short(match: re.Match[str]) -> str:
    """Round to one decimal, a tenth of a pixel."""
    return f"{float(match[0]):.1f}".removesuffix(".0")
