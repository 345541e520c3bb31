"""A power switch for the cluster's nodes, with a fence agent (Fence Agent API, ClusterLabs).

The agent runs on a node and writes its request into a file of the host's folder, which stands for a separate
network without faults. The lab ends all processes of the victim, removes its extra addresses, and answers in
another file.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.base.waiting import wait_until
from fivenines.lab.host import Host

# File name in /usr/sbin, where Pacemaker looks for fence agents, and the agent's name in the configuration.
AGENT = "fence_fivenines"

_FOLDER = "power"
_POLL = 0.05
_PATIENCE = 10.0

SCRIPT = f"""\
#!/bin/sh
# wishes come as NAME=VALUE lines
while read -r line; do
  case "$line" in action=*) action=${{line#*=}};; port=*|plug=*) victim=${{line#*=}};; esac
done
case "${{action:-reboot}}" in
metadata) cat <<'END'
<?xml version="1.0"?>
<resource-agent name="{AGENT}" shortdesc="the lab's power switch">
<longdesc>Ends all processes of a node.</longdesc>
<parameters>
<parameter name="action" unique="0" required="0"><content type="string" default="reboot"/></parameter>
<parameter name="port" unique="0" required="0"><content type="string"/></parameter>
</parameters>
<actions>
<action name="off"/><action name="reboot"/><action name="status"/><action name="monitor"/>
<action name="list"/><action name="metadata"/>
</actions>
</resource-agent>
END
  exit 0;;
monitor|list) exit 0;;
off|reboot|status) ;;
*) exit 1;;
esac
cd SHARED/run/{_FOLDER} || exit 1
wish=$$-$(date +%s%N)
echo "${{action:-reboot}} $victim" > "$wish.part" && mv "$wish.part" "$wish.wish"
for try in $(seq 300); do
  [ -e "$wish.answer" ] && exit "$(cat "$wish.answer")"
  sleep 0.1
done
echo "the power switch does not answer" >&2
exit 1
"""


class PowerSwitch:
    """Serves the requests of all nodes from its start to its stop."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = {host.name: host for host in hosts}
        self._ended = threading.Event()
        for host in hosts:
            _folder(host).mkdir(exist_ok=True)
        self._thread = Background(target=self._serve)
        self._thread.start()

    def connect(self, host: Host) -> None:
        """Install the agent on a host."""
        path = f"/usr/sbin/{AGENT}"
        script = SCRIPT.replace("SHARED", str(host.shared))
        host.commands.run(["sh", "-c", f"cat > {path} && chmod 755 {path}"], stdin=script)

    def stop(self) -> None:
        """Stop serving requests."""
        self._ended.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._ended.wait(_POLL):
            for host in self._hosts.values():
                for wish in _folder(host).glob("*.wish"):
                    # A node that was switched off meanwhile must not switch off the other.
                    if not host.power.is_on:
                        wish.unlink()
                        continue
                    code = self._do(wish.read_text().split())
                    wish.with_suffix(".answer").write_text(f"{code}\n")
                    wish.unlink()

    def _do(self, wish: list[str]) -> int:
        """Return the exit code for a request: 0: done, or on; 2: off; 1: failed."""
        action, victim = wish if len(wish) == 2 else ("", "")
        host = self._hosts.get(victim)
        if host is None:
            return 1
        if action == "status":
            return 0 if host.power.is_on else 2
        try:
            power_off(host)
        except FiveninesError:
            return 1
        return 0


def power_off(host: Host) -> None:
    """End all processes of a host, and remove its addresses that were added at run time.

    Raises:
        FiveninesError: some processes do not end.
    """
    host.power.off()
    wait_until(
        lambda: "its processes do not end" if host.power.is_on else "",
        _PATIENCE,
        f"{host.name} could not be switched off",
    )


def _folder(host: Host) -> Path:
    return host.node / "run" / _FOLDER
