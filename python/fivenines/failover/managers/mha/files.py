"""The files that MHA reads: its configuration, its scripts, and the settings of the SSH servers.

Parameters and scripts are those of MHA's manual (github.com/yoshinorim/mha4mysql-manager/wiki, "Parameters").
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from fivenines.failover import requests
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, inside
from fivenines.servers.cluster.capabilities import Entry
from fivenines.servers.mariadb.server import SEMI_SYNC_PRIMARY
from fivenines.software.engines.mha_root import SSH_KEY

CONFIGURATION = inside("conf", "mha.cnf")
# The file with passwords that MHA reads first.
SECRETS = "mha.cnf"

SHUTDOWN = inside("conf", "shutdown_script")
FAILOVER = inside("conf", "master_ip_failover_script")
ONLINE_CHANGE = inside("conf", "master_ip_online_change_script")
SSHD_CONFIGURATION = inside("conf", "sshd_config")

# First words of the requests of its scripts.
REQUESTS = ("fence", "entry")

# User name of MHA on nodes: the server's user, as MHA must read the server's logs.
LOGIN = "mysql"

HOST_KEY = inside("run", "ssh_host_key")
AUTHORIZED = inside("run", "authorized_keys")

_WORK = inside("run", "mha")


def manager_configuration(servers: Sequence[tuple[str, Sequence[str]]], more: Mapping[str, object]) -> str:
    """Return the configuration file.

    Args:
        servers: address of each, and further lines of its block.
        more: further parameters of all servers, by name.
    """
    common: dict[str, object] = {
        "user": REPLICATION,
        "repl_user": REPLICATION,
        "ssh_user": LOGIN,
        "manager_workdir": _WORK,
        "remote_workdir": _WORK,
        "master_binlog_dir": inside("data"),
        **more,
    }
    lines = ["[server default]", *(f"{name}={value}" for name, value in common.items())]
    for number, (address, block) in enumerate(servers, start=1):
        lines += [f"[server{number}]", f"hostname={address}", *block]
    return "\n".join(lines) + "\n"


def secret_configuration(password: str) -> str:
    """Return the file with the password of replication, which MHA reads before its configuration."""
    return f"[server default]\nrepl_password={password}\n"


def patch() -> str:
    """Return a shell command that lets MHA on a host, and its client, read the password from a file.

    With a password in its configuration, MHA writes it into arguments of programs, which every user of the
    machine can read: of MHA itself, of the client, and of its scripts. Without a password it logs in with
    none; so its connections and the client get libmysqlclient's option file.
    """
    options = secrets.seen_inside(f"{REPLICATION}.cnf")
    given = f"mysql_read_default_file={options};mysql_read_default_group=client"
    client = f"""\
#!/bin/sh
for word in "$@"; do
  shift
  case $word in --password=|-p) ;; *) set -- "$@" "$word" ;; esac
done
exec /usr/bin/mariadb --defaults-extra-file={options} "$@"
"""
    return (
        f"set -e; sed -i 's#DBI:mysql:;#DBI:mysql:;{given};#' /usr/share/perl5/MHA/*.pm; "
        f"rm /usr/bin/mysql; printf %s {shlex.quote(client)} > /usr/bin/mysql; chmod 755 /usr/bin/mysql"
    )


def sshd_configuration(port: int) -> str:
    """Return the configuration of an unprivileged SSH server that accepts only the lab's key.

    The key exchange is that of MHA's time: Debian 12's default (sntrup761) takes 70 ms of CPU at each end of
    each login, this one 7 ms, and a failover logs in almost twenty times.
    """
    return f"""\
