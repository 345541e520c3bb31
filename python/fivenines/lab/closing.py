"""What is closed at the end of a `with` block, however that ends."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """A context manager whose end is `close`."""

    @abstractmethod
    def close(self) -> None:
        """End it; nothing of it is left."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception:
            # Ctrl-C goes on, whatever could not be cleared away in that moment
            if kind is None or issubclass(kind, Exception):
                raise
