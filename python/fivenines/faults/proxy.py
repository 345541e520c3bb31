"""Fault `proxy`: the process of the access layer dies, and with it all connections through it."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import ServiceFaultSettings

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene


class ProxySettings(ServiceFaultSettings):
    """SIGKILL to the proxy; the servers behind it are not touched, and cannot be reached."""

    fault: Literal["proxy"] = Field(description="the access layer's process dies")


class Proxy(Fault[ProxySettings]):
    """Verified by the ends of its processes; after the restart by its finding a writable node."""

    settings_type = ProxySettings

    def strike(self, scene: "Scene") -> Strike:
        process = scene.access.process
        if process is None:
            raise FiveninesError("the access layer has no process of its own")
        moment = now()
        hit = process.kill()
        gone = bool(hit) and process.gone(hit)
        detail = f"SIGKILL to {len(hit)} processes" + ("" if gone else ", not all have ended")
        return Strike((scene.access.settings.host,), "proxy", moment, gone, detail)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        moment = now()
        scene.access.start_again()
        return Mended(True, "the proxy finds a writable node", moment)
