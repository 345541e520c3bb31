"""The test of a claim in a study: a single one, `test: {greater: {...}}`, or several: `test: {all:
[...]}`.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, create_model, model_validator

from fivenines.base import plugins
from fivenines.base.settings import Settings, invalid
from fivenines.studies.claims.base import Asked, ClaimTest
from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.places import Named
from fivenines.studies.claims.verdicts import Atom, Verdict, verdict


class NamedTest(Settings):
    """A test by its name. `all` and `any` take a list of tests."""

    all: list["AnyTest"] | None = Field(
        None, min_length=1, description="tests that must all hold; contradicted if one is"
    )
    any: list["AnyTest"] | None = Field(
        None, min_length=1, description="tests of which one must hold; contradicted if all are"
    )

    @model_validator(mode="after")
    def _one(self) -> "NamedTest":
        if len(self._written()) != 1:
            raise invalid(f"write one test: one of {', '.join(type(self).model_fields)}")
        return self

    def judge(self, figures: Figures) -> Verdict:
        """Return the verdict of the test on these figures."""
        rule, parts = self._parts(figures)
        return verdict(rule, parts)

    def measures(self) -> Iterator[Asked]:
        """Yield the measures of the test, for validation."""
        for path, item in self._tests():
            for inner, name, kind in item.measures():
                yield (*path, *inner), name, kind

    def named(self) -> Iterator[Named]:
        """Yield all names in the test, for validation."""
        for path, item in self._tests():
            for name in item.named():
                yield replace(name, path=(*path, *name.path))

    def problems(self) -> list[str]:
        return [
            f"{'.'.join(map(str, path))}: {text}" for path, item in self._tests() for text in item.problems()
        ]

    def _written(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: item for name, item in own.items() if item is not None}

    def _tests(self) -> Iterator[tuple[tuple[str | int, ...], "ClaimTest"]]:
        """Yield the contained tests, each with its path of keys."""
        ((key, result),) = self._written().items()
        if isinstance(result, ClaimTest):
            yield (key,), result
            return
        for index, inner in enumerate(result):
            for path, item in inner._tests():
                yield (key, index, *path), item

    def _parts(self, figures: Figures) -> tuple[Literal["all", "any"], list[Atom | Verdict]]:
        """Return the parts of the verdict; contained tests with the same rule are merged."""
        ((key, result),) = self._written().items()
        if isinstance(result, ClaimTest):
            return "all", result.parts(figures)
        rule: Literal["all", "any"] = "any" if key == "any" else "all"
        parts: list[Atom | Verdict] = []
        for inner in result:
            its_rule, own = inner._parts(figures)
            alike = its_rule == rule or len(own) == 1
            parts += own if alike else [verdict(its_rule, own)]
        return rule, parts


def _made() -> type[NamedTest]:
    kinds = plugins.classes("fivenines.studies.claims", ClaimTest, without=("kinds",))  # type: ignore[type-abstract]
    fields: dict[str, Any] = {
        kind.key: (kind | None, Field(None, description=(kind.__doc__ or "").split("\n")[0]))
        for kind in kinds
    }
    return create_model("AnyTest", __base__=NamedTest, __module__=__name__, **fields)


if TYPE_CHECKING:
    AnyTest = NamedTest
else:
    AnyTest = _made()
    AnyTest.model_rebuild()
