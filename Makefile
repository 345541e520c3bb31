# The targets of this project; `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := build/tools
RUNS ?= runs
TARGET ?=
PYTHON_SOURCES := pyproject.toml $(shell find python -name '*.py' 2>/dev/null)
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null)

# Keep compiled Python files: otherwise each of the hundreds of processes in the tests compiles them again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help quickstart install check compat test test-long test-kills test-repeat test-unit test-lab test-lab-long test-rust test-browser engines tools lint audit fmt bench docs pictures dist test-dist clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

quickstart: install ## first comparison: PostgreSQL, 1-safe against 2-safe, with failovers
	@$(BIN)/fivenines run examples/quickstart.yaml

install: $(STAMP) ## build and install into .venv

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is needed; name it: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { [ "$$(id -u)" = 0 ] && apt-get install -y -q python3-venv; } || \
	  { echo "Python's venv module is missing: run 'apt-get install python3-venv' as root" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(STAMP): $(VENV)/bin/python $(RUST_SOURCES) pyproject.toml
	@command -v cargo >/dev/null || \
	  { echo "cargo is missing: install a Rust toolchain, 1.88 or newer (rustup)" >&2; exit 1; }
	@command -v cc >/dev/null || \
	  { echo "a C compiler is missing: run 'apt-get install gcc' as root" >&2; exit 1; }
	@echo "building and installing into $(VENV) (two to three minutes the first time)"
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(STAMP)
	@echo "installed: $(BIN)/fivenines (next: $(BIN)/fivenines doctor)"

test: install tools ## set up all that the tests need, and pass them
	@$(BIN)/python tests/suites.py

check: install ## after each change: lint, unit tests, and one trial with a failover on PostgreSQL
	@$(BIN)/python tests/suites.py --quick

test-rust: ## the Rust half's own tests
	cargo test --quiet

test-unit: install ## fast and pure
	$(BIN)/python -m pytest -q -n 2 tests/unit

test-browser: install tools ## the report in headless Chromium
	$(BIN)/python -m pytest -q tests/browser

test-lab: install tools ## real servers, real faults
	@$(BIN)/python tests/suites.py engines lab

test-lab-long: install tools ## the lab tests that would take too long in `make test`
	$(BIN)/python -m pip install --quiet --editable '.[long]'
	@$(BIN)/python tests/suites.py engines lab --long

# the long form of tests/lab/test_lab_kills.py: about half an hour
test-kills: install tools engines ## kill -9 at 100 random moments, over all faults; nothing may be left
	$(BIN)/python tests/kills/run.py --kills 100 --seed 1

test-long: test-lab-long test-kills test-repeat test-dist ## what takes hours: run before a release

# three at a time beside a load that takes a core: what fails once in ten turns fails in somebody's clone
test-repeat: install tools engines ## every lab test ten times beside a busy core
	$(BIN)/python tests/repeat.py --times 10

engines: install tools ## fetch all server software into the cache, once
	@$(BIN)/fivenines engines pull --all

# what the tests need beside Python and Rust; installed when root, else named
tools:
	@./tests/tools.sh

lint: install ## types and style, Python and Rust
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo clippy --all-targets --quiet -- -D warnings
	cargo fmt --check

# both ask the network for what is known of each dependency's version; not part of CI, which must not fail by others' news
audit: install ## known holes in what we depend on, and licences (Python: pip-audit, Rust: cargo-deny)
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --skip-editable
	@command -v cargo-deny >/dev/null || { echo "cargo-deny is missing: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny check

fmt: install ## format Python and Rust
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .
	cargo fmt

compat: install tools ## scripts of pgbench and public ones of sysbench: do they ask the same of a server from us?
	$(BIN)/python -m pytest -q tests/compat
	$(BIN)/python tests/compat/compare.py

bench: install ## what it costs, as ratios against its peers
	$(BIN)/python tests/bench/run.py

docs: install $(TOOLS)/.site ## write docs/reference and build/man from the code, and the site of all pages: build/site
	$(BIN)/python -m fivenines.reference docs/reference
	$(BIN)/python -m fivenines.manual build/man
	@tools/site/build.sh $(TOOLS)/bin/mkdocs

# RUNS: folders of runs; LIVE: a folder with screenshots of the live page, live-1280.png and live-390.png
pictures: install tools ## the pictures in docs/images, from real runs: make pictures RUNS=runs LIVE=...
	$(BIN)/python tools/pictures.py $(RUNS) $(if $(LIVE),--live $(LIVE))

dist: install $(TOOLS)/.dist ## a wheel for old and new Linux, an sdist, bills of materials: dist/
	@tools/dist.sh $(TOOLS) $(TARGET)

# a clean environment without Rust, a cache of its own, and a whole quickstart: about six minutes after `make dist`
test-dist: dist ## what `make dist` made, as a stranger gets it
	$(BIN)/python -m pytest -q -rs tests/dist

# tools of a release and of the site, apart from what fivenines itself needs
$(TOOLS)/.dist: tools/dist.txt
$(TOOLS)/.site: tools/site/requirements.txt
$(TOOLS)/.%:
	@test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --requirement $<
	@touch $@

clean: ## remove what was built here (not the cache, not the runs)
	rm -rf $(VENV) target build dist python/*.egg-info
