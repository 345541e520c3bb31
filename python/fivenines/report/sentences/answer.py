"""A sentence on the results of a run, with its chapter in the report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """A sentence under a topic such as "Speed".

    Attributes:
        topic: the topic that lists show before the sentence.
        text: the sentence.
        chapter: id of the chapter that begins with it.
        minor: whether the chapter folds it away.
    """

    topic: str
    text: str
    chapter: str
    minor: bool = False
