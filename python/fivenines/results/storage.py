"""Shared storage through fsspec: a folder, an S3 object store, or any other kind that fsspec supports.

A trial's record is copied last, and a trial without its record does not count. So a reader sees whole trials
only, even on storage that cannot rename a folder.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError, UsageError, brief
from fivenines.results import layout

_INSTALL = "pip install 'fivenines[storage]'"


class Storage:
    """A place for runs.

    Args:
        url: URL for fsspec: `s3://bucket/runs`, `file:///mnt/runs`, or a path. The library of its kind finds
            the credentials, as in AWS_ACCESS_KEY_ID.

    Raises:
        UsageError: fsspec or its library for this kind of URL is not installed, or the URL is not supported.
    """

    def __init__(self, url: str) -> None:
        try:
            import fsspec  # noqa: PLC0415

            filesystem, root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            raise UsageError(f"{url}: {brief(error)}: {_INSTALL}") from error
        except (ValueError, OSError) as error:
            raise UsageError(f"{url} is not supported by fsspec: {brief(error)}") from error
        self.url = url.rstrip("/")
        self.filesystem: Any = filesystem
        self.root = str(root).rstrip("/")

    def trials(self, run: str) -> set[str]:
        """Return the ids of a run's complete trials and blocks on the storage.

        Raises:
            FiveninesError: the storage cannot be read.
        """
        result = set()
        try:
            self.filesystem.invalidate_cache()
            for kind, record in ((layout.TRIALS, layout.TRIAL), (layout.BLOCKS, layout.BLOCK)):
                for path in self.filesystem.glob(f"{self.root}/{run}/{kind}/*/{record}"):
                    result.add(str(path).split("/")[-2])
        except Exception as error:
            raise FiveninesError(f"{self.url} cannot be read: {brief(error)}") from error
        return result

    def put(self, run: Path, trial: str) -> None:
        """Copy a finished trial or block, its record last.

        Raises:
            FiveninesError: a file could not be written.
        """
        folder = layout.trial_folder(run, trial)
        records = (layout.TRIAL, layout.BLOCK)
        files = sorted(_files(folder), key=lambda file: file.name in records and file.parent == folder)
        for file in files:
            self._put(file, f"{run.name}/{file.relative_to(run)}")

    def put_rest(self, run: Path) -> None:
        """Copy a run's files other than its trials: manifest, journal, report.

        Raises:
            FiveninesError: a file could not be written.
        """
        for file in sorted(run.iterdir()):
            if file.is_file() and not file.name.startswith("."):
                self._put(file, f"{run.name}/{file.name}")

    def _put(self, file: Path, name: str) -> None:
        target = f"{self.root}/{name}"
        try:
            self.filesystem.makedirs(target.rpartition("/")[0], exist_ok=True)
            self.filesystem.put_file(str(file), target)
        except Exception as error:
            raise FiveninesError(f"{self.url}/{name} cannot be written: {brief(error)}") from error


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
