"""Groups of runs: the parts of one experiment file, in one folder with a `parts.json`."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from fivenines.base.errors import FiveninesError
from fivenines.results import layout


class PartsRecord(BaseModel):
    """The content of `parts.json`.

    Attributes:
        title: title of the experiment file.
        parts: names of the parts in the order of the file; each names the folder of its run.
        form: form of a study; empty where the file is an experiment.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    title: str
    parts: list[str]
    form: Literal["", "quick", "full"] = ""


def is_group(folder: Path) -> bool:
    """Return whether a folder contains the runs of several parts."""
    return (folder / layout.PARTS).is_file()


def read(folder: Path) -> PartsRecord:
    """Read a folder's `parts.json`.

    Raises:
        FiveninesError: the file is missing, or of another version.
    """
    path = folder / layout.PARTS
    try:
        return PartsRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise FiveninesError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError:
        raise FiveninesError(
            f"{path} is not in the format of this version: resume the runs with the version that began them"
        ) from None


def write(folder: Path, record: PartsRecord) -> None:
    """Write `parts.json` into a folder; create the folder if it does not exist."""
    from fivenines.results import store  # noqa: PLC0415  (a completion must not wait for DuckDB)

    folder.mkdir(parents=True, exist_ok=True)
    store.write_json(folder / layout.PARTS, record)


def runs_of(folder: Path) -> list[Path]:
    """Return the folders of the parts that were started, in the order of the file."""
    result = (folder / part for part in read(folder).parts)
    return [item for item in result if (item / layout.MANIFEST).is_file()]
