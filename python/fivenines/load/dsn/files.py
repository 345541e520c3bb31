"""Read the additional files of clients: service files, password files and my.cnf.

Sources: PostgreSQL manual, "The Connection Service File", "The Password File"; MySQL manual, "Using Option
Files".
"""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from fivenines.load.dsn.model import Address, Pairs, WrongError
from fivenines.servers import option_file

# Environment variables of libpq and their options.
LIBPQ_ENVIRONMENT = {
    "PGHOST": "host",
    "PGHOSTADDR": "hostaddr",
    "PGPORT": "port",
    "PGDATABASE": "dbname",
    "PGUSER": "user",
    "PGPASSWORD": "password",
    "PGPASSFILE": "passfile",
    "PGSERVICE": "service",
    "PGSERVICEFILE": "servicefile",
    "PGOPTIONS": "options",
    "PGAPPNAME": "application_name",
    "PGSSLMODE": "sslmode",
    "PGSSLROOTCERT": "sslrootcert",
    "PGSSLCERT": "sslcert",
    "PGSSLKEY": "sslkey",
    "PGSSLCRL": "sslcrl",
    "PGSSLNEGOTIATION": "sslnegotiation",
    "PGREQUIRESSL": "requiressl",
    "PGREQUIREAUTH": "require_auth",
    "PGCHANNELBINDING": "channel_binding",
    "PGCONNECT_TIMEOUT": "connect_timeout",
    "PGTARGETSESSIONATTRS": "target_session_attrs",
    "PGLOADBALANCEHOSTS": "load_balance_hosts",
    "PGGSSENCMODE": "gssencmode",
    "PGREQUIREPEER": "requirepeer",
    "PGSSLMINPROTOCOLVERSION": "ssl_min_protocol_version",
    "PGSSLMAXPROTOCOLVERSION": "ssl_max_protocol_version",
    "PGMINPROTOCOLVERSION": "min_protocol_version",
    "PGMAXPROTOCOLVERSION": "max_protocol_version",
    "PGDATESTYLE": "datestyle",
    "PGTZ": "timezone",
    "PGCLIENTENCODING": "client_encoding",
}

MYSQL_ENVIRONMENT = {"MYSQL_PWD": "password", "MYSQL_HOST": "host", "MYSQL_TCP_PORT": "port"}


def of_environment(names: dict[str, str]) -> Pairs:
    """Return the options set by these environment variables."""
    return [(option, os.environ[name]) for name, option in names.items() if os.environ.get(name)]


def of_service(name: str, file: str) -> Pairs:
    """Return the options of a service.

    Args:
        name: the service.
        file: the service file; empty: the user's file, or else the machine's.

    Raises:
        WrongError: there is no such service.
    """
    folder = os.environ.get("PGSYSCONFDIR", "/etc/postgresql-common")
    user = Path("~/.pg_service.conf").expanduser()
    for path in [Path(file).expanduser()] if file else [user, Path(folder) / "pg_service.conf"]:
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            if file:
                raise WrongError(f"the service file {path} does not exist") from None
            continue
        except OSError as error:
            raise WrongError(f"the service file {path} cannot be read: {error.strerror}") from None
        found = _section(lines, [name], _verbatim, first=True)
        if found is not None:
            if any(option.startswith("ldap:") for option, _ in found):
                raise WrongError(f"the service {name!r} is looked up by LDAP, which is not supported")
            # libpq keeps the first value of an option, `Asked.add` the last.
            return found[::-1]
    raise WrongError(f"the service {name!r} is in no service file (PGSERVICEFILE, ~/.pg_service.conf)")


def of_option_file(file: str, groups: Iterable[str]) -> tuple[Pairs, list[str]]:
    """Return the options of these groups of a my.cnf, and notes about ignored parts.

    The last option of a name counts, whatever its group.

    Raises:
        WrongError: the file cannot be read.
    """
    path = Path(file).expanduser()
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise WrongError(f"the option file {path} cannot be read: {error.strerror}") from None
    notes = []
    if any(line.strip().startswith("!include") for line in lines):
        notes.append(f"{path}: files that it includes are not read")
    found = _section(lines, list(groups), option_file.read) or []
    return [_of_option(name, value) for name, value in found], notes


def _of_option(name: str, value: str) -> tuple[str, str]:
    name = name.lower().replace("_", "-").removeprefix("loose-")
    if name in ("skip-ssl", "disable-ssl") or (name == "ssl" and value.lower() in ("0", "off", "false")):
        return "sslmode", "disable"
    if name == "ssl":
        return "sslmode", "prefer"
    return name, value


def _section(
    lines: list[str], names: list[str], read: Callable[[str], tuple[str, str]], *, first: bool = False
) -> Pairs | None:
    """Return the lines of all sections of these names, or of the first, as pairs; None if there is none."""
    found: Pairs | None = None
    inside = False
    for line in map(str.strip, lines):
        if not line or line[0] in "#;!":
            continue
        if line.startswith("[") and "]" in line:
            if first and inside:
                break
            inside = line[1 : line.index("]")].strip() in names
            if inside and found is None:
                found = []
        elif inside and found is not None:
            found.append(read(line))
    return found


def _verbatim(line: str) -> tuple[str, str]:
    """Split a line of a service file, which has neither quotes nor comments behind a value."""
    name, _, value = line.partition("=")
    return name.strip(), value.strip()


def password_of(file: str, addresses: tuple[Address, ...], database: str, user: str) -> tuple[str, list[str]]:
    """Return the password from a password file for these servers, or an empty text, and notes.

    Raises:
        WrongError: the file has different passwords for the servers.
    """
    path = Path(file or "~/.pgpass").expanduser()
    try:
        mode = path.stat().st_mode
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "", [f"the password file {path} cannot be read"] if file else []
    if mode & 0o077:
        return "", [f"the password file {path} is ignored, because other users can read it (chmod 600)"]
    entries = [_fields(line) for line in lines if line.strip() and not line.startswith("#")]
    found = {_password(entries, address, database, user) for address in addresses}
    if len(found) > 1:
        raise WrongError(
            f"the password file {path} has different passwords for these servers: use one password"
        )
    return found.pop() or "", []


def _fields(line: str) -> list[str]:
    """Split a line at the colons that no backslash escapes; the password ends at such a colon, too."""
    return [re.sub(r"\\(.)", r"\1", part) for part in _FIELD.findall(line)]


# Number of fields: host, port, database, user, password.
_FIELDS = 5

# Text up to a colon. libpq 18 keeps a backslash at the end of a line.
_FIELD = re.compile(r"(?:^|(?<=:))((?:\\.|[^:\\]|\\$)*)(?=:|$)")


def _password(entries: list[list[str]], address: Address, database: str, user: str) -> str | None:
    socket = re.fullmatch(r"(.*)/\.s\.PGSQL\.(\d+)", address.socket)
    hosts = {socket[1], "localhost"} if socket else {address.host}
    port = socket[2] if socket else str(address.port)
    for entry in entries:
        if len(entry) < _FIELDS:
            continue
        host, its_port, its_database, its_user, password = entry[:_FIELDS]
        if (
            (host == "*" or host in hosts)
            and its_port in ("*", port)
            and its_database in ("*", database)
            and its_user in ("*", user)
        ):
            return password
    return None
