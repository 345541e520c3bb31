"""Test the fault `command`: what is refused before anything starts, and at which line."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import fault_from, parse_experiment
from fivenines.faults.services.command import CommandSettings

TEXT = """name: x
workloads: [oltp_read_only]
solutions: [standalone]
faults:
{fault}
timing: {{recovery: 60s}}
"""


def refusal(fault: str) -> str:
    with pytest.raises(UsageError) as refused:
        parse_experiment(TEXT.format(fault=fault), "x.yaml")
    return str(refused.value)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            '  - fault: command\n    inject: "true"\n    recover: echo ${node}',
            "x.yaml:7:14: faults[0]: recover: write {node}: ${node} is a variable of the shell",
        ),
        ("  - fault: command\n    inject: echo 'x", "x.yaml:6:13: faults[0]: inject: line 1: syntax error: "),
        (
            "  - fault: repeat\n    of:\n      fault: command\n      inject: echo {hostname}",
            "x.yaml:8:15: faults[0]: inject: {hostname} is no placeholder; did you mean {host}? ",
        ),
        (
            "  - fault: sequence\n    steps:\n      - fault:\n          fault: command\n"
            "          inject: echo {hostname}",
            "x.yaml:9:19: faults[0]: steps[0]: inject: {hostname} is no placeholder; did you mean {host}? ",
        ),
    ],
)
def test_a_wrong_command_is_refused_at_its_line(fault: str, message: str) -> None:
    assert message in refusal(fault)


def test_a_command_from_the_command_line_is_checked() -> None:
    with pytest.raises(UsageError, match=r"^--fault: inject: write \{host\}: "):
        fault_from({"fault": "command", "inject": "ssh ${host} reboot"}, "--fault")


@pytest.mark.parametrize(("verify", "what"), [("true", "succeeds"), ("exit 1", "fails")])
def test_a_verification_with_a_fixed_result_is_refused(verify: str, what: str) -> None:
    message = refusal(f'  - fault: command\n    inject: "true"\n    verify: "{verify}"')
    assert (
        f"x.yaml:7:13: faults[0]: verify: {verify!r} always {what}: write a command that succeeds" in message
    )
    assert message.count("verify: ") == 1


def test_inject_and_recover_may_have_a_fixed_result() -> None:
    assert not CommandSettings(fault="command", inject="true", recover="exit 0").problems()
