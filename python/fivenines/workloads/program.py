"""Which program makes the load, and what a workload is called under each."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, WithJsonSchema

from fivenines.settings import told
from fivenines.spelling import nearest

Program = Literal["fivenines", "sysbench"]

OURS: Program = "fivenines"

PROGRAMS: tuple[Program, ...] = get_args(Program)


def named(workload: str, program: Program) -> str:
    """What a workload is called when this program runs it: trials of two programs are never of one cell."""
    return workload if program == OURS else f"{workload} ({program})"


def _listed(value: Any) -> list[Any]:
    """One program, or several, as a list without repetition."""
    given = value if isinstance(value, list) else [value]
    if not given:
        raise told(f"the list of programs is empty; name one or more of {', '.join(PROGRAMS)}")
    for one in given:
        if one not in PROGRAMS:
            hint = nearest(one, PROGRAMS) if isinstance(one, str) else ""
            raise told(f"found {one!r}, but a load is made by {' or '.join(PROGRAMS)}{hint}")
        if given.count(one) > 1:
            raise told(f"{one} stands in the list twice: remove one of them")
    return given


_ONE = {"enum": list(PROGRAMS)}

# The programs that make the load; each measures every cell.
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
