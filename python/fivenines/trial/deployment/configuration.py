"""The amount of configuration that a solution needs: lines that an administrator would have to write."""

import json
from pathlib import Path
from typing import Any

_COMMENTS = ("#", ";", "//", "<!--")

# Files that programs generate: keys and certificates.
_GENERATED = ("*.pem", "*.key", "*.crt", "id_*", "ssh_host_*", "authkey*", "known_hosts*")


def configuration_lines(folder: Path) -> int:
    """Count the lines of all files below `folder`, without blank lines, comments and generated files.

    In JSON files the values are counted, as JSON may be on one line. Binary files count zero.
    """
    return sum(_lines(path) for path in written_files(folder))


def written_files(folder: Path) -> list[Path]:
    """Return all files below `folder` in order, without those that programs generate."""
    return [path for path in sorted(folder.rglob("*")) if _written(path)]


def read_text(path: Path) -> str | None:
    """Return the text of a file; None: it is no text, or cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text


def _written(path: Path) -> bool:
    made = any(path.match(pattern) for pattern in _GENERATED)
    return path.is_file() and not path.is_symlink() and not made


def _lines(path: Path) -> int:
    text = read_text(path)
    if text is None:
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
        return sum(_values(item) for item in value.values())
    return sum(_values(item) for item in value) if isinstance(value, list) else 1
