"""What is asked of each session with a server, beyond who logs in and where."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SessionOptions:
    """Of each session. What is not asked for is empty.

    Attributes:
        tls_cert: file with the certificate that the client shows.
        tls_key: file with its private key.
        tls_direct: TLS without asking for it first (PostgreSQL 17).
        channel_binding: libpq's `disable`, `prefer` or `require`.
        require_auth: libpq's list of accepted ways to log in.
        startup: parameters of PostgreSQL's start-up message.
        init_sql: a statement that each session of MySQL executes first.
    """

    tls_cert: str = ""
    tls_key: str = ""
    tls_direct: bool = False
    channel_binding: str = ""
    require_auth: str = ""
    startup: tuple[tuple[str, str], ...] = ()
    init_sql: str = field(default="", repr=False)

    def flags(self) -> list[str]:
        """Return the flags of `fivenines-core` for what is asked of each session."""
        flags = ["--tls-cert", self.tls_cert, "--tls-key", self.tls_key] if self.tls_cert else []
        flags += ["--tls-direct"] if self.tls_direct else []
        flags += [f"--channel-binding={self.channel_binding}"] if self.channel_binding else []
        flags += [f"--require-auth={self.require_auth}"] if self.require_auth else []
        flags += [f"--startup={name}={value}" for name, value in self.startup]
        return flags + ([f"--init-sql={self.init_sql}"] if self.init_sql else [])


NO_OPTIONS = SessionOptions()
"""Nothing is asked for."""
