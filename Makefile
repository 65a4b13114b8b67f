# The habits of this repository, one target each. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
READY := $(VENV)/.ready
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
# Each worker has its own engines, servers and homes, so a test may run on any; the idle one takes over from the busy one,
# because the live clients are slow and lie in a few files.
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# Without bytecode each of the many processes that the tests start would compile Interlock anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup wheel demo test test-hosts check lint types unit full exact bench scoreboard figures repositories baseline disagreements docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## make .venv with everything that demo and test need

# Made anew only when pyproject.toml changes, so that the second run needs no network.
$(BASE): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(READY): $(BASE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

wheel: $(BASE) ## build the package: dist/interlock-VERSION-py3-none-any.whl
	@rm -f dist/interlock-*.whl
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/interlock-*.whl

SCENE ?= agent
SCENES := agent approve
SCRIPT_agent := scripts/demo.py
SCRIPT_approve := scripts/demo_approve.py

demo: $(if $(filter agent,$(SCENE)),$(BASE),$(READY)) ## a scripted agent session through the real hook, ending with a verified replay; SCENE=approve: a call is held, approved from a second terminal, and fires
	@test -n "$(SCRIPT_$(SCENE))" || { echo "there is no scene $(SCENE); scenes: $(SCENES)" >&2; exit 64; }
	@$(BIN)/python $(SCRIPT_$(SCENE))

test: $(READY) lint types unit ## ruff, mypy --strict and the whole suite

# The suites whose tests take a moment each: three quarters of all tests.
FAST := tests/unit tests/conformance tests/cli

check: $(READY) lint types ## what to run before each commit: ruff, mypy --strict and the fast three quarters of the tests
	$(PYTEST) $(FAST) $(ARGS)

lint: $(READY) ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy --strict
	$(BIN)/mypy

unit: $(READY) ## the tests alone; make unit ARGS='-k receipt'
	$(PYTEST) $(ARGS)

test-hosts: $(READY) ## install the pinned agent clients, and try every host with its real client
	scripts/clients.sh
	INTERLOCK_QUOTAS=off INTERLOCK_LIVE=all $(PYTEST) tests/hosts tests/live $(ARGS)

full: export INTERLOCK_QUOTAS := off
full: test ## test, and what takes long: 10^5 examples for each property, 20,000 nests, 10^5 executions, 10^6 mutations, 2,000 kills, 10,000 prunes, 100 races, every failing write, every program with every guarded place, every live attempt, every agent SDK
	INTERLOCK_EXAMPLES=100000 $(PYTEST) tests/properties $(ARGS)
	INTERLOCK_NESTS=20000 $(PYTEST) tests/differential $(ARGS)
	INTERLOCK_EXECUTIONS=100000 $(PYTEST) tests/execution $(ARGS)
	INTERLOCK_FUZZ=1000000 $(PYTEST) tests/fuzz $(ARGS)
	INTERLOCK_KILLS=2000 INTERLOCK_RACES=100 INTERLOCK_PRUNES=10000 $(PYTEST) tests/crash $(ARGS)
	INTERLOCK_WRITES=1 $(PYTEST) tests/faults/test_every_write_fails.py $(ARGS)
	INTERLOCK_FLIPS=5000 INTERLOCK_BIT_ROWS=200 $(PYTEST) tests/security/test_ledger_tampering.py $(ARGS)
	INTERLOCK_PLACES=all $(PYTEST) tests/security/test_every_place_is_accounted_for.py $(ARGS)
	INTERLOCK_SCHEMATHESIS=300 INTERLOCK_FRONTS=all $(PYTEST) tests/serve/test_openapi.py tests/serve/test_same_bytes.py $(ARGS)
	INTERLOCK_LIVE=all INTERLOCK_ATTEMPTS=1 $(PYTEST) tests/live tests/security/live $(ARGS)
	scripts/sdks.sh
	INTERLOCK_SDKS=all CI=1 $(PYTEST) tests/sdks $(ARGS)

exact: $(READY) ## keep the exact readings of all cases in tests/conformance anew, and print what changed
	@$(BIN)/python scripts/exact.py

bench: $(READY) ## measure: cold hook, decide(), decide --jsonl, a warm engine, growth with rules and grants, the ledger
	@status=0; $(BIN)/python benchmarks/run.py || status=$$?; $(BIN)/python benchmarks/engine.py || status=$$?; \
		$(BIN)/python benchmarks/growth.py || status=$$?; $(BIN)/python benchmarks/ledger.py || status=$$?; exit $$status

# What is measured: folders outside of the repository, each of them if it is named.
MEASURED = $(if $(CORPORA),"$(CORPORA)") $(if $(REDTEAM),--redteam "$(REDTEAM)") $(if $(REPOSITORIES),--repositories "$(REPOSITORIES)")
ARCHIVES ?= $(or $(INTERLOCK_DEV_CACHE),$(HOME)/.cache/interlock-dev)/repositories

scoreboard: $(READY) ## measure the corpora and the red team's cases in folders: make scoreboard CORPORA=DIR REDTEAM=DIR
	@$(BIN)/interlock eval scoreboard $(MEASURED) $(ARGS)

repositories: $(READY) ## fetch twelve well-known projects once, and judge their own tasks with their files on disk
	@$(BIN)/python scripts/repositories.py "$(ARCHIVES)"
	@$(BIN)/interlock eval scoreboard --repositories "$(ARCHIVES)" $(ARGS)

figures: $(READY) ## measure, list every case that changed since the baseline, fail if anything got worse: CORPORA=DIR REDTEAM=DIR
	@now=$$(mktemp); $(BIN)/interlock eval scoreboard $(MEASURED) --quiet --results "$$now" >/dev/null || true; \
		$(BIN)/interlock eval diff tests/baseline "$$now" $(ARGS) && status=0 || status=$$?; rm -f "$$now"; exit $$status

baseline: exact ## keep exact readings, figures and digests anew, and print what changed: make baseline CORPORA=DIR REDTEAM=DIR
	@now=$$(mktemp); $(BIN)/interlock eval scoreboard $(MEASURED) --quiet --results "$$now" >/dev/null || true; \
		test ! -e tests/baseline/figures.json || $(BIN)/interlock eval diff tests/baseline "$$now" $(ARGS) || true; \
		$(BIN)/python scripts/baseline.py "$$now"; rm -f "$$now"

disagreements: $(READY) ## measure, and compare what is left over with docs/disagreements.md: make disagreements CORPORA=DIR
	@test -n "$(CORPORA)" || { echo "say where the corpora lie: make disagreements CORPORA=DIR" >&2; exit 64; }
	@left=$$(mktemp); $(BIN)/interlock eval scoreboard "$(CORPORA)" --quiet --failures "$$left" >/dev/null || true; \
		$(BIN)/python scripts/disagreements.py "$$left" && status=0 || status=1; rm -f "$$left"; exit $$status

docs: $(READY) ## write the generated parts of docs/
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/messages.py
	$(BIN)/python scripts/api_reference.py

clean: ## remove what the other targets made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
