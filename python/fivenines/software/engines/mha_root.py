"""`mha-0.58`: MariaDB and the failover manager MHA, with OpenSSH and Perl, which MHA needs on nodes.

MHA 0.58 was written for MySQL and fails with MariaDB 10.11 in two places; the pull patches our copy.
"""

from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot
from fivenines.software.engines.mariadb_root import MARIADB, MYSQL_ACCOUNT

# Path of a host's SSH key for logins on other hosts; each lab has a separate key.
SSH_KEY = "/run/node/run/ssh_key"


@dataclass(frozen=True)
class Patch:
    """A replacement in a file of the tree; the file must contain `old` exactly once."""

    file: str
    old: str
    new: str


# Patches that make MHA 0.58 work with MariaDB 10.11.
PATCHES = (
    # 10.11.19-MariaDB-0+deb12u1 has more numbers than the format, and MHA makes the warning "Redundant
    # argument in sprintf" fatal.
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
    # MariaDB has no super_read_only: selecting it is an error, while SHOW returns no row.
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
    # MHA logs in to nodes as the server's user, which can read the logs.
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
        for patch in PATCHES:
            apply(patch, tree)
        (tree / "etc/ssh/ssh_config").write_text(_SSH)


def apply(patch: Patch, tree: Path) -> None:
    """Apply a patch to the unpacked tree.

    Raises:
        FiveninesError: the file does not contain the text exactly once, as this is another version of MHA.
    """
    file = tree / patch.file
    text = file.read_text() if file.is_file() else ""
    occurrences = text.count(patch.old)
    if occurrences != 1:
        raise FiveninesError(
            f"MHA cannot be patched for MariaDB: {patch.file} contains {patch.old!r} {occurrences} times "
            "instead of once. The packages mha4mysql-manager and mha4mysql-node must have version 0.58"
        )
    file.write_text(text.replace(patch.old, patch.new))
