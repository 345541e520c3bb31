"""Parse `--set KEY=VALUE` options into the settings of an experiment file."""

from typing import Any

from fivenines.base.errors import UsageError


def split(assignment: str, origin: str, example: str) -> tuple[list[str], Any]:
    """Return the parts of the key (`a.b` has two), and the value, parsed as YAML.

    Raises:
        UsageError: the text is not an assignment; the message begins with `origin`.
    """
    from fivenines.experiment.document import parse  # noqa: PLC0415  (--help answers at once)

    key, equals, text = assignment.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts):
        raise UsageError(f"{origin} {assignment}: write KEY=VALUE, as in --set {example}")
    document = parse(text, f"{origin} {assignment}") if text.strip() else None
    if document and document.mistakes:
        raise UsageError(f"{origin} {assignment}: {document.mistakes[0].text}")
    return parts, document.data if document else ""


def gather(asked: dict[str, Any], texts: list[str], origin: str, example: str, kind: str) -> None:
    """Add each of these assignments to the settings, see `split` and `put`."""
    for text in texts:
        parts, value = split(text, origin, example)
        put(asked, parts, value, f"{origin} {text}", kind)


def put(place: dict[str, Any], parts: list[str], value: Any, origin: str, kind: str) -> None:
    """Set a value in nested settings; `access=haproxy` may come before `access.fall=3`.

    Raises:
        UsageError: an outer part of the key is not a mapping.
    """
    *outer, last = parts
    for name in outer:
        inner = place.get(name, {})
        inner = {kind: inner} if isinstance(inner, str) else inner
        if not isinstance(inner, dict):
            raise UsageError(f"{origin}: {name} has no nested settings")
        place[name] = inner
        place = inner
    place[last] = value
