"""Test which commands always succeed or always fail."""

import pytest

from fivenines.lab.processes.fixed_result import fixed_result


@pytest.mark.parametrize(
    ("command", "succeeds"),
    [
        *(
            (text, True)
            for text in ("true", ":", "exit 0", "exit", "/bin/true", "/usr/bin/true", " true ;  # x")
        ),
        *(
            (text, True)
            for text in ("nc -z {host} 1 || true", "nc -z {host} 1; :", "a\nb\ntrue", "a; exit 0")
        ),
        *((text, True) for text in ("echo cut {node}", "sleep 1", "echo 'a # b'")),
        *((text, False) for text in ("false", "/bin/false", "exit 1", "! true", "! :")),
        *((text, None) for text in ("", "! nc -z {host} {port}", "test -e /x", "a && true", "true && a")),
        *((text, None) for text in ("grep -q x y || exit 1; exit 0", "set -e; a; true", "a && exit 1; true")),
        *(
            (text, None)
            for text in ("ssh {node} 'a; true'", "echo a | grep b", "echo $(a) > x", "echo a > /x")
        ),
        *(
            (text, None)
            for text in ("if a; then exit 0; fi; b", "test -e /true", "untrue", "exit $x", "a; exit")
        ),
    ],
)
def test_commands_with_a_fixed_result_are_known(command: str, succeeds: bool | None) -> None:
    assert fixed_result(command) is succeeds
