"""ODBC connection strings: `odbc:Driver={MariaDB Unicode};Server=db;Port=3306;UID=me;PWD=secret`.

The password is separated as soon as a string is read.
Source: Microsoft, ODBC Programmer's Reference, "SQLDriverConnect Function".
"""

import re

PREFIX = "odbc:"
FORM = "odbc:Driver={MariaDB Unicode};Server=host;Port=3306;Database=db;UID=user, or odbc:DSN=name"

_PAIR = re.compile(r"\s*([^=;{}]+?)\s*=\s*(\{(?:[^}]|\}\})*\}|[^;{}]*)\s*(?:;|$)")
_PASSWORDS = ("pwd", "password")
_SOURCES = ("driver", "dsn", "filedsn")
# Names of secrets; a file of passwords is no secret itself.
_SECRET = re.compile(r"pass(?!file)|pwd|secret|token", re.IGNORECASE)
# A name among the options of libpq, which psqlODBC takes as `pqopt={name=value name=value}`.
_OPTION = re.compile(r"([\w.]+)\s*=")


class ConnectionStringError(Exception):
    """An error in a connection string; the message never has the password."""


def split_password(text: str) -> tuple[str, str | None]:
    """Return a connection string without its password, and the password or None.

    Raises:
        ConnectionStringError: it is malformed, names neither driver nor data source, or has another
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
                "it is not KEYWORD=value;KEYWORD=value (write a value with ; or } in { }, and double each } "
                "in it)"
            )
        name, value = pair[1], pair[2]
        names.add(name.lower())
        if name.lower() in _PASSWORDS:
            password = value[1:-1].replace("}}", "}") if value.startswith("{") else value
        elif secret := _secret(name, value):
            raise ConnectionStringError(
                f"{secret} would be visible in the process list, in messages and in files. Only the password "
                "in PWD= or in the environment is hidden; put other secrets into odbc.ini and write "
                "DSN=name"
            )
        else:
            kept.append(f"{name}={value}")
        at = pair.end()
    if not names.intersection(_SOURCES):
        raise ConnectionStringError("it names neither a driver nor a data source")
    if not "".join(kept).isprintable():
        raise ConnectionStringError("it has unprintable characters")
    return ";".join(kept), password


def _secret(name: str, value: str) -> str:
    """Return the name of a possible secret, a keyword or an option in its value; empty: none."""
    if _SECRET.search(name):
        return name
    options = _OPTION.findall(value) if name.lower() == "pqopt" else []
    return next((f"{option} in {name}" for option in options if _SECRET.search(option)), "")
