"""Split connection strings of all forms into hosts and options, without validation."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_plus

from fivenines.load.dsn.files import LIBPQ_ENVIRONMENT, MYSQL_ENVIRONMENT, Pairs
from fivenines.load.dsn.model import Driver, WrongError

# Schemes of URIs and JDBC, and of libraries that append `+driver`.
SCHEMES: dict[str, Driver] = {
    "mysql": "mysql",
    "mysql2": "mysql",
    "mariadb": "mysql",
    "my": "mysql",
    "trilogy": "mysql",
    "percona": "mysql",
    "tidb": "mysql",
    "vitess": "mysql",
    "mysqlgis": "mysql",
    "postgresql": "postgres",
    "postgres": "postgres",
    "pgsql": "postgres",
    "pg": "postgres",
    "postgis": "postgres",
    "cockroachdb": "postgres",
    "cockroach": "postgres",
    "crdb": "postgres",
    "yugabytedb": "postgres",
    "timescale": "postgres",
    "timescaledb": "postgres",
    "alloydb": "postgres",
    "noop": "noop",
}

# Unsupported schemes, and what to write instead.
INSTEAD = {
    "mysqlx": "the X protocol is not supported: write mysql:// with the port of the classic protocol (3306)",
    "mysql+srv": "SRV records are not supported: name the hosts",
    "mysqlx+srv": "SRV records are not supported: name the hosts, with mysql://",
    "mongodb": "only SQL databases are supported",
    "prisma": "Prisma Accelerate does not support SQL: write the database's own connection string",
    "prisma+postgres": "Prisma Accelerate does not support SQL: write the database's own connection string",
    "sqlserver": "SQL Server requires ODBC: write odbc:Driver={...};Server=...",
    "mssql": "SQL Server requires ODBC: write odbc:Driver={...};Server=...",
    "sqlite": "SQLite has no server",
}


@dataclass
class Written:
    """The parts of a connection string.

    Attributes:
        form: the client that defines its options: uri, libpq, jdbc-postgresql, jdbc-mysql, jdbc-mariadb, go,
            net or client.
        hosts: servers as written; empty: named by options.
        options: all options in order.
        account: user, password and database of the address. Options of the same names override them.
    """

    driver: Driver
    form: str
    hosts: str = ""
    options: Pairs = field(default_factory=list)
    account: Pairs = field(default_factory=list)


def taken_apart(text: str) -> Written | None:
    """Split a connection string; None if its form is unknown.

    Raises:
        WrongError: it has a known form but is malformed.
    """
    for form in (_command, _jdbc, _pdo, _uri, _go, _net, _keywords):
        if (written := form(text)) is not None:
            return written
    return None


def _uri(text: str) -> Written | None:
    scheme, separator, rest = text.partition("://")
    if not separator:
        return None
    base = scheme.lower().partition("+")[0].removeprefix("r2dbc:").removeprefix("pool:")
    base = base.removeprefix("django.").rpartition(":")[2]
    driver = SCHEMES.get(base)
    if driver is None or scheme.lower() in INSTEAD:
        return None
    if driver == "noop":
        return Written("noop", "uri")
    authority, path, query = _split(rest)
    account, _, hosts = authority.rpartition("@")
    return Written(driver, "uri", hosts, _query(query, unquote), _account(account, path, unquote))


def _account(account: str, database: str, decoded: Callable[[str], str]) -> Pairs:
    user, colon, password = account.partition(":")
    if re.search(r"@[^@,]*,[^@,]*:", account):
        raise WrongError("each host has an account: write one account, before the first host")
    pairs = [("user", decoded(user))] if user else []
    pairs += [("password", decoded(password))] if colon else []
    return pairs + ([("dbname", unquote(database))] if database else [])


def _split(rest: str) -> tuple[str, str, str]:
    """Split account and hosts, database, options; an `@` reveals an unescaped `/`, `?` or `#`."""
    if "#" in rest:
        raise WrongError("it contains `#`: in a password write %23")
    before, _, query = rest.partition("?")
    if "@" in query and "@" not in before:
        raise WrongError("it has `@` after `?`: in a password write %3F for `?`, in an option %40 for `@`")
    authority, _, path = before.partition("/")
    if "@" in path:
        raise WrongError(
            "it has `@` after `/`: in a password write %2F, and write the path of a socket as "
            "@%2Frun%2Fmysqld%2Fmysqld.sock"
        )
    if "/" in path:
        raise WrongError("the database contains `/`: write %2F")
    return authority, path, query


def _query(query: str, decoded: Callable[[str], str]) -> Pairs:
    """Return the options after `?`; a plus means a space only in JDBC."""
    pairs = [part.partition("=") for part in query.split("&") if part]
    return [(decoded(name), decoded(value)) for name, _, value in pairs]


def _jdbc(text: str) -> Written | None:
    match = re.match(r"(?i)jdbc:(?:aws-wrapper:)?(postgresql|pgsql|mysql|mariadb)\b", text)
    if match is None:
        return None
    driver = SCHEMES[match[1].lower()]
    form = "jdbc-postgresql" if driver == "postgres" else f"jdbc-{match[1].lower()}"
    rest = text[match.end() :]
    if rest.lower().startswith("+srv"):
        raise WrongError(INSTEAD["mysql+srv"])
    before, _, query = rest.partition("?")
    # MariaDB Connector/J 3 takes options as they are written; the others decode them.
    options = _query(query, str if form == "jdbc-mariadb" else unquote_plus)
    _, separator, authority = before.partition("://")  # jdbc:mysql:replication://
    if not separator:  # jdbc:postgresql:database
        return Written(driver, form, "", [("dbname", unquote(before.strip(":/"))), *options])
    authority, _, path = authority.rpartition("/") if "/" in authority else (authority, "", "")
    account, _, hosts = authority.rpartition("@")
    return Written(driver, form, hosts, options, _account(account, path, unquote))


def _pdo(text: str) -> Written | None:
    """Split PHP's `mysql:host=h;dbname=d`."""
    match = re.match(r"(?i)(mysql|pgsql):(?!//)(?=[a-z_]+\s*=)", text)
    if match is None:
        return None
    return Written(SCHEMES[match[1].lower()], "client", "", _semicolons(text[match.end() :]))


