"""Interpret the options of a connection string by the table in `words`."""

import contextlib
import json
import re
from dataclasses import dataclass, field

from fivenines.base.spelling import nearest
from fivenines.base.units import parse_duration
from fivenines.load.dsn.forms import plain
from fivenines.load.dsn.model import Driver, Pairs, Written, WrongError
from fivenines.load.dsn.words import IGNORED, PLAIN_SETTINGS, REFUSED, SECURITY, SESSION, TAKEN

_CANONICAL = {word: name for name, words in TAKEN.items() for word in words.split()}
_WITHOUT_EFFECT = {word: why for why, words in IGNORED for word in words.split()}
_INSTEAD = {word: instead for words, instead in REFUSED for word in words.split()}

FIND = {
    "any": "any",
    "read-write": "writable",
    "primary": "writable",
    "master": "writable",
    "prefer-primary": "writable",
    "preferprimary": "writable",
    "prefer-standby": "any",
    "prefersecondary": "any",
    "preferslave": "any",
    "preferstandby": "any",
    "prefer-secondary": "any",
}
# go-sql-driver's own options are in camel case.
_SYSTEM_VARIABLE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
# Refused options that ask for nothing when they are off.
_UNLESS_OFF = ("checkcertificaterevocation",)
_PASSWORD = re.compile(r"pass|pwd", re.IGNORECASE)
_LEVELS = ("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
_READ_ONLY = ("read-only", "standby", "secondary", "slave")
SPREAD = {
    "disable": "first",
    "random": "random",
    "true": "random",
    "false": "first",
    # MySqlConnector's
    "failover": "first",
    "roundrobin": "all",
    "leastconnections": "all",
    # YugabyteDB's
    "any": "random",
}
_NOT_OVER_A_NETWORK = ("pipe", "namedpipe", "memory", "sharedmemory")


@dataclass
class Asked:
    """The options of a connection string by their canonical names, the first of each, and notes."""

    driver: Driver
    form: str
    values: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    isolation: str = ""

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    def add(self, pairs: Pairs, *, weak: bool = False) -> None:
        """Add options; earlier calls take precedence, within a call the last option.

        Args:
            pairs: the options.
            weak: ignore unknown options, which are in a file for other clients, too.

        Raises:
            WrongError: an option is refused or unknown.
        """
        fresh: dict[str, str] = {}
        repeated: dict[str, list[str]] = {"host": [], "port": []}
        hidden = False
        for written, value in pairs:
            # what follows a password may be its rest, behind a separator that is not encoded
            name = "" if self._is_own(written, value) else self._canonical(written, value, weak, hidden)
            hidden |= name == "password" or bool(_PASSWORD.search(value))
            if name:
                fresh[name] = self._with_unit(name, written, value)
            if name in repeated:
                repeated[name].append(value)
        if self.form == "uri" and not weak and len(repeated["host"]) > 1:
            # SQLAlchemy repeats the options for each host.
            fresh |= {name: ",".join(values) for name, values in repeated.items() if values}
        for name, value in fresh.items():
            self.values.setdefault(name, value)

    def _with_unit(self, name: str, written: str, value: str) -> str:
        """Return a value with the unit of its client: milliseconds in the camel case of Node's drivers."""
        of_node = written in ("connectTimeout", "socketTimeout") and self.form == "uri"
        times = name in ("connect_timeout", "answer_timeout") and self.driver == "mysql"
        return f"{value}ms" if of_node and times and value.strip().isdigit() else value

    def _is_own(self, written: str, value: str) -> bool:
        """Return whether an option means something else in this form than in the others."""
        word = plain(written)
        if self.form == "go" and _SYSTEM_VARIABLE.fullmatch(written) and word not in _WITHOUT_EFFECT:
            self.variables.append(f"{written}={value}")
            return True
        sends_all = self.driver == "postgres" and self.form in ("uri", "libpq")
        if sends_all and SESSION.fullmatch(written) and word not in {**_WITHOUT_EFFECT, **_CANONICAL}:
            self.parameters.append((written, value))
            return True
        if self.form == "jdbc-mariadb" and word == "transactionisolation":
            self.isolation = value.strip().upper().replace("-", " ").replace("_", " ")
            return True
        return word == "compression" and self.form == "net"

    def _canonical(self, written: str, value: str, weak: bool, hidden: bool) -> str:
        word = plain(written)
        if word == "replication" and value.lower() in ("database", "true", "on", "1", "yes"):
            raise WrongError("replication: replication sessions cannot run a load: leave it out")
        if name := _CANONICAL.get(word):
            return name
        if weak or (word in _UNLESS_OFF and truth(value) is False):
            return ""
        if instead := _INSTEAD.get(word):
            raise WrongError(f"{written!r} is not supported: {instead}")
        if why := _WITHOUT_EFFECT.get(word):
            self.notes.append(f"{written!r} has no effect: {why}")
            return ""
        plainly = not hidden and re.fullmatch(r"[A-Za-z][\w .+-]{0,40}", written)
        shown = repr(written) if plainly else "an option after the password" if hidden else "an option"
        if self.form == "go" and re.fullmatch(r"[a-z][a-z0-9_]*", written):
            self.variables.append(f"{written}={value}")
        elif any(part in word for part in SECURITY):
            raise WrongError(f"{shown} is unknown{nearest(word, list(_CANONICAL))}")
        elif close := nearest(word, list(_CANONICAL)):
            raise WrongError(f"{shown} is unknown{close}")
        else:
            self.notes.append(f"{shown} is unknown and has no effect")
        return ""

    # -- single options ---------------------------------------------------------------
    def find(self) -> str:
        """Return `any` or `writable`; empty if not set."""
        word = self.get("target_session_attrs").lower().replace("_", "-")
        if not word:
            return ""
        if word in _READ_ONLY:
            raise WrongError(
                f"target_session_attrs={word}: the load writes; for a read-only load, name only that "
                "server, with target_session_attrs=any"
            )
        if word not in FIND:
            raise WrongError(f"target_session_attrs must be one of {', '.join(FIND)}")
        return FIND[word]

    def spread(self) -> str:
        """Return which server a connection tries first."""
        word = plain(self.get("load_balance_hosts"))
        if word and word not in SPREAD:
            raise WrongError(f"load_balance_hosts must be one of {', '.join(SPREAD)}")
        return SPREAD.get(word, "")

    def seconds(self, name: str) -> float:
        """Parse a time: 2.5, 500ms, 5s, 1m or PT10S; a plain number is in the unit of its form."""
        text = self.get(name)
        if not text:
            return 0.0
        with contextlib.suppress(ValueError):
            # go-sql-driver's, as 1m30s.
            if self.form == "go" and not text.strip().isdigit():
                return parse_duration(text)
        match = re.fullmatch(
            r"(?i)(?:PT)?(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|sec|m|min|h)?", text.strip(), re.ASCII
        )
        if match is None:
            raise WrongError(f"{name} must be a number of seconds above 0")
        in_ms = name == "tcp_user_timeout" or (
            self.form in ("jdbc-mysql", "jdbc-mariadb") and name in ("connect_timeout", "answer_timeout")
        )
        unit = (match[2] or ("ms" if in_ms else "s")).lower()
        factor = {"ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}[unit]
        value = float(match[1]) * factor
        # 0 means "no timeout" in these forms.
        if value == 0 and self.form == "uri" and self.driver == "mysql":
            raise WrongError(f"{name} must be a number of seconds above 0")
        return value

    def keepalive(self) -> str:
        """Return libpq's four options in the form of `--keepalive`."""
        if self.get("keepalives") == "0":
            return "off"
        # What libpq is not given stays as the kernel has it: tcp(7), tcp_keepalive_time and the next two.
        words = {"keepalives_idle": "7200", "keepalives_interval": "75", "keepalives_count": "9"}
        asked = {name: self.get(name) for name in words if self.get(name) not in ("", "0")}
        for name, value in asked.items():
            if not re.fullmatch(r"[0-9]{1,5}", value):
                raise WrongError(f"{name} must be a whole number")
        if not asked:
            return ""
        idle, interval, count = (asked.get(name, default) for name, default in words.items())
        return f"{idle}s,{interval}s,{count}"

    def startup(self) -> tuple[tuple[str, str], ...]:
        """Return the parameters of PostgreSQL's start-up message."""
        if self.driver != "postgres":
            for name in ("options", "application_name", *PLAIN_SETTINGS):
                if name == "timezone" and name in self.values:
                    self.notes.append(
                        "'timezone' has no effect: rows are not converted; set a session's by "
                        "init_command=SET time_zone='+00:00'"
                    )
                elif name in self.values:
                    self.notes.append(f"{name!r} has no effect: it is an option of PostgreSQL")
            return ()
        names = ("application_name", "options", *PLAIN_SETTINGS)
        return (*((name, self.get(name)) for name in names if self.get(name)), *self.parameters)

    def init_sql(self) -> str:
        """Return the first statement of a MySQL session."""
        variables = [self.get("session_variables")] if self.get("session_variables") else []
        variables += self.variables
        sql = self.get("init_sql")
        if self.isolation:
            if sql or variables:
                raise WrongError(
                    "it has transactionIsolation and another initial statement: write one of them"
                )
            return f"SET SESSION TRANSACTION ISOLATION LEVEL {self.isolation}"
        if (sql or variables) and self.driver != "mysql":
            raise WrongError(
                "an initial statement is supported only for MySQL; for PostgreSQL write options=-c name=value"
            )
        if sql and variables:
            raise WrongError("it has an initial statement and session variables: write one of them")
        if variables:
            return f"SET {', '.join(variables)}"
        return sql

    def check_words(self) -> None:
        """Refuse unsupported values, and note options without an effect.

        Raises:
            WrongError: a value is not supported.
        """
        if self.get("gssencmode").lower() == "require":
            raise WrongError("gssencmode=require: GSSAPI is not supported: use sslmode=verify-full")
        self._check_transport()
        if self.isolation and self.isolation not in _LEVELS:
            raise WrongError(f"transactionIsolation must be one of {', '.join(_LEVELS)}")
        if self.get("sslcertmode").lower() == "require":
            raise WrongError("sslcertmode=require: write sslcert and sslkey, and leave it out")
        if self.get("min_protocol_version").lower() not in ("", "3.0", "3"):
            raise WrongError("min_protocol_version: only protocol 3.0 is supported: leave it out")
        if self.get("ssl_min_protocol_version").lower() not in ("", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2"):
            raise WrongError("ssl_min_protocol_version: TLS 1.2 and 1.3 are supported: set it on the server")
        if self.get("client_encoding").lower().replace("-", "") not in ("", "utf8", "unicode", "auto"):
            self.notes.append("'client_encoding' has no effect: the load uses UTF-8")
        if self.get("channel_binding").lower() not in ("", "disable", "prefer", "require"):
            raise WrongError("channel_binding must be one of disable, prefer, require")
        for name in ("channel_binding", "require_auth", "sslnegotiation"):
            if self.driver == "mysql" and self.get(name):
                raise WrongError(f"{name} is an option of PostgreSQL: leave it out")
        methods = {"password", "md5", "gss", "sspi", "scram-sha-256", "oauth", "none"}
        words = [word.strip() for word in self.get("require_auth").split(",") if word.strip()]
        if any(word.removeprefix("!") not in methods for word in words) or (
            len({word.startswith("!") for word in words}) > 1
        ):
            raise WrongError(
                f"require_auth must be a list of {', '.join(sorted(methods))}, all with ! or none"
            )

    def _check_transport(self) -> None:
        """Refuse a transport other than TCP and a unix socket, or a socket without its path."""
        word = plain(self.get("protocol"))
        if self.driver != "mysql" or not word:
            return
        if word in _NOT_OVER_A_NETWORK:
            raise WrongError(f"protocol={self.get('protocol')}: only TCP and unix sockets are supported")
        # In ADO.NET `Socket` is TCP.
        unix = word in ("unix", "unixsocket") or (word == "socket" and self.form != "net")
        if unix and not (self.get("socket") or self.get("host").startswith("/")):
            raise WrongError(
                f"protocol={self.get('protocol')}: name the socket, as socket=/run/mysqld/mysqld.sock"
            )


def of(written: Written) -> Asked:
    """Return the options of a connection string.

    Raises:
        WrongError: an option is refused or unknown.
    """
    asked = Asked(written.driver, written.form, notes=list(written.notes))
    asked.add(written.options)
    asked.add(written.account)
    return asked


def truth(text: str) -> bool | None:
    """Return whether a word means true; None for other words."""
    word = text.strip().lower()
    if word in ("true", "1", "yes", "on", "t", "y", ""):
        return True
    return False if word in ("false", "0", "no", "off", "f", "n") else None


def json_of(text: str) -> dict[str, object] | None:
    """Parse a JSON object, as accepted by Node's mysql2 for `ssl`; None for other texts."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
