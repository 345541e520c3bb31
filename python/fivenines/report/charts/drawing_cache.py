"""Cache the drawings of a run's last report in its folder, so that equal charts are not drawn again.

Drawing takes most of the time of a report with cached figures. One file has all drawings of the last report,
already made compact, by a hash of their specification; `results.cache` decides whether it is valid.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import vl_convert

from fivenines.report.charts import compact, paths
from fivenines.report.charts.compact import Compact
from fivenines.report.charts.drawing import Drawing
from fivenines.results import cache as entries
from fivenines.results import layout

_NAME = "drawings"


@dataclass
class _Drawings:
    """The drawings of the last report and of this one, by a hash of their specification."""

    before: dict[str, Compact]
    used: dict[str, Compact] = field(default_factory=dict)


_current: ContextVar[_Drawings | None] = ContextVar("drawings", default=None)


@contextmanager
def drawing_cache(run: Path) -> Iterator[None]:
    """Reuse the drawings of the run's last report within this context."""
    place = run / layout.CACHE / _NAME
    data = entries.read(place, _key())
    before = {name: Compact(*parts) for name, parts in json.loads(data).items()} if data else {}
    drawings = _Drawings(before)
    token = _current.set(drawings)
    try:
        yield
    finally:
        _current.reset(token)
    if drawings.used.keys() != drawings.before.keys():
        content = {name: [one.svg, one.tips] for name, one in drawings.used.items()}
        entries.write(place, _key(), json.dumps(content).encode())


@cache
def _key() -> str:
    """Return a hash of what drawings depend on in addition to their specification."""
    key = blake2b(f"vl-convert {version('vl-convert-python')}".encode(), digest_size=20)
    for module in (compact, paths):
        key.update(Path(str(module.__file__)).read_bytes())
    return key.hexdigest()


def drawn(chart: Drawing) -> Compact:
    """Return the chart as a compact SVG with the texts of its marks."""
    drawings = _current.get()
    if drawings is None:
        return compact.compact(vl_convert.vegalite_to_svg(chart))
    name = blake2b(json.dumps(chart, sort_keys=True).encode(), digest_size=20).hexdigest()
    cached = drawings.used.get(name) or drawings.before.get(name)
    drawings.used[name] = cached or compact.compact(vl_convert.vegalite_to_svg(chart))
    return drawings.used[name]
