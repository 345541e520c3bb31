"""Give a command to the login shell of another machine, whichever shell that is and whatever it prints.

sshd hands a command line to the login shell of the account. That may be bash, dash, zsh, fish or csh, which
quote differently. Its start files (`~/.bashrc`, `~/.cshrc`, `config.fish`) may print, change directory or
set a locale before the command begins. So the line is quoted in a way that all of them understand, /bin/sh
replaces the shell at once, and the command begins with a mark on both outputs: what comes before the mark is
not the command's.
"""

import re
from collections.abc import Sequence

from fivenines.errors import FiveninesError

# Printed before the command's own output. A shell that traces or repeats the line does not print this.
MARK = b"fivenines-begins\n"
_BEGIN = 'echo "fivenines"-begins; echo "fivenines"-begins >&2; umask 022; cd /; exec "$@"'

# Of the account's environment the command gets only where programs are, after the usual folders.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CLEAN = (
    f'PATH={_PATH}${{PATH:+:$PATH}}; exec %s/usr/bin/env -i "PATH=$PATH" LC_ALL=C /bin/sh -c "$0" sh "$@"'
)
SUDO = "sudo -n -- "

_PLAIN = re.compile(r"[A-Za-z0-9_./:,+-][A-Za-z0-9_./:,+=-]*")

# What some shell reads within single quotes: the quote itself, fish the backslash, csh the exclamation mark.
_APART = {"'": '"\'"', "\\": "\\\\", "!": "\\!"}


def quoted(word: str) -> str:
    """Quote a word so that sh, bash, dash, ksh, zsh, fish and csh all read the same.

    Raises:
        ValueError: it has a line break, which csh cannot quote as the others do.
    """
    if "\n" in word or "\0" in word:
        raise ValueError(f"a line break in a command for another machine: {word!r}")
    if _PLAIN.fullmatch(word):
        return word
    parts = re.findall(r"""['\\!]|[^'\\!]+""", word)
    return "".join(_APART.get(part) or f"'{part}'" for part in parts) or "''"


def given(command: Sequence[str], sudo: bool) -> str:
    """The line for the login shell, which runs a command there, by sudo or as it is logged in."""
    clean = _CLEAN % (SUDO if sudo else "")
    return " ".join(map(quoted, ["exec", "/bin/sh", "-c", clean, _BEGIN, *command]))


def after_mark(output: bytes) -> str:
    """What a command itself has printed."""
    before, mark, own = output.partition(MARK)
    return (own if mark else before).decode(errors="replace")


def not_begun(machine: str, user: str, sudo: bool, ended: str, output: bytes, error: bytes) -> FiveninesError:
    """Explain why a command was not run: there was no mark.

    Args:
        machine: its name in the inventory.
        user: who is logged in.
        sudo: whether it was to be run by sudo.
        ended: what became of the shell instead.
        output: what was printed.
        error: what was printed to standard error.
    """
    lines = [line for line in after_mark(error).splitlines() if line.strip()]
    if sudo and (words := [line for line in lines if "sudo" in line]):
        return FiveninesError(
            f"{machine}: {user} may not become root by sudo without a password: {words[-1].strip()}"
        )
    printed = " ".join((error.replace(MARK, b"") + b"\n" + output).decode(errors="replace").split())
    shown = f"It printed {printed[:200]!r}. " if printed else ""
    return FiveninesError(
        f"{machine}: the login shell of {user} {ended} without running the command that it was given. {shown}"
        "It must be sh, bash, dash, ksh, zsh, fish or csh, and its start files (as ~/.bashrc) must neither "
        "end it, nor start another shell, nor read from its input, where no terminal is"
    )
