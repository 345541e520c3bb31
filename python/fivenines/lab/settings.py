"""Settings of an entry in an experiment's section `network`: sites, hosts, and links between sites."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, create_model

from fivenines.base.settings import Settings
from fivenines.base.units import Duration, Fraction, Rate

T = TypeVar("T")

# Name of the only site if the settings name none.
ONE_SITE = "site"

LONGEST_RTT = 60.0
MOST_SITES = 16
LONGEST_NAME = 30

RoundTrip = Annotated[Duration, Field(le=LONGEST_RTT)]
SiteName = Annotated[str, Field(min_length=1)]


def _by_name(sites: object) -> object:
    """Convert a list of distinct names to a mapping from each name to no hosts."""
    if isinstance(sites, list) and all(isinstance(name, str) for name in sites):
        return {name: [] for name in sites} if len(set(sites)) == len(sites) else sites
    return sites


class LinkSettings(Settings):
    """Latency, loss and bandwidth of a link, in both directions unless `links` changes one of them."""

    rtt: RoundTrip = Field(
        0.0,
        description="round trip time; each direction adds half of it. A list creates one network per value",
    )
    jitter: RoundTrip = Field(
        0.0, description="maximum variation of a frame's latency, evenly distributed; frames keep their order"
    )
    bandwidth: Rate | None = Field(
        None,
        description="bandwidth of each direction, such as 57kbit/s; null: not limited. A list creates one "
        "network per value",
    )
    loss: Fraction = Field(0.0, description="fraction of frames that are lost, from 0 to 1")
    reorder: Fraction = Field(
        0.0, description="fraction of frames, from 0 to 1, that overtake others without latency"
    )
    queue: Duration | None = Field(
        None,
        description="maximum time that frames queue for the bandwidth before frames are dropped; "
        "null: 2s up to 64 kbit/s, 200ms above",
    )

    def problems(self) -> list[str]:
        problems = []
        if self.jitter > self.rtt / 2:
            problems.append("jitter must be at most half of rtt, which is the latency of a direction")
        if self.reorder and not self.rtt:
            problems.append("reorder needs an rtt: without latency no frame can be overtaken")
        if self.queue is not None and self.bandwidth is None:
            problems.append("queue needs a bandwidth: without a limit no frame waits")
        return problems

    @property
    def changes(self) -> bool:
        """Whether the link changes frames at all."""
        return self != LinkSettings()


class DirectionSettings(Settings):
    """Settings of the link from one site to another; keys that are missing are taken from `link`."""

    source: SiteName = Field(description="the sending site")
    target: SiteName = Field(description="the receiving site")
    rtt: RoundTrip | None = Field(None, description="twice the latency of this direction")
    jitter: RoundTrip | None = Field(None, description="see `link`")
    bandwidth: Rate | None = Field(None, description="see `link`")
    loss: Fraction | None = Field(None, description="see `link`")
    reorder: Fraction | None = Field(None, description="see `link`")
    queue: Duration | None = Field(None, description="see `link`")

    def over(self, link: LinkSettings) -> LinkSettings:
        """Return the link's settings in this direction."""
        own = {name: getattr(self, name) for name in LinkSettings.model_fields}
        return link.model_copy(update={name: value for name, value in own.items() if value is not None})


Beginning = Literal["deployment", "load", "steady"]

if TYPE_CHECKING:

    class _Begins(Settings):
        pass

else:
    # A class cannot have a field named `from`, which is a keyword of Python.
    _Begins = create_model(
        "_Begins",
        __base__=Settings,
        **{
            "from": (
                Beginning,
                Field(
                    "deployment",
                    description="time from which links and bandwidth apply. deployment: always. load: "
                    "from just before the load until the nodes have settled after it; deployment and checks "
                    "run at full speed. steady: as load, but from 2 s before the steady-state window, after "
                    "servers have opened their tables in the warm-up",
                ),
            )
        },
    )


