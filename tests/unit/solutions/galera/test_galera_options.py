"""A user's wsrep_provider_options are merged one by one with the solution's."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import solution_from
from fivenines.servers.mysql_family.provider_options import parsed, same_option, seconds
from fivenines.solutions.galera.options import group_options
from fivenines.solutions.galera.settings import GaleraSettings


def _galera(text: str, **given: object) -> GaleraSettings:
    settings = solution_from({"solution": "galera", **given, "server": {"wsrep-provider-options": text}}, "x")
    assert isinstance(settings, GaleraSettings)
    return settings


def test_options_that_have_a_key_are_the_keys() -> None:
    assert _galera("gcs.fc_factor=.99").fc_factor == 0.99
    settings = _galera("gcache.size=256M; gcs.fc_limit = 64;evs.suspect_timeout=PT2S; gcs.fc_debug=1")
    assert (settings.gcache, settings.fc_limit, settings.suspect_timeout) == (2**28, 64, 2.0)
    # Dependent values follow: a keepalive of 1 s would be refused.
    assert group_options(settings, None)["evs.keepalive_period"] == "PT0.5S"
    assert settings.server == {"wsrep-provider-options": "gcs.fc_debug=1"}
    # Once more, as a run reads it.
    assert GaleraSettings.model_validate(settings.model_dump()) == settings


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("evs.suspect_timeout=PT2S", {"suspect_timeout": "2s"}, "set by the solution's key suspect_timeout"),
        ("gcs.fc_limit=6; GCS.FC_LIMIT=7", {}, "set by the solution's key fc_limit"),
        ("gcache.size=many", {}, "gcache.size=many: Galera reads a number with one of the letters"),
        ("gcache.size=2GB", {}, "gcache.size=2GB: Galera reads a number with one of the letters"),
        ("evs.suspect_timeout=5s", {}, "evs.suspect_timeout=5s: Galera reads periods of ISO 8601"),
        ("gcs.fc_limit=16, gcs.fc_factor=0.8", {}, "a semicolon separates options, not a comma"),
        ("gcs.fc_debug=1, pc.weight=2", {}, "a semicolon separates options, not a comma"),
        ("gmcast.listen_addr=tcp://0.0.0.0", {}, "gmcast.listen_addr is set by fivenines"),
        ("base_host=10.0.0.1", {}, "base_host is set by fivenines"),
        ("pc.bootstrap=YES", {}, "pc.bootstrap is set by fivenines"),
        ("gmcast.segment=1", {"segments": True}, "gmcast.segment differs between sites"),
        ("pc.weight", {}, "pc.weight has no value"),
        ("pc.weight=1; pc.weight=2", {}, "pc.weight is set twice"),
    ],
)
def test_options_that_cannot_be_merged_are_refused(text: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        _galera(text, **given)
    assert str(refused.value).startswith("x: server.wsrep-provider-options: ")
    assert message in str(refused.value)


def test_a_pair_reports_problems_of_each_cluster() -> None:
    pair = {"solution": "cluster-pair", "a": "galera"}
    with pytest.raises(UsageError, match=r"evs\.suspect_timeout is set by the solution's key"):
        solution_from({**pair, "server": {"wsrep_provider_options": "evs.suspect_timeout=PT2S"}}, "x")
    solution_from({**pair, "server": {"wsrep_provider_options": "pc.weight=2"}}, "x")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("PT2S", "PT2.0S", True),
        ("PT1M30S", "PT90S", True),
        ("P1D", "PT24H", True),
        ("256M", "268435456", True),
        ("0.5", "0.50", True),
        ("yes", "YES", True),
        ("true", "1", True),
        ("PT2S", "PT5S", False),
        ("256M", "128M", False),
        ("YES", "no", False),
    ],
)
def test_values_are_compared_by_their_meaning(one: str, other: str, same: bool) -> None:
    assert same_option(one, other) is same


def test_periods_and_quotes() -> None:
    assert seconds("P1DT2H3M4.5S") == 93784.5
    assert parsed("'a=1; b = tcp://x:1 ;'") == {"a": "1", "b": "tcp://x:1"}
    with pytest.raises(ValueError, match="is not a period"):
        seconds("PT")
