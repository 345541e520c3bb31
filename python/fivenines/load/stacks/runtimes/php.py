"""PHP of Debian, with the extensions of the PHP stacks."""

import shutil
from pathlib import Path
from typing import ClassVar

from fivenines.load.stacks.runtimes import relocated
from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.load.stacks.runtimes.tools import workshop
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

_RELEASE = "8.4"

# Extensions in the order in which they need each other.
_EXTENSIONS = ("posix", "ffi", "pdo", "pdo_pgsql", "mysqlnd", "pdo_mysql")

# Warnings go to the error output; stack traces keep no arguments, as on a production server.
_SETTINGS = ("display_errors=stderr", "log_errors=0", "zend.exception_ignore_args=1")


class PhpRoot(DebianRoot):
    """PHP of Debian."""

    name = "stacks-php-root"
    description = "PHP with PDO, from Debian's packages"
    family = "none"
    suite = "trixie"
    packages: ClassVar[tuple[str, ...]] = tuple(f"php{_RELEASE}-{part}" for part in ("cli", "pgsql", "mysql"))
    version_command = (f"php{_RELEASE}", "-n", "--version")
    version_pattern = r"^PHP (\S+)"


class PhpRuntime(Runtime):
    """PHP with its extensions and libraries, which run with the machine's files."""

    name = "stacks-php"
    description = "PHP with PDO for PostgreSQL, MariaDB and MySQL, from Debian's packages"
    # Nothing is built; the program is read in its place.
    sources = ()

    def command(self, kind: str) -> list[str]:
        settings = [f"extension_dir={self.tree / 'extensions'}"]
        settings += [f"extension={name}" for name in _EXTENSIONS]
        settings += _SETTINGS
        php = relocated.started(self.tree / "libraries", self.tree / "php")
        # No ini file of the machine is read.
        php += ["-n", *(word for setting in settings for word in ("-d", setting))]
        return [*php, str(PROGRAMS / "php/main.php"), kind]

    def build(self, tree: Path, report: Report) -> str:
        (tree / "extensions").mkdir(parents=True)
        with workshop(tree.parent) as folder:
            root = folder / "root"
            version = PhpRoot().build(root, report)
            program = root / f"usr/bin/php{_RELEASE}"
            (extensions,) = root.glob("usr/lib/php/*/pdo.so")
            files = [extensions.with_name(f"{name}.so") for name in _EXTENSIONS]
            shutil.copy(program, tree / "php")
            for file in files:
                shutil.copy(file, tree / "extensions")
            relocated.libraries(root, [program, *files], tree / "libraries")
        return f"PHP {version}"
