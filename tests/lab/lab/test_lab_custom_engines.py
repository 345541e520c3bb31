"""Custom engines on real servers: from a real registry, an archive, a folder; and their failures."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_registry import Registry, damage, for_another_machine, image_of, layered, registry
from lab_support import GENTLE, HEAD, LIMIT, OPERATOR, RECOVERED, fivenines, kill, program, timing

from fivenines.base import paths
from fivenines.results import store
from fivenines.software.custom import CustomEngine, Source
from fivenines.software.debian_root import BASE
from fivenines.software.engines.mariadb_root import MariadbRoot
from fivenines.software.engines.mysql_root import MysqlRoot

# A third of the installation that servers do not use: the tests compress and unpack the image twice.
_TOOLS = (
    "aria_*",
    "myisam*",
    "mariadb-slap",
    "mariadb-check",
    "mariadb-import",
    "mariadb-show",
    "mariadb-conv",
    "mariadb-plugin",
    "mariadb-tzinfo-to-sql",
    "mariadb-waitpid",
    "mariadb-upgrade",
    "innochecksum",
    "perror",
    "resolve_stack_dump",
    "replace",
)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    """Provide a registry with an image of MariaDB in three layers, one of which removes files."""
    folder = tmp_path_factory.mktemp("registry")
    with registry(folder / "registry") as images:
        tree = folder / "tree"
        tools = shutil.ignore_patterns(*_TOOLS)
        shutil.copytree(MariadbRoot().folder / "tree", tree, symlinks=True, ignore=tools)
        image = image_of(folder / "layout", tree)
        (folder / "marker").write_text("an upper layer\n")
        layered(image, folder / "marker", "/etc/marker", "/usr/bin/mariadb-dump")
        images.push(image, "mariadb:10.11")
        yield images


@pytest.fixture
def cache_again(images: Registry) -> Iterator[CustomEngine]:
    """Yield the registry's engine, which is absent from the cache before and after."""
    engine = _engine(images)
    engine.remove()
    yield engine
    engine.remove()


def _engine(images: Registry) -> CustomEngine:
    return CustomEngine(Source.named(f"image:{images.address}/mariadb:10.11"))


def _file(folder: Path, engine_: str, solution: str = "replication") -> Path:
    file = folder / "own.yaml"
    file.write_text(
        f"{HEAD}solutions: [{{solution: {solution}, engine: {engine_}}}]\n" + GENTLE + timing(recovery=1)
    )
    return file


