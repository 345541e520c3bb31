"""A virtual address that hosts have no right to give to themselves: they request it, as in a cloud.

The agent (OCF Resource Agent API 1.1, ClusterLabs) runs on a node and requests the move, see
`failover.requests`. The lab gives the address to the host's machine, or takes it back, with its own rights
there.
"""

from collections.abc import Mapping

from fivenines.base.errors import FiveninesError
from fivenines.failover import requests
from fivenines.failover.managers.pacemaker.cib import ADDRESS, Resource
from fivenines.failover.managers.pacemaker.resources import OF_ADDRESS
from fivenines.failover.requests import Serve
from fivenines.lab.host import Host

_PROVIDER, _AGENT = "fivenines", "address"

_GIVE, _TAKE = "give-address", "take-address"

_META_DATA = f"""\
<?xml version="1.0"?>
<resource-agent name="{_AGENT}">
<version>1.1</version>
<longdesc lang="en">Requests an address for this node.</longdesc>
<shortdesc lang="en">virtual address by request</shortdesc>
<parameters>
<parameter name="ip" unique-group="address" required="1">
<longdesc lang="en">The address.</longdesc>
<shortdesc lang="en">address</shortdesc>
<content type="string"/>
</parameter>
</parameters>
<actions>
<action name="start" timeout="20s"/><action name="stop" timeout="20s"/>
<action name="monitor" timeout="20s" interval="10s"/><action name="meta-data" timeout="5s"/>
<action name="validate-all" timeout="5s"/>
</actions>
</resource-agent>
"""


def agent(request: str) -> str:
    """Return the agent's script; `request` defines the shell function of that name."""
    return f"""\
#!/bin/sh
{request}
has() {{ ip -oneline -4 addr show | grep -qF " $OCF_RESKEY_ip/"; }}
# says why in Pacemaker's log
wish() {{
  answer=$(request "$1" "$OCF_RESKEY_ip")
  [ "$answer" = done ] && exit 0
  echo "the address was not moved: ${{answer:-no answer}}" >&2
  exit 1
}}
case "$1" in
meta-data) cat <<'END'
{_META_DATA}END
  exit 0;;
start) wish {_GIVE};;
stop) has || exit 0; wish {_TAKE};;
monitor) has && exit 0; exit 7;;
validate-all) exit 0;;
*) exit 3;;
esac
"""


def resource(virtual: str) -> Resource:
    """Return the resource of the address."""
    return Resource(ADDRESS, _AGENT, {"ip": virtual}, OF_ADDRESS, {}, provider=_PROVIDER)


def connect(host: Host) -> None:
    """Install the agent on a host."""
    folder = f"/usr/lib/ocf/resource.d/{_PROVIDER}"
    write = f"mkdir -p {folder} && cat > {folder}/{_AGENT} && chmod 755 {folder}/{_AGENT}"
    host.commands.run(["sh", "-c", write], stdin=agent(requests.script()))


def _serve(host: Host, words: list[str]) -> str:
    kind, address = words if len(words) == 2 else ("", "")
    try:
        if kind == _GIVE:
            host.addresses.give(address)
        elif kind == _TAKE:
            host.addresses.take(address)
        else:
            return "not a request"
    except FiveninesError as error:
        return " ".join(str(error).split())
    return "done"


# What serves its requests, by their first word.
SERVES: Mapping[str, Serve] = dict.fromkeys((_GIVE, _TAKE), _serve)
