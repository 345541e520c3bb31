"""Determine the TLS mode and the certificates from the options of a connection string."""

from dataclasses import dataclass
from pathlib import Path

from fivenines.load.dsn.model import TLS_MODES, WrongError
from fivenines.load.dsn.options import Asked, json_of, truth

_MODES = {
    **{mode: mode for mode in TLS_MODES},
    "allow": "prefer",  # libpq's, which encrypts where the server insists
    "disabled": "disable",
    "preferred": "prefer",
    "required": "require",
    "verify-identity": "verify-full",
    "verifyca": "verify-ca",
    "verifyfull": "verify-full",
    "verifyidentity": "verify-full",
    "none": "disable",
    "no-verify": "require",
    "trust": "require",
    "skip-verify": "require",
}


@dataclass(frozen=True)
class Encryption:
    """A mode of `TLS_MODES` or an empty text, and the named files."""

    mode: str
    authority: str
    certificate: str
    key: str
    direct: bool


def encryption_of(asked: Asked) -> Encryption:
    """Return the encryption of connections.

    Raises:
        WrongError: the options contradict each other, or are unsafe.
    """
    authority, certificate, key = (asked.get("sslrootcert"), asked.get("sslcert"), asked.get("sslkey"))
    found = json_of(asked.get("ssl")) or {}
    for name, value in found.items():
        if name in ("ca", "cert", "key", "pfx") and not (name == "ca" and str(value).startswith("/")):
            raise WrongError(
                f"ssl has {name!r} in its JSON: name PEM files by sslrootcert, sslcert and sslkey"
            )
    authority = authority or str(found.get("ca", ""))
    if asked.get("sslaccept") and certificate and not key:  # Prisma's name for the authority
        authority, certificate = authority or certificate, ""
    if asked.get("sslcertmode").lower() == "disable":
        certificate = key = ""
    if bool(certificate) != bool(key):
        raise WrongError("sslcert and sslkey belong together: name both, as PEM files")
    mode = _mode(asked)
    if authority.startswith("classpath:"):
        raise WrongError("sslrootcert: class paths are not supported: name a PEM file")
    mode, authority = _with_authority(asked, mode, authority)
    return Encryption(mode, authority, certificate, key, _direct(asked, mode))


def _mode(asked: Asked) -> str:
    if word := asked.get("sslmode"):
        # Azure's portal prints the name of C#'s enumeration
        spelled = word.lower().removeprefix("mysqlsslmode.").replace("_", "-").replace(" ", "-")
        if spelled not in _MODES:
            raise WrongError(f"sslmode must be one of {', '.join(_MODES)}")
        mode = _MODES[spelled]
    else:
        mode = _by_switches(asked)
    verifies = truth(asked.get("verify")) if "verify" in asked.values else None
    if verifies and mode in ("", "prefer", "require"):
        mode = "verify-full" if asked.form in ("uri", "client") else "verify-ca"
    if mode == "verify-full" and "no_names" in asked.values and truth(asked.get("no_names")):
        mode = "verify-ca"
    if mode.startswith("verify") and "trust" in asked.values and truth(asked.get("trust")):
        mode = "require"
    return mode


def _by_switches(asked: Asked) -> str:  # noqa: PLR0911  (a switch of each client)
    """Return the mode of clients with a switch instead of `sslmode`."""
    if "ssldisabled" in asked.values and truth(asked.get("ssldisabled")):
        return "disable"
    if accepted := asked.get("sslaccept"):
        return "verify-full" if accepted.lower() == "strict" else "require"
    if "requiressl" in asked.values and truth(asked.get("requiressl")):
        return "require"
    if asked.get("sslfactory").rpartition(".")[2] == "NonValidatingFactory":
        return "require"
    if "ssl" not in asked.values:
        return ""
    word = asked.get("ssl")
    if (found := json_of(word)) is not None:
        return "require" if found.get("rejectUnauthorized") is False else "verify-full"
    if (on := truth(word)) is None:
        spelled = word.lower().replace("_", "-")
        if spelled not in _MODES:
            raise WrongError(f"ssl: unknown value {word!r}: write sslmode={'|'.join(TLS_MODES)}")
        return _MODES[spelled]
    if not on:
        return "disable"
    if asked.form == "jdbc-mysql":  # Connector/J's useSSL=true alone; requireSSL came above
        return "prefer"
    return "verify-full" if asked.form in ("jdbc-postgresql", "jdbc-mariadb", "go") else "require"


def _with_authority(  # noqa: PLR0911  (a rule of each client)
    asked: Asked, mode: str, authority: str
) -> tuple[str, str]:
    """Return the mode and the CA file, resolving contradictions like each client."""
    if authority == "system":
        if mode not in ("", "verify-full"):
            raise WrongError(f"sslrootcert=system requires sslmode=verify-full, not {mode}")
        return "verify-full", ""
    if not authority:
        default = Path("~/.postgresql/root.crt").expanduser()
        libpq = asked.driver == "postgres" and asked.form in ("uri", "libpq")
        return mode, str(default) if libpq and mode.startswith("verify") and default.is_file() else ""
    if mode.startswith("verify"):
        return mode, authority
    if mode == "disable":
        asked.notes.append("'sslrootcert' has no effect: sslmode is disable")
        return mode, ""
    if mode == "require" and asked.driver == "postgres":
        asked.notes.append("sslmode=require with sslrootcert means verify-ca, as in libpq")
        return "verify-ca", authority
    if not mode:
        asked.notes.append("sslrootcert without sslmode means verify-ca")
        return "verify-ca", authority
    asked.notes.append(f"'sslrootcert' has no effect: sslmode={mode} checks no certificate")
    return mode, ""


def _direct(asked: Asked, mode: str) -> bool:
    word = asked.get("sslnegotiation").lower()
    if word in ("", "postgres"):
        return False
    if word != "direct":
        raise WrongError("sslnegotiation must be postgres or direct")
    if mode not in ("require", "verify-ca", "verify-full"):
        raise WrongError("sslnegotiation=direct requires sslmode=require, verify-ca or verify-full")
    return True