def _go(text: str) -> Written | None:
    """Split go-sql-driver's `user:password@tcp(host:port)/database?option=value`, with encoded options."""
    match = re.fullmatch(
        r"(?:(?P<account>.*)@)?(?P<net>[A-Za-z0-9+_-]+)(?:\((?P<place>[^()]*)\))?"
        r"/(?P<db>[^/?]*)(?:\?(?P<query>.*))?",
        text,
        re.DOTALL,
    )
    if match is None or "://" in text or not (match["place"] or match["net"] in ("tcp", "unix")):
        return None
    if match["net"] not in ("tcp", "tcp4", "tcp6", "unix"):
        raise WrongError(f"the network {match['net']!r} is specific to go-sql-driver: write tcp(host:port)")
    account = _account(match["account"] or "", match["db"] or "", str)
    options = _query(match["query"] or "", unquote_plus)
    default = "/tmp/mysql.sock" if match["net"] == "unix" else "127.0.0.1:3306"
    return Written("mysql", "go", match["place"] or default, options, account)


_MYSQL_WORDS = {
    "uid",
    "allowuservariables",
    "convertzerodatetime",
    "allowzerodatetime",
    "sslca",
    "charset",
    "characterset",
    "allowpublickeyretrieval",
    "oldguids",
    "treattinyasboolean",
    "connectionprotocol",
}
_POSTGRES_WORDS = {
    "searchpath",
    "trustservercertificate",
    "rootcertificate",
    "includeerrordetail",
    "maxautoprepare",
    "noresetonclose",
    "targetsessionattributes",
    "passfile",
    "timezone",
    "multiplexing",
}
_SQLSERVER_WORDS = {"initialcatalog", "integratedsecurity", "trustedconnection", "multipleactiveresultsets"}


def _net(text: str) -> Written | None:
    """Split ADO.NET's `Server=h;Port=3306;Database=d;Uid=u`, for MySQL or Npgsql."""
    if ";" not in text or not re.match(r"\s*[A-Za-z][A-Za-z ]*=", text):
        return None
    options = _semicolons(text)
    words = {plain(name): value for name, value in options}
    if words.keys() & _SQLSERVER_WORDS or words.get("server", "").startswith("tcp:"):
        raise WrongError(INSTEAD["sqlserver"])
    port = words.get("port", "")
    if port in ("5432", "6432", "6543", "5433", "26257"):
        driver: Driver = "postgres"
    elif port.startswith("33") or words.keys() & _MYSQL_WORDS:
        driver = "mysql"
    elif words.keys() & _POSTGRES_WORDS or {"host", "username"} <= words.keys():
        driver = "postgres"
    else:
        driver = "mysql"
    return Written(driver, "net", "", options)


def _semicolons(text: str) -> Pairs:
    pattern = r"\s*([^=;]+?)\s*=\s*(\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|[^;]*)\s*(?:;|$)"
    pairs = []
    if re.sub(pattern, "", text).strip("; \n"):
        raise WrongError("a part between two `;` has no name: quote a value that contains `;`")
    for name, written in re.findall(pattern, text):
        quote, value = written[:1], written.strip()
        if quote in ("'", '"') and len(value) > 1 and value.endswith(quote):
            value = value[1:-1].replace(quote * 2, quote)
        pairs.append((name, value))
    return pairs


_KEYWORD = re.compile(r"([A-Za-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\']|\\.)*)(?=\s|$)\s*", re.DOTALL)


