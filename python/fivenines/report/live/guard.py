"""Access control: only clients with the token, on this machine, and no other sites in their browser.

- The server listens on 127.0.0.1 only, and answers only to that name or localhost, which prevents DNS
  rebinding.
- The token is in the URL once, and then in a cookie that scripts cannot read and other sites cannot send
  (HttpOnly, SameSite=Strict). Both are compared in constant time.
- Actions are POST requests from the page's origin with a second token, which only the page contains.

Sources: OWASP Cross-Site Request Forgery Prevention; RFC 6265bis; RFC 9110, 15.5.20 (421).
"""

import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POST_HEADER = "x-fivenines-token"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report may be a foreign file, so it runs in a sandbox without an origin.
REPORT_POLICY = (
    "sandbox allow-scripts allow-popups allow-downloads; default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _fresh() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Tokens:
    """The secrets of one server."""

    port: int
    page: str = field(default_factory=_fresh)
    post: str = field(default_factory=_fresh)

    @property
    def cookie(self) -> str:
        """Return the cookie's name, which includes the port, as cookies are shared by all ports."""
        return f"fivenines-{self.port}"

    @property
    def hosts(self) -> set[str]:
        """Return the host names that requests may use."""
        return {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}

    @property
    def url(self) -> str:
        """Return the page's URL with its token."""
        return f"http://127.0.0.1:{self.port}/?token={self.page}"


class Guard:
    """Refuse unauthorised requests, and add security headers to all answers."""

    def __init__(self, app: ASGIApp, tokens: Tokens) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        new = refused is None and _query(scope) != ""

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._protect(MutableHeaders(scope=message), new)
            await send(message)

        app = refused or self._app
        await app(scope, receive, protected)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers, tokens = Headers(scope=scope), self._tokens
        if headers.get("host", "") not in tokens.hosts:
            return PlainTextResponse("this server answers only to the name 127.0.0.1\n", 421)
        if not (_same(_query(scope), tokens.page) or _same(self._of_cookie(headers), tokens.page)):
            return PlainTextResponse("open the address that `fivenines serve` printed\n", 401)
        if scope["method"] in ("GET", "HEAD"):
            return None
        origin = headers.get("origin", "")
        ours = origin.removeprefix("http://") in tokens.hosts
        if not ours or not _same(headers.get(POST_HEADER, ""), tokens.post):
            return PlainTextResponse("only the page itself may send this request\n", 403)
        return None

    def _of_cookie(self, headers: Headers) -> str:
        return cookie_parser(headers.get("cookie", "")).get(self._tokens.cookie, "")

    def _protect(self, headers: MutableHeaders, new: bool) -> None:
        headers.setdefault("content-security-policy", PAGE_POLICY)
        headers.setdefault("cache-control", "no-store")
        headers["x-content-type-options"] = "nosniff"
        headers["referrer-policy"] = "no-referrer"
        headers["cross-origin-resource-policy"] = "same-origin"
        if new:
            headers["set-cookie"] = (
                f"{self._tokens.cookie}={self._tokens.page}; HttpOnly; SameSite=Strict; Path=/"
            )


def _query(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
