#!/bin/bash
# Builds build/site from the pages in place. They link each other across the repository (docs, examples, README), so
# the site has the same structure: a folder of links to them.
#   tools/site/build.sh MKDOCS
set -euo pipefail

mkdocs="$1"
root="$(cd "$(dirname "$0")/../.." && pwd)"
pages="$root/build/pages"

rm -rf "$pages"
for page in README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE docs examples findings tests/bench/README.md; do
  mkdir -p "$(dirname "$pages/$page")"
  ln -s "$root/$page" "$pages/$page"
done
ln -s "$root/tools/site/nav.yml" "$pages/nav.yml"
# --quiet is not used, because `strict` counts only warnings that are logged.
NO_MKDOCS_2_WARNING=1 "$mkdocs" build --clean --config-file "$root/tools/site/mkdocs.yml" 2>&1 | { grep -v "^INFO" || true; }
if grep -rlE '<(script|link|img)[^>]*(src|href)="?https?:' "$root/build/site" --include='*.html'; then
  echo "these pages fetch something from another machine" >&2
  exit 1
fi
echo "built: build/site/index.html"
