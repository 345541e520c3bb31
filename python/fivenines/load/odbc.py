"""Connection strings of ODBC: `odbc:Driver={MariaDB Unicode};Server=db;Port=3306;UID=me;PWD=secret`.

The password is taken out as soon as a string is read, and goes its own way.
Source: Microsoft, ODBC Programmer's Reference, "SQLDriverConnect Function".
"""

import re

PREFIX = "odbc:"
FORM = "odbc:Driver={MariaDB Unicode};Server=host;Port=3306;Database=db;UID=user, or odbc:DSN=name"

_PAIR = re.compile(r"\s*([^=;{}]+?)\s*=\s*(\{(?:[^}]|\}\})*\}|[^;{}]*)\s*(?:;|$)")
_PASSWORDS = ("pwd", "password")
_SOURCES = ("driver", "dsn", "filedsn")
# What stands in names of secrets; a file of passwords is none itself.
_SECRET = re.compile(r"pass(?!file)|pwd|secret|token", re.IGNORECASE)
# A name among the options of libpq, which psqlODBC takes as `pqopt={name=value name=value}`.
_OPTION = re.compile(r"([\w.]+)\s*=")


class ConnectionStringError(Exception):
    """What is wrong with a connection string, in words without its password."""


def split_password(text: str) -> tuple[str, str | None]:
    """A connection string without its password, and the password; None: it has none.

    Raises:
        ConnectionStringError: it cannot be read, says neither driver nor data source, or has another
            secret than PWD or PASSWORD.
    """
    kept, password, at = [], None, 0
    names = set()
    while at < len(text):
        if text[at:].strip(" ;") == "":
            break
        pair = _PAIR.match(text, at)
        if pair is None:
            raise ConnectionStringError(
                "it is not KEYWORD=value;KEYWORD=value (a value with ; or } in it stands in { }, with } "
                "written twice)"
            )
        name, value = pair[1], pair[2]
        names.add(name.lower())
        if name.lower() in _PASSWORDS:
            password = value[1:-1].replace("}}", "}") if value.startswith("{") else value
        elif secret := _secret(name, value):
            raise ConnectionStringError(
                f"{secret} would be shown in the list of processes, in messages and in files: the one "
                "password that can be hidden is PWD= or the environment's; others belong into odbc.ini, as "
                "DSN=name"
            )
        else:
            kept.append(f"{name}={value}")
        at = pair.end()
    if not names.intersection(_SOURCES):
        raise ConnectionStringError("it names no driver and no data source")
    if not "".join(kept).isprintable():
        raise ConnectionStringError("it has characters that cannot be printed")
    return ";".join(kept), password


def _secret(name: str, value: str) -> str:
    """The name of what may be a secret: the keyword, or an option within its value; empty: there is none."""
    if _SECRET.search(name):
        return name
    options = _OPTION.findall(value) if name.lower() == "pqopt" else []
    return next((f"{option} in {name}" for option in options if _SECRET.search(option)), "")
