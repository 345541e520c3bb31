"""Placeholders in shell commands of an experiment file: `{node}`, `{host}` and `{port}`."""

import re
import shlex
import subprocess
from collections.abc import Mapping
from functools import cache

from fivenines.base.spelling import nearest_word

# The names, each with an example. All values are quoted for the shell.
_EXAMPLES = {"node": "node1", "host": "10.99.0.11", "port": "5432"}

# `$$` is the shell's process ID, so that only an odd number of `$` makes a variable of the braces.
_VARIABLE = r"(?<!\$)(?:\$\$)*\${{{name}}}"

# `{word}` without blanks. Behind `$`, `%` and `#` it belongs to the shell, to curl (`-w '%{http_code}'`) and
# to tmux; behind a backslash and a letter to a regular expression (`\p{Lu}`).
_BARE = re.compile(r"(?<![{$%#])(?<!\\[A-Za-z])\{([A-Za-z_]\w+)\}(?!\})")

# `{{ word }}`, the form of Jinja, which the files of custom programs have.
_DOUBLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")

# Complete blocks of awk, kubectl's JSONPath and Go's templates. Blocks of sed have one letter (`{p}`).
_OTHER_LANGUAGES = frozenset(
    (
        *("print", "next", "nextfile", "exit", "getline", "return", "break", "continue", "delete"),
        *("end", "else", "println", "template"),
    )
)

# Longest time in seconds to parse a command.
_PARSING = 10.0


def filled(command: str, values: Mapping[str, str]) -> str:
    """Replace `{node}` and other names in a command with values that are quoted for the shell.

    Other braces stay unchanged: `${HOME}` and `{a,b}` belong to the shell, and `${node}`, too.
    """
    names = "|".join(map(re.escape, values))

    def value(match: re.Match[str]) -> str:
        is_variable = len(match[1]) % 2 == 1
        return match[0] if is_variable else match[1] + shlex.quote(values[match[2]])

    return re.sub(rf"(\$*)\{{({names})\}}", value, command)


def problems(commands: Mapping[str, str]) -> list[str]:
    """Return what is wrong with commands, each with its key."""
    found = {key: problem(command) for key, command in commands.items()}
    return [f"{key}: {text}" for key, text in found.items() if text]


def problem(command: str) -> str:
    """Return what is wrong with the placeholders or with the syntax of a command; empty if nothing."""
    for name in _EXAMPLES:
        if re.search(_VARIABLE.format(name=name), command) and not _is_assigned(name, command):
            return f"write {{{name}}}: ${{{name}}} is a variable of the shell"
    known = ", ".join(f"{{{name}}}" for name in _EXAMPLES)
    for match in _DOUBLE.finditer(command):
        name = match[1]
        if name not in _OTHER_LANGUAGES and (near := nearest_word(name, _EXAMPLES)) is not None:
            return f"{match[0]} is no placeholder: write {{{near}}}. The placeholders are {known}"
    for match in _BARE.finditer(command):
        name = match[1]
        if name not in _EXAMPLES and name not in _OTHER_LANGUAGES:
            near = nearest_word(name, _EXAMPLES)
            suggestion = f"; did you mean {{{near}}}?" if near else "."
            return (
                f"{match[0]} is no placeholder{suggestion} The placeholders are {known}. If the "
                f"braces belong to the command, write blanks within them: {{ {name} }}"
            )
    if "\0" in command:
        return "it contains a NUL character"
    return _syntax_problem(filled(command, _EXAMPLES))


def _is_assigned(name: str, command: str) -> bool:
    """Return whether a command sets a variable of this name."""
    start = r"(?:^|[\s;&|('\"])"
    return bool(re.search(rf"{start}(?:{name}=|for\s+{name}\s|read\s[^;&|\n]*\b{name}\b)", command))


@cache
def _syntax_problem(command: str) -> str:
    """Return the shell's message on the syntax of a command, which does not run; empty if it is valid."""
    parsed = subprocess.run(
        ["/bin/sh", "-n", "-c", command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_PARSING,
        check=False,
    )
    if parsed.returncode == 0:
        return ""
    said = next(iter(parsed.stderr.strip().splitlines()), f"exit code {parsed.returncode}")
    # dash: "/bin/sh: 1: Syntax error: …"; bash: "/bin/sh: -c: line 1: syntax error …".
    match = re.fullmatch(r"\S*sh: (?:-c: )?(?:line )?(\d+): (?:syntax error:? )?(.*)", said, re.IGNORECASE)
    return f"line {match[1]}: syntax error: {match[2]}" if match else f"syntax error: {said}"
