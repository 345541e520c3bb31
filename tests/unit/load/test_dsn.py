"""DSNs: hosts, sockets and options are parsed, errors are reported, and no message shows a password."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.load.dsn import NOOP, Address, Dsn, parse_addresses, parse_dsn, redacted

FORM = "write mysql://user:password@host:port/database or postgresql://..."


def addresses(*pairs: tuple[str, int]) -> tuple[Address, ...]:
    return tuple(Address(host, port) for host, port in pairs)


@pytest.mark.parametrize(
    ("text", "dsn"),
    [
        ("mysql://u:p@h:3307/d", Dsn("mysql", "u", "p", addresses(("h", 3307)), "d")),
        ("mariadb://u:p@h/d", Dsn("mysql", "u", "p", addresses(("h", 3306)), "d")),
        ("postgresql://u:p@h/d", Dsn("postgres", "u", "p", addresses(("h", 5432)), "d")),
        ("postgres://u@h/d", Dsn("postgres", "u", "", addresses(("h", 5432)), "d")),
        ("postgres://u:p@[::1]:5/d", Dsn("postgres", "u", "p", addresses(("::1", 5)), "d")),
        ("mysql://u%40x:a%2Fb%3A@h/d%20e", Dsn("mysql", "u@x", "a/b:", addresses(("h", 3306)), "d e")),
        ("mysql://u:a@b@h/d", Dsn("mysql", "u", "a@b", addresses(("h", 3306)), "d")),
        (
            "mysql://u:p@h1:3306,h2,[::2]:7/d",
            Dsn("mysql", "u", "p", addresses(("h1", 3306), ("h2", 3306), ("::2", 7)), "d"),
        ),
        (
            "mysql://u:p@%2Frun%2Fmysqld%2Fmysqld.sock/d",
            Dsn("mysql", "u", "p", (Address("", 0, "/run/mysqld/mysqld.sock"),), "d"),
        ),
        ("mysql://u:p@/d?socket=/a.sock", Dsn("mysql", "u", "p", (Address("", 0, "/a.sock"),), "d")),
        (
            "postgres://u:p@%2Fvar%2Frun%2Fpostgresql/d",
            Dsn("postgres", "u", "p", (Address("", 0, "/var/run/postgresql/.s.PGSQL.5432"),), "d"),
        ),
        (
            "postgres://u:p@%2Ftmp:6000/d",
            Dsn("postgres", "u", "p", (Address("", 0, "/tmp/.s.PGSQL.6000"),), "d"),
        ),
        (
            "postgres://u:p@/d?host=/tmp",
            Dsn("postgres", "u", "p", (Address("", 0, "/tmp/.s.PGSQL.5432"),), "d"),
        ),
    ],
)
def test_dsns_are_read(monkeypatch: pytest.MonkeyPatch, text: str, dsn: Dsn) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert parse_dsn(text) == dsn


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("sslmode=verify-full&sslrootcert=/ca.pem", {"tls": "verify-full", "tls_ca": "/ca.pem"}),
        ("sslmode=allow", {"tls": "prefer"}),
        ("ssl-mode=VERIFY_IDENTITY&ssl-ca=%2Fca", {"tls": "verify-full", "tls_ca": "/ca"}),
        ("ssl_mode=REQUIRED", {"tls": "require"}),
        ("connect_timeout=2.5", {"connect_timeout": 2.5}),
        ("target_session_attrs=read-write", {"find": "writable"}),
        ("load_balance_hosts=random", {"spread": "random"}),
    ],
)
def test_options_have_the_names_of_the_clients(options: str, expected: dict[str, object]) -> None:
    dsn = parse_dsn(f"mysql://u:p@h/d?{options}")
    assert {name: getattr(dsn, name) for name in expected} == expected


def test_a_password_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "from mysql")
    monkeypatch.setenv("PGPASSWORD", "from postgres")
    assert parse_dsn("mysql://u@h/d").password == "from mysql"
    assert parse_dsn("postgres://u@h/d").password == "from postgres"
    assert parse_dsn("mysql://u:own@h/d").password == "own"
    assert parse_dsn("mysql://u:@h/d").password == ""


def test_no_server_needs_no_account() -> None:
    assert str(parse_dsn(NOOP)) == NOOP
    assert parse_dsn("noop://whatever").addresses == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"the DSN has no known scheme: {FORM}"),
        ("host/db", f"the DSN has no known scheme: {FORM}"),
        ("oracle://u:secret@h/d", f"the DSN has the scheme 'oracle': {FORM}"),
        ("mysql://h/d", f"DSN mysql://h/d: the user is missing; {FORM}"),
        ("mysql://u:secret@/d", f"DSN mysql://u:***@/d: the host is missing; {FORM}"),
        ("mysql://u:secret@h,/d", f"DSN mysql://u:***@h,/d: the host is missing; {FORM}"),
        ("mysql://u:secret@h", f"DSN mysql://u:***@h: the database is missing; {FORM}"),
        (
            "mysql://u:secret@h:0/d",
            "DSN mysql://u:***@h:0/d: its host or port is malformed: a port is a number from 1 "
            f"to 65535; {FORM}",
        ),
        (
            "mysql://u:secret@::1/d",
            f"DSN mysql://u:***@::1/d: its host or port is malformed (write an IPv6 address in [ ]); {FORM}",
        ),
        (
            "mysql://u:se/cret@h/d",
            "DSN mysql://u:***@h/d: it has `@` after `/`: in a password write %2F, and "
            "write the path of a socket as @%2Frun%2Fmysqld%2Fmysqld.sock",
        ),
        ("mysql://u:se#cret@h/d", "DSN mysql://u:***@h/d: it contains `#`: in a password write %23"),
        (
            "mysql://u:se?cret@h/d",
            "DSN mysql://u:***@h/d: it has `@` after `?`: in a password write %3F for `?`, "
            "in an option %40 for `@`",
        ),
        (
            "mysql://u:secret@h/d?sslmod=require",
            "DSN mysql://u:***@h/d?...: 'sslmod' is unknown; did you mean 'sslmode'?",
        ),
        (
            "mysql://u:secret@h/d?sslmode=maybe",
            "DSN mysql://u:***@h/d?...: sslmode must be one of disable, prefer, require, verify-ca, "
            "verify-full, allow, disabled, preferred, required, verify-identity, verifyca, verifyfull, "
            "verifyidentity, none, no-verify, trust, skip-verify",
        ),
        (
            "mysql://u:secret@h/d?host=x",
            "DSN mysql://u:***@h/d?...: it names hosts both before the database and as an option",
        ),
        ("mysql://u:s@h,h/d", "DSN mysql://u:***@h,h/d: a server is repeated"),
        (
            "mysql://u:s@h/d?connect_timeout=0",
            "DSN mysql://u:***@h/d?...: connect_timeout must be a number of seconds above 0",
        ),
    ],
)
def test_what_is_no_dsn_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_dsn(text)
    assert str(refused.value) == message


WORDS = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=8)


@given(WORDS, st.booleans(), st.sampled_from(["", "?sslmode=require", "?x=1"]))
def test_no_message_shows_the_password(middle: str, broken: bool, options: str) -> None:
    password = f"hush{middle}hush"
    text = f"mysql://user:{password}@host{':x' if broken else ''}/db{options}"
    assert "hush" not in redacted(text)
    try:
        dsn = parse_dsn(text)
    except UsageError as refused:
        assert "hush" not in str(refused)
    else:
        assert "hush" not in repr(dsn) + str(dsn)


@given(st.text(max_size=20))
def test_any_text_is_a_dsn_or_refused(text: str) -> None:
    for whole in (text, f"mysql://{text}", f"postgres://u:p@{text}", f"mysql://u:p@h/d?{text}"):
        try:
            dsn = parse_dsn(whole)
        except UsageError:
            continue
        assert dsn.driver == "noop" or (dsn.addresses and dsn.database)


HOSTS = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,10}[a-z0-9])?", fullmatch=True)
PLACES = st.builds(Address, HOSTS | st.just("::1"), st.integers(1, 65535))


@given(
    user=WORDS,
    password=WORDS,
    database=WORDS,
    addresses=st.lists(PLACES, min_size=1, max_size=4, unique=True),
    driver=st.sampled_from(["mysql", "postgres"]),
)
def test_what_is_quoted_is_read_back(
    user: str, password: str, database: str, addresses: list[Address], driver: str
) -> None:
    account = f"{quote(user, safe='')}:{quote(password, safe='')}"
    hosts = ",".join(map(str, addresses))
    found = parse_dsn(f"{driver}://{account}@{hosts}/{quote(database, safe='')}")
    assert (found.user, found.password, found.database) == (user, password, database)
    assert found.addresses == tuple(addresses)


def test_servers_are_listed_or_those_of_a_dsn() -> None:
    assert parse_addresses("h1,h2:7", "postgres") == addresses(("h1", 5432), ("h2", 7))
    assert parse_addresses("/a.sock", "mysql") == (Address("", 0, "/a.sock"),)
    assert parse_addresses("mysql://u@h3/d", "mysql") == addresses(("h3", 3306))
    with pytest.raises(UsageError, match=r"'h1,,h2': the host is missing; write HOST:PORT"):
        parse_addresses("h1,,h2", "mysql")
