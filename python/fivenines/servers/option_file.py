"""Values in option files of MariaDB and MySQL: quoted where the file's syntax would change them.

Sources: MySQL 9 reference manual, "Using Option Files"; MariaDB documentation, "Configuring MariaDB with
Option Files"; mysys/my_default.c of both for what they leave open. A `#` outside quotes begins a comment
anywhere in a line. Quotes around a whole value and blanks at its ends are removed. Escapes work outside
quotes, too.
"""

import re

_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\r": r"\r", "\\": r"\\", '"': r"\""}
_UNESCAPED = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "s": " ", "\\": "\\", '"': '"', "'": "'"}

# A complete quoted value, which a user has written as in an option file.
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")

# What would be changed: a comment, a line break, an escape.
_CHANGED = re.compile(r"[#\n\r]|\\[btnrs\\\"']")

# Blanks of latin1, in which both read the file: the last one also ends some letters in UTF-8, such as à.
_BLANKS = b" \t\n\v\f\r\xa0"


def written(value: str) -> str:
    """Return a value as it stands in an option file; unchanged if the file's syntax permits it."""
    text = _without_end(value)
    if _QUOTED.fullmatch(text) or not _needs_quotes(text):
        return text
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


def meant(value: str) -> str:
    """Return a value as the server has it: without a user's own quotes and escapes."""
    text = _without_end(value)
    if not _QUOTED.fullmatch(text):
        return text
    return re.sub(r"\\(.)", lambda match: _UNESCAPED.get(match[1], match[0]), text[1:-1])


def read(line: str) -> tuple[str, str]:
    """Return name and value of a line of an option file, as clients and servers read it.

    Source: mysys/my_default.c, remove_end_comment() and search_default_file_with_ext().
    """
    name, _, value = _without_comment(line).partition("=")
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return name.strip(), re.sub(r"\\(.)", lambda match: _UNESCAPED.get(match[1], match[0]), text)


def _without_comment(line: str) -> str:
    quote, escaped = "", False
    for index, character in enumerate(line):
        if character in "'\"" and not escaped:
            quote = (character if not quote else "") if quote in ("", character) else quote
        if character == "#" and not quote:
            return line[:index]
        escaped = bool(quote) and character == "\\" and not escaped
    return line


def _without_end(value: str) -> str:
    # YAML's block forms (`|` and `>`) end with a line break, which no setting has.
    return value.rstrip("\n")


def _needs_quotes(value: str) -> bool:
    in_quotes = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    encoded = value.encode()
    return in_quotes or encoded != encoded.strip(_BLANKS) or _CHANGED.search(value) is not None
