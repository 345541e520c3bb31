"""The programs that generate the load, and the names of workloads under each."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, WithJsonSchema

from fivenines.base.settings import invalid
from fivenines.base.spelling import nearest

Program = Literal["fivenines", "sysbench"]

OURS: Program = "fivenines"

PROGRAMS: tuple[Program, ...] = get_args(Program)


def named(workload: str, program: Program) -> str:
    """Return a workload's name with this program, so that trials of two programs are separate cells."""
    return workload if program == OURS else f"{workload} ({program})"


def _listed(value: Any) -> list[Any]:
    """Return one or more programs as a list without repetition."""
    given = value if isinstance(value, list) else [value]
    if not given:
        raise invalid(f"the list of programs is empty: name one or more of {', '.join(PROGRAMS)}")
    for one in given:
        if one not in PROGRAMS:
            hint = nearest(one, PROGRAMS) if isinstance(one, str) else ""
            raise invalid(f"found {one!r}, but the programs are {' and '.join(PROGRAMS)}{hint}")
        if given.count(one) > 1:
            raise invalid(f"{one} is repeated: remove one of them")
    return given


_ONE = {"enum": list(PROGRAMS)}

# The programs that generate the load; each measures every cell.
Programs = Annotated[
    list[Program],
    BeforeValidator(_listed),
    WithJsonSchema(
        {
            "anyOf": [_ONE, {"type": "array", "items": _ONE, "minItems": 1, "uniqueItems": True}],
            "allowed": "fivenines, sysbench, or a list of both",
        }
    ),
]
