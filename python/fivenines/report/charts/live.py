"""What the page's script needs to draw a chart itself: its specification, small, in the page's colours."""

import json
import re
from collections.abc import Sequence
from typing import Any

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import Drawing

_COLOUR = re.compile(r'"(#[0-9a-f]{6})"', re.IGNORECASE)
_FEW = 4
"""Data of fewer rows stay as they are."""

_PARTS = ("layer", "concat", "vconcat")


def specification(chart: Drawing) -> str:
    """A chart as JSON that may stand inside a script element.

    What all charts share, the configuration, is left out; `fivenines.draw` in templates/draw.js puts it
    back. Long data are written as `{"columns": [...], "rows": [[...], ...]}`, encodings that all layers
    have are written once, and colours are CSS variables, so that light and dark need no second drawing.
    """
    kept = {key: value for key, value in chart.items() if key not in ("$schema", "config")}
    return coloured(safe(_small(kept)))


def configuration() -> Drawing:
    """What all charts share."""
    found: Drawing = json.loads(coloured(json.dumps(theme.config())))
    return found


def safe(value: Any) -> str:
    """JSON without a character that could end the element around it: `</script>` in a name stays a name."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def coloured(text: str) -> str:
    """The text with each colour of the theme as a CSS variable, the colour itself as its fallback."""

    def variable(match: re.Match[str]) -> str:
        colour = match[1].lower()
        name = theme.VARIABLES.get(colour)
        return f'"var({name},{colour})"' if name else match[0]

    return _COLOUR.sub(variable, text)


def _small(spec: Drawing) -> Drawing:
    found = dict(spec)
    for part in _PARTS:
        if part in found:
            found[part] = [_small(each) for each in found[part]]
    if "layer" in found and "encoding" not in found:
        found |= _shared(found["layer"])
    if _is_line(found) and "tooltip" in found["encoding"]:
        found["mark"] = {**found["mark"], "point": {"opacity": 0, "size": 90}}
    if "values" in found.get("data", {}):
        found["data"] = {**found["data"], "values": _columns(found["data"]["values"])}
    return found


def _is_line(spec: Drawing) -> bool:
    """Whether the pointer would not find its points, as a line is thin: they become wide and clear."""
    mark = spec.get("mark")
    return isinstance(mark, dict) and mark.get("type") == "line"


def _columns(rows: Sequence[dict[str, Any]]) -> Any:
    """Rows with the same keys, their keys only once."""
    if len(rows) < _FEW or any(row.keys() != rows[0].keys() for row in rows):
        return rows
    return {"columns": list(rows[0]), "rows": [list(row.values()) for row in rows]}


def _shared(layers: Sequence[Drawing]) -> Drawing:
    """The layers with encodings of x and y that all have written once; a layer's own stands before it."""
    common: dict[str, Any] = {}
    for channel in ("x", "y"):
        own = [each.get("encoding", {}).get(channel) for each in layers]
        written = [json.dumps(one, sort_keys=True) for one in own if one and "field" in one]
        if all(own) and len(written) > 1:
            most = max(written, key=written.count)
            common[channel] = json.loads(most)
    if not common:
        return {"layer": list(layers)}
    kept = [
        {
            **each,
            "encoding": {
                channel: value for channel, value in each["encoding"].items() if common.get(channel) != value
            },
        }
        for each in layers
    ]
    return {"encoding": common, "layer": kept}
