"""Server settings of Galera nodes, and what makes copies of one data set members of one cluster."""

from fivenines.servers.base import Server, Value
from fivenines.servers.local import LocalServer
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql_family.provider_options import parsed
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.galera import transfer as galera_transfer
from fivenines.solutions.galera.options import as_text, group_options, in_bytes, is_provider
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.preparation import Preparation
from fivenines.solutions.reserved import PROVIDER

# Name of the cluster.
GROUP = "fivenines"

# The server_id of the loading server, which joiners continue to log (seen in MariaDB 10.11).
#
# No node may have it: it would treat what another cluster's joiners wrote as its own, and skip it.
_LOADER_ID = 1000

# Paths of the library in root file systems and installations: Debian, tarballs, the Red Hat family.
_LIBRARY = tuple(f"{folder}/galera*/libgalera_smm.so" for folder in ("usr/lib", "usr/lib64", "lib", "lib64"))


def _wsrep(node: Server) -> dict[str, Value]:
    return {
        "innodb_autoinc_lock_mode": 2,
        "wsrep_on": True,
        "wsrep_provider": node.engine.file(*_LIBRARY),
        "wsrep_cluster_name": GROUP,
        "wsrep_node_name": node.name,
        "wsrep_node_address": node.host.address,
    }


def _bootstrap_once(seed: LocalServer) -> None:
    """Turn the data into those of a one-node cluster, so that its copies are members of one cluster.

    A clean stop writes the cluster's identity and position into grastate.dat and InnoDB. Nodes that start
    from copies then join with what the first one has cached since, without a state transfer.
    """
    seed.setup.configure({**_wsrep(seed), "wsrep_cluster_address": "gcomm://", "server_id": _LOADER_ID})
    seed.start("--wsrep-new-cluster")
    seed.wait_ready()
    seed.stop()


class GaleraPreparation(Preparation[GaleraSettings]):
    """Its data are those of a cluster of one node."""

    bootstrap = ("galera as nobody", _bootstrap_once)


class GaleraConfiguration(Configuration[GaleraSettings, Mariadb]):
    """The addresses of all nodes, and options of the provider from the settings and from the user."""

    def own(self, node: Mariadb) -> dict[str, Value]:
        settings = self.settings
        options = {
            "gcache.size": in_bytes(settings.gcache),
            **self.group_options(node.name),
            **self._own_options(),
        }
        addresses = ",".join(other.host.address for other in self.solution.nodes)
        return {
            **_wsrep(node),
            "wsrep_cluster_address": f"gcomm://{addresses}",
            "wsrep_slave_threads": settings.appliers,
            PROVIDER: f'"{as_text(options)}"',
            **galera_transfer.transfer_settings(settings.sst),
            **self._waiting(),
            **node.durability(settings.durability.at_start),
        }

    def write(self, node: Mariadb) -> None:
        super().write(node)
        galera_transfer.transfer_secret(self.settings.sst, node)

    def given(self) -> dict[str, Value]:
        # They are merged with the solution's provider options.
        return {name: value for name, value in super().given().items() if not is_provider(name)}

    def group_options(self, host: str) -> dict[str, str]:
        """Return the provider options of a member of the group on this host."""
        lab = self.solution.lab
        sites = lab.network.settings.site_names if self.settings.segments else []
        segment = sites.index(lab.sites.of(host)) if sites else None
        return group_options(self.settings, segment)

    def _own_options(self) -> dict[str, str]:
        """Return the provider options that the user sets."""
        given = (value for name, value in self.settings.server.items() if is_provider(name))
        return parsed(str(next(given, "")))

    def _waiting(self) -> dict[str, Value]:
        if not self.settings.sync_wait:
            return {}
        # It applies to clients only, as it does not run for administrators: a waiting observer would see
        # nothing.
        return {"init_connect": f"'SET SESSION wsrep_sync_wait = {self.settings.sync_wait}'"}
