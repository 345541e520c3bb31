"""Which known word somebody may have meant."""

from collections.abc import Iterable

# What a beginning weighs: less than any misspelling of the whole word; of several the first counts.
_BEGINNING = 100

# A word that begins another is a hint only from so many letters on.
_SHORTEST_PART = 4


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The known word nearest to `word`, or None when none is near enough to be meant.

    Near is a word that takes few edits, at most one for three letters (for two, where the first three
    are right); or one of which the other is
    a beginning (`postgres`, `postgres-18`). Of equally near words the first counts. Case and the
    separators `-`, `_` and blank make no difference.
    """
    best: tuple[float, str] | None = None
    wanted = _plain(word)
    for one in known:
        other = _plain(one)
        edits = distance(wanted, other)
        # who begins right may go astray further
        most = len(wanted) // 2 if wanted[:3] == other[:3] else max(1, len(wanted) // 3)
        near = edits <= most and edits < len(wanted)
        # a beginning is less than a misspelling of the whole word, but more than nothing
        weight = edits if near else _BEGINNING if _begins(wanted, other) else None
        if weight is not None and (best is None or weight < best[0]):
            best = (weight, one)
    return best[1] if best else None


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing when no known word is near."""
    found = nearest_word(word, known)
    return f"; did you mean {found!r}?" if found is not None else ""


def distance(a: str, b: str) -> int:
    """The least number of insertions, deletions, substitutions and swaps of neighbours between two words.

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
