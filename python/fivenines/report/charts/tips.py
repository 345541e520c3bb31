"""Have the texts under the pointer written into the library's SVG, as descriptions of its marks."""

from typing import Any

from fivenines.report.charts.drawing import Drawing

_PARTS = ("layer", "concat", "vconcat", "hconcat")

# Points of lines are invisible, and as wide as a finger can hit.
_POINT = {"opacity": 0, "size": 90, "filled": True}


def described(chart: Drawing) -> Drawing:
    """Return the chart with each mark's `tip` as its description, and with points on lines that have tips.

    `compact` collects the descriptions.
    """
    found = dict(chart)
    for part in _PARTS:
        if part in found:
            found[part] = [described(each) for each in found[part]]
    encoding = found.get("encoding", {})
    if "mark" in found and "tooltip" in encoding:
        mark: dict[str, Any] = found["mark"] if isinstance(found["mark"], dict) else {"type": found["mark"]}
        found["mark"] = {**mark, "aria": True, **({"point": _POINT} if mark["type"] == "line" else {})}
        found["encoding"] = {**encoding, "description": {"field": "tip", "type": "nominal"}}
    return found
