"""`mha-0.58`: MariaDB and the failover manager MHA, with all that it drives nodes by: OpenSSH and Perl.

MHA 0.58 was written for MySQL. Two places of it fail at MariaDB 10.11; our copy is patched when it is pulled.
"""

from dataclasses import dataclass
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot
from fivenines.software.mariadb_root import MARIADB, MYSQL_ACCOUNT

# Where a host finds the key by which it logs in to others; each lab has its own.
SSH_KEY = "/run/node/run/ssh_key"


@dataclass(frozen=True)
class Patch:
    """One replacement in a file of the tree; `old` must be there exactly once."""

    file: str
    old: str
    new: str


# What makes MHA 0.58 work here.
PATCHES = (
    # 10.11.19-MariaDB-0+deb12u1 has more numbers than the format: "Redundant argument in sprintf", made fatal
    Patch(
        "usr/share/perl5/MHA/NodeUtil.pm",
        r"sprintf( '%03d%03d%03d', $str =~ m/(\d+)/g )",
        r"sprintf( '%03d%03d%03d', ( $str =~ m/(\d+)/g )[ 0 .. 2 ] )",
    ),
    Patch(
        "usr/share/perl5/MHA/NodeUtil.pm",
        r"sprintf( '%03d%03d', $str =~ m/(\d+)/g )",
        r"sprintf( '%03d%03d', ( $str =~ m/(\d+)/g )[ 0 .. 1 ] )",
    ),
    # MariaDB has no super_read_only: asking for it by name is an error there, SHOW gives no row
    Patch(
        "usr/share/perl5/MHA/SlaveUtil.pm",
        r"SELECT \@\@global.super_read_only as Value",
        r"SHOW GLOBAL VARIABLES LIKE 'super_read_only'",
    ),
    Patch(
        "usr/share/perl5/MHA/SlaveUtil.pm",
        r"if ( $href->{Value} == '1' ) {",
        r"if ( $href && $href->{Value} eq 'ON' ) {",
    ),
    # the login that MHA uses on nodes is the server's own user: it may read the logs
    Patch("etc/passwd", ":mysql:/nonexistent:/bin/false", ":mysql:/tmp:/bin/sh"),
)

_SSH = f"""\
Host *
  IdentityFile {SSH_KEY}
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  GSSAPIAuthentication no
  LogLevel ERROR
"""


class MhaRoot(DebianRoot):
    """The root of the nodes and of the manager's host under MHA."""

    name = "mha-0.58"
    description = "MHA 0.58 with MariaDB 10.11, OpenSSH and Perl, from Debian 12's packages"
    family = "mariadb"
    packages = (*MARIADB, "mha4mysql-manager", "mha4mysql-node", "openssh-server", "openssh-client", "perl")
    accounts = (MYSQL_ACCOUNT,)
    unused = ()

    def finish(self, tree: Path, report: Report) -> None:
        report("patching MHA for MariaDB", 0.97)
        for one in PATCHES:
            apply(one, tree)
        (tree / "etc/ssh/ssh_config").write_text(_SSH)


def apply(patch: Patch, tree: Path) -> None:
    """Apply a patch to the unpacked tree.

    Raises:
        FiveninesError: the text is not there exactly once: this is another MHA than the one patched.
    """
    file = tree / patch.file
    text = file.read_text() if file.is_file() else ""
    found = text.count(patch.old)
    if found != 1:
        raise FiveninesError(
            f"MHA cannot be patched for MariaDB: {patch.file} has {patch.old!r} {found} times, not once. "
            "The packages mha4mysql-manager and mha4mysql-node must be version 0.58"
        )
    file.write_text(text.replace(patch.old, patch.new))
