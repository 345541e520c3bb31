"""The program of the Java stacks: classes, packages of Maven, and a Java runtime."""

import os
import re
import shutil
from pathlib import Path
from typing import ClassVar

from fivenines.load.stacks.runtimes import relocated
from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.load.stacks.runtimes.tools import Tools, bundle, found, tools, workshop
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

_JAVA = PROGRAMS / "java"
_RELEASE = "21"

# The heap is small and the compiler simple: a client does little, and shares the processors with others.
_OPTIONS = ("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")

# Parts of the runtime that load libraries; others, such as those of windows and sound, are not needed.
_NATIVE = ("java", "jimage", "net", "nio", "zip", "verify", "extnet", "management", "management_ext")

_PASSWORD = "changeit"  # of certificates that are public


class JavaRoot(DebianRoot):
    """The Java runtime of Debian."""

    name = "stacks-java-root"
    description = "a Java runtime, from Debian's packages"
    family = "none"
    suite = "trixie"
    packages: ClassVar[tuple[str, ...]] = (f"openjdk-{_RELEASE}-jre-headless",)
    # java itself does not start in a root without /proc.
    version_command = ("/bin/sh", "-c", "cat /usr/lib/jvm/*/release")
    version_pattern = r'JAVA_VERSION="(\S+)"'


class JavaToolchain(JavaRoot):
    """The same runtime with compiler and Maven, for a machine without suitable ones."""

    name = "stacks-java-toolchain"
    description = "Java's compiler and Maven, from Debian's packages"
    packages = (f"openjdk-{_RELEASE}-jdk-headless", "maven")


class JavaRuntime(Runtime):
    """Classes and packages, with the Java runtime that runs them."""

    name = "stacks-java"
    description = "the program of the Java client stacks, with HikariCP and drivers from Maven Central"
    sources = ("java/*", "java/*/*")

    def command(self, kind: str) -> list[str]:
        classes = ":".join([str(self.tree / "classes"), *map(str, sorted(self.tree.glob("jars/*.jar")))])
        java = relocated.started(self.tree / "libraries", self.tree / "jre/bin/java")
        return [*java, *_OPTIONS, "-cp", classes, "stacks.Main", kind]

    def build(self, tree: Path, report: Report) -> str:
        tree.mkdir()
        with workshop(tree.parent) as folder:
            own = machines_java()
            paths = (f"usr/lib/jvm/java-{_RELEASE}-openjdk-*/bin", "usr/share/maven/bin")
            chosen = tools(folder, own, JavaToolchain(), report, paths)
            root = folder / "root"
            if own:
                JavaRoot().build(root, report)
            report("fetching the packages of the Java stacks", None)
            _fetch(chosen)
            report("compiling the program of the Java stacks", None)
            _compile(chosen)
            for name in ("jars", "classes"):
                shutil.move(chosen.folder / name, tree / name)
            (java,) = root.glob(f"usr/lib/jvm/java-{_RELEASE}-openjdk-*")
            _runtime(root, java, tree)
        return _version(tree)


def machines_java() -> str:
    """Return the name of this machine's compiler and Maven if they can build the program."""
    compiler = found("javac", ["-version"], r"^javac (\d+\S*)", (17,))
    maven = found("mvn", ["--version"], r"Apache Maven (\d+\.\d+\.\d+)", (3, 6))
    return f"javac {compiler} and Maven {maven}" if compiler and maven else ""


def _fetch(chosen: Tools) -> None:
    """Fetch the packages of pom.xml into the folder `jars`."""
    shutil.copy(_JAVA / "pom.xml", chosen.folder)
    environment = {}
    if chosen.tree is not None and (authorities := bundle()) is not None:
        # The root has no certificates that Java can read, and a machine without Java has none either.
        store = chosen.folder / "authorities"
        shutil.copy(_JAVA / "TrustStore.java", chosen.folder)
        convert = ["java", "TrustStore.java", str(authorities), str(store), _PASSWORD]
        chosen.run("reading the machine's certificates", convert, {})
        trust = f"-Djavax.net.ssl.trustStore={store} -Djavax.net.ssl.trustStorePassword={_PASSWORD}"
        environment["MAVEN_OPTS"] = f"{trust} {os.environ.get('MAVEN_OPTS', '')}".strip()
    maven = ["mvn", "--batch-mode", "--quiet", "--strict-checksums"]
    maven += [f"-Dmaven.repo.local={chosen.folder / 'repository'}", "dependency:copy-dependencies"]
    maven += ["-DincludeScope=runtime", f"-DoutputDirectory={chosen.folder / 'jars'}"]
    chosen.run("fetching the packages of the Java stacks", maven, environment)


def _compile(chosen: Tools) -> None:
    sources = chosen.folder / "stacks"
    shutil.copytree(_JAVA / "stacks", sources)
    options = ["--release", "17", "-d", str(chosen.folder / "classes"), "-cp", f"{chosen.folder / 'jars'}/*"]
    files = [str(file) for file in sorted(sources.glob("*.java"))]
    chosen.run("compiling the Java stacks", ["javac", *options, *files], {})


def _runtime(root: Path, java: Path, tree: Path) -> None:
    """Copy what the program needs of a root's Java runtime."""
    for name in ("conf", "lib"):
        relocated.copied(root, java / name, tree / "jre" / name)
    (tree / "jre/lib/ct.sym").unlink(missing_ok=True)  # of the compiler
    (tree / "jre/bin").mkdir()
    shutil.copy(java / "bin/java", tree / "jre/bin/java")
    native = [java / "lib" / f"lib{name}.so" for name in _NATIVE]
    programs = [java / "bin/java", java / "lib/server/libjvm.so", *native]
    relocated.libraries(root, [program for program in programs if program.exists()], tree / "libraries")


def _version(tree: Path) -> str:
    """Return the names of the packages with their versions."""
    names = sorted(file.stem for file in tree.glob("jars/*.jar"))
    return ", ".join(re.sub(r"-(?=\d)", " ", name) for name in names)
