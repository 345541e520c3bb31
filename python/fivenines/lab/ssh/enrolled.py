"""The marker file by which the owner of a machine says that fivenines may use it."""

import json
from datetime import UTC, datetime

from fivenines.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.links import TABLE

MARKER = "enrolled"


def enrol(on: Connection) -> bool:
    """Make the folder and the marker on a machine; whether it was not there before.

    Raises:
        FiveninesError: that is not possible, or the folder holds something else.
    """
    folder = on.machine.folder
    if is_enrolled(on):
        return False
    inside = on.run(["ls", "-A", folder])
    if inside.code == 0 and inside.output.strip():
        raise FiveninesError(
            f"{on.name}: {folder} is not empty and was not made by fivenines: name another `folder` in the "
            "inventory"
        )
    said = {"by": "fivenines", "user": on.user, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    script = 'mkdir -p "$1" && chmod 755 "$1" && cat > "$1/$2"'
    on.need(["sh", "-c", script, "sh", folder, MARKER], stdin=json.dumps(said) + "\n")
    return True


def is_enrolled(on: Connection) -> bool:
    """Whether the marker is there."""
    return on.run(["test", "-f", f"{on.machine.folder}/{MARKER}"]).code == 0


def require(on: Connection) -> None:
    """Make sure that we may use a machine.

    Raises:
        FiveninesError: we may not become root there, or it was not enrolled.
    """
    if not is_enrolled(on):
        raise FiveninesError(
            f"{on.name} ({on.machine.address}) was not enrolled: fivenines starts, kills and cuts off "
            "servers there. If that is wanted: fivenines hosts enrol INVENTORY"
        )


def clear(on: Connection, cache: bool) -> list[str]:
    """Remove what trials have left on a machine, as after a loss of its power; with `cache` all, and the
    marker. What was removed.

    Raises:
        FiveninesError: a run is at work there, or something could not be removed.
    """
    folder = on.machine.folder
    script = _CLEAR_ALL if cache else _CLEAR
    # as its input: a line for a login shell has no line breaks
    alone = ["flock", "--nonblock", "--conflict-exit-code=75", f"{folder}/lock"]
    done = on.run([*alone, "sh", "-s", folder], stdin=script)
    if done.code == 75:
        raise FiveninesError(f"{on.name}: a run is at work there")
    if done.code != 0:
        raise FiveninesError(f"{on.name}: not everything could be removed: {done.last_words}")
    return done.output.split()


_CLEAR = (
    """
cd "$1" || exit 1
nft list tables 2>/dev/null | while read -r _ family name; do
  case $name in fivenines_*) nft delete table "$family" "$name" && echo "$name";; esac
done
for one in hosts/*; do [ ! -e "$one" ] || { rm -rf "$one" && echo "$one"; }; done
"""
    + f"while ip rule del priority {TABLE} 2>/dev/null; do echo rule-{TABLE}; done\n"
)
_CLEAR_ALL = (
    _CLEAR
    + """
for one in engines/* data/* core/*; do [ ! -e "$one" ] || echo "$one"; done
rm -rf "$1"
"""
)
