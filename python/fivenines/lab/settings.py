"""One entry of the section `network:` of an experiment: sites, the hosts in them, the links between."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import BeforeValidator, Field, create_model

from fivenines.settings import Settings
from fivenines.units import Duration, Rate

T = TypeVar("T")

ONE_SITE = "site"
"""What the only site is called where none is named."""

LONGEST_RTT = 60.0
MOST_SITES = 16
LONGEST_NAME = 30

RoundTrip = Annotated[Duration, Field(le=LONGEST_RTT)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
SiteName = Annotated[str, Field(min_length=1)]


def _by_name(sites: object) -> object:
    """A list of distinct names as a mapping from each to no hosts."""
    if isinstance(sites, list) and all(isinstance(name, str) for name in sites):
        return {name: [] for name in sites} if len(set(sites)) == len(sites) else sites
    return sites


class LinkSettings(Settings):
    """What a link does to frames, the same in both directions unless a direction says otherwise."""

    rtt: RoundTrip = Field(
        0.0, description="round trip; each direction adds half of it. A list makes a network of each"
    )
    jitter: RoundTrip = Field(
        0.0, description="each frame's latency varies evenly by up to this, its order is kept"
    )
    bandwidth: Rate | None = Field(
        None,
        description="of each direction, as 57kbit/s; null: as fast as the machine can. A list makes a "
        "network of each",
    )
    loss: Share = Field(0.0, description="share of frames that are lost, from 0 to 1")
    reorder: Share = Field(
        0.0, description="share of frames that skip the latency, and so overtake those before them"
    )
    queue: Duration | None = Field(
        None,
        description="how long a frame may wait for the bandwidth until frames are dropped; "
        "null: 2s up to 64 kbit/s, 200ms above",
    )

    def problems(self) -> list[str]:
        found = []
        if self.jitter > self.rtt / 2:
            found.append("the jitter of a direction is longer than its latency, which is half of the rtt")
        if self.reorder and not self.rtt:
            found.append("reorder needs an rtt: without latency no frame can be overtaken")
        if self.queue is not None and self.bandwidth is None:
            found.append("queue needs a bandwidth: without a limit no frame waits")
        return found

    @property
    def changes(self) -> bool:
        """Whether it does anything to a frame."""
        return self != LinkSettings()


class DirectionSettings(Settings):
    """What is different from one site to another; a key left out is as in `link:`."""

    source: SiteName = Field(description="the site that sends")
    target: SiteName = Field(description="the site that receives")
    rtt: RoundTrip | None = Field(None, description="twice the latency of this direction")
    jitter: RoundTrip | None = Field(None, description="see `link:`")
    bandwidth: Rate | None = Field(None, description="see `link:`")
    loss: Share | None = Field(None, description="see `link:`")
    reorder: Share | None = Field(None, description="see `link:`")
    queue: Duration | None = Field(None, description="see `link:`")

    def over(self, link: LinkSettings) -> LinkSettings:
        """The link's settings in this direction."""
        own = {name: getattr(self, name) for name in LinkSettings.model_fields}
        return link.model_copy(update={name: value for name, value in own.items() if value is not None})


Beginning = Literal["deployment", "load", "steady"]

if TYPE_CHECKING:

    class _Begins(Settings):
        pass

else:
    # a word of Python's own cannot name a field in a class
    _Begins = create_model(
        "_Begins",
        __base__=Settings,
        **{
            "from": (
                Beginning,
                Field(
                    "deployment",
                    description="from when on links and bandwidth are as written. deployment: all the time. "
                    "load: from just before the load starts until the nodes have settled after it; deploying "
                    "and the checks are as fast as the machine. steady: the same from 2 s before the steady "
                    "window on, so that servers have opened their tables in the warm-up",
                ),
            )
        },
    )


class NetworkSettings(_Begins):
    """The network between the hosts: one site, or several with links between them."""

    name: str = Field("lan", description="how reports call it")
    bandwidth: Rate | None = Field(
        None, description="what each host may send, as 100Mbit/s; null: as fast as the machine can"
    )
    sites: Annotated[dict[str, list[str]], BeforeValidator(_by_name)] = Field(
        default_factory=dict,
        description="names of sites, as [east, west], or with their hosts, as {east: [node1, client], "
        "west: [node2]}; servers that are not named go to the sites in turn, other hosts to the first",
    )
    link: LinkSettings = Field(default_factory=LinkSettings, description="every link between two sites")
    links: list[DirectionSettings] = Field(
        default_factory=list, description="what is different in one direction between two sites"
    )

    @property
    def begins(self) -> Beginning:
        """What the key `from` says."""
        found: Beginning = getattr(self, "from")
        return found

    @property
    def begins_late(self) -> bool:
        """Whether the deployment is as fast as the machine."""
        return self.begins != "deployment"

    def plain(self) -> "NetworkSettings":
        """The same sites, and nothing done to any frame."""
        return self.model_copy(update={"bandwidth": None, "link": LinkSettings(), "links": []})

    @property
    def site_names(self) -> list[str]:
        """The sites in their order, at least one."""
        return list(self.sites) or [ONE_SITE]

    @property
    def named_hosts(self) -> dict[str, str]:
        """The site of each host that the settings name."""
        return {host: site for site, hosts in self.sites.items() for host in hosts}

    def direction(self, source: str, target: str) -> LinkSettings:
        """What the link from one site to another does; nothing within a site."""
        if source == target:
            return LinkSettings()
        for one in self.links:
            if (one.source, one.target) == (source, target):
                return one.over(self.link)
        return self.link

    def problems(self) -> list[str]:
        """What does not fit together; each names its key."""
        found = [*self._site_problems(), *self._link_problems()]
        if self.begins_late and self == self.plain():
            found.append("from: nothing begins with the load; set `bandwidth`, or what a `link` does")
        return found

    def _site_problems(self) -> list[str]:
        found = []
        names = self.site_names
        if len(names) > MOST_SITES:
            found.append(f"sites: {len(names)} sites, at most {MOST_SITES} are possible")
        if any(not name.strip() or len(name) > LONGEST_NAME for name in names):
            found.append(f"sites: a name has from 1 to {LONGEST_NAME} characters")
        hosts = [host for some in self.sites.values() for host in some]
        found += [f"sites: the host {host!r} stands there twice" for host in _twice(hosts)]
        if len(names) < 2 and (self.link.changes or self.links):
            found.append("link: a link joins two sites; name them, as in `sites: [east, west]`")
        return found

    def _link_problems(self) -> list[str]:
        found = []
        pairs = [(one.source, one.target) for one in self.links]
        for index, (one, (source, target)) in enumerate(zip(self.links, pairs, strict=True)):
            for name in (source, target):
                if self.sites and name not in self.site_names:
                    known = ", ".join(self.site_names)
                    found.append(f"links[{index}]: no site is called {name!r}; there are: {known}")
            if source == target:
                found.append(f"links[{index}]: a link leads from one site to another")
            found += [f"links[{index}]: {problem}" for problem in one.over(self.link).problems()]
        found += [f"links: {a!r} to {b!r} stands there twice" for a, b in _twice(pairs)]
        return found


def _twice(items: list[T]) -> list[T]:
    return list(dict.fromkeys(one for one in items if items.count(one) > 1))
