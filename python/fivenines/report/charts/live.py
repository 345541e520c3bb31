"""Write what the page's script reads: JSON that cannot end its element, packed texts, colours of the page."""

import base64
import gzip
import json
import re
from typing import Any

from fivenines.report.charts import theme

_COLOUR = re.compile(r'=(["\']?)(#[0-9a-f]{6})\1(?=[\s>])', re.IGNORECASE)


def safe(value: Any) -> str:
    """Return JSON without characters that could end the element around it, such as `</script>` in a name."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def packed(value: Any) -> str:
    """Return compressed JSON in base64, which `fivenines.unpack` in templates/tip.js reads."""
    return base64.b64encode(gzip.compress(safe(value).encode(), compresslevel=9, mtime=0)).decode()


def coloured(svg: str, file: bool = False) -> str:
    """Replace each colour of the theme by a CSS variable; in a `file`, with the colour as its fallback."""

    def variable(match: re.Match[str]) -> str:
        colour = match[2].lower()
        name = theme.VARIABLES.get(colour)
        fallback = f",{colour}" if file else ""
        return f"={match[1]}var({name}{fallback}){match[1]}" if name else match[0]

    return _COLOUR.sub(variable, svg)
