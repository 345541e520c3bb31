#!/bin/bash
# Builds all files of a release into dist/: the sdist, a wheel made from it, bills of materials, checksums.
#   tools/dist.sh TOOLS [TARGET]     TOOLS: a virtual environment with tools/dist.txt installed
#
# TARGET is the machine to build for, by default this one. Another one requires its Rust standard library:
# rustup target add aarch64-unknown-linux-gnu
set -euo pipefail
cd "$(dirname "$0")/.."

tools="$PWD/$1/bin"
host="$(rustc -vV | sed -n 's/^host: //p')"
target="${2:-$host}"
# the oldest glibc that Rust's standard library runs on (2012: CentOS 7); Zig links against any version that is named
glibc=2.17

rm -rf dist build/sdist build/clean
mkdir -p dist build/sdist

# Print cargo's output only on errors: its warnings about missing home pages are irrelevant.
"$tools/maturin" sdist --out dist 2>build/sdist.log || { cat build/sdist.log >&2; exit 1; }
tar -xzf dist/*.tar.gz -C build/sdist --strip-components 1

# Man pages are generated from the command line by the tree's environment. They go into `share/man` of the wheel's
# prefix, where `man` finds them next to the program.
.venv/bin/python -m fivenines.cli.reference.manual build/sdist/shared.data/data/share/man/man1
sed -i 's/^\[tool\.maturin\]$/&\ndata = "shared.data"/' build/sdist/pyproject.toml

# The build of LuaJIT also links its program, which requires a library that GCC links by default.
export TARGET_LDFLAGS=-lunwind
# Build from the sdist instead of the tree, so that files missing in the sdist are noticed.
(cd build/sdist && PATH="$tools:$PATH" CARGO_TARGET_DIR="$OLDPWD/target/dist" "$tools/maturin" build --quiet --release \
  --locked --zig --target "$target" --compatibility "manylinux_${glibc/./_}" --out "$OLDPWD/dist")
"$tools/auditwheel" show dist/*.whl | tee build/auditwheel.txt
grep -q "manylinux_${glibc/./_}_${target%%-*}" build/auditwheel.txt

version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)"
# The wheel contains the bill of the crates, too (PEP 770).
"$tools/python" -c '
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
[bill] = [name for name in wheel.namelist() if "/sboms/" in name]
sys.stdout.buffer.write(wheel.read(bill))' dist/*.whl >"dist/fivenines-$version.rust.cdx.json"
if [ "$target" = "$host" ]; then
  # An environment as on a machine without Rust: only the wheel and its dependencies.
  python3 -m venv build/clean
  PATH=/usr/bin:/bin build/clean/bin/python -m pip install --quiet dist/*.whl
  # cyclonedx-py reads the version only from pyproject.toml, which does not contain it.
  sed "s/^dynamic = .*/version = \"$version\"/" pyproject.toml >build/pyproject.toml
  "$tools/cyclonedx-py" environment build/clean/bin/python --pyproject build/pyproject.toml --mc-type application \
    --output-reproducible --output-file "dist/fivenines-$version.python.cdx.json"
fi
(cd dist && sha256sum -- * >../build/SHA256SUMS && mv ../build/SHA256SUMS .)
ls -l dist
