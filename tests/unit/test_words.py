"""Words of the former dialect stay out of code, docs and tests."""

import re
import subprocess

from repository import ROOT

WORDS = re.compile(r"\b(told|beside|nobody|somebody|whoever|of one's own)\b", re.IGNORECASE)

# The user `nobody` of Unix, invented names in tests, and this page.
EXCEPTIONS = {
    "crates/lab/src/init/root.rs": 2,
    "crates/load/src/watch/tests.rs": 1,
    "docs/explanation/lab.md": 1,
    "python/fivenines/solutions/galera/configuration.py": 1,
}
# Files of tests may name the user `nobody` and invented hosts.
ALLOWED = {"nobody"}


def _tracked() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return listing.stdout.splitlines()


def _hits(file: str) -> list[str]:
    try:
        text = (ROOT / file).read_text()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return []
    words = [match[0].lower() for match in WORDS.finditer(text)]
    return [word for word in words if not (file.startswith("tests/") and word in ALLOWED)]


def test_the_forbidden_words_are_found() -> None:
    assert WORDS.findall("Whoever is told, beside nobody") == ["Whoever", "told", "beside", "nobody"]


def test_no_file_has_them() -> None:
    files = [file for file in _tracked() if file not in ("CHANGELOG.md", "tests/unit/test_words.py")]
    assert len(files) > 1000
    found = {file: hits for file in files if len(hits := _hits(file)) > EXCEPTIONS.get(file, 0)}
    assert not found
