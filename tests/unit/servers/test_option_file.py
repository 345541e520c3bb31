"""Test values in option files: the servers' parser returns each as it was given."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fivenines.servers.option_file import meant, written

_ESCAPES = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"b": b"\b",
    b"s": b" ",
    b"'": b"'",
    b'"': b'"',
    b"\\": b"\\",
}
_BLANKS = b" \t\n\v\f\r\xa0"


def parsed(line: str) -> bytes:
    """Parse the value of an option file's line by the rules of the manuals and of mysys/my_default.c."""
    value = line.encode().split(b"\n")[0]
    quote, escaped = b"", False
    for place in range(len(value)):
        letter = value[place : place + 1]
        if letter in (b"'", b'"') and not escaped:
            quote = letter if not quote else b"" if quote == letter else quote
        if not quote and letter == b"#":
            value = value[:place]
            break
        escaped = bool(quote) and letter == b"\\" and not escaped
    value = value.strip(_BLANKS)
    if len(value) > 1 and value[:1] == value[-1:] and value[:1] in (b"'", b'"'):
        value = value[1:-1]
    result, place = b"", 0
    while place < len(value):
        letter, following = value[place : place + 1], value[place + 1 : place + 2]
        escape = letter == b"\\" and following in _ESCAPES
        result += _ESCAPES[following] if escape else letter
        # An unknown escape stays, with what it precedes.
        place += 2 if escape else 1
    return result


_TEXTS = st.one_of(
    st.text(st.sampled_from("ab #'\"\\ntrbs=;à\t\v\f\xa0\r\n"), max_size=12),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
)


@given(_TEXTS)
@example("SET NAMES utf8mb4; SET autocommit=0 # hm")
@example("'a' + 'b'")
@example("à")
@example("a\\")
@example(" a")
def test_a_written_value_parses_back(value: str) -> None:
    line = written(value)
    assert "\n" not in line
    assert parsed(line) == meant(value).encode()


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0'\"\n"), max_size=12))
def test_a_value_without_quotes_stays_the_same(value: str) -> None:
    assert meant(value) == value and parsed(written(value)) == value.encode()


@pytest.mark.parametrize(
    "value",
    ["", "1", "128M", "a,b", "SET @a = 'x'; SET @b = \"y\"", "it's", "/a/b;c", "\\d", "'a # b'", "grün"],
)
def test_a_value_that_needs_no_quotes_is_written_as_it_is(value: str) -> None:
    assert written(value) == value


@pytest.mark.parametrize(
    ("value", "text", "server"),
    [
        ("a # b", '"a # b"', "a # b"),
        ('say "a" # b', r'"say \"a\" # b"', 'say "a" # b'),
        (r"c:\new", r'"c:\\new"', r"c:\new"),
        ("'a' + 'b'", "\"'a' + 'b'\"", "'a' + 'b'"),
        (r"'a\'b'", r"'a\'b'", "a'b"),
        ("SET @a = 1\n", "SET @a = 1", "SET @a = 1"),
        ("a\nb\n", r'"a\nb"', "a\nb"),
    ],
)
def test_quotes_of_a_user_stay_and_others_are_added(value: str, text: str, server: str) -> None:
    assert (written(value), meant(value)) == (text, server)
