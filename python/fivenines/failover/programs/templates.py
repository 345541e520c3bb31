"""Configuration files of custom programs: Jinja templates with the topology and the accounts.

Templates may come from third parties, so they run in Jinja's sandbox. An unknown name is an error, never an
empty string.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


@dataclass(frozen=True)
class TemplateNode:
    """A database server in a template."""

    name: str
    address: str
    port: int


@dataclass(frozen=True)
class TemplateAccount:
    """An account of the servers in a template."""

    user: str
    password: str


@dataclass(frozen=True)
class Facts:
    """All names that a template can use.

    Attributes:
        nodes: all database servers.
        primary: the current primary.
        replicas: all other servers.
        address: address of the program's host.
        write_port, read_port: ports for clients; read_port is 0 if there is none.
        application: the account of the load, in `database`.
        manager: an account that may read the servers' state and promote.
        database: the database of the load.
        files: the folder with the rendered files.
        run, log: folders that the program may write to.
        root: where its files are if they are not a whole root file system; else empty.
    """

    nodes: Sequence[TemplateNode]
    primary: TemplateNode
    replicas: Sequence[TemplateNode]
    address: str
    write_port: int
    read_port: int
    application: TemplateAccount
    manager: TemplateAccount
    database: str
    files: str
    run: str
    log: str
    root: str


def rendered(text: str, facts: Facts, more: Mapping[str, TemplateNode] = MappingProxyType({})) -> str:
    """Render a template; `more`: further names.

    Raises:
        jinja2.TemplateError: it is invalid, or uses an unknown name.
    """
    return (
        _environment()
        .from_string(text)
        .render(_names(facts) | {name: asdict(node) for name, node in more.items()})
    )


def problem(text: str, *more: str) -> str:
    """Return what is wrong with a template, with its line; empty if it is valid for any cluster.

    Args:
        more: names of nodes that it may use in addition.
    """
    import jinja2  # noqa: PLC0415

    try:
        rendered(text, _EXAMPLE, dict.fromkeys(more, _NODES[0]))
    except jinja2.TemplateSyntaxError as error:
        return f"line {error.lineno}: {error.message}"
    except jinja2.UndefinedError as error:
        known = ", ".join([*_names(_EXAMPLE), *more])
        return f"{error.message}; known names are {known}"
    except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
        return str(error) or type(error).__name__
    return ""


def has_password(text: str, *more: str) -> bool:
    """Return whether a valid template puts a password into its text."""
    if problem(text, *more):
        return False
    made = rendered(text, _EXAMPLE, dict.fromkeys(more, _NODES[0]))
    return any(account.password in made for account in (_EXAMPLE.application, _EXAMPLE.manager))


def _environment() -> "SandboxedEnvironment":
    # Import jinja2 late: few experiments have templates, but every command that lists solutions comes here.
    import jinja2.sandbox  # noqa: PLC0415

    return jinja2.sandbox.SandboxedEnvironment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )


def _names(facts: Facts) -> dict[str, Any]:
    return asdict(facts)


_NODES = [TemplateNode(f"node{number}", f"10.99.0.{10 + number}", 5432) for number in (1, 2, 3)]
_EXAMPLE = Facts(
    nodes=_NODES,
    primary=_NODES[0],
    replicas=_NODES[1:],
    address="10.99.0.14",
    write_port=6432,
    read_port=6433,
    application=TemplateAccount("app", "password-of-app"),
    manager=TemplateAccount("manager", "password-of-manager"),
    database="sbtest",
    files="/files",
    run="/run",
    log="/log",
    root="",
)
