"""Commands arrive through login shells of many kinds; one that was not run is explained."""

import shutil
import subprocess
from pathlib import Path

import pytest

from fivenines.lab.ssh.login_shell import MARK, after_mark, given, not_begun, quoted

SHELLS = ("sh", "bash", "dash", "zsh", "fish", "tcsh", "csh", "mksh", "ksh")
WORDS = (
    "",
    "a b",
    "it's",
    "''",
    "\\",
    "a\\'b",
    "\\n",
    "s/.* dev \\([^ ]*\\).*/\\1/",
    "!x",
    "!",
    "!!",
    "$HOME",
    "${x:?}",
    "`id`",
    "*",
    "?",
    "~",
    "~root",
    "{a,b}",
    "=x",
    "x=~",
    "%1",
    "%self",
    "^x",
    "#c",
    "(x)",
    "é",
    '"',
    '"!"',
    "-n",
    ";",
    "&",
    "|",
    "[a]",
    "@",
    "a\tb",
    "<",
    ">",
    "a'!\\'b",
    "x" * 5000,
)


@pytest.mark.parametrize("shell", SHELLS)
def test_words_arrive_as_they_are(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    command = given(["printf", "%s\\0", *WORDS], sudo=False)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PGUSER": "x", "LANG": "de_DE"}
    done = subprocess.run([program, "-c", command], env=environment, capture_output=True, check=True)
    assert tuple(after_mark(done.stdout).split("\0")[:-1]) == WORDS
    assert after_mark(done.stderr) == ""
    command = given(["env"], sudo=False)
    done = subprocess.run([program, "-c", command], env=environment, capture_output=True, check=True)
    names = {line.partition("=")[0] for line in after_mark(done.stdout).splitlines()}
    assert {"PATH", "LC_ALL"} <= names and not names & {"PGUSER", "LANG", "HOME"}


def test_a_shell_that_repeats_its_line_does_not_print_the_mark() -> None:
    assert MARK not in given(["true"], sudo=True).encode()
    done = subprocess.run(
        ["bash", "-xvc", f"echo Welcome; {given(['echo', 'own'], sudo=False)}"],
        capture_output=True,
        check=True,
    )
    assert after_mark(done.stdout) == "own\n"
    assert after_mark(done.stderr) == ""


def test_plain_words_stay_readable() -> None:
    assert quoted("--folder=/var/lib/x-1_2") == "--folder=/var/lib/x-1_2"
    with pytest.raises(ValueError, match="line break"):
        quoted("a\nb")


def test_explains_why_a_command_did_not_run() -> None:
    def explained(sudo: bool, output: bytes, error: bytes) -> str:
        return str(not_begun("db1", "admin", sudo, "ended (exit code 1)", output, error))

    refused = b"Welcome\nsudo: Ein Passwort ist notwendig\n"
    assert explained(True, b"", refused) == (
        "db1: admin cannot use sudo without a password: sudo: Ein Passwort ist notwendig"
    )
    missing = explained(True, b"", b"bash: line 1: exec: sudo: not found\n")
    assert "cannot use sudo" in missing
    closed = explained(True, b"This account is currently not available.\n", b"")
    assert closed.startswith(
        "db1: the login shell of admin ended (exit code 1) without running the command. "
        "It printed 'This account is currently not available.'. It must be sh, bash"
    )
    assert "It printed" not in explained(False, b"", b"")
