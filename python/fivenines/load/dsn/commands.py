"""Split the command lines of clients, `psql "..."` and `mysql -h h -u u -p db`, into hosts and options."""

import re
import shlex
from collections.abc import Callable

from fivenines.load.dsn.files import LIBPQ_ENVIRONMENT, MYSQL_ENVIRONMENT
from fivenines.load.dsn.model import Driver, Pairs, Written, WrongError

_FLAGS = {"h": "host", "P": "port", "p": "password", "u": "user", "D": "dbname", "S": "socket"}
# Those of psql, and pgcli's `-u`.
_PSQL_FLAGS = {"h": "host", "p": "port", "U": "user", "d": "dbname", "u": "user"}

# Flags whose value says nothing about the server: what to execute, how to show rows.
_VALUED = "e"
_PSQL_VALUED = "cfFLoPRTv"

# Long flags of these clients that take no value, or only one behind `=`.
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

_MYSQL_CLIENTS = ("mysql", "mariadb", "mycli")
_COMMAND = re.compile(
    r"\s*((?:[A-Z_]+=(?:'[^']*'|\"[^\"]*\"|\S*)\s+)*)"
    r"(psql|ysqlsh|pgcli|cockroach\s+sql|mysql|mariadb|mycli)(?:\s+|$)(?!=)"
)


# What a shell reads before the client does.
_REDIRECTED = re.compile(r"\d?(<|>>?)(.*)", re.DOTALL)
_NEXT_COMMAND = ("|", "||", "&&", ";", "&")


def command_line(text: str, taken_apart: Callable[[str], Written | None]) -> Written | None:
    """Split the command line of a client; None if it is none.

    Args:
        text: the command line, with variables that are set before it.
        taken_apart: splits a connection string among its words.

    Raises:
        WrongError: it is malformed.
    """
    match = _COMMAND.match(text)
    if match is None:
        return None
    try:
        set_before = [word.partition("=") for word in shlex.split(match[1])]
        words = _of_client(shlex.split(text[match.end() :]))
    except ValueError:
        raise WrongError("its quotes do not match") from None
    is_psql = match[2] not in _MYSQL_CLIENTS
    known = LIBPQ_ENVIRONMENT if is_psql else MYSQL_ENVIRONMENT
    environment = [(known[name], value) for name, _, value in set_before if name in known]
    options, inner = _flags(words, is_psql, taken_apart)
    if inner is not None:
        return Written(
            inner.driver, inner.form, inner.hosts, environment + inner.options + options, inner.account
        )
    driver: Driver = "postgres" if is_psql else "mysql"
    return Written(driver, "libpq" if is_psql else "client", "", environment + options)


def _of_client(words: list[str]) -> list[str]:
    """Return the words up to the next command, without files that the shell opens."""
    kept: list[str] = []
    while words:
        word = words.pop(0)
        if word in _NEXT_COMMAND:
            break
        if (redirected := _REDIRECTED.fullmatch(word)) is None:
            kept.append(word)
        elif not redirected[2] and words:
            words.pop(0)
    return kept


def _flags(
    words: list[str], is_psql: bool, taken_apart: Callable[[str], Written | None]
) -> tuple[Pairs, Written | None]:
    """Return the options of a command line, and a connection string among its words."""
    options: Pairs = []
    inner: Written | None = None
    plain: list[str] = []

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
        elif word.startswith("-"):
            _short(word[1:], words, is_psql, take)
        else:
            plain.append(word)
    # psql takes a database and a user without a flag, mysql a database.
    named = {name for name, _ in options} | ({"dbname"} if inner is not None else set())
    places = [name for name in (("dbname", "user") if is_psql else ("dbname",)) if name not in named]
    for name, word in zip(places or ["dbname"], plain, strict=False):
        take(name, word)
    return options, inner


def _short(flags: str, words: list[str], is_psql: bool, take: Callable[[str, str], None]) -> None:
    """Take flags of one letter, of which several may stand in one word and the last may have a value."""
    known, valued = (_PSQL_FLAGS, _PSQL_VALUED) if is_psql else (_FLAGS, _VALUED)
    while flags:
        letter, flags = flags[0], flags[1:]
        if letter not in known and letter not in valued:
            continue
        value, flags = flags, ""
        if not value and (letter != "p" or is_psql) and words:
            value = words.pop(0)
        if value and letter in known:
            take(known[letter], value)


def _is_connection(value: str, is_psql: bool) -> bool:
    """Return whether a database is written as a connection string, and not as a name."""
    return "://" in value or (is_psql and "=" in value)


# Long flags whose value says nothing about the server.
_ELSEWHERE = ("command", "execute", "file", "set", "variable", "output", "log-file", "pset", "prompt")
