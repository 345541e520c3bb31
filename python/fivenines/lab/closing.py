"""Close an object at the end of a `with` block, however the block ends."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """A context manager that ends with `close`."""

    @abstractmethod
    def close(self) -> None:
        """End the object and remove everything that it created."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception:
            # Ctrl-C takes precedence over errors of the clean-up.
            if kind is None or issubclass(kind, Exception):
                raise
