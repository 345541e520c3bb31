"""Runs that belong together: those of the parts of one file, in one folder, which says so in `parts.json`."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from fivenines.errors import FiveninesError
from fivenines.results import layout


class PartsRecord(BaseModel):
    """What stands in `parts.json`.

    Attributes:
        title: what the file calls all its parts together.
        parts: their names in the order of the file; a part's run is in the folder of its name.
        form: which form of a study they are; empty where the file is an experiment.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    title: str
    parts: list[str]
    form: Literal["", "quick", "full"] = ""


def is_group(folder: Path) -> bool:
    """Return whether a folder holds the runs of several parts."""
    return (folder / layout.PARTS).is_file()


def read(folder: Path) -> PartsRecord:
    """Return what a folder says of its parts.

    Raises:
        FiveninesError: it holds none, or those of another version.
    """
    path = folder / layout.PARTS
    try:
        return PartsRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise FiveninesError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError:
        raise FiveninesError(
            f"{path} is not what this version writes: continue the runs with the version that began them"
        ) from None


def write(folder: Path, record: PartsRecord) -> None:
    """Say of a folder, which is made where it is not there, that it holds these parts."""
    from fivenines.results import store  # noqa: PLC0415  (a completion must not wait for DuckDB)

    folder.mkdir(parents=True, exist_ok=True)
    store.write_json(folder / layout.PARTS, record)


def runs_of(folder: Path) -> list[Path]:
    """Return the folders of the parts that have begun, in the order of the file."""
    result = (folder / part for part in read(folder).parts)
    return [item for item in result if (item / layout.MANIFEST).is_file()]
