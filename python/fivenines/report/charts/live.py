"""Write compact specifications of charts, in the page's colours, for the page's script."""

import json
import re
from collections.abc import Sequence
from typing import Any

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import Drawing

_COLOUR = re.compile(r'"(#[0-9a-f]{6})"', re.IGNORECASE)
# Data with fewer rows are not shortened.
_FEW = 4

_PARTS = ("layer", "concat", "vconcat")


def specification(chart: Drawing) -> str:
    """Return a chart as JSON for a script element.

    The configuration, which all charts share, is left out; `fivenines.draw` in templates/draw.js restores it.
    Long data are written as `{"columns": [...], "rows": [[...], ...]}`, and encodings of all layers are
    written once. Colours are CSS variables, so that one drawing serves light and dark pages.
    """
    rest = {key: value for key, value in chart.items() if key not in ("$schema", "config")}
    return coloured(safe(_small(rest)))


def configuration() -> Drawing:
    """Return the configuration of all charts."""
    config: Drawing = json.loads(coloured(json.dumps(theme.config())))
    return config


def safe(value: Any) -> str:
    """Return JSON without characters that could end the element around it, such as `</script>` in a name."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def coloured(text: str) -> str:
    """Replace each colour of the theme by a CSS variable, with the colour as its fallback."""

    def variable(match: re.Match[str]) -> str:
        colour = match[1].lower()
        name = theme.VARIABLES.get(colour)
        return f'"var({name},{colour})"' if name else match[0]

    return _COLOUR.sub(variable, text)


def _small(spec: Drawing) -> Drawing:
    small = dict(spec)
    for part in _PARTS:
        if part in small:
            small[part] = [_small(each) for each in small[part]]
    if "layer" in small and "encoding" not in small:
        small |= _shared(small["layer"])
    if _is_line(small) and "tooltip" in small["encoding"]:
        small["mark"] = {**small["mark"], "point": {"opacity": 0, "size": 90}}
    if "values" in small.get("data", {}):
        small["data"] = {**small["data"], "values": _columns(small["data"]["values"])}
    return small


def _is_line(spec: Drawing) -> bool:
    """Return whether a mark is a thin line, which gets invisible wide points for the pointer."""
    mark = spec.get("mark")
    return isinstance(mark, dict) and mark.get("type") == "line"


def _columns(rows: Sequence[dict[str, Any]]) -> Any:
    """Write the keys of rows with the same keys only once."""
    if len(rows) < _FEW or any(row.keys() != rows[0].keys() for row in rows):
        return rows
    return {"columns": list(rows[0]), "rows": [list(row.values()) for row in rows]}


def _shared(layers: Sequence[Drawing]) -> Drawing:
    """Write common encodings of x and y once; an encoding of a layer overrides it."""
    common: dict[str, Any] = {}
    for channel in ("x", "y"):
        encodings = [each.get("encoding", {}).get(channel) for each in layers]
        written = [json.dumps(one, sort_keys=True) for one in encodings if one and "field" in one]
        if all(encodings) and len(written) > 1:
            most = max(written, key=written.count)
            common[channel] = json.loads(most)
    if not common:
        return {"layer": list(layers)}
    rest = [
        {
            **each,
            "encoding": {
                channel: value for channel, value in each["encoding"].items() if common.get(channel) != value
            },
        }
        for each in layers
    ]
    return {"encoding": common, "layer": rest}
