"""Run a command through any login shell of another machine, whatever the shell prints.

sshd passes a command line to the login shell of the account: bash, dash, zsh, fish or csh, which quote
differently. Its start files (`~/.bashrc`, `~/.cshrc`, `config.fish`) can print, change directory or set a
locale before the command starts. So the line is quoted in a way that all of them understand, and /bin/sh
replaces the shell at once. The command starts with a mark on both outputs; output before it is ignored.
"""

import re
from collections.abc import Sequence

from fivenines.base.errors import FiveninesError

# Printed before the command's own output. A shell that traces or repeats the line does not print this.
MARK = b"fivenines-begins\n"
_BEGIN = 'echo "fivenines"-begins; echo "fivenines"-begins >&2; umask 022; cd /; exec "$@"'

# The command gets only PATH from the account's environment, after the usual folders.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CLEAN = (
    f'PATH={_PATH}${{PATH:+:$PATH}}; exec %s/usr/bin/env -i "PATH=$PATH" LC_ALL=C /bin/sh -c "$0" sh "$@"'
)
SUDO = "sudo -n -- "

_PLAIN = re.compile(r"[A-Za-z0-9_./:,+-][A-Za-z0-9_./:,+=-]*")

# Characters that some shells interpret within single quotes: the quote, fish the backslash, csh the "!".
_APART = {"'": '"\'"', "\\": "\\\\", "!": "\\!"}


def quoted(word: str) -> str:
    """Quote a word so that sh, bash, dash, ksh, zsh, fish and csh read the same text.

    Raises:
        ValueError: the word has a line break, which csh quotes differently.
    """
    if "\n" in word or "\0" in word:
        raise ValueError(f"a line break in a command for another machine: {word!r}")
    if _PLAIN.fullmatch(word):
        return word
    parts = re.findall(r"""['\\!]|[^'\\!]+""", word)
    return "".join(_APART.get(part) or f"'{part}'" for part in parts) or "''"


def given(command: Sequence[str], sudo: bool) -> str:
    """Return the line for the login shell that runs a command, with sudo or as the login user."""
    clean = _CLEAN % (SUDO if sudo else "")
    return " ".join(map(quoted, ["exec", "/bin/sh", "-c", clean, _BEGIN, *command]))


def after_mark(output: bytes) -> str:
    """Return the output of the command itself, after the mark."""
    before, mark, own = output.partition(MARK)
    return (own if mark else before).decode(errors="replace")


def not_begun(machine: str, user: str, sudo: bool, ended: str, output: bytes, error: bytes) -> FiveninesError:
    """Return an error that explains why a command did not run, as its output has no mark.

    Args:
        machine: the machine's name in the inventory.
        user: the login user.
        sudo: whether the command should run with sudo.
        ended: how the shell ended.
        output: standard output of the shell.
        error: standard error of the shell.
    """
    lines = [line for line in after_mark(error).splitlines() if line.strip()]
    if sudo and (words := [line for line in lines if "sudo" in line]):
        return FiveninesError(f"{machine}: {user} cannot use sudo without a password: {words[-1].strip()}")
    printed = " ".join((error.replace(MARK, b"") + b"\n" + output).decode(errors="replace").split())
    shown = f"It printed {printed[:200]!r}. " if printed else ""
    return FiveninesError(
        f"{machine}: the login shell of {user} {ended} without running the command. {shown}"
        "It must be sh, bash, dash, ksh, zsh, fish or csh. Without a terminal, its start files (such as "
        "~/.bashrc) must not exit, start another shell, or read from standard input"
    )
