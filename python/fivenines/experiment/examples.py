"""The built-in examples: `fivenines run quickstart` needs no file."""

from pathlib import Path

import fivenines
from fivenines.base import built_in
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest

# A link to `examples/` in a clone, the files themselves in a wheel.
FOLDER = Path(fivenines.__file__).parent / "examples"


def names() -> list[str]:
    """Return the name of each example, sorted."""
    return built_in.names(FOLDER)


def located(named: Path) -> Path:
    """Return the named experiment file, or else the example of that name.

    Raises:
        UsageError: there is no such file or example.
    """
    if named.exists():
        return named
    if (example := built_in.named_file(named, FOLDER)) is not None:
        return example
    if named.stem in names():
        raise UsageError(
            f"{named}: no such file. To run the example of this name: fivenines run {named.stem}"
        )
    if not named.suffix and named.name == str(named):
        known = nearest(named.name, names()) or f"\n    examples: {', '.join(names())}"
        raise UsageError(f"{named}: no such file or example{known}")
    return named


def descriptions() -> list[tuple[str, str]]:
    """Return the name of each example and the question that it answers."""
    from fivenines.experiment.document import parse, read_text  # noqa: PLC0415  (reads YAML)

    found = []
    for name in names():
        path = FOLDER / f"{name}.yaml"
        found.append((name, str(parse(read_text(path), path.name).data.get("description", ""))))
    return found
