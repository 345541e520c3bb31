"""`host-postgres` and `host-mariadb`: servers that are installed on this machine, run in the lab.

The machine's own services and data are never changed: hosts of the lab have them read-only.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Engine, EngineStatus, Report


class _HostEngine(Engine):
    """Programs that are installed on the machine."""

    server: str
    package: str

    def status(self) -> EngineStatus:
        server = self._find(self.server)
        if server is None:
            detail = f"{self.server} is not installed: run `sudo apt-get install {self.package}`"
            return EngineStatus(False, detail=detail)
        answer = subprocess.run([server, "--version"], capture_output=True, text=True, check=False)
        match = re.search(r"\d+\.\d+(\.\d+)?", answer.stdout)
        return EngineStatus(True, match[0] if match else "unknown", 0, str(server))

    def pull(self, report: Report) -> None:
        if not self.status().installed:
            raise FiveninesError(f"engine {self.name} cannot be pulled: {self.status().detail}")

    def remove(self) -> None:
        raise FiveninesError(f"engine {self.name} belongs to this machine: fivenines does not remove it")

    def root(self) -> Root:
        server = self._find(self.server)
        return Root(show=_outside_usr(server.resolve()) if server else ())

    def program(self, name: str) -> str:
        path = self._find(name)
        if path is None:
            raise FiveninesError(f"engine {self.name}: {name} is not installed on this machine")
        return str(path)

    def _find(self, name: str) -> Path | None:
        path = os.pathsep.join([*self._folders(), os.environ["PATH"]])
        found = shutil.which(name, path=path)
        if found is None or found.startswith("/usr/"):
            return Path(found) if found else None
        # Hosts have the installation folder, but not the links to it.
        return Path(found).resolve()

    def _folders(self) -> list[str]:
        return []


class HostPostgres(_HostEngine):
    """The newest PostgreSQL installed here."""

    name = "host-postgres"
    description = "the PostgreSQL server installed on this machine"
    family = "postgresql"
    server = "postgres"
    package = "postgresql"

    def _folders(self) -> list[str]:
        versions = Path("/usr/lib/postgresql").glob("*/bin")
        return [str(path) for path in sorted(versions, key=_number, reverse=True)]


class HostMariadb(_HostEngine):
    """The MariaDB server installed here."""

    name = "host-mariadb"
    description = "the MariaDB server installed on this machine"
    family = "mariadb"
    server = "mariadbd"
    package = "mariadb-server"


def _outside_usr(program: Path) -> tuple[Path, ...]:
    """Return the folders that a host needs for a program that is installed outside /usr.

    A separate installation (/opt/pgsql) is included as a whole, a home folder only in parts.
    """
    if any(program.is_relative_to(shown) for shown in _SHOWN_ANYWAY):
        return ()
    prefix, home = program.parent.parent, Path.home()
    if prefix not in (home, home / ".local") and not home.is_relative_to(prefix):
        return (prefix,)
    parts = (prefix / part for part in _PARTS)
    return tuple(folder for folder in parts if folder.is_dir())


_SHOWN_ANYWAY = ("/usr", "/nix/store", "/gnu/store")
_PARTS = ("bin", "sbin", "libexec", "lib", "lib64", "share/postgresql", "share/mysql", "share/mariadb")


def _number(path: Path) -> float:
    try:
        return float(path.parent.name)
    except ValueError:
        return 0.0
