"""Room on disks: what is left, and how a disk without any is told."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.errors import NoSpaceError
from fivenines.units import format_size

LEAST = 16 * 2**20
"""Bytes below which a disk is called full: a server's log grows by as much in one step."""


def free(folder: Path) -> int:
    """Bytes that we may still write at a folder, or at the nearest one above it that exists."""
    while not folder.exists():
        folder = folder.parent
    found = os.statvfs(folder)
    blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return blocks * found.f_frsize


def full(folder: Path, least: int | None = None) -> NoSpaceError:
    """The error of a full disk; `least` is how little was free, if that was before."""
    left = format_size((free(folder) if least is None else least) // 2**10 * 2**10)
    return NoSpaceError(
        f"the disk under {folder} is full ({left} were left): free some space there"
    )


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Whatever fails in the block while the disk under `folder` is full, fails because of that.

    Raises:
        NoSpaceError: in the place of another error.
    """
    try:
        yield
    except NoSpaceError:
        raise
    except Exception as error:
        if free(folder) < LEAST:
            raise full(folder) from error
        raise
