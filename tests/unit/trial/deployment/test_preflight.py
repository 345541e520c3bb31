"""Which of the user's settings a server's message is about."""

from collections.abc import Sequence

import pytest

from fivenines.campaign.preflight import place_of
from fivenines.experiment import document
from fivenines.solutions.standalone import StandaloneSettings
from fivenines.solutions.sweep import VariantSettings
from fivenines.trial.deployment.preflight import _by_trial, blamed

GIVEN: dict[tuple[str, ...], object] = {
    ("server", "no_such_setting"): 1,
    ("server", "max_connections"): 2,
    ("server", "max"): 3,
    ("server", "ssl_cert_file"): "/etc/snakeoil.pem",
    ("server", "ssl"): "on",
}


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("[ERROR] mariadbd: unknown variable 'no-such-setting=1'", ("server", "no_such_setting")),
        ('LOG:  invalid value for parameter "MAX_CONNECTIONS": "x"', ("server", "max_connections")),
        ("LOG: max is wrong, max_connections too", ("server", "max")),
        ('FATAL: could not load server certificate file "/etc/snakeoil.pem"', ("server", "ssl_cert_file")),
        ("FATAL: something else", None),
    ],
)
def test_the_setting_that_is_named_is_blamed(words: str, keys: tuple[str, ...] | None) -> None:
    assert blamed(GIVEN, words) == keys


@pytest.mark.parametrize("guilty", range(5))
def test_an_unnamed_setting_is_found_by_bisection(guilty: int) -> None:
    given, tried = [("server", str(number)) for number in range(5)], []

    def words(some: Sequence[tuple[str, ...]]) -> str:
        tried.append(some)
        return f"dead of {len(some)}" if given[guilty] in some else ""

    keys, message = _by_trial(given, words)
    assert keys == given[guilty] and message.startswith("dead") and len(tried) <= 4


def test_a_single_setting_is_blamed_for_any_message() -> None:
    assert blamed({("server", "no_such_setting"): 1}, "FATAL: something else") == (
        "server",
        "no_such_setting",
    )


def test_the_error_points_to_the_solution_of_this_name() -> None:
    text = document.parse(
        "solutions:\n"
        "  - {solution: standalone, name: a, server: {x: 1}}\n"
        "  - {solution: standalone, name: b, server: {x: 1}}\n"
        "  - {solution: galera, name: c}\n",
        "f.yaml",
    )
    settings = StandaloneSettings(solution="standalone", name="b")
    assert place_of(text, settings, ("server", "x")) == ("solutions", 1, "server", "x")
    other = settings.model_copy(update={"name": "made of a default"})
    assert place_of(text, other, ("server", "x")) == ("solutions", 0, "server", "x")
    assert place_of(text, settings, ("server", "y")) == ("solutions", 1)


@pytest.mark.parametrize(("head", "inner"), [("", ()), ("settings: {", ("settings",))])
def test_the_error_in_a_sweep_points_to_the_value(head: str, inner: tuple[str, ...]) -> None:
    sweep = f"{head}server.x: [1, 7]{'}' if head else ''}"
    text = document.parse(
        "solutions:\n"
        "  - {solution: standalone, name: a, sweep: {server.x: [7, 8]}}\n"
        f"  - {{solution: standalone, name: b, sweep: {{{sweep}}}}}\n",
        "f.yaml",
    )
    variant = VariantSettings(of="b", settings={"server.x": 7})
    settings = StandaloneSettings(solution="standalone", name="b [x=7]", variant=variant)
    place = ("solutions", 1, "sweep", *inner, "server.x", 1)
    assert place_of(text, settings, ("server", "x")) == place
    assert text.data["solutions"][1]["name"] == "b" and place in text.values
