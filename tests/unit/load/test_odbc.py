"""ODBC connection strings: passwords are separated, and error messages do not show them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.load.dsn import Address, parse_addresses, parse_dsn, redacted
from fivenines.load.odbc import ConnectionStringError, split_password

PASSWORDS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("text", "kept", "password"),
    [
        ("DSN=x", "DSN=x", None),
        ("Driver={A;B}; Server=h;PWD=s3", "Driver={A;B};Server=h", "s3"),
        ("driver=/a/b.so;password={a}};b};UID=me;", "driver=/a/b.so;UID=me", "a};b"),
        ("DSN=x;PWD=", "DSN=x", ""),
        ("FILEDSN=/x;;", "FILEDSN=/x", None),
    ],
)
def test_a_password_is_taken_out(text: str, kept: str, password: str | None) -> None:
    assert split_password(text) == (kept, password)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DSN=x;NewPWD=QqQ", "NewPWD"),
        ("Driver={X};PWD=a;SSLKeyPassword=QqQ", "SSLKeyPassword"),
        ("DSN=x;client_secret={QqQ;}", "client_secret"),
        ("DSN=x;AccessToken=QqQ", "AccessToken"),
        ("DSN=x;pqopt={connect_timeout=3 password=QqQ}", "password in pqopt"),
        ("DSN=x;PQOPT={sslpassword = 'QqQ'}", "sslpassword in PQOPT"),
    ],
)
def test_other_secrets_are_refused_by_their_names(text: str, name: str) -> None:
    with pytest.raises(UsageError) as message:
        parse_dsn(f"odbc:{text}")
    assert f"{name} would be visible" in str(message.value) and "QqQ" not in str(message.value)
    assert "QqQ" not in redacted(f"odbc:{text}")


@pytest.mark.parametrize(
    "text",
    [
        "DSN=passport",
        "DSN=x;pqopt={tcp_user_timeout=5000 application_name=token}",
        "DSN=x;pqopt={passfile=/root/.pgpass}",
    ],
)
def test_what_is_no_secret_is_kept(text: str) -> None:
    assert split_password(text) == (text, None)


@given(PASSWORDS)
def test_any_password_comes_through_and_is_never_shown(password: str) -> None:
    secret = f"QqQ{password}"
    escaped = secret.replace("}", "}}")
    dsn = parse_dsn(f"odbc:Driver={{X Y}};PWD={{{escaped}}};Server=h")
    assert dsn.password == secret and dsn.by_odbc and dsn.driver == "odbc"
    assert str(dsn) == "odbc:Driver={X Y};Server=h"
    assert "QqQ" not in repr(dsn)
    assert "QqQ" not in redacted(f"odbc:Driver={{X Y}};PWD={{{escaped}}};Server=h")


@pytest.mark.parametrize(
    "text",
    ["", "Server=h;PWD=QqQ", "Driver={A;PWD=QqQ", "nonsense QqQ", "DSN=x;PWD={QqQ", "DSN=\x07;PWD=QqQ"],
)
def test_a_mistake_is_reported_without_the_password(text: str) -> None:
    with pytest.raises(ConnectionStringError) as caught:
        split_password(text)
    assert "QqQ" not in str(caught.value)
    with pytest.raises(UsageError) as message:
        parse_dsn(f"odbc:{text}")
    assert "QqQ" not in str(message.value) and "odbc:DSN=name" in str(message.value)
    assert "QqQ" not in redacted(f"odbc:{text}")


def test_the_environment_has_the_password_that_the_string_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODBC_PWD", "from outside")
    assert parse_dsn("odbc:DSN=x").password == "from outside"
    assert parse_dsn("ODBC:DSN=x;PWD=own").password == "own"
    assert parse_addresses("odbc:DSN=y;PWD=z", "mysql") == (Address("", odbc="DSN=y"),)
