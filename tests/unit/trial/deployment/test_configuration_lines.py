"""Lines of configuration that count, and those that do not."""

from pathlib import Path

from fivenines.trial.deployment.configuration import configuration_lines


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("_dot_", ".")).write_text(text)
    return folder


def test_comments_and_empty_lines_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, my_dot_cnf="[mariadbd]\n\n# why\n  ; too\nport=3306\n\tsocket=x # here\n")
    assert configuration_lines(tmp_path) == 3


def test_values_of_json_count_however_it_is_laid_out(tmp_path: Path) -> None:
    write(tmp_path, a_dot_json='{"a": 1, "b": [1, 2], "c": {"d": null}}', b_dot_json="no\njson\n")
    assert configuration_lines(tmp_path) == 4 + 2


def test_generated_files_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, id_rsa="a\nb\n", server_dot_pem="a\n", authkey="a\n", etcd_dot_conf="a: 1\n")
    (tmp_path / "blob").write_bytes(b"\xff\xfe\x00\n\n")
    (tmp_path / "link").symlink_to(tmp_path / "etcd.conf")
    (tmp_path / "more").mkdir()
    write(tmp_path / "more", x="1\n2\n")
    assert configuration_lines(tmp_path) == 3


def test_a_folder_without_files(tmp_path: Path) -> None:
    assert configuration_lines(tmp_path) == 0