class NetworkSettings(_Begins):
    """Network between the hosts: one site, or several sites with links between them."""

    name: str = Field("lan", description="name in reports")
    bandwidth: Rate | None = Field(
        None, description="bandwidth of each host, such as 100Mbit/s; null: not limited"
    )
    sites: Annotated[dict[str, list[str]], BeforeValidator(_by_name)] = Field(
        default_factory=dict,
        description="names of sites, such as [east, west], or sites with hosts, such as {east: [node1, "
        "client], west: [node2]}; unnamed servers are distributed round robin, other hosts are in the first "
        "site",
    )
    link: LinkSettings = Field(
        default_factory=LinkSettings, description="settings of every link between sites"
    )
    links: list[DirectionSettings] = Field(
        default_factory=list, description="different settings for one direction between two sites"
    )

    @property
    def begins(self) -> Beginning:
        """Return the value of the key `from`."""
        beginning: Beginning = getattr(self, "from")
        return beginning

    @property
    def begins_late(self) -> bool:
        """Whether the deployment runs at full speed."""
        return self.begins != "deployment"

    @property
    def has_slow_links(self) -> bool:
        """Whether links between sites change frames."""
        return self.link.changes or bool(self.links)

    def plain(self) -> "NetworkSettings":
        """Return the same sites with links that do not change frames."""
        return self.model_copy(update={"bandwidth": None, "link": LinkSettings(), "links": []})

    @property
    def site_names(self) -> list[str]:
        """Return the sites in their order, at least one."""
        return list(self.sites) or [ONE_SITE]

    @property
    def named_hosts(self) -> dict[str, str]:
        """Return the site of each host that the settings name."""
        return {host: site for site, hosts in self.sites.items() for host in hosts}

    def direction(self, source: str, target: str) -> LinkSettings:
        """Return the settings of the link from one site to another; a plain link within a site."""
        if source == target:
            return LinkSettings()
        for direction in self.links:
            if (direction.source, direction.target) == (source, target):
                return direction.over(self.link)
        return self.link

    def problems(self) -> list[str]:
        """Return contradictions of the settings; each begins with its key."""
        problems = [*self._site_problems(), *self._link_problems()]
        if self.begins_late and self == self.plain():
            problems.append("from: has no effect without a limit; set `bandwidth` or `link`")
        return problems

    def _site_problems(self) -> list[str]:
        problems = []
        names = self.site_names
        if len(names) > MOST_SITES:
            problems.append(f"sites: {len(names)} sites, but at most {MOST_SITES} are possible")
        if any(not name.strip() or len(name) > LONGEST_NAME for name in names):
            problems.append(f"sites: a name must have 1 to {LONGEST_NAME} characters")
        hosts = [host for site_hosts in self.sites.values() for host in site_hosts]
        problems += [f"sites: the host {host!r} is listed twice" for host in _twice(hosts)]
        if len(names) < 2 and self.has_slow_links:
            problems.append("link: a link connects two sites; name them, as in `sites: [east, west]`")
        return problems

    def _link_problems(self) -> list[str]:
        problems = []
        pairs = [(direction.source, direction.target) for direction in self.links]
        for index, (direction, (source, target)) in enumerate(zip(self.links, pairs, strict=True)):
            for name in (source, target):
                if self.sites and name not in self.site_names:
                    known = ", ".join(self.site_names)
                    problems.append(f"links[{index}]: unknown site {name!r}; the sites are: {known}")
            if source == target:
                problems.append(f"links[{index}]: source and target must be different sites")
            problems += [f"links[{index}]: {problem}" for problem in direction.over(self.link).problems()]
        problems += [f"links: {a!r} to {b!r} is listed twice" for a, b in _twice(pairs)]
        return problems


def _twice(items: list[T]) -> list[T]:
    return list(dict.fromkeys(item for item in items if items.count(item) > 1))
