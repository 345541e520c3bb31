"""The marker file with which the owner of a machine permits fivenines to use it."""

import json
from datetime import UTC, datetime

from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.network.links import TABLE

MARKER = "enrolled"


def enrol(on: Connection) -> bool:
    """Create the folder and the marker on a machine; return False if it was enrolled before.

    Raises:
        FiveninesError: the folder cannot be created, or it contains other files.
    """
    folder = on.machine.folder
    if is_enrolled(on):
        return False
    inside = on.run(["ls", "-A", folder])
    if inside.code == 0 and inside.output.strip():
        raise FiveninesError(
            f"{on.name}: {folder} contains files that fivenines did not create: set another `folder` in the "
            "inventory"
        )
    marker = {"by": "fivenines", "user": on.user, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    script = 'mkdir -p "$1" && chmod 755 "$1" && cat > "$1/$2"'
    on.need(["sh", "-c", script, "sh", folder, MARKER], stdin=json.dumps(marker) + "\n")
    return True


def is_enrolled(on: Connection) -> bool:
    """Return whether the marker exists."""
    return on.run(["test", "-f", f"{on.machine.folder}/{MARKER}"]).code == 0


def require(on: Connection) -> None:
    """Check that fivenines is permitted to use a machine.

    Raises:
        FiveninesError: the account cannot become root there, or the machine was not enrolled.
    """
    if not is_enrolled(on):
        raise FiveninesError(
            f"{on.name} ({on.machine.address}) is not enrolled. fivenines starts, kills and cuts off "
            "servers there. To permit this: fivenines hosts enrol INVENTORY"
        )


def clear(on: Connection, cache: bool) -> list[str]:
    """Remove the files that trials have left on a machine, for example after a power loss.

    With `cache`, remove all files and the marker. Returns the removed items.

    Raises:
        FiveninesError: a run uses the machine, or an item could not be removed.
    """
    folder = on.machine.folder
    script = _CLEAR_ALL if cache else _CLEAR
    # The script is sent as input, as a line for a login shell cannot contain line breaks.
    alone = ["flock", "--nonblock", "--conflict-exit-code=75", f"{folder}/lock"]
    done = on.run([*alone, "sh", "-s", folder], stdin=script)
    if done.code == 75:
        raise FiveninesError(f"{on.name}: a run uses this machine: wait until it ends")
    if done.code != 0:
        raise FiveninesError(f"{on.name}: could not remove all files: {done.last_words}")
    return done.output.split()


_CLEAR = (
    """
cd "$1" || exit 1
nft list tables 2>/dev/null | while read -r _ family name; do
  case $name in fivenines_*) nft delete table "$family" "$name" && echo "$name";; esac
done
for item in hosts/*; do [ ! -e "$item" ] || { rm -rf "$item" && echo "$item"; }; done
"""
    + f"while ip rule del priority {TABLE} 2>/dev/null; do echo rule-{TABLE}; done\n"
)
_CLEAR_ALL = (
    _CLEAR
    + """
for item in engines/* data/* core/*; do [ ! -e "$item" ] || echo "$item"; done
rm -rf "$1"
"""
)
