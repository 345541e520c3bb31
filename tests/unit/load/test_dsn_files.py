"""Files that connection strings name, read as by the clients that own them."""

from pathlib import Path

import pytest

from fivenines.load.dsn import parse_dsn
from fivenines.servers import option_file


# What my_print_defaults of MariaDB 10.11 prints for these lines.
@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('user = "u1"  # c', "user", "u1"),
        ("password = 'p#1;x'   # trailing", "password", "p#1;x"),
        ("password=abc#def", "password", "abc"),
        ("host=h1 # not a comment?", "host", "h1"),
        ("port=3310;x", "port", "3310;x"),
        ('bind="a # b"', "bind", "a # b"),
        ("sock='a'b'", "sock", "a'b"),
        (r"esc=a\sb\tc", "esc", "a b\tc"),
        ('half="abc', "half", '"abc'),
        ("ssl", "ssl", ""),
    ],
)
def test_lines_of_option_files_are_read_as_mysqls_clients_read_them(line: str, name: str, value: str) -> None:
    assert option_file.read(line) == (name, value)


def test_the_last_of_an_option_file_counts(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text(
        "[client] # all\nuser=a\nhost=h1\npassword=one\nhost=h1b\n[client_prod]\nhost=h2\n"
        "[mysql]\npassword=two\n[mysql_prod]\nport=3399\n"
    )
    dsn = parse_dsn(f"mysql --defaults-file={file} d")
    assert (str(dsn), dsn.password) == ("mysql://a@h1b:3306/d", "two")
    dsn = parse_dsn(f"mysql --defaults-extra-file={file} --defaults-group-suffix=_prod d")
    assert (str(dsn), dsn.password) == ("mysql://a@h2:3399/d", "two")
    assert str(parse_dsn(f"mysql://?defaults-file={file}&database=d")) == "mysql://a@h1b:3306/d"


def test_a_service_file_has_no_quotes_and_its_first_section_and_value_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "services"
    file.write_text("[mine]\nhost=h\nuser=u\ndbname=d\npassword='a #b'\nhost=other\n[mine]\nport=5433\n")
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    dsn = parse_dsn("service=mine")
    assert (str(dsn), dsn.password) == ("postgresql://u@h:5432/d", "'a #b'")


# The passwords that libpq 18 takes from these lines.
@pytest.mark.parametrize(
    ("line", "password"),
    [
        ("h:5432:d:u:pa:ss", "pa"),
        (r"h:5432:d:u:pa\:s\\s", r"pa:s\s"),
        (r"h:5432:d\\:u:x", ""),
        ("h:*:*:u:end\\", "end\\"),
        ("*:*:*:*:", ""),
        ("h:5432:d:u", ""),
    ],
)
def test_lines_of_a_password_file(tmp_path: Path, line: str, password: str) -> None:
    file = tmp_path / "pass"
    file.write_text(f"{line}\n")
    file.chmod(0o600)
    assert parse_dsn(f"host=h user=u dbname=d passfile={file}").password == password


def test_sqlalchemy_repeats_host_and_port() -> None:
    dsn = parse_dsn("postgresql+psycopg://u:p@/d?host=h1&port=5432&host=h2&port=5433")
    assert str(dsn) == "postgresql://u@h1:5432,h2:5433/d"
