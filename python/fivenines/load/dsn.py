"""Where a server is and who we are there: `mysql://user:password@host:port/database`.

The password never appears in a message, a `repr` or a command line.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from fivenines.errors import UsageError

_DRIVERS: dict[str, Literal["mysql", "postgres"]] = {
    "mysql": "mysql",
    "mariadb": "mysql",
    "postgresql": "postgres",
    "postgres": "postgres",
}
_PORTS = {"mysql": 3306, "postgres": 5432}
_PASSWORDS = {"mysql": "MYSQL_PWD", "postgres": "PGPASSWORD"}
_FORM = "mysql://user:password@host:port/database or postgresql://..."


@dataclass(frozen=True)
class Dsn:
    """A server, an account and a database."""

    driver: Literal["mysql", "postgres"]
    user: str
    password: str = field(repr=False)
    host: str
    port: int
    database: str

    def __str__(self) -> str:
        scheme = "mysql" if self.driver == "mysql" else "postgresql"
        return f"{scheme}://{self.user}@{self.address}/{self.database}"

    @property
    def address(self) -> str:
        """host:port, an IPv6 address in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_dsn(text: str) -> Dsn:
    """The DSN in a text; without a password in it, `$MYSQL_PWD` or `$PGPASSWORD` counts.

    Raises:
        UsageError: it is none; the message never shows the password.
    """
    scheme, separator, _ = text.partition("://")
    driver = _DRIVERS.get(scheme.lower())
    if not separator or driver is None:
        found = f"the scheme {scheme!r}" if separator and _is_word(scheme) else "no known scheme"
        raise UsageError(f"the DSN has {found}: write {_FORM}")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _wrong(text, "its host or port cannot be read") from None
    if problem := _problem(parts):
        raise _wrong(text, problem)
    return Dsn(
        driver,
        unquote(parts.username or ""),
        _password(parts, driver),
        unquote(host or ""),
        port or _PORTS[driver],
        unquote(parts.path[1:]),
    )


def redacted(text: str) -> str:
    """A DSN as it may be shown: all that might be a password is gone."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return "***"
    account, at, server = rest.rpartition("@")
    if not at:  # a password with a stray character may stand anywhere after a colon
        return f"{scheme}://{rest.partition(':')[0]}" + (":***" if ":" in rest else "")
    user = account.partition(":")[0]
    return f"{scheme}://{user}{':***' if ':' in account else ''}@{server}"


def _problem(parts: SplitResult) -> str | None:
    database = parts.path[1:]
    checks = {
        "it has a `?` in it: options are not supported, and in a password write %3F": parts.query,
        "it has a `#` in it: in a password write %23": parts.fragment,
        "the user is missing": not parts.username,
        "the host is missing": not parts.hostname,
        "port 0 is none": parts.port == 0,
        "the database is missing": not database,
        "the database has a `/` in it: in a password write %2F": "/" in database,
    }
    return next((problem for problem, applies in checks.items() if applies), None)


def _password(parts: SplitResult, driver: str) -> str:
    if parts.password is not None:
        return unquote(parts.password)
    return os.environ.get(_PASSWORDS[driver], "")


def _wrong(text: str, problem: str) -> UsageError:
    return UsageError(f"DSN {redacted(text)}: {problem}; write {_FORM}")


def _is_word(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]{0,20}", text))