def _keywords(text: str) -> Written | None:
    """Split libpq's `host=a,b port=5432 dbname='x y'`."""
    if not re.match(r"\s*[a-z_]+\s*=", text):
        return None
    options, rest = [], text.strip()
    while rest:
        match = _KEYWORD.match(rest)
        if match is None:
            raise WrongError(
                "its keywords are malformed: write keyword=value, in ' ' if the value has a space"
            )
        value = match[2]
        value = value[1:-1] if value.startswith("'") else value
        options.append((match[1], re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)))
        rest = rest[match.end() :]
    return Written("postgres", "libpq", "", options)


_FLAGS = {"-h": "host", "-P": "port", "-p": "password", "-u": "user", "-D": "dbname", "-S": "socket"}
_PSQL_FLAGS = {"-h": "host", "-p": "port", "-U": "user", "-d": "dbname", "-u": "user"}
"""Those of psql, and pgcli's `-u`."""

_VALUED = {"-e", "-c", "-f", "-F", "-L", "-o", "-P", "-R", "-T", "-v"}
"""Flags whose value says nothing about the server: what to execute, how to show rows."""

_NO_VALUE = {
    "abort-source-on-error",
    "auto-rehash",
    "batch",
    "binary-mode",
    "column-names",
    "comments",
    "compress",
    "echo-all",
    "enable-cleartext-plugin",
    "expanded",
    "force",
    "get-server-public-key",
    "html",
    "local-infile",
    "no-auto-rehash",
    "no-beep",
    "no-defaults",
    "no-password",
    "no-psqlrc",
    "password",
    "quick",
    "quiet",
    "raw",
    "reconnect",
    "safe-updates",
    "silent",
    "single-transaction",
    "skip-ssl",
    "ssl",
    "ssl-verify-server-cert",
    "table",
    "tuples-only",
    "unbuffered",
    "verbose",
    "vertical",
    "wait",
    "xml",
    "csv",
    "no-align",
    "no-readline",
    "skip-column-names",
    "disable-ssl",
    "skip-ssl-verify-server-cert",
}
"""Long flags of these clients that take no value, or only one behind `=`."""

_MYSQL_CLIENTS = ("mysql", "mariadb", "mycli")
_COMMAND = re.compile(
    r"\s*((?:[A-Z_]+=(?:'[^']*'|\"[^\"]*\"|\S*)\s+)*)"
    r"(psql|ysqlsh|pgcli|cockroach\s+sql|mysql|mariadb|mycli)(?:\s+|$)(?!=)"
)


def _command(text: str) -> Written | None:
    """Split the command line of a client: `psql "..."`, `mysql -h h -u u -p db`."""
    match = _COMMAND.match(text)
    if match is None:
        return None
    try:
        set_before = [word.partition("=") for word in shlex.split(match[1])]
        words = shlex.split(text[match.end() :])
    except ValueError:
        raise WrongError("its quotes do not match") from None
    is_psql = match[2] not in _MYSQL_CLIENTS
    known = LIBPQ_ENVIRONMENT if is_psql else MYSQL_ENVIRONMENT
    environment = [(known[name], value) for name, _, value in set_before if name in known]
    options, inner = _flags(words, is_psql)
    if inner is not None:
        return Written(
            inner.driver, inner.form, inner.hosts, environment + inner.options + options, inner.account
        )
    driver: Driver = "postgres" if is_psql else "mysql"
    return Written(driver, "libpq" if is_psql else "client", "", environment + options)


def _flags(words: list[str], is_psql: bool) -> tuple[Pairs, Written | None]:
    """The options of a command line, and a connection string among its words."""
    options: Pairs = []
    inner: Written | None = None
    short = _PSQL_FLAGS if is_psql else _FLAGS

    def take(name: str, value: str) -> None:
        nonlocal inner
        if name == "url" or (name == "dbname" and _is_connection(value, is_psql)):
            inner = taken_apart(value)
        elif value or name != "password":
            options.append((name, value))

    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name not in _NO_VALUE and words and not words[0].startswith("-"):
                value = words.pop(0)
            if name not in _ELSEWHERE:
                take(name, value)
        elif word[:2] in short:
            value = word[2:]
            if not value and (word != "-p" or is_psql) and words:
                value = words.pop(0)
            if value:
                take(short[word[:2]], value)
        elif word in _VALUED and words:
            words.pop(0)
        elif word.startswith("-"):
            continue
        else:
            take("dbname", word)
    return options, inner


def _is_connection(value: str, is_psql: bool) -> bool:
    """Return whether a database is written as a connection string, and not as a name."""
    return "://" in value or (is_psql and "=" in value)


_ELSEWHERE = ("command", "execute", "file", "set", "variable", "output", "log-file", "pset", "prompt")
"""Long flags whose value says nothing about the server."""


def plain(name: str) -> str:
    """Normalise the spelling of an option's name."""
    return re.sub("[-_. ]", "", name.lower())
