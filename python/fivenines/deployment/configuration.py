"""How much configuration a solution takes: the lines that a person would have to write."""

import json
from pathlib import Path
from typing import Any

_COMMENTS = ("#", ";", "//", "<!--")

_GENERATED = ("*.pem", "*.key", "*.crt", "id_*", "ssh_host_*", "authkey*", "known_hosts*")
"""What programs make: keys and certificates."""


def configuration_lines(folder: Path) -> int:
    """The lines of all files below, without empty ones, comments, and files that programs generate.

    Of JSON the values count, as it may stand in one line. What is no text counts nothing.
    """
    return sum(_lines(path) for path in sorted(folder.rglob("*")) if _written(path))


def _written(path: Path) -> bool:
    made = any(path.match(pattern) for pattern in _GENERATED)
    return path.is_file() and not path.is_symlink() and not made


def _lines(path: Path) -> int:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return 0
    if "\0" in text:
        return 0
    if path.suffix == ".json":
        try:
            return _values(json.loads(text))
        except ValueError:
            pass
    lines = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith(_COMMENTS) for line in lines)


def _values(value: Any) -> int:
    if isinstance(value, dict):
        return sum(_values(one) for one in value.values())
    return sum(_values(one) for one in value) if isinstance(value, list) else 1
