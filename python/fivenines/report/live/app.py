"""The HTTP routes: the page, its files, streams of runs, and the actions of its buttons."""

import asyncio
import html
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.responses import StreamingResponse as Stream
from starlette.routing import Route

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.report.live import runs
from fivenines.report.live.feed import BEAT, Feed
from fivenines.report.live.guard import REPORT_POLICY, Guard, Tokens
from fivenines.report.live.launch import Launcher
from fivenines.report.live.reports import Reports
from fivenines.report.live.runs import Runs
from fivenines.report.live.usage import Usage

Json = dict[str, Any]

MOST_VIEWERS = 32

_FILES = {
    "page.js": "text/javascript",
    "parts.js": "text/javascript",
    "charts.js": "text/javascript",
    "style.css": "text/css",
    "tip.js": "text/javascript",
    "panel.js": "text/javascript",
}
# Files of the report's page, and their folder.
_OF_THE_REPORT = ("tip.js", "panel.js")
_SHARED = ("html", "templates")


class Server:
    """The web application for one folder of runs.

    Args:
        found: the runs.
        tokens: the tokens that authorise requests.
        scratch: a folder for reports.
        launcher: starts runs at the original priority of this program.
    """

    def __init__(self, found: Runs, tokens: Tokens, scratch: Path, launcher: Launcher) -> None:
        self._runs = found
        self._tokens = tokens
        self._reports = Reports(scratch)
        self._launcher = launcher
        self._usage = Usage()
        self._feeds: dict[str, Feed] = {}
        self._listeners = 0

    def app(self) -> Starlette:
        """Return the ASGI application."""
        return Starlette(
            routes=[
                Route("/", self.page),
                Route("/files/{name}", self.file),
                Route("/uplot.js", self.uplot),
                Route("/runs", self.list_of_runs),
                Route("/runs/{run}", self.one_run),
                Route("/runs/{run}/report", self.report),
                Route("/runs/{run}/stop", self.stop, methods=["POST"]),
                Route("/runs/{run}/resume", self.resume, methods=["POST"]),
            ],
            middleware=[Middleware(Guard, tokens=self._tokens)],
            exception_handlers={UsageError: _not_found, FiveninesError: _failed},
        )

    async def page(self, _request: Request) -> Response:
        """Return the page, with the token for its buttons."""
        text = _own_file("page.html").replace("{{ token }}", html.escape(self._tokens.post))
        return Response(text, media_type="text/html")

    async def file(self, request: Request) -> Response:
        """Return one of the page's files."""
        name = request.path_params["name"]
        if name not in _FILES:
            return PlainTextResponse("no such file\n", 404)
        return Response(_own_file(name), media_type=_FILES[name])

    async def uplot(self, _request: Request) -> Response:
        """Return the charts library."""
        text = await asyncio.to_thread(_uplot)
        headers = {"cache-control": "private, max-age=86400"}
        return Response(text, media_type="text/javascript", headers=headers)

    async def list_of_runs(self, _request: Request) -> Response:
        """Stream the list of runs."""
        return self._stream(self._lists())

    async def one_run(self, request: Request) -> Response:
        """Stream one run, beginning with its whole state."""
        name = request.path_params["run"]
        return self._stream(self._feed(name).messages())

    async def report(self, request: Request) -> Response:
        """Return the report of a run with all complete trials."""
        file = await self._reports.of(self._runs.find(request.path_params["run"]))
        headers = {"content-security-policy": REPORT_POLICY}
        return FileResponse(file, media_type="text/html", headers=headers)

    async def stop(self, request: Request) -> Response:
        """Ask a run to stop after the current trial."""
        process = runs.stop(self._runs.find(request.path_params["run"]))
        return JSONResponse({"message": f"{process} will stop after this trial"})

    async def resume(self, request: Request) -> Response:
        """Continue a run."""
        name = request.path_params["run"]
        folder, options = self._runs.find(name), self._feed(name).options
        await asyncio.to_thread(self._launcher.do, lambda: runs.resume(folder, options))
        return JSONResponse({"message": f"{name} continues"})

    def _feed(self, name: str) -> Feed:
        folder = self._runs.find(name)
        if name not in self._feeds:
            self._feeds[name] = Feed(folder, self._usage)
        return self._feeds[name]

    async def _lists(self) -> AsyncIterator[tuple[str, Json]]:
        while True:
            found = await asyncio.to_thread(self._runs.listed)
            yield "runs", {"runs": found, "cpu": self._usage.look()}
            await asyncio.sleep(2 * BEAT)

    def _stream(self, messages: AsyncIterator[tuple[str, Json]]) -> Response:
        if self._listeners >= MOST_VIEWERS:
            return PlainTextResponse(f"the page has its maximum of {MOST_VIEWERS} viewers\n", 503)
        return Stream(self._sent(messages), media_type="text/event-stream")

    async def _sent(self, messages: AsyncIterator[tuple[str, Json]]) -> AsyncIterator[str]:
        """Yield server-sent events (WHATWG HTML, 9.2), waiting for slow viewers."""
        self._listeners += 1
        try:
            number = 0
            async for kind, content in messages:
                number += 1
                yield f"event: {kind}\nid: {number}\ndata: {json.dumps(content)}\n\n"
        finally:
            self._listeners -= 1
            with suppress(RuntimeError):
                await messages.aclose()  # type: ignore[attr-defined]


def _uplot() -> str:
    from fivenines.report.html.bundle import uplot  # noqa: PLC0415  (imports all of the report)

    return uplot()


def _own_file(name: str) -> str:
    folder = files("fivenines.report").joinpath(*_SHARED if name in _OF_THE_REPORT else ("live", "page"))
    return folder.joinpath(name).read_text(encoding="utf-8")


async def _not_found(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 409)


async def _failed(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 500)
