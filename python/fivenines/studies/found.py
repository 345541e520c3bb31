"""The studies that come with fivenines: `fivenines replicate wolski-2006` needs no file."""

from pathlib import Path

from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the name of each study, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def located(named: Path) -> Path:
    """Return the study file for an argument: the file itself, or else the packaged study of that name.

    Raises:
        UsageError: neither exists.
    """
    if named.is_file():
        return named
    own = FOLDER / f"{named.name}.yaml"
    if named.name == str(named) and own.is_file():
        return own
    known = nearest(named.name, names()) or f"; there are {', '.join(names())}"
    raise UsageError(f"{named}: no such file, and no packaged study has this name{known}")