Port {port}
HostKey {HOST_KEY}
AuthorizedKeysFile {AUTHORIZED}
StrictModes no
UsePAM no
KexAlgorithms curve25519-sha256
PasswordAuthentication no
PidFile none
MaxStartups 100
Subsystem sftp internal-sftp
"""


def make_keys() -> str:
    """Return a shell command that generates the lab's keys on a host and prints them.

    Its output is a tar archive of `key_files`, in base64.
    """
    make = "ssh-keygen -q -t ed25519 -N '' -C fivenines -f"
    made = " ".join(shlex.quote(PurePath(name).name) for name in key_files())
    return (
        f"set -e; {make} {SSH_KEY}; {make} {HOST_KEY}; cp {SSH_KEY}.pub {AUTHORIZED}; "
        f"chmod 600 {AUTHORIZED}; tar --create --directory={inside('run')} {made} | base64"
    )


def take_keys() -> str:
    """Return a shell command that unpacks such an archive on a host, for the user that runs it."""
    return f"base64 -d | tar --extract --no-same-owner --directory={inside('run')}"


def key_files() -> tuple[str, ...]:
    """Return the paths of the lab's keys."""
    return (SSH_KEY, HOST_KEY, AUTHORIZED)


_WORDS = """\
#!/bin/sh
for word in "$@"; do
  case $word in
    --command=*) command=${word#*=} ;;
    --host=*) host=${word#*=} ;;
    --orig_master_ip=*) old=${word#*=} ;;
    --new_master_ip=*) new=${word#*=} ;;
  esac
done
"""


def shutdown_script() -> str:
    """Return the fencing script: the lab ends the dead primary's server like a power switch, and answers.

    Status 10 means that the host still accepts MHA's login: MHA then saves the binary log of its server
    before it promotes another.
    """
    return f"""\
{_WORDS}{requests.script()}
[ "$command" = status ] && exit 0
answer=$(request fence "$host")
[ "$answer" = done ] || {{ echo "the lab did not fence $host: $answer"; exit 1; }}
[ "$command" = stopssh ] && exit 10
exit 0
"""


def failover_script(synchronous: bool, entry: Entry | None) -> str:
    """Return the script of a promotion, which runs before the replica becomes writable.

    It switches on semi-synchronous replication, and moves the access layer's entry.
    """
    return f"""\
{_WORDS}[ "$command" = start ] || exit 0
{_beginning(synchronous, entry)}"""


def online_change_script(synchronous: bool, entry: Entry | None) -> str:
    """Return the script of a planned switchover: it stops writes before MHA locks the tables."""
    stop = ["SET GLOBAL read_only = 1"]
    if synchronous:
        stop.append("SET GLOBAL rpl_semi_sync_master_enabled = 0")
    return f"""\
{_WORDS}if [ "$command" = stop ]; then {_sql("$old", *stop)}; exit; fi
[ "$command" = start ] || exit 0
{_beginning(synchronous, entry)}"""


def _beginning(synchronous: bool, entry: Entry | None) -> str:
    """Return the first commands of a new primary."""
    waits = f"{_sql('$new', SEMI_SYNC_PRIMARY)} || exit 1\n" if synchronous else ""
    return waits + (_move(entry) if entry is not None else "")


def _move(entry: Entry) -> str:
    """Return commands that move the write entry to the new primary, through its runtime port."""
    commands = " ".join(f'"{command}"' for command in entry.commands("$new"))
    return f"""\
perl -MIO::Socket::INET -e {shlex.quote(_SEND)} {entry.control} {commands} || exit 1
{requests.script()}
answer=$(request entry "$new")
[ "$answer" = done ] || {{ echo "the entry is not at $new: $answer"; exit 1; }}
"""


# Perl like MHA: send each command on a separate connection; fail at the first refusal.
_SEND = """\
alarm 5;
my $to = shift;
for (@ARGV) {
  my $on = IO::Socket::INET->new(PeerAddr => $to, Timeout => 2) or die "HAProxy at $to: $@\\n";
  print $on "$_\\n";
  my $said = join "", <$on>;
  die "HAProxy refused $_: $said" if $said =~ /\\S/ && $said !~ /changed from|no need to change/;
}
"""


def _sql(address: str, *statements: str) -> str:
    script = "; ".join(statements)
    return f'mysql --host="{address}" --user={REPLICATION} --execute="{script}"'
