"""Translate sysbench's general options after `--` into options of `bench`.

The rest is for the script; the load generator refuses options of sysbench that have no meaning here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

from fivenines.base.errors import UsageError
from fivenines.cli.bench.options import Options
from fivenines.load.dsn import Dsn

# Names of drivers in sysbench and here.
_DRIVERS = {"mysql": "mysql", "pgsql": "postgres"}

# Options of sysbench and of `bench`.
NAMES = {
    "threads": "connections",
    "num_threads": "connections",
    "time": "duration",
    "max_time": "duration",
    "events": "transactions",
    "max_requests": "transactions",
    "rate": "rate",
    "tx_rate": "rate",
    "rand_seed": "seed",
    "warmup_time": "warmup",
}


@dataclass(frozen=True)
class Word:
    """An option after `--`, as written."""

    name: str
    value: str
    written: tuple[str, ...]

    @property
    def shown(self) -> str:
        """Return its name for messages, without the value, which may be a password."""
        return self.written[0].partition("=")[0]


def read(words: Sequence[str]) -> list[Word]:
    """Parse `--tables=4` or `--tables 4`; an option without a value is on.

    Raises:
        UsageError: a word is not an option.
    """
    found: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or len(word) < 3:
            raise UsageError(f"bench: {word!r} after `--` is not an option. Write --NAME=VALUE")
        name, equals, value = word[2:].partition("=")
        written = [word]
        if not equals:
            value = rest.pop(0) if rest and not rest[0].startswith("--") else "on"
            written += [value] if value != "on" else []
        found.append(Word(name.replace("-", "_"), value, tuple(written)))
    return found


def with_command(options: Options) -> Options:
    """Apply sysbench's command, the last word after `--`: `-- --tables=4 cleanup`; `run` is the load.

    Raises:
        UsageError: it contradicts --command.
    """
    words = list(options.script_options or [])
    if not runs_lua(options) or not words or not words[-1].isidentifier():
        return options
    before = words[-2] if len(words) > 1 else ""
    if before.startswith("--") and "=" not in before:
        return options  # the value of an option
    name = words.pop()
    if options.command not in (None, name):
        raise UsageError(
            f"bench: --command {options.command} and {name!r} after `--` differ. Write one of them"
        )
    if name == "run":
        return replace(options, script_options=words)
    if name == "prepare" and options.command is None:
        return replace(options, script_options=words, prepare=True, duration="0s")
    return replace(options, script_options=words, command=name)


def with_run(options: Options, most_threads: int) -> Options:
    """Apply sysbench's options for threads, time, events, rate and seed.

    Raises:
        UsageError: two options contradict each other, or a value is not a number.
    """
    if not runs_lua(options):
        return options
    words = read(options.script_options or [])
    asked: dict[str, tuple[Word, str]] = {}
    for word in words:
        if word.name not in NAMES:
            continue
        if not (word.value.isascii() and word.value.isdecimal() and len(word.value) < 19):
            raise UsageError(f"bench: {word.shown} after `--` must be a whole number, not {word.value!r}")
        if int(word.value) > 0:  # 0 means unlimited
            asked[NAMES[word.name]] = word, word.value
        elif NAMES[word.name] == "connections":
            raise UsageError("bench: --threads=0 after `--`: must be at least 1")
    changes: dict[str, object] = {}
    for name, (word, value) in asked.items():
        changes[name] = _changed(options, name, word, value)
    if "connections" in asked:
        word, value = asked["connections"]
        threads = int(value)
        if options.threads is not None and options.threads != threads:
            raise _differs("threads", options.threads, word)
        changes["threads"] = min(threads, most_threads)
    rest = [text for word in words if word.name not in NAMES for text in word.written]
    return replace(options, script_options=rest, **changes)  # type: ignore[arg-type]


def runs_lua(options: Options) -> bool:
    return any(script.partition("@")[0].endswith(".lua") for script in options.script or [])


def _changed(options: Options, name: str, word: Word, value: str) -> object:
    given = getattr(options, name)
    if given == next(field.default for field in fields(Options) if field.name == name):
        given = None
    found = f"{value}s" if name in ("duration", "warmup") else value
    parsed = int(value) if name == "seed" else found
    if given is not None and str(given) not in (value, found):
        raise _differs(name, given, word)
    return parsed


def _differs(name: str, given: object, word: Word) -> UsageError:
    return UsageError(
        f"bench: --{name} {given} and {' '.join(word.written)} after `--` differ. Write one of them"
    )


def without_account(options: Options, dsn: Dsn) -> Options:
    """Remove sysbench's options for the account that agree with the DSN.

    Raises:
        UsageError: some contradict the DSN; all of them are named.
    """
    if not runs_lua(options):
        return options
    same = _account(dsn)
    rest: list[str] = []
    others: list[str] = []
    for word in read(options.script_options or []):
        driver, _, what = word.name.partition("_")
        if word.name == "db_driver":
            if dsn.driver != "noop" and _DRIVERS.get(word.value, word.value) != dsn.driver:
                others.append(f"{word.shown} differs from --dsn ({dsn.driver})")
        elif driver in _DRIVERS and what in same:
            if _DRIVERS[driver] == dsn.driver and not same[what](word.value):
                others.append(f"{word.shown} differs from --dsn")
        else:
            rest += word.written
    if others:
        raise UsageError(f"bench: after `--`: {'; '.join(others)}. Leave it out")
    return replace(options, script_options=rest)


def _account(dsn: Dsn) -> dict[str, Callable[[str], bool]]:
    """Return a check for each of sysbench's options for the account."""
    hosts = {address.host for address in dsn.addresses}
    ports = {str(address.port) for address in dsn.addresses}
    sockets = {str(address.socket) for address in dsn.addresses if address.socket}
    return {
        "host": lambda value: set(value.split(",")) <= hosts,
        "port": lambda value: set(value.split(",")) <= ports,
        "socket": lambda value: value in sockets,
        "user": lambda value: value == dsn.user,
        "password": lambda value: value == dsn.password,
        "db": lambda value: value == dsn.database,
    }
