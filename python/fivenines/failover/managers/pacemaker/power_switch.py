"""A power switch for the cluster's nodes, with a fence agent (Fence Agent API, ClusterLabs).

The agent runs on a node and requests what it wants of the lab, see `failover.requests`. The lab ends all
processes of the victim, removes its extra addresses, and answers.
"""

from collections.abc import Mapping, Sequence

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover import requests
from fivenines.failover.requests import Serve
from fivenines.lab.host import Host

# File name in /usr/sbin, where Pacemaker looks for fence agents, and the agent's name in the configuration.
AGENT = "fence_fivenines"

_PATIENCE = 10.0


def agent(request: str) -> str:
    """Return the agent's script; `request` defines the shell function of that name."""
    return f"""\
#!/bin/sh
{request}
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
answer=$(request "${{action:-reboot}}" "$victim")
[ -n "$answer" ] && exit "$answer"
echo "the power switch does not answer" >&2
exit 1
"""


class PowerSwitch:
    """Serves the requests of all nodes for each other's power."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = {host.name: host for host in hosts}

    @property
    def serves(self) -> Mapping[str, Serve]:
        """Return what serves its requests, by their first word."""
        return dict.fromkeys(("off", "reboot", "status"), self._serve)

    def connect(self, host: Host) -> None:
        """Install the agent on a host."""
        path = f"/usr/sbin/{AGENT}"
        host.commands.run(["sh", "-c", f"cat > {path} && chmod 755 {path}"], stdin=agent(requests.script()))

    def _serve(self, host: Host, wish: list[str]) -> str | None:
        # A node that was switched off meanwhile must not switch off the other.
        return None if host.power.is_idle else f"{self._do(wish)}"

    def _do(self, wish: list[str]) -> int:
        """Return the exit code for a request: 0: done, or on; 2: off; 1: failed."""
        action, victim = wish if len(wish) == 2 else ("", "")
        host = self._hosts.get(victim)
        if host is None:
            return 1
        if action == "status":
            return 2 if host.power.is_idle else 0
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
    host.power.cut()
    wait_until(
        lambda: "" if host.power.is_idle else "its processes do not end",
        _PATIENCE,
        f"{host.name} could not be switched off",
    )
