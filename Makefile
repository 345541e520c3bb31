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
.PHONY: help quickstart install check compat test test-long test-kills test-repeat test-unit test-unit-long test-lab test-lab-long test-rust test-browser engines tools lint audit fmt bench docs pictures dist test-dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Its fault begins with a network partition; Debian's usual installation has nft, a minimal one has not.
quickstart: install ## run a first comparison: PostgreSQL with and without synchronous replication
	@PATH="$$PATH:/usr/sbin:/sbin" command -v nft >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -q >/dev/null && apt-get install -y -q nftables >/dev/null; } || \
	  { echo "nft is missing, which network faults need: run 'apt-get install nftables' as root" >&2; exit 1; }
	@$(BIN)/fivenines run examples/quickstart.yaml

install: $(STAMP) ## build and install into .venv

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is required. Name it: make PYTHON=python3.12 ..." >&2; exit 1; }
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

test: install tools ## install the prerequisites and run all tests
	@$(BIN)/python tests/suites.py

check: install ## run after each change: lint, unit tests, and one failover trial on PostgreSQL
	@$(BIN)/python tests/suites.py --quick

test-rust: ## run the Rust tests
	cargo test --quiet

test-unit: install ## run the unit tests
	$(BIN)/python -m pytest -q -n 2 -m "not long" tests/unit

test-browser: install tools ## run the browser tests of the report in headless Chromium
	$(BIN)/python -m pytest -q tests/browser

test-lab: install tools ## run the lab tests, with real servers and faults
	@$(BIN)/python tests/suites.py engines stacks lab

test-lab-long: install tools ## run the lab tests that are too slow for `make test`
	$(BIN)/python -m pip install --quiet --editable '.[long]'
	@$(BIN)/python tests/suites.py engines stacks lab --long

# the long form of tests/lab/lab/test_lab_kills.py: about half an hour
test-kills: install tools engines ## kill fivenines at 100 random moments and check that nothing is left behind
	$(BIN)/python tests/kills/run.py --kills 100 --seed 1

test-long: test-unit-long test-lab-long test-kills test-repeat test-dist ## run the tests that take hours, before a release

test-unit-long: install ## run the unit tests marked `long`, and property tests with more examples
	$(BIN)/python -m pytest -q -n 2 -m long tests/unit
	$(BIN)/python -m pytest -q -n 2 -m "hypothesis and not long" --hypothesis-profile=thorough --timeout=0 tests/unit
	PROPTEST_CASES=5000 cargo test --quiet

# Three at a time on a machine with one busy core, to find tests that fail in one of ten runs.
test-repeat: install tools engines ## run every lab test ten times on a busy machine
	$(BIN)/python tests/repeat.py --times 10

engines: install tools ## fetch all engines and client stacks into the cache
	@$(BIN)/fivenines engines pull --all
	@$(BIN)/fivenines stacks build

# Prerequisites of the tests other than Python and Rust; installed as root, otherwise listed.
tools:
	@./tests/tools.sh

lint: install ## check types and style of Python and Rust
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo clippy --all-targets --quiet -- -D warnings
	cargo fmt --check

# both ask the network for what is known of each dependency's version; not part of CI, which must not fail by others' news
audit: install ## check dependencies for vulnerabilities and licences (pip-audit, cargo-deny)
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --skip-editable
	@command -v cargo-deny >/dev/null || { echo "cargo-deny is missing: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny check

fmt: install ## format Python and Rust
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .
	cargo fmt

compat: install tools ## compare pgbench and sysbench scripts run by fivenines with the original tools
	$(BIN)/python -m pytest -q tests/compat
	$(BIN)/python tests/compat/compare.py

bench: install ## measure the overhead of fivenines against comparable tools
	$(BIN)/python tests/bench/run.py

docs: install $(TOOLS)/.site ## generate docs/reference, build/man and the site build/site
	$(BIN)/python -m fivenines.cli.reference.pages docs/reference
	$(BIN)/python -m fivenines.cli.reference.manual build/man
	@tools/site/build.sh $(TOOLS)/bin/mkdocs

# RUNS: folders of runs; LIVE: a folder with screenshots of the live page, live-1280.png and live-390.png
pictures: install tools ## generate docs/images from runs: make pictures RUNS=runs LIVE=...
	$(BIN)/python tools/pictures.py $(RUNS) $(if $(LIVE),--live $(LIVE))

dist: install $(TOOLS)/.dist ## build wheels, an sdist and SBOMs in dist/
	@tools/dist.sh $(TOOLS) $(TARGET)

# A clean environment without Rust, an empty cache and a complete quickstart: about six minutes after `make dist`.
test-dist: dist ## test the files of `make dist` in clean environments
	$(BIN)/python -m pytest -q -rs tests/dist

# Tools for releases and for the site, separate from the dependencies of fivenines.
$(TOOLS)/.dist: tools/dist.txt
$(TOOLS)/.site: tools/site/requirements.txt
$(TOOLS)/.%:
	@test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --requirement $<
	@touch $@

clean: ## remove build files (not the cache and runs)
	rm -rf $(VENV) target build dist python/*.egg-info
