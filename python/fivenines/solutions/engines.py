"""The setting `engine:` of a solution: one of the known engines, or a custom one."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import PlainSerializer, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator

from fivenines.base.errors import UsageError
from fivenines.base.settings import invalid
from fivenines.software.base import Family
from fivenines.software.custom import KINDS, Source, is_custom


def engine_type(known: tuple[str, ...], *families: Family) -> Any:
    """Return the type of the setting: these engines by name, or custom engines of these families.

    Its value is a name, see `software.custom`.
    """

    def validate(value: object, by_name: ValidatorFunctionWrapHandler) -> object:
        if isinstance(value, Mapping):
            return _own(value, families)
        if isinstance(value, str) and is_custom(value):
            return _own(value, families)
        return by_name(value)

    words = f"{', '.join(known)}, or " + ", ".join(f"{{{kind}: …}}" for kind in KINDS)
    own = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in (*KINDS, "family")},
        "additionalProperties": False,
    }
    schema: dict[str, Any] = {"anyOf": [{"enum": list(known)}, {"type": "string"}, own]}
    return Annotated[
        Literal[known],
        WrapValidator(validate),
        PlainSerializer(str, return_type=str),
        WithJsonSchema(schema | {"allowed": f"one of {words}"}),
    ]


def _own(value: Mapping[str, object] | str, families: tuple[Family, ...]) -> str:
    try:
        source = Source.named(value) if isinstance(value, str) else Source.written(value)
    except UsageError as error:
        raise invalid(str(error)) from None
    if source.family not in families:
        raise invalid(
            f"{source.name} has servers of {source.family}, but this solution runs on "
            f"{' or '.join(families)}: choose one of them"
        )
    return source.name
