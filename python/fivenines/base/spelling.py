"""Suggest the known word nearest to a misspelled word."""

from collections.abc import Iterable

# Weight of a word that begins another: it ranks below any misspelling of a whole word.
_BEGINNING = 100

# Least length of a word that begins another to be suggested.
_SHORTEST_PART = 4


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """Return the known word nearest to `word`, or None if none is near enough.

    Near is a word that takes few edits, at most one for three letters (for two, where the first three
    are right); or one of which the other is
    a beginning (`postgres`, `postgres-18`). Of equally near words the first counts. Case and the
    separators `-`, `_` and blank make no difference.
    """
    best: tuple[float, str] | None = None
    plain = _plain(word)
    for one in known:
        other = _plain(one)
        edits = distance(plain, other)
        # A word with the right beginning may have more errors.
        most = len(plain) // 2 if plain[:3] == other[:3] else max(1, len(plain) // 3)
        near = edits <= most and edits < len(plain)
        # A matching beginning ranks below a misspelling of the whole word.
        weight = edits if near else _BEGINNING if _begins(plain, other) else None
        if weight is not None and (best is None or weight < best[0]):
            best = (weight, one)
    return best[1] if best else None


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?`, or an empty text if no known word is near."""
    found = nearest_word(word, known)
    return f"; did you mean {found!r}?" if found is not None else ""


def distance(a: str, b: str) -> int:
    """Return the least number of insertions, deletions, substitutions and swaps between two words.

    Source: the restricted Damerau-Levenshtein distance (optimal string alignment).
    """
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        row = [i]
        for j, right in enumerate(b, start=1):
            edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        before, last = last, row
    return last[-1]


def _begins(a: str, b: str) -> bool:
    short, long = sorted((a, b), key=len)
    return len(short) >= _SHORTEST_PART and long.startswith(short)


def _plain(word: str) -> str:
    return word.lower().replace("_", "-").replace(" ", "-")
