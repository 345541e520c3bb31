"""Compute the checksum of archives from a user, and unpack them."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from fivenines.base.errors import FiveninesError


def checksum(archive: Path) -> str:
    """Return the SHA-256 of an archive.

    Raises:
        FiveninesError: the archive cannot be read.
    """
    try:
        with archive.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FiveninesError(f"cannot read {archive}: {error.strerror}") from error


def unpack(archive: Path, tree: Path, *options: str) -> None:
    """Unpack an archive into a new folder, with further options of tar.

    Raises:
        FiveninesError: tar failed; the message names a missing program.
    """
    tree.mkdir()
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(tree)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = "".join(done.stderr.strip().splitlines()[-1:])
        if archive.suffix == ".zst" and shutil.which("zstd") is None:
            reason = "it needs zstd: run `sudo apt-get install zstd`"
        raise FiveninesError(f"tar cannot unpack {archive}: {reason}")
