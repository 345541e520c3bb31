"""Test placeholders in custom commands: replaced, left to the shell, or refused."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.lab.processes.placeholders import filled, problem


def test_values_are_filled_in_and_the_shells_own_braces_stay() -> None:
    command = "ssh {node} 'echo ${HOME} {a,b}' {port}"
    assert filled(command, {"node": "db1", "port": "5432"}) == ("ssh db1 'echo ${HOME} {a,b}' 5432")
    assert filled("echo ${node} $${node} \\${node}", {"node": "a"}) == "echo ${node} $$a \\${node}"


@given(st.text(st.characters(exclude_characters="\0\r\n", codec="utf-8"), max_size=20))
def test_any_value_becomes_one_word(value: str) -> None:
    assert shlex.split(filled("echo {host}", {"host": value})) == ["echo", value]


def test_values_are_not_filled_in_again() -> None:
    assert filled("{host} {port}", {"host": "{port}", "port": "1"}) == "'{port}' 1"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "ssh root@{node} -p {port} 'echo {host}'",
        "awk '{print $1}' x",
        "awk '/a/{print} END{exit}' x",
        "sed -n '/a/{p}' x",
        "find . -name '*.pid' -exec rm {} \\;",
        "ls | xargs -I{} echo {}",
        """curl -d '{"a":1}' {host}""",
        "curl -w '%{http_code}' {host}",
        "jq '{name: .a}' x; jq '{ name }' x",
        "docker ps --format '{{.State}}'",
        "docker ps --format '{{if .State}}a{{else}}b{{end}}'",
        "kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}{end}'",
        "ansible db -a 'echo {{ inventory_hostname }}'",
        "echo ${HOME} ${VAR:-x} ${VAR%{} {a,b} {1..3} $$ $${node}",
        "{ echo a; echo {node}; }",
        "f() { echo {node}; }; f",
        "for host in a b; do echo ${host}; done",
        "port=1; echo ${port}",
        "read -r node < x; echo ${node}",
        "ssh {node} sh <<'EOF'\ntable inet x { chain y { drop; } }\nEOF",
        "grep -P '\\p{Lu}' x",
    ],
)
def test_commands_with_braces_of_their_own_are_accepted(command: str) -> None:
    assert not problem(command)


@pytest.mark.parametrize("name", ["node", "host", "port"])
@pytest.mark.parametrize("command", ["echo cut ${{{}}}", "ssh x 'echo \\${{{}}}'", "echo $$${{{}}}"])
def test_a_variable_in_place_of_a_placeholder_is_refused(command: str, name: str) -> None:
    assert problem(command.format(name)) == f"write {{{name}}}: ${{{name}}} is a variable of the shell"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "echo {hostname}",
            "{hostname} is no placeholder; did you mean {host}? The placeholders are {node}, ",
        ),
        ("ssh root@{Node} x", "{Node} is no placeholder; did you mean {node}? "),
        (
            "echo {primary}",
            "{primary} is no placeholder. The placeholders are {node}, {host}, {port}. If the ",
        ),
        ("echo {{ node }}", "{{ node }} is no placeholder: write {node}. The placeholders are "),
        ("echo {{hostname}}", "{{hostname}} is no placeholder: write {host}. "),
        ("if true", "line 1: syntax error: "),
        ("echo {node}\necho 'x", "line 2: syntax error: "),
        ("echo a\n)", "line 2: syntax error: "),
    ],
)
def test_unknown_placeholders_and_wrong_syntax_are_refused(command: str, message: str) -> None:
    assert problem(command).startswith(message)


def test_a_checked_command_does_not_run() -> None:
    assert not problem("exit 3")
