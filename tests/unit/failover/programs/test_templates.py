"""Templates of files and commands: their names, and robustness."""

from hypothesis import given
from hypothesis import strategies as st

from fivenines.failover.programs import templates


@given(st.text(max_size=200))
def test_any_text_is_a_template_or_an_error(text: str) -> None:
    problem = templates.problem(text)
    assert problem or templates.rendered(text, templates._EXAMPLE) is not None


def test_further_names_are_known_only_if_passed() -> None:
    assert "'node' is undefined" in templates.problem("{{ node.name }}")
    assert templates.problem("{{ node.name }}", "node") == ""
    assert "known names are nodes" in (problem := templates.problem("{{ nod }}", "node"))
    assert problem.endswith(", node")
