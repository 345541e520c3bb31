"""Who may see the live page, and who may press its buttons."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from fivenines.report.live.app import Server
from fivenines.report.live.guard import POST_HEADER, Tokens
from fivenines.report.live.launch import Launcher
from fivenines.report.live.runs import Runs
from fivenines.results import layout

TOKENS = Tokens(4321)
ORIGIN = "http://127.0.0.1:4321"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    folder = tmp_path / "runs" / "one"
    folder.mkdir(parents=True)
    (folder / layout.MANIFEST).write_text("{}")
    (folder / layout.REPORT).write_text("<h1>the report</h1>")
    (tmp_path / "secret").write_text("secret")
    app = Server(Runs(tmp_path / "runs"), TOKENS, tmp_path, Launcher()).app()
    return TestClient(app, base_url=ORIGIN, follow_redirects=False)


def _enter(client: TestClient) -> None:
    assert client.get("/", params={"token": TOKENS.page}).status_code == 200


def test_without_the_token_there_is_nothing(client: TestClient) -> None:
    for path in ("/", "/uplot.js", "/runs", "/runs/one", "/runs/one/report", "/files/page.js"):
        answer = client.get(path)
        assert (answer.status_code, "fivenines serve" in answer.text) == (401, True), path
    assert client.get("/", params={"token": TOKENS.page + "x"}).status_code == 401
    assert client.get("/", params={"token": TOKENS.post}).status_code == 401
    assert not client.cookies


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_has(client: TestClient) -> None:
    answer = client.get("/", params={"token": TOKENS.page})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("fivenines-4321=")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    again = client.get("/")
    assert (again.status_code, "set-cookie" in again.headers) == (200, False)
    policy = again.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("host", ["evil.example:4321", "127.0.0.1:80", "127.0.0.1", ""])
def test_another_name_for_this_machine_gets_nothing(client: TestClient, host: str) -> None:
    answer = client.get("/", params={"token": TOKENS.page}, headers={"host": host})
    assert (answer.status_code, "set-cookie" in answer.headers) == (421, False)


def test_a_button_needs_the_page(client: TestClient) -> None:
    ours = {POST_HEADER: TOKENS.post, "origin": ORIGIN}
    assert client.post("/runs/one/stop", headers=ours).status_code == 401
    _enter(client)
    for headers in (
        {},
        {"origin": ORIGIN},
        {POST_HEADER: TOKENS.post},
        {POST_HEADER: TOKENS.page, "origin": ORIGIN},
        {**ours, "origin": "http://evil.example:4321"},
        {**ours, "origin": "null"},
    ):
        assert client.post("/runs/one/stop", headers=headers).status_code == 403
    answer = client.post("/runs/one/stop", headers=ours)
    assert (answer.status_code, answer.json()) == (
        409,
        {"error": "one is not running: there is nothing to stop"},
    )
    assert client.get("/runs/one/stop", headers=ours).status_code == 405
    assert TOKENS.post in client.get("/").text


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "..%2f..", "one%2f..%2f..%2fsecret", "%2fetc", "two", "one/../.."]
)
def test_only_runs_have_reports(client: TestClient, name: str) -> None:
    _enter(client)
    for path in (f"/runs/{name}/report", f"/files/{name}"):
        # dots alone lead a client to the page itself
        answer = client.get(path)
        assert answer.status_code in (404, 409) or answer.text.startswith("<!doctype html>")
        assert answer.text != "secret"


def test_a_report_runs_as_if_it_were_of_no_site(client: TestClient) -> None:
    _enter(client)
    answer = client.get("/runs/one/report")
    assert answer.text == "<h1>the report</h1>"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy and "connect-src" not in policy
