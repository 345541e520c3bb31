"""`sysbench`: the load generator sysbench with its client libraries, from Debian 12's packages.

It is unpacked like a server, so that it is the same version everywhere and needs nobody who may install
packages. It runs beside a host, with the machine's files: the tree's own loader starts it with the tree's
libraries, whatever this machine has.
"""

from fivenines.errors import FiveninesError
from fivenines.software.debian_root import DebianRoot

_SCRIPTS = "usr/share/sysbench"


class SysbenchRoot(DebianRoot):
    """No host has it as its root: it is started on the client's host, as our own load generator is."""

    name = "sysbench"
    description = "sysbench 1.0 with its OLTP scripts, as a second load generator, from Debian 12's packages"
    family = "none"
    series = "1.0.20"
    packages = ("sysbench",)
    version_command = ("sysbench", "--version")
    version_pattern = r"sysbench (\S+)"

    def command(self) -> list[str]:
        """What a command line begins with that starts it.

        Raises:
            FiveninesError: the tree has no loader, or no libraries.
        """
        loaders = sorted(self.tree.glob("usr/lib*/ld-linux*.so*"))
        libraries = sorted(self.tree.glob("usr/lib/*-linux-gnu*"))
        if not loaders or not libraries:
            raise FiveninesError(f"engine {self.name} has no loader in {self.tree}: pull it again")
        path = ":".join(map(str, [*libraries, self.tree / "usr/lib"]))
        return [str(loaders[0]), "--library-path", path, str(self.tree / "usr/bin/sysbench")]

    def script(self, name: str) -> str:
        """One of its own scripts, as `oltp_read_write`."""
        return str(self.tree / _SCRIPTS / f"{name}.lua")

    def environment(self) -> dict[str, str]:
        """What it needs to find the files of its tree: its scripts, and ways to log in to MySQL."""
        plugins = sorted(self.tree.glob("usr/lib/*-linux-gnu*/libmariadb*/plugin"))
        found = {"LUA_PATH": f"{self.tree / _SCRIPTS}/?.lua"}
        return found | ({"MARIADB_PLUGIN_DIR": str(plugins[0])} if plugins else {})
