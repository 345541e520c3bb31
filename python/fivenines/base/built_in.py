"""Files that come with the package and are known by their names: examples, studies, requirements."""

from pathlib import Path


def names(folder: Path) -> list[str]:
    """Return the names of a folder's YAML files, sorted."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def named_file(named: Path, folder: Path) -> Path | None:
    """Return the folder's file of this name; None if there is none.

    Only a bare name can name one: a mistyped path must not stand for something else.
    """
    file = folder / f"{named.name}.yaml"
    return file if named.name == str(named) and file.is_file() else None
