"""Parse hosts, ports and sockets of connection strings."""

import re
from urllib.parse import unquote

from fivenines.load.dsn.model import PORTS, Address, Driver, FormError, WrongError

_SOCKETS = ("/", "%2F", "%2f", "@/")


def addresses_of(text: str, driver: Driver, default: int = 0) -> tuple[Address, ...]:
    """Return the servers of `host:port,host:port`, where a path is a Unix socket.

    Args:
        text: the hosts.
        driver: determines the default port.
        default: another default port.

    Raises:
        WrongError: a part is not a host.
    """
    parts = [part.strip() for part in _parts(text)]
    addresses = tuple(_address(part, driver, default or PORTS[driver]) for part in parts)
    if len(set(addresses)) < len(addresses):
        raise WrongError("a server is repeated")
    return addresses


def paired(hosts: str, ports: str, driver: Driver) -> tuple[Address, ...]:
    """Return the servers of libpq's `host=a,b port=1,2`; one port is for all hosts.

    Raises:
        WrongError: the numbers of hosts and ports differ, or a part is no host.
    """
    names = [name.strip() for name in hosts.split(",")]
    numbers = [number.strip() for number in ports.split(",")] if ports else [""]
    if len(numbers) == 1:
        numbers *= len(names)
    if len(numbers) != len(names):
        raise WrongError(f"it has {len(names)} hosts and {len(numbers)} ports")
    together = []
    for name, number in zip(names, numbers, strict=True):
        is_address = name.count(":") > 1 and not name.startswith(("[", *_SOCKETS))
        bracketed = f"[{name}]" if is_address else name
        together.append(f"{bracketed}:{number}" if number and not _has_port(bracketed) else bracketed)
    return addresses_of(",".join(together), driver)


def _has_port(name: str) -> bool:
    return not name.startswith(_SOCKETS) and ":" in name.rpartition("]")[2]


def _parts(text: str) -> list[str]:
    """Split at commas, but not inside Connector/J's `(host=h,port=1)` and `address=(host=h)(port=1)`."""
    parts = re.split(r",(?![^()]*\))", text)
    return [_written_out(part.strip()) for part in parts]


def _written_out(part: str) -> str:
    if "(" not in part:
        return part
    pairs = re.findall(r"(\w+)\s*=\s*([^(),\s]+)", part)
    found = {name.lower(): value for name, value in pairs if name.lower() != "address"}
    host = found.get("host", "")
    bracketed = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{bracketed}:{found['port']}" if "port" in found else bracketed


def _address(text: str, driver: Driver, default: int) -> Address:
    if not text:
        raise FormError("the host is missing")
    if text.startswith(_SOCKETS):
        return _socket(text, driver, default)
    match = re.fullmatch(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<host>[^\[\]:]*))(?::(?P<port>[^:]*))?", text)
    if match is None:
        raise FormError("its host or port is malformed (write an IPv6 address in [ ])")
    host, written = unquote(match["v6"] or match["host"] or ""), match["port"]
    if not host:
        raise FormError("the host is missing")
    if not host.isprintable() or re.search(r"[\s/]", host):
        raise FormError("its host or port is malformed")
    if not written:
        return Address(host, default)
    if not (written.isascii() and written.isdecimal() and 1 <= int(written[:6]) <= 65535):
        raise FormError("its host or port is malformed: a port is a number from 1 to 65535")
    return Address(host, int(written))


def _socket(text: str, driver: Driver, default: int) -> Address:
    """Return a socket; PostgreSQL's is a folder with the port behind it, as libpq has it.

    A path may have colons of its own, as /cloudsql/project:region:instance.
    """
    path, _, port = text.rpartition(":")
    if not (path and port.isascii() and port.isdecimal()):
        path, port = text, ""
    path = unquote(path) if "%" in path else path
    if driver == "postgres" and ".s.PGSQL." not in path:
        path = f"{path.rstrip('/')}/.s.PGSQL.{port or default}"
    if not path.isprintable():
        raise WrongError("the path of its socket has unprintable characters")
    return Address("", 0, path)
