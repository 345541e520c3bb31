"""Split a file with `parts:` into experiments: each part is merged over the common settings.

```yaml
name: pair
solutions: [standalone, hot-standby]
timing: {warmup: 1s}
parts:
  reads: {workloads: [oltp_read_only], timing: {steady: 5s}}
  loss: {workloads: [oltp_read_write], faults: [kill]}
```

Mappings are merged deeply, everything else (lists, too) is replaced. Each part becomes a separate
experiment, so that later steps need not handle parts; the places in the file are preserved.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fivenines.experiment.document import Document
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, shown

# The key of a file that has parts.
KEY = "parts"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_NAMES = "at most 40 letters, digits, `-` and `_`, as a part's run is in a folder of this name"


@dataclass(frozen=True)
class Draft:
    """A part before validation; a part without a name is the whole file.

    `title` is the name of the whole file.
    """

    name: str
    title: str
    source: Document


def drafts(source: Document) -> tuple[list[Draft], list[Mistake]]:
    """Return the parts of a file as separate documents, and the errors in the section `parts:`.

    A file without parts is one part without a name. `source` contains a mapping.
    """
    if KEY not in source.data:
        return [Draft("", "", source)], []
    found = named_mappings(source, (KEY,))
    common = _without(source, KEY)
    return [_draft(source, common, name) for name in found.names], found.mistakes


def _draft(source: Document, common: Document, name: str) -> Draft:
    part = merged(source.file, [(common, ()), (source, (KEY, name))])
    title = common.data.get("name")
    if isinstance(title, str) and "name" not in at(source, (KEY, name)):
        part.data["name"] = f"{title}: {name}"
    return Draft(name, title if isinstance(title, str) else "", part)


@dataclass(frozen=True)
class Named:
    """The names of valid mappings, and the errors of the others."""

    names: list[str]
    mistakes: list[Mistake]


def named_mappings(source: Document, path: KeyPath) -> Named:
    """Return the keys of a mapping of mappings, which become names of folders."""
    entries = at(source, path)
    key = str(path[-1])
    if not isinstance(entries, dict) or not entries:
        text = f"{key}: found {shown(entries)}"
        return Named([], [Mistake(None, path, text, "a mapping from names to settings of the parts")])
    names: dict[str, str] = {}
    mistakes: list[Mistake] = []
    for name, entry in entries.items():
        here: KeyPath = (*path, name)
        if not _NAME.fullmatch(name):
            text = f"{key}: found the name {shown(name)}"
            mistakes.append(Mistake(None, here, text, _NAMES, at_key=True))
        elif name.lower() in names:
            text = (
                f"{key}: {shown(name)} and {shown(names[name.lower()])} differ only in upper and lower case"
            )
            mistakes.append(Mistake(None, here, text, at_key=True))
        elif not isinstance(entry, dict):
            text = f"{key}.{name}: found {shown(entry)}"
            mistakes.append(Mistake(None, here, text, "a mapping with the keys of an experiment"))
        else:
            names[name.lower()] = name
    return Named(list(names.values()), mistakes)


def at(source: Document, path: KeyPath) -> Any:
    """Return the value at a path of mappings, or None."""
    value = source.data
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def merged(file: str, layers: Sequence[tuple[Document, KeyPath]]) -> Document:
    """Merge mappings of documents deeply into one document; later ones override earlier ones.

    Every value keeps its place. Errors about the whole document point to the last layer.
    """
    text = layers[0][0].text
    found = Document(file, text, data={})
    for source, path in layers:
        if isinstance(layer := at(source, path), dict):
            found.values[()] = source.place(path)
            _lay(found, (), found.data, source, path, layer)
    return found


def _lay(
    found: Document, to: KeyPath, into: dict[str, Any], source: Document, path: KeyPath, layer: dict[str, Any]
) -> None:
    for key, value in layer.items():
        below, here = (*to, key), (*path, key)
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _lay(found, below, into[key], source, here, value)
            continue
        for places in (found.keys, found.values):
            for known in [place for place in places if place[: len(below)] == below]:
                del places[known]
        into[key] = _copied(found, below, source, here, value)


def _copied(found: Document, to: KeyPath, source: Document, path: KeyPath, value: Any) -> Any:
    """Copy a value with the places and errors of everything in it."""
    found.mistakes += [replace(mistake, path=to) for mistake in source.mistakes if mistake.path == path]
    if path in source.keys:
        found.keys[to] = source.keys[path]
    if path in source.values:
        found.values[to] = source.values[path]
    if isinstance(value, dict):
        return {key: _copied(found, (*to, key), source, (*path, key), inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [
            _copied(found, (*to, index), source, (*path, index), inner) for index, inner in enumerate(value)
        ]
    return value


def _without(source: Document, key: str) -> Document:
    data = {name: value for name, value in source.data.items() if name != key}
    return replace(source, data=data)
