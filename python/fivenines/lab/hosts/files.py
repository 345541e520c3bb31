"""Exchange files with a host: its own folder, and folders that are lent to its tools."""

import os
from pathlib import Path


class HostFiles:
    """The files of a host on this machine, where tools outside the host use the controller's files.

    Args:
        node: the host's folder.
        all_ids: whether its processes can have any user id; otherwise they own all files.
    """

    def __init__(self, node: Path, *, all_ids: bool = False) -> None:
        self._node, self._all_ids = node, all_ids

    def lend(self, folder: Path) -> None:
        """Let tools outside the host use one of our folders under its own name; see `bring_back`."""

    def bring_back(self, folder: Path) -> None:
        """Copy back what tools have written into a folder that was lent."""

    def put(self, file: Path, text: str) -> None:
        """Write a file atomically into a folder that was lent."""
        whole = file.with_suffix(".part")
        whole.write_text(text)
        whole.rename(file)

    def own(self, *parts: str, uid: int) -> None:
        """Make a user of the host the owner of folders in its folder, on hosts with all user ids.

        Raises:
            OSError: the owner could not be changed.
        """
        if not self._all_ids:
            return
        for top in (self._node / part for part in parts):
            for path in (top, *top.rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)

    def show_socket(self, name: str) -> None:
        """Make the unix socket of this name in the host's run folder reachable from outside."""
