"""The files of a custom program: from a folder, an image, or an archive."""

from pathlib import Path
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from fivenines.base.settings import Settings
from fivenines.lab.host import Root
from fivenines.software.program_root import ProgramRoot, root_of


class RootSettings(Settings):
    """A folder, or an image or archive that is unpacked into the cache once."""

    short = "the path of a folder"

    path: Path | None = Field(None, description="a folder")
    image: str | None = Field(None, description="an image of a registry, a folder or an archive")
    archive: Path | None = Field(None, description="an archive that tar can unpack")

    @model_validator(mode="before")
    @classmethod
    def _of_a_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return str(self.path) if self.path is not None else whole(self)

    def problem(self) -> str:
        """Return what is wrong with the settings; empty if nothing."""
        given = [source for source in (self.path, self.image, self.archive) if source is not None]
        if len(given) != 1:
            return "write the path of a folder, {image: …} or {archive: …}"
        where = self.path or self.archive
        if where is not None and not where.is_absolute():
            return f"write the absolute path of {where}"
        return ""

    def machine_problem(self) -> str:
        """Return what is missing on this machine; empty if nothing, or if unknown."""
        if self.path is not None:
            return "" if self.path.is_dir() else f"there is no folder {self.path}"
        if self.archive is None or self.archive.is_file() or ProgramRoot(self.engine).cached:
            return ""
        return f"there is no file {self.archive}"

    @property
    def engine(self) -> str:
        """Return the name of the engine that it is unpacked to; empty for a folder."""
        if self.image is not None:
            return ProgramRoot.of("image", self.image).name
        return ProgramRoot.of("archive", str(self.archive)).name if self.archive else ""

    def root(self) -> Root:
        """Return the root file system of its host."""
        return root_of(self.path) if self.path is not None else ProgramRoot(self.engine).root()
