"""Room on disks: what is left, and how a disk without any is told."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.errors import NoSpaceError
from fivenines.units import format_size

# Bytes below which a disk is called full: a server's log grows by as much in one step.
LEAST = 16 * 2**20


# How the load generator and the observers end the message of a failed write.
_OF_OUR_RUST = f"(os error {errno.ENOSPC})"


def free(folder: Path) -> int:
    """Bytes that we may still write at a folder, or at the nearest one above it that exists."""
    while not folder.exists():
        folder = folder.parent
    found = os.statvfs(folder)
    blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return blocks * found.f_frsize


def full(folder: Path, least: int | None = None) -> NoSpaceError:
    """The error of a full disk; `least` is how little was free, if that was before."""
    left = free(folder) if least is None else least
    # whoever failed may have made room again
    were = f" ({format_size(left // 2**10 * 2**10)} were left)" if left < LEAST else ""
    return NoSpaceError(f"the disk under {folder} is full{were}: free some space there")


def ran_out(error: BaseException | None) -> bool:
    """Whether one of our own programs found no room on its disk, by what it failed of.

    A server's words do not count: the disk that a fault fills up is not ours.
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return True
        # of a write that failed, not of a look at what is left before anything is written
        if isinstance(error, NoSpaceError) and error.__cause__ is not None:
            return True
        if _OF_OUR_RUST in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Whatever fails in the block while the disk under `folder` is full, or says so, fails because of that.

    Raises:
        NoSpaceError: in the place of another error.
    """
    try:
        yield
    except NoSpaceError:
        raise
    except Exception as error:
        if free(folder) < LEAST or os.strerror(errno.ENOSPC) in str(error):
            raise full(folder) from error
        raise
