"""Private keys for a login: which files contain one, and what the others are."""

from collections.abc import Iterable
from pathlib import Path

from fivenines.base.errors import FiveninesError

_LOCKED = "a key with a passphrase"
_PUBLIC = "a public key: name the private key, or leave `key` out if an agent has it"


def usable(keys: Iterable[str]) -> list[str]:
    """Return the files that contain a key; `ssh` ignores the others.

    A key with a passphrase and a public key are included, as an agent can have the private key.
    """
    return [file for file in keys if _other(file) in ("", _LOCKED, _PUBLIC)]


def locked(keys: Iterable[str]) -> list[str]:
    """Return the files whose key has a passphrase."""
    return [file for file in keys if _other(file) == _LOCKED]


def require_private(name: str, file: str) -> None:
    """Check the file of `key` in the inventory; a passphrase is no error, as an agent can have the key.

    Raises:
        FiveninesError: it does not contain a private key; the message says what to do.
    """
    if (found := _other(file)) not in ("", _LOCKED):
        raise FiveninesError(f"{name}: `key` in the inventory: {file} is {found}")


def _other(file: str) -> str:
    """Return what a file is if it is not a private key without a passphrase; empty if it is one."""
    import asyncssh  # noqa: PLC0415  (an optional dependency)

    try:
        asyncssh.read_private_key(file)
    except OSError as error:
        return f"not readable: {error.strerror}"
    except asyncssh.KeyImportError as error:
        if "passphrase" in str(error).lower():
            return _LOCKED
    else:
        return ""
    if file.endswith(".pub"):
        return _PUBLIC
    if Path(file).read_bytes().startswith(b"PuTTY-User-Key-File"):
        return "a key of PuTTY: convert it by `puttygen FILE -O private-openssh -o NEW`, and name NEW"
    return "no private key in a format of OpenSSH or PEM"
