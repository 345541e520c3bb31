"""The experiments that come with fivenines: `fivenines run quickstart` needs no file."""

from pathlib import Path

import fivenines
from fivenines.errors import UsageError
from fivenines.spelling import nearest

# In a clone a link to `examples/`, in a wheel the files themselves.
FOLDER = Path(fivenines.__file__).parent / "examples"


def names() -> list[str]:
    """The name of each example, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def located(named: Path) -> Path:
    """The experiment file that a person means: the file itself, or else the example of that name.

    Only a bare name, as in `fivenines run quickstart`, can mean an example: a path that is mistyped must
    not run something else.

    Raises:
        UsageError: there is neither.
    """
    if named.exists():
        return named
    example = FOLDER / f"{named.name}.yaml"
    if named.name == str(named) and example.is_file():
        return example
    if named.stem in names():
        raise UsageError(
            f"{named}: no such file; the example that comes with fivenines is run by its name: "
            f"fivenines run {named.stem}"
        )
    if not named.suffix and named.name == str(named):
        known = nearest(named.name, names()) or f"; there are {', '.join(names())}"
        raise UsageError(f"{named}: no such file, and no example has this name{known}")
    return named


def descriptions() -> list[tuple[str, str]]:
    """Each example's name with the question that it answers."""
    from fivenines.experiment.document import parse, read_text  # noqa: PLC0415  (reads YAML)

    found = []
    for name in names():
        path = FOLDER / f"{name}.yaml"
        found.append((name, str(parse(read_text(path), path.name).data.get("description", ""))))
    return found
