"""Free disk space, and the error for a full disk."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.base.errors import NoSpaceError
from fivenines.base.units import format_size

# A disk with fewer free bytes counts as full: a server's log grows by as much in one step.
LEAST = 16 * 2**20


# End of the message of a failed write, in the load generator and the observers.
_OF_OUR_RUST = f"(os error {errno.ENOSPC})"


def free(folder: Path) -> int:
    """Return the free bytes at a folder, or at its nearest existing parent."""
    while not folder.exists():
        folder = folder.parent
    found = os.statvfs(folder)
    blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return blocks * found.f_frsize


def full(folder: Path, least: int | None = None) -> NoSpaceError:
    """Return the error for a full disk; `least`: free bytes at the time of the failure."""
    left = free(folder) if least is None else least
    # The failed process may have freed space since.
    were = f" ({format_size(left // 2**10 * 2**10)} were left)" if left < LEAST else ""
    return NoSpaceError(f"the disk under {folder} is full{were}: free some space there")


def ran_out(error: BaseException | None) -> bool:
    """Return whether an error was caused by a full disk of this machine.

    Messages of database servers do not count: a fault may have filled their disk.
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            return True
        # Raised by a failed write, not by a check before writing.
        if isinstance(error, NoSpaceError) and error.__cause__ is not None:
            return True
        if _OF_OUR_RUST in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def reported(folder: Path) -> Iterator[None]:
    """Replace errors in the block by NoSpaceError if the disk of `folder` is full.

    Raises:
        NoSpaceError: the disk is full.
    """
    try:
        yield
    except NoSpaceError:
        raise
    except Exception as error:
        if free(folder) < LEAST or os.strerror(errno.ENOSPC) in str(error):
            raise full(folder) from error
        raise
