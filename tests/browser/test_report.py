"""The report in a real browser: nothing fetched, nothing wider than a phone, readable in the dark.

Needs Chromium (`chromium`, or the program named by FIVENINES_CHROMIUM); its absence is a failure.
"""

import html
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from synthetic_run import MARIADB, SIDE_BY_SIDE, write_run

from fivenines.report import write_html

PHONE = 390
PROBE = """
<!doctype html><body style="margin:0"><iframe id="page" src="report.html"
 style="border:0;width:{width}px;height:800px"></iframe><pre id="result"></pre>
<script>
document.getElementById("page").onload = event => {{
  const view = event.target.contentWindow, page = view.document;
  page.querySelectorAll("details").forEach(each => each.open = true);
  const style = view.getComputedStyle(page.body);
  document.getElementById("result").textContent = JSON.stringify({{
    width: page.documentElement.scrollWidth,
    room: page.documentElement.clientWidth,
    requests: view.performance.getEntriesByType("resource").map(each => each.name),
    charts: Array.from(page.querySelectorAll(".chart svg")).map(each =>
    each.getBoundingClientRect().width), scrollable:
    Array.from(page.querySelectorAll(".scroll")).filter(e => e.scrollWidth > e.clientWidth).length,
    unreachable: Array.from(page.querySelectorAll(".scroll")).filter(e => e.tabIndex !== 0).length,
    clash: page.querySelectorAll("[id]").length - new Set(Array.from(page.querySelectorAll("[id]"),
    e => e.id)).size, ink: style.color, paper: style.backgroundColor, text:
    view.getComputedStyle(page.querySelector(".chart svg text")).fill,
  }});
}};
</script>
"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder and keeps what was asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(write_run(tmp_path_factory.mktemp("browser") / "run", MARIADB))


@pytest.fixture
def server(report: Path) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Serving", (Handler,), {"asked": asked})
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(handler, directory=str(report.parent))
    ) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}", asked
        http.shutdown()


def chromium(profile: Path, *arguments: str) -> str:
    program = shutil.which(os.environ.get("FIVENINES_CHROMIUM", "chromium"))
    assert program, "these tests need Chromium: apt-get install chromium"
    command = [
        program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={profile}", *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def look(report: Path, server: str, profile: Path, width: int, scheme: str) -> dict[str, object]:
    """What a browser makes of the report in a frame of this width."""
    name = f"probe-{width}-{scheme}.html"
    (report.parent / name).write_text(PROBE.format(width=width))
    dom = chromium(
        profile,
        "--window-size=1400,900",
        "--virtual-time-budget=20000",
        f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
        "--dump-dom",
        f"{server}/{name}",
    )
    text = dom.split('<pre id="result">')[1].split("</pre>")[0]
    assert text, "the page did not load in time"
    found = json.loads(html.unescape(text))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (1280, "light")])
def test_page_fits_and_fetches_nothing(
    report: Path, server: tuple[str, list[str]], tmp_path: Path, width: int, scheme: str
) -> None:
    address, asked = server
    found = look(report, address, tmp_path, width, scheme)
    assert found["width"] == found["room"], "the page is wider than its window"
    assert found["requests"] == []
    assert {path for path in asked if path != "/favicon.ico"} == {
        f"/probe-{width}-{scheme}.html", "/report.html",
    }  # fmt: skip
    charts = found["charts"]
    assert isinstance(charts, list)
    assert len(charts) > 30
    assert all(0 < chart < width for chart in charts)
    assert (found["unreachable"], found["clash"]) == (0, 0)
    if width == PHONE:
        assert found["scrollable"], "wide tables scroll in a box of their own"


def test_a_loud_page_with_long_texts_fits_a_phone(tmp_path: Path) -> None:
    report = write_html(write_run(tmp_path / "run", SIDE_BY_SIDE))
    asked: list[str] = []
    handler = type("Serving", (Handler,), {"asked": asked})
    folder = partial(handler, directory=str(report.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{http.server_address[1]}"
        found = look(report, address, tmp_path / "profile", PHONE, "light")
        http.shutdown()
    assert found["width"] == found["room"], "the page is wider than its window"
    assert (found["requests"], found["clash"]) == ([], 0)
    assert found["scrollable"], "the facts scroll in a box of their own"


def test_dark_and_light_have_contrast(
    report: Path, server: tuple[str, list[str]], tmp_path: Path
) -> None:
    for scheme in ("light", "dark"):
        found = look(report, server[0], tmp_path / scheme, 1280, scheme)
        paper, ink, text = (_luminance(str(found[key])) for key in ("paper", "ink", "text"))
        assert (paper > 0.9) == (scheme == "light")
        assert _contrast(ink, paper) > 7
        assert _contrast(text, paper) > 4.5


def test_page_is_small(report: Path) -> None:
    assert report.stat().st_size < 3_000_000


def test_page_prints(report: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    chromium(tmp_path / "profile", f"--print-to-pdf={target}", report.as_uri())
    data = target.read_bytes()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") < 40


def _luminance(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)` (WCAG 2.2)."""
    channels = [float(part) / 255 for part in colour.strip("rgba()").split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
