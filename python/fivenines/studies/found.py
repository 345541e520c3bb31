"""The studies that come with fivenines: `fivenines replicate wolski-2006` needs no file."""

from pathlib import Path

from fivenines.base import built_in
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the name of each study, sorted."""
    return built_in.names(FOLDER)


def located(named: Path) -> Path:
    """Return the study file for an argument: the file itself, or else the packaged study of that name.

    Raises:
        UsageError: neither exists.
    """
    if named.is_file():
        return named
    if (own := built_in.named_file(named, FOLDER)) is not None:
        return own
    known = nearest(named.name, names()) or f"; there are {', '.join(names())}"
    raise UsageError(f"{named}: no such file, and no packaged study has this name{known}")
