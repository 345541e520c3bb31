"""`fivenines doctor`: what was tried, and the exact remedy."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_support import Fivenines

from fivenines.campaign import doctor
from fivenines.campaign.doctor import Check


def examined(monkeypatch: pytest.MonkeyPatch, *checks: Check) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: list(checks))


def test_what_is_missing_comes_with_its_remedy(fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch) -> None:
    examined(
        monkeypatch,
        Check("ip", "ok", "/usr/sbin/ip"),
        Check("limits", "warning", "no cgroups", "run it elsewhere"),
        Check("namespaces", "failed", "unshare failed", "one line\nanother"),
    )
    answer = fivenines("doctor")
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.splitlines() == [
        "ok       ip: /usr/sbin/ip",
        "warning  limits: no cgroups",
        "             run it elsewhere",
        "FAILED   namespaces: unshare failed",
        "             one line",
        "             another",
        "No experiment can run here yet: 1 of 3 checks failed, see above.",
    ]


@pytest.mark.parametrize(
    ("states", "verdict"),
    [
        (["ok", "ok"], "Ready: all checks passed."),
        (["ok", "warning"], "Ready: experiments can run here, with limits: see 1 warning above."),
        (["warning", "warning"], "Ready: experiments can run here, with limits: see 2 warnings above."),
    ],
)
def test_the_last_line_is_the_verdict(
    fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch, states: list[Any], verdict: str
) -> None:
    examined(monkeypatch, *(Check("x", state, "seen") for state in states))
    assert fivenines("doctor").out.splitlines()[-1] == verdict


def test_a_warning_is_no_failure(fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, Check("limits", "warning", "no cgroups", "run it elsewhere"))
    answer = fivenines("doctor", "--json")
    assert answer.code == 0
    assert json.loads(answer.out) == {
        "ok": True,
        "checks": [
            {"name": "limits", "state": "warning", "seen": "no cgroups", "remedy": "run it elsewhere"}
        ],
    }


def test_every_check_on_this_machine_has_a_remedy_when_it_is_not_ok() -> None:
    for check in doctor.examine():
        assert check.seen
        assert bool(check.remedy) == (check.state in ("warning", "failed")), check


def test_without_nft_the_network_cannot_be_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    found = doctor.cuts()
    assert (found.state, found.remedy) == ("warning", "install it: sudo apt-get install nftables")
    assert "network faults are not possible" in found.seen


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "kernel.unprivileged_userns_clone is 0: sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            "user/max_user_namespaces",
            "0",
            "user.max_user_namespaces is 0: sudo sysctl -w user.max_user_namespaces=15000",
        ),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns is 1: "
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_the_setting_that_forbids_namespaces_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, remedy: str
) -> None:
    monkeypatch.setattr(doctor, "_words", lambda path: [value] if str(path) == f"/proc/sys/{name}" else [])
    monkeypatch.setattr(doctor, "_LAB", ["false"])
    check = doctor.namespaces()
    assert (check.state, check.seen) == ("failed", "unshare failed: exit code 1")
    assert check.remedy == remedy


def test_without_a_forbidding_sysctl_the_container_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_words", lambda path: [])
    monkeypatch.setattr(doctor, "_LAB", ["false"])
    assert doctor.namespaces().remedy == (
        "no sysctl forbids user namespaces; in a container, the seccomp or AppArmor profile does:\n"
        "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined"
    )


def test_a_missing_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = {check.name: check for check in doctor.tools()}
    assert found["unshare"] == Check(
        "unshare", "failed", "not found", "install it: sudo apt-get install util-linux"
    )
    assert found["mmdebstrap"].state == "warning"
    assert doctor.namespaces().remedy == "install it: sudo apt-get install util-linux"


@pytest.mark.parametrize(("free", "state"), [(1e9, "failed"), (5e9, "warning"), (50e9, "ok")])
def test_too_little_room_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: float, state: str
) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "deep" / "cache"))
    usage = shutil.disk_usage(tmp_path)._replace(free=int(free))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    check = doctor.disk()
    assert check.state == state
    assert f"{free / 1e9:.1f} GB free" in check.seen


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PATIENCE", 0.1)
    assert doctor._try(["sleep", "5"]).error == "no answer in 0 s"
    assert doctor._try(["/nonesuch"]).error == "/nonesuch: No such file or directory"
