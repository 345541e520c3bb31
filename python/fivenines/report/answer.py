"""A sentence of what a run says, and where in the report it stands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """A sentence under a topic such as "Speed".

    `chapter`: which chapter of the page begins with it; `minor`: there it is folded away.
    """

    topic: str
    text: str
    chapter: str
    minor: bool = False
