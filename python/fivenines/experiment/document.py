"""Parse YAML into plain values, with the line and column of every key and value.

The parser reads the node tree instead of constructed objects: it has the place of every key, even of
duplicates, and no file can make it run code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fivenines.base.errors import UsageError
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, Place, shown

_TAG = "tag:yaml.org,2002:"
_UNQUOTED = re.compile(r"found character '(\\t|[@`%])' that cannot start any token")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_LARGEST = 1_000_000
_MOST_NODES = 100_000
_DEEPEST = 50


@dataclass
class Document:
    """Plain values (`dict`, `list`, `str`, `int`, `float`, `bool`, `None`) and their places."""

    file: str
    text: str
    data: Any = None
    keys: dict[KeyPath, Place] = field(default_factory=dict)
    values: dict[KeyPath, Place] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def place(self, path: KeyPath, key: bool = False) -> Place:
        """Return the place of the value (or its key) at `path`, or of the nearest value around it."""
        if key and path in self.keys:
            return self.keys[path]
        while path not in self.values and path:
            path = path[:-1]
        return self.values.get(path, Place(1, 1))


def read_text(path: Path) -> str:
    """Return the text of a file; every failure is a `UsageError`."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder, not an experiment file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
    if len(raw) > _LARGEST:
        raise UsageError(f"{path} has {len(raw)} bytes; an experiment file has at most {_LARGEST}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{raw[error.start]:02x}"
        raise UsageError(f"{path}:{line}: {found} is not UTF-8; save the file as UTF-8") from None


def parse(text: str, file: str) -> Document:
    """Parse a text into a document with its errors; a syntax error is a `UsageError`."""
    document = Document(file, text)
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        raise UsageError(f"{file}:{place}: {_syntax(error)}") from None
    except RecursionError:
        raise UsageError(f"{file}: nested too deeply") from None
    except (YAMLError, ValueError, TypeError, AttributeError, LookupError, AssertionError) as error:
        # Ruamel.yaml reports some malformed text with built-in exceptions.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"{file}: not readable as YAML: {reason}") from None
    if root is None:
        raise UsageError(f"{file} is empty. To see examples: fivenines list examples")
    document.data = _Reader(document).read(root)
    return document


def _syntax(error: MarkedYAMLError) -> str:
    problem = (error.problem or error.context or "malformed").strip()
    if "found another document" in problem:
        return "a second YAML document begins here (---), and only one is read: use one file for each"
    if match := _UNQUOTED.search(problem):
        if match[1] == "\\t":
            return "not readable as YAML: a tab: indent and separate with spaces"
        return f"not readable as YAML: a value cannot begin with {match[1]}: put it in quotes"
    context = f" ({error.context})" if error.context and error.problem else ""
    return f"not readable as YAML: {problem}{context}"


class _Reader:
    """Convert the node tree, bounded in size and depth."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: list[Node] = []
        self._count = 0

    def read(self, root: Node) -> Any:
        return self._value(root, ())

    def _value(self, node: Node, path: KeyPath) -> Any:
        self._count += 1
        place = _place(node)
        self._document.values[path] = place
        if self._count > _MOST_NODES:
            raise UsageError(f"{self._document.file}:{place}: more than {_MOST_NODES} values")
        if any(node is parent for parent in self._open):
            raise UsageError(f"{self._document.file}:{place}: this value contains itself")
        if len(self._open) > _DEEPEST:
            raise UsageError(f"{self._document.file}:{place}: nested more than {_DEEPEST} deep")
        self._open.append(node)
        try:
            if isinstance(node, MappingNode):
                return self._mapping(node, path)
            if isinstance(node, SequenceNode):
                return [self._value(item, (*path, i)) for i, item in enumerate(node.value)]
            return self._scalar(node, path)
        finally:
            self._open.pop()

    def _mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        read: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                for name, value in self._merged(value_node, path):
                    merged.setdefault(name, value)
                continue
            key = key_node.value if isinstance(key_node, ScalarNode) else None
            if key is None:
                self._mistake(key_node, path, "a key must be plain text")
            elif key in read:
                first = self._document.keys[(*path, key)]
                self._mistake(key_node, path, f"the key {shown(key)} is repeated, first in line {first.line}")
            else:
                self._document.keys[(*path, key)] = _place(key_node)
                read[key] = self._value(value_node, (*path, key))
        return {**merged, **read}

    def _merged(self, node: Node, path: KeyPath) -> Iterator[tuple[str, Any]]:
        """Yield the entries of `<<: *anchor`; the mapping's keys override them."""
        sources = node.value if isinstance(node, SequenceNode) else [node]
        for source in sources:
            value = self._value(source, (*path, "<<"))
            if isinstance(value, dict):
                yield from value.items()
            else:
                self._mistake(source, path, "`<<` must name a mapping")

    def _scalar(self, node: Node, path: KeyPath) -> Any:
        kind = str(node.tag).removeprefix(_TAG)
        text = str(node.value)
        if kind == "int" and _LEADING_ZERO.fullmatch(text.replace("_", "")):
            # 0640 is 640 in YAML 1.2, 416 in YAML 1.1, and an octal number to PostgreSQL.
            self._mistake(
                node,
                path,
                f"found {text}, which YAML 1.1 and 1.2 read as different numbers: write it without zeros in "
                f"front, or in quotes to pass it on as it is",
            )
            return None
        try:
            return _plain(kind, text)
        except UnicodeEncodeError:
            self._mistake(node, path, "the text contains half of a surrogate pair")
        except (ValueError, OverflowError):
            self._mistake(node, path, f"found {shown(text)}, which cannot be read as {kind}")
        except KeyError:
            self._mistake(node, path, f"the tag {kind} is not supported")
        return None

    def _mistake(self, node: Node, path: KeyPath, text: str) -> None:
        self._document.mistakes.append(Mistake(_place(node), path, text))


def _place(node: Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def _plain(kind: str, text: str) -> str | int | float | bool | None:
    """Convert a scalar by the type that YAML's rules gave it."""
    if kind in ("str", "timestamp", "value"):
        text.encode()
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}[
            text.lower()
        ]
    if kind == "int":
        return _integer(text.replace("_", ""))
    if kind == "float":
        return float(re.sub(r"\.(inf|nan)$", r"\1", text.replace("_", "").lower()))
    raise KeyError(kind)


def _integer(text: str) -> int:
    if len(text) > 300:
        raise ValueError("too long")
    return int(text, 0) if re.match(r"[-+]?0[xob]", text) else int(text)
