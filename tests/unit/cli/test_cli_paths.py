"""Where the cache is."""

from pathlib import Path

import pytest

from fivenines.base import paths


@pytest.mark.parametrize(
    ("own", "xdg", "cache"),
    [
        ("/a/b", "/x", "/a/b"),
        ("~/b", "/x", "/home/me/b"),
        ("", "/x", "/x/fivenines"),
        ("", "relative", "/home/me/.cache/fivenines"),
        ("", "", "/home/me/.cache/fivenines"),
    ],
)
def test_the_cache_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, own: str, xdg: str, cache: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("FIVENINES_CACHE", own)
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert paths.cache() == Path(cache)
    assert paths.crashes() == Path(cache) / "crashes"
    assert paths.playground() == Path(cache) / "playground"
