"""Tokens of Ray clusters: whether a cluster demands one, and whether it accepts the local one.

With token authentication (Ray 2.60; Ray manual: "Ray token authentication") a refused client only reports
"ray client connection timeout" half a minute later; the refusal is in Ray's debug log. So fivenines tests the
cluster before it loads Ray, with the first call of Ray's client.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError

# Ray's environment variable. If it is not set, Ray's client sends no token even if there is one.
MODE = "RAY_AUTH_MODE"

_FIRST_CALL = "/ray.rpc.RayletDriver/ClusterInfo"
# Seconds within which the head must answer; otherwise Ray handles the failure.
_PATIENCE = 10.0


@dataclass(frozen=True)
class Token:
    """A token and its source."""

    text: str
    source: str


def find(environment: Mapping[str, str], home: Path) -> Token | None:
    """Return the token that Ray's client would use; None if there is none.

    Raises:
        FiveninesError: the file that holds it cannot be read.
    """
    if text := environment.get("RAY_AUTH_TOKEN", "").strip():
        return Token(text, "$RAY_AUTH_TOKEN")
    named = environment.get("RAY_AUTH_TOKEN_PATH", "")
    file = Path(named) if named else home / ".ray" / "auth_token"
    if not named and not file.exists():
        return None
    try:
        text = file.read_text().strip()
    except OSError as error:
        raise FiveninesError(f"the Ray token in {file} cannot be read: {error.strerror}") from error
    return Token(text, str(file)) if text else None


def use_token_if_demanded(address: str, target: str) -> None:
    """Make Ray's client send its token if the cluster demands one. Must precede the import of Ray.

    Args:
        address: the user's address of the cluster.
        target: its host and port.

    Raises:
        FiveninesError: no token on this machine, or the cluster refuses it; the message says what to set.
        ImportError: gRPC, which comes with Ray, is not installed.
    """
    if not _refused(target, ""):
        return
    mode = os.environ.get(MODE)
    if mode is not None and mode.lower() != "token":
        raise FiveninesError(
            f"the Ray cluster at {address} demands a token, and {MODE} is {mode} here: set it to token"
        )
    token = find(os.environ, Path.home())
    if token is None:
        raise FiveninesError(
            f"the Ray cluster at {address} demands a token, and there is none here: copy ~/.ray/auth_token "
            "from its head to the same place in this account, or set RAY_AUTH_TOKEN_PATH to such a file"
        )
    if _refused(target, token.text):
        raise FiveninesError(
            f"the Ray cluster at {address} refuses the token from {token.source}: use the one in "
            "~/.ray/auth_token on its head"
        )
    os.environ[MODE] = "token"


def _refused(target: str, token: str) -> bool:
    """Return whether the cluster turns away a client that brings this token ("": none)."""
    import grpc  # noqa: PLC0415  (comes with Ray, which is optional)

    metadata = [("authorization", f"Bearer {token}")] if token else []
    with grpc.insecure_channel(target) as channel:
        call = channel.unary_unary(_FIRST_CALL, request_serializer=bytes, response_deserializer=bytes)
        try:
            call(b"", timeout=_PATIENCE, metadata=metadata, wait_for_ready=True)
        except grpc.RpcError as error:
            # Any other failure, as of a cluster with TLS, is no evidence about tokens.
            return bool(error.code() == grpc.StatusCode.UNAUTHENTICATED)
    return False
