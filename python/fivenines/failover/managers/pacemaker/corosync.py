"""The configuration of Corosync, the messaging layer below Pacemaker (corosync.conf(5), votequorum(5))."""

from collections.abc import Mapping

_CONF = """\
totem {{
  version: 2
  cluster_name: fivenines
  transport: {transport}
  token: {token}
  crypto_cipher: none
  crypto_hash: none
}}
quorum {{
  provider: corosync_votequorum
  two_node: {two_node}
  wait_for_all: 0
}}
logging {{
  to_stderr: no
  to_syslog: no
  to_logfile: yes
  logfile: {log}
  timestamp: hires
}}
nodelist {{
{nodes}}}
"""

_NODE = """\
  node {{
    name: {name}
    nodeid: {number}
    ring0_addr: {address}
  }}
"""


def corosync_conf(nodes: Mapping[str, str], transport: str, token: float, log: str) -> str:
    """Return corosync.conf for nodes (address by name); `token` in seconds.

    Two nodes have no majority without each other, so they get votequorum's rule for two nodes.
    """
    listed = "".join(
        _NODE.format(name=name, number=number, address=address)
        for number, (name, address) in enumerate(nodes.items(), start=1)
    )
    return _CONF.format(
        transport=transport, token=round(token * 1000), two_node=int(len(nodes) == 2), log=log, nodes=listed
    )
