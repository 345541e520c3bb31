"""The patches of MHA for MariaDB: applied where they fit, refused where they do not."""

from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.software.engines.mha_root import PATCHES, MhaRoot, Patch, apply
from fivenines.software.store import engine

# what Debian's packages of MHA 0.58 have at these places
ORIGINAL = {
    "usr/share/perl5/MHA/NodeUtil.pm": """\
sub parse_mysql_version($) {
  my $str = shift;
  my $result = sprintf( '%03d%03d%03d', $str =~ m/(\\d+)/g );
  return $result;
}

sub parse_mysql_major_version($) {
  my $str = shift;
  my $result = sprintf( '%03d%03d', $str =~ m/(\\d+)/g );
  return $result;
}
""",
    "usr/share/perl5/MHA/SlaveUtil.pm": """\
  my $sth = $dbh->prepare("SELECT \\@\\@global.super_read_only as Value");
  $sth->execute();
  my $href = $sth->fetchrow_hashref;
  if ( $href->{Value} == '1' ) {
    return (1, $dbh);
  }
""",
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nmysql:x:999:999:mysql:/nonexistent:/bin/false\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in ORIGINAL.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "etc/ssh").mkdir()
    return tmp_path


def test_all_patches_fit_debians_mha(tree: Path) -> None:
    messages: list[str] = []
    MhaRoot().finish(tree, lambda message, _fraction: messages.append(message))
    assert messages == ["patching MHA for MariaDB"]
    util = (tree / "usr/share/perl5/MHA/NodeUtil.pm").read_text()
    assert "( $str =~ m/(\\d+)/g )[ 0 .. 2 ]" in util and "( $str =~ m/(\\d+)/g )[ 0 .. 1 ]" in util
    slave = (tree / "usr/share/perl5/MHA/SlaveUtil.pm").read_text()
    assert "SHOW GLOBAL VARIABLES LIKE 'super_read_only'" in slave
    assert "if ( $href && $href->{Value} eq 'ON' ) {" in slave
    assert "mysql:x:999:999:mysql:/tmp:/bin/sh" in (tree / "etc/passwd").read_text()
    assert "IdentityFile /run/node/run/ssh_key" in (tree / "etc/ssh/ssh_config").read_text()


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.file)
def test_a_patch_that_does_not_fit_is_never_skipped(tree: Path, patch: Patch) -> None:
    apply(patch, tree)
    with pytest.raises(FiveninesError, match="0 times instead of once") as refused:
        apply(patch, tree)
    assert patch.file in str(refused.value)
    (tree / patch.file).write_text(patch.old * 2)
    with pytest.raises(FiveninesError, match="2 times instead of once"):
        apply(patch, tree)
    (tree / patch.file).unlink()
    with pytest.raises(FiveninesError, match="0 times instead of once"):
        apply(patch, tree)


def test_perl_stays_in_the_tree() -> None:
    root = engine("mha-0.58")
    assert isinstance(root, MhaRoot)
    assert not {"perl", "perl5"} & set(root.unused)
    assert {"mha4mysql-manager", "mha4mysql-node", "perl", "mariadb-server"} <= set(root.packages)
