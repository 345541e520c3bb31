"""Expand the tokens of ssh_config(5), which `ssh -G` prints as written: `%h`, `~`, `${VARIABLE}`."""

import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path

from fivenines.base.errors import FiveninesError


def tokens(name: str, host: str, port: str, user: str, alias: str, home: Path) -> Mapping[str, str]:
    """Return what each letter behind a `%` stands for.

    Args:
        name: host as passed to ssh.
        host: host name or address of the connection.
        port: port of the SSH server.
        user: login user.
        alias: `HostKeyAlias`; empty: none.
        home: home folder of the local user.
    """
    whole = socket.gethostname()
    return {
        "%": "%",
        "h": host,
        "n": name,
        "k": alias or host,
        "p": port,
        "r": user,
        "u": home.owner() if home.exists() else "",
        "d": str(home),
        "i": str(os.getuid()),
        "l": whole,
        "L": whole.partition(".")[0],
        "j": "",
    }


def expanded(text: str, letters: Mapping[str, str]) -> str:
    """Return a text with its `%` tokens replaced.

    Raises:
        FiveninesError: a token is unknown.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in letters:
            raise FiveninesError(
                f"{text!r} in ~/.ssh/config has the token %{match[1]}, which is not supported"
            )
        return letters[match[1]]

    return re.sub("%(.)", value, text)


def path(text: str, letters: Mapping[str, str]) -> str:
    """Return the path of a file, with tokens, variables of the environment and `~` replaced.

    Raises:
        FiveninesError: a token is unknown, or a variable is not set.
    """

    def variable(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise FiveninesError(f"{text!r} in ~/.ssh/config has a variable that is not set: {match[1]}")
        return os.environ[match[1]]

    plain = re.sub(r"\$\{(\w+)\}", variable, expanded(text, letters))
    return re.sub(r"^~(?=/)", letters["d"], plain)


def revoked(file: str) -> bytes:
    """Return the lines of a file of revoked host keys in the form of known_hosts.

    Raises:
        FiveninesError: it cannot be read, or is a binary list of OpenSSH.
    """
    try:
        keys = Path(file).read_bytes()
    except OSError as error:
        raise FiveninesError(f"RevokedHostKeys {file} cannot be read: {error.strerror}") from None
    if keys.startswith(b"SSHKRL\n\0"):
        raise FiveninesError(
            f"RevokedHostKeys {file}: binary lists are not supported: name a file of public keys"
        )
    lines = (line.strip() for line in keys.splitlines())
    return b"".join(b"@revoked * " + line + b"\n" for line in lines if line and not line.startswith(b"#"))
