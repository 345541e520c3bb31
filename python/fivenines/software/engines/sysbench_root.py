"""`sysbench`: the load generator sysbench with its client libraries, from Debian 12's packages.

It is unpacked like a server, so that the version is the same everywhere and no package has to be installed.
It runs in a host's network with the machine's files. The tree's loader starts it with the tree's libraries,
independent of those of the machine.
"""

from fivenines.base.errors import FiveninesError
from fivenines.software.debian_root import DebianRoot

_SCRIPTS = "usr/share/sysbench"


class SysbenchRoot(DebianRoot):
    """The files of sysbench, which is no root of a host but runs on the client's host."""

    name = "sysbench"
    description = "sysbench 1.0 with its OLTP scripts, as a second load generator, from Debian 12's packages"
    family = "none"
    series = "1.0.20"
    packages = ("sysbench",)
    version_command = ("sysbench", "--version")
    version_pattern = r"sysbench (\S+)"

    def command(self) -> list[str]:
        """Return the beginning of a command line that starts sysbench.

        Raises:
            FiveninesError: the tree has no loader or no libraries.
        """
        loaders = sorted(self.tree.glob("usr/lib*/ld-linux*.so*"))
        libraries = sorted(self.tree.glob("usr/lib/*-linux-gnu*"))
        if not loaders or not libraries:
            raise FiveninesError(f"engine {self.name} has no loader in {self.tree}: pull it again")
        path = ":".join(map(str, [*libraries, self.tree / "usr/lib"]))
        return [str(loaders[0]), "--library-path", path, str(self.tree / "usr/bin/sysbench")]

    def script(self, name: str) -> str:
        """Return the path of a built-in script, such as `oltp_read_write`."""
        return str(self.tree / _SCRIPTS / f"{name}.lua")

    def environment(self) -> dict[str, str]:
        """Return the environment with the paths of its scripts and of plugins for MySQL's authentication."""
        plugins = sorted(self.tree.glob("usr/lib/*-linux-gnu*/libmariadb*/plugin"))
        variables = {"LUA_PATH": f"{self.tree / _SCRIPTS}/?.lua"}
        return variables | ({"MARIADB_PLUGIN_DIR": str(plugins[0])} if plugins else {})