@pytest.mark.lasts(65)
def test_an_image_of_a_registry_runs_and_is_pinned(
    tmp_path: Path, images: Registry, cache_again: CustomEngine
) -> None:
    file = _file(tmp_path, f'{{image: "{images.address}/mariadb:10.11"}}')
    result = fivenines("run", str(file), "--out", "run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.problems) == (1, [])
    version = run.manifest.engines[cache_again.name]
    assert version.startswith("10.11.") and "(" in version
    tree = cache_again.folder / "tree"
    assert (tree / "etc/marker").read_text() == "an upper layer\n"
    assert not (tree / "usr/bin/mariadb-dump").exists()
    listed = fivenines("engines", "list", "--json", cwd=tmp_path)
    assert cache_again.name in [engine["name"] for engine in json.loads(listed.stdout)]
    # The name refers to another image now: such trials could not be compared.
    layout = tmp_path / "other"
    (tmp_path / "second").write_text("another image\n")
    subprocess.run(
        [
            "skopeo",
            "--insecure-policy",
            "copy",
            "--quiet",
            "--src-tls-verify=false",
            f"docker://{images.address}/mariadb:10.11",
            f"oci:{layout}:it",
        ],
        check=True,
    )
    layered(f"{layout}:it", tmp_path / "second", "/etc/second", "/etc/marker")
    images.push(f"{layout}:it", "mariadb:10.11")
    cache_again.remove()
    resumed = fivenines("run", str(file), "--out", "run", "--resume", "--trials", "2", cwd=tmp_path)
    assert resumed.returncode == 2
    assert f"was {version}, is 10.11." in resumed.stderr.replace("\n", " ")


@pytest.mark.long
def test_an_interrupted_pull_leaves_nothing_and_can_be_repeated(
    tmp_path: Path, images: Registry, cache_again: CustomEngine
) -> None:
    pulling = subprocess.Popen(
        program("engines", "pull", cache_again.name),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    part = cache_again.folder.with_name(f".{cache_again.folder.name}.part")
    deadline = time.monotonic() + LIMIT
    while not _bytes(part) > 100_000:
        assert pulling.poll() is None and time.monotonic() < deadline
    images.end()
    output, _ = pulling.communicate(timeout=LIMIT)
    images.begin()
    assert pulling.returncode == 1, output
    assert b"cannot fetch or unpack it" in output and b"Traceback" not in output
    assert not part.exists() and not cache_again.status().installed
    again = fivenines("engines", "pull", cache_again.name, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert cache_again.status().version.startswith("10.11.")


def _bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("damaged", "skopeo failed"),
        ("foreign", "is an image for linux/s390x, but this machine is linux/"),
        ("empty", "has no supported database server"),
        ("missing", "skopeo failed"),
    ],
)
def test_an_unusable_image_is_refused(tmp_path: Path, wrong: str, message: str) -> None:
    tree, layout = tmp_path / "tree", tmp_path / "layout"
    (tree / "bin").mkdir(parents=True)
    (tree / "bin/sh").write_bytes(bytes(range(256)) * 400)
    image = image_of(layout, tree)
    if wrong == "damaged":
        damage(layout)
    elif wrong == "foreign":
        for_another_machine(image)
    elif wrong == "missing":
        image = f"{layout}:other"
    result = fivenines("engines", "pull", f"image:oci:{image}#mariadb", cwd=tmp_path)
    assert result.returncode == 1
    assert message in " ".join(result.stderr.split()) and "Traceback" not in result.stderr
    left = [path.name for path in (paths.cache() / "engines/custom").iterdir()]
    assert not [name for name in left if name.endswith(".part")]


@pytest.mark.long
def test_an_archive_of_an_image_is_unpacked(tmp_path: Path, images: Registry) -> None:
    archive = tmp_path / "mariadb.tar"
    subprocess.run(
        [
            "skopeo",
            "--insecure-policy",
            "copy",
            "--quiet",
            "--src-tls-verify=false",
            f"docker://{images.address}/mariadb:10.11",
            f"oci-archive:{archive}:it",
        ],
        check=True,
    )
    result = fivenines("engines", "pull", f"archive:{archive}", cwd=tmp_path)
    try:
        assert result.returncode == 0, result.stderr
        assert CustomEngine(Source.named(f"archive:{archive}")).server_version().startswith("10.11.")
    finally:
        removed = fivenines("engines", "remove", f"archive:{archive}", cwd=tmp_path)
    assert removed.returncode == 0, removed.stderr


@pytest.mark.lasts(30)
def test_a_folder_with_an_installation_runs_and_its_former_primary_rejoins(tmp_path: Path) -> None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    assert folders, "make tools installs PostgreSQL"
    run = _survived(tmp_path, folders[-1].parents[1])
    (version,) = [engine for name, engine in run.manifest.engines.items() if name.startswith("path:")]
    assert version.startswith(folders[-1].parents[1].name)


def _survived(folder: Path, installation: Path, solution: str = "hot-standby") -> store.Run:
    """Run a trial with this engine; its primary is killed and rejoins as a standby."""
    file = _file(folder, f"{{path: {installation}}}", f"{solution}, manager: {OPERATOR}")
    file.write_text(file.read_text().replace("recovery: 1s", f"recovery: {RECOVERED}") + kill())
    result = fivenines("run", str(file), "--out", "run", cwd=folder)
    assert result.returncode == 0, result.stderr
    run = store.open_run(folder / "run")
    (trial,) = run.complete
    (fault,) = trial.record.faults
    assert fault.rejoined, fault.rejoin_detail
    return run


def _mirror() -> str:
    """Return this machine's package mirror; an old release has no separate one for security."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    uris = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return next(uri for uri in uris if "security" not in uri)


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "solution"), [("postgresql-13", "hot-standby"), ("mariadb-server", "replication")]
)
def test_oldest_supported_versions(tmp_path: Path, package: str, solution: str) -> None:
    tree = tmp_path / "tree"
    script = 'cd "$1" && for d in bin sbin lib lib64; do mkdir -p usr/$d; ln -s usr/$d $d; done'
    subprocess.run(
        [
            "mmdebstrap",
            "--mode=chrootless",
            "--variant=extract",
            "--format=directory",
            '--aptopt=Acquire::Check-Valid-Until "false"',
            f"--setup-hook={script}",
            f"--include={','.join((package, *BASE))}",
            "bullseye",
            str(tree),
            f"deb {_mirror()} bullseye main",
        ],
        check=True,
        capture_output=True,
    )
    (tree / "usr/bin/sh").symlink_to("dash")
    users = "root:x:0:0::/tmp:/bin/sh\nmysql:x:999:999::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n"
    (tree / "etc/passwd").write_text(users)
    (tree / "etc/group").write_text("root:x:0:\nmysql:x:999:\nnogroup:x:65534:\n")
    _survived(tmp_path, tree, solution)


@pytest.mark.long
@pytest.mark.parametrize(
    ("solution", "family"),
    [("galera", "mariadb"), ("innodb-cluster", "mysql"), ("group-replication", "mysql")],
)
def test_a_cluster_runs_on_a_custom_engine(
    tmp_path: Path, images: Registry, cache_again: CustomEngine, solution: str, family: str
) -> None:
    # MySQL covers the folder with a whole root: an image unpacks to the same.
    own = cache_again.name.partition(":")[2] if family == "mariadb" else MysqlRoot().folder / "tree"
    kind = "image" if family == "mariadb" else "path"
    file = _file(tmp_path, f'{{{kind}: "{own}", family: {family}}}', solution)
    file.write_text(file.read_text() + "faults: [{fault: kill, target: primary, restart_after: 1s}]\n")
    result = fivenines("run", str(file), "--out", "run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    run = store.open_run(tmp_path / "run")
    (trial,) = run.complete
    assert trial.record.check is not None
    assert [node.lost for node in trial.record.check.nodes] == [0, 0, 0]
    assert [engine for engine in run.manifest.engines if engine.startswith(f"{kind}:")]
