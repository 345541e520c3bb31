"""What else differs between runs."""

from fivenines.analysis.environment import Only, _only


def test_a_value_in_one_run_may_be_a_mapping_in_another() -> None:
    here, existing = (True, False), (False, True)
    has = {
        ("lab", "kind"): (True, True),
        ("lab", "machines"): here,
        ("lab", "machines", "user"): existing,
        ("lab", "machines", "hosts", "a"): existing,
        ("lab", "machines", "hosts", "b"): existing,
    }
    lacking = {path: which for path, which in has.items() if not all(which)}
    assert _only(lacking, has) == [
        Only("lab.machines", (0,), 1),
        Only("lab.machines.user", (1,), 1),
        Only("lab.machines.hosts", (1,), 2),
    ]
