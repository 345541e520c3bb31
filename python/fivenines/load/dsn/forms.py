"""Split connection strings of all forms into hosts and options, without validation."""

import re
from collections.abc import Callable
from urllib.parse import unquote, unquote_plus

from fivenines.load.dsn.commands import command_line
from fivenines.load.dsn.model import Driver, Pairs, Written, WrongError

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
    "mysqli": "mysql",
    "pdo-mysql": "mysql",
    "pdo_mysql": "mysql",
    "pdo-pgsql": "postgres",
    "pdo_pgsql": "postgres",
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


def taken_apart(text: str) -> Written | None:
    """Split a connection string; None if its form is unknown.

    Raises:
        WrongError: it has a known form but is malformed.
    """
    if (written := command_line(text, taken_apart)) is not None:
        return written
    for form in (_jdbc, _pdo, _uri, _go, _net, _keywords):
        if (written := form(text)) is not None:
            return written
    return None


def _uri(text: str) -> Written | None:
    scheme, separator, rest = text.partition("://")
    if not separator:
        return None
    words = scheme.lower().partition("+")[0].removeprefix("django.").split(":")
    driver = next((SCHEMES[word] for word in words if word in SCHEMES), None)
    if driver is None or scheme.lower() in INSTEAD or words[0] == "jdbc":
        return None
    if driver == "noop":
        return Written("noop", "uri")
    authority, path, query = _split(rest)
    account, _, hosts = authority.rpartition("@")
    if driver == "mysql" and re.match(r"(?:tcp|unix)\(", hosts):
        return _go(rest)  # golang-migrate's and Ory's: go-sql-driver's behind a scheme
    options = _query(query, unquote)
    if words[0] == "r2dbcs":
        options.append(("ssl", "true"))
    return Written(driver, "uri", hosts, options, _account(account, path, unquote))


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
    """Return the options after `?`; a plus means a space only in JDBC.

    `&amp;` is how XML files write `&`.
    """
    pairs = [part.partition("=") for part in query.replace("&amp;", "&").split("&") if part]
    return [(decoded(name), decoded(value)) for name, _, value in pairs]


def _jdbc(text: str) -> Written | None:
    # Wrappers stand before the product: aws-wrapper, p6spy, log4jdbc, otel.
    match = re.match(r"(?i)jdbc:(?:[a-z0-9_-]+:)?(postgresql|pgsql|yugabytedb|mysql|mariadb)\b", text)
    if match is None:
        return None
    if text.lower().startswith("jdbc:tc:"):
        raise WrongError("Testcontainers would start a server of its own: name the server")
    driver = SCHEMES[match[1].lower()]
    form = "jdbc-postgresql" if driver == "postgres" else f"jdbc-{match[1].lower()}"
    rest = text[match.end() :]
    if rest.lower().startswith("+srv"):
        raise WrongError(INSTEAD["mysql+srv"])
    before, _, query = rest.partition("?")
    # MariaDB Connector/J 3 takes options as they are written; the others decode them.
    options = _query(query, str if form == "jdbc-mariadb" else unquote_plus)
    mode, separator, authority = before.partition("://")  # jdbc:mysql:replication://
    notes = []
    if mode.strip(":").lower() in ("loadbalance", "load-balance"):
        options.append(("loadBalanceHosts", "true"))
    elif mode.strip(":").lower() == "replication":
        notes.append("the replicas of 'replication' get no reads: name them by --read HOST:PORT")
    if not separator:  # jdbc:postgresql:database
        return Written(driver, form, "", [("dbname", unquote(before.strip(":/"))), *options])
    authority, _, path = authority.rpartition("/") if "/" in authority else (authority, "", "")
    account, _, hosts = authority.rpartition("@")
    options += _of_hosts(hosts)
    return Written(driver, form, hosts, options, _account(account, path, unquote), notes)


def _of_hosts(hosts: str) -> Pairs:
    """Return the options within Connector/J's `address=(host=h)(port=1)(user=u)`, equal for all hosts."""
    parts = [re.findall(r"(\w+)\s*=\s*([^(),\s]+)", part) for part in re.split(r",(?![^()]*\))", hosts)]
    ours = ("address", "host", "port", "type", "priority")
    options = [[(name, value) for name, value in part if name.lower() not in ours] for part in parts]
    if any(sorted(one) != sorted(options[0]) for one in options):
        raise WrongError("its hosts have different options: write one account and all options once")
    return [(name, unquote(value)) for name, value in options[0]]


def _pdo(text: str) -> Written | None:
    """Split PHP's `mysql:host=h;dbname=d`."""
    match = re.match(r"(?i)(mysql|pgsql):(?!//)(?=[a-z_]+\s*=)", text)
    if match is None:
        return None
    return Written(SCHEMES[match[1].lower()], "client", "", _semicolons(text[match.end() :]))


def _go(text: str) -> Written | None:
    """Split go-sql-driver's `user:password@tcp(host:port)/database?option=value`, with encoded options."""
    match = re.fullmatch(
        r"(?:(?P<account>.*)@)?(?P<net>[A-Za-z0-9+_-]*)(?:\((?P<place>[^()]*)\))?"
        r"/(?P<db>[^/?]*)(?:\?(?P<query>.*))?",
        text,
        re.DOTALL,
    )
    # `keyword=` begins libpq's and ADO.NET's forms, whose passwords may contain `@/`.
    if match is None or "://" in text or re.match(r"\s*[A-Za-z][\w ]*=", text):
        return None
    # Both the network and the address may be left out: `user:password@/database`.
    if not (match["place"] or match["net"] in ("tcp", "unix") or (match["account"] and not match["net"])):
        return None
    if match["net"] not in ("", "tcp", "tcp4", "tcp6", "unix"):
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
    port, notes = words.get("port", ""), list[str]()
    if named := words.get("driver", "").lower():
        product = next((one for one in ("postgres", "psql", "mysql", "maria") if one in named), "")
        if not product:
            raise WrongError("it names a driver of ODBC: write odbc: in front of it")
        notes = ["the driver is not used: to measure over ODBC, write odbc: in front of the string"]
        driver: Driver = "postgres" if product in ("postgres", "psql") else "mysql"
        options = [pair for pair in options if plain(pair[0]) != "driver"]
    elif port in ("5432", "6432", "6543", "5433", "26257"):
        driver = "postgres"
    elif port.startswith("33") or words.keys() & _MYSQL_WORDS:
        driver = "mysql"
    elif words.keys() & _POSTGRES_WORDS or {"host", "username"} <= words.keys():
        driver = "postgres"
    else:
        driver = "mysql"
        notes = ["the string names no product: MySQL is assumed; for PostgreSQL write postgresql://..."]
    return Written(driver, "net", "", options, notes=notes)


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


def plain(name: str) -> str:
    """Normalise the spelling of an option's name."""
    return re.sub("[-_. ]", "", name.lower())
