# The habits of this repository, one target each. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
READY := $(VENV)/.ready
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
JOBS ?= $(CORES)
# Each worker has its own engines, servers and homes, so a test may run on any; the idle one takes over from the busy one,
# because the live clients are slow and lie in a few files.
PYTEST = $(BIN)/python -m pytest --dist worksteal -n $(JOBS)

# Without bytecode each of the many processes that the tests start would compile Interlock anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup wheel demo test whole test-hosts check lint types unit full parts exact receipts bench bench-check mutants peers scoreboard figures repositories baseline disagreements docs clean

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
SCENES := agent approve mcp preview proxy undo
SCRIPT_agent := scripts/demo.py
SCRIPT_approve := scripts/demo_approve.py
SCRIPT_mcp := scripts/demo_mcp.py
SCRIPT_preview := scripts/demo_preview.py
SCRIPT_proxy := scripts/demo_proxy.py
SCRIPT_undo := scripts/demo_undo.py

demo: $(if $(filter agent,$(SCENE)),$(BASE),$(READY)) ## a scripted agent session through the real hook, ending with a verified replay; SCENE=approve|mcp|preview|proxy|undo: a held call, the MCP relay, a preview, the model proxy, an undo
	@test -n "$(SCRIPT_$(SCENE))" || { echo "there is no scene $(SCENE); scenes: $(SCENES)" >&2; exit 64; }
	@$(BIN)/python $(SCRIPT_$(SCENE))

# Slow tests are left to CI: tests/conftest.py says which.
# One worker more than there are cores: a third of what they do is waiting. CI has no more than cores, because its slow
# tests watch the clock.
QUICK = INTERLOCK_QUICK=1 $(PYTEST) -n $(if $(filter file,$(origin JOBS)),$$(( $(CORES) + 1 )),$(JOBS))

test: $(READY) lint types ## before a branch is merged: ruff, mypy --strict and every test but the slow ones
	$(QUICK) $(ARGS)

whole: $(READY) lint types unit ## what CI runs: ruff, mypy --strict and every test

# The suites whose tests take a moment each: three of five tests are there.
FAST := tests/unit tests/conformance tests/cli

# No worker more than there are cores: these tests wait for nothing.
check: $(READY) lint types ## before each commit: ruff, mypy --strict and the fast suites
	INTERLOCK_QUICK=1 $(PYTEST) $(FAST) $(ARGS)

lint: $(READY) ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy --strict
	$(BIN)/mypy

unit: $(READY) ## every test, alone; make unit ARGS='tests/hosts -k lock' runs some
	$(PYTEST) $(ARGS)

test-hosts: $(READY) ## install the pinned agent clients, and try every host with its real client
	scripts/clients.sh
	INTERLOCK_QUOTAS=off INTERLOCK_LIVE=all $(PYTEST) tests/hosts tests/live $(ARGS)

full: whole parts ## before a release: whole, and every part that takes long

# A part that fails does not keep the others from running, and a second run goes on where the first was cut short.
parts: $(READY) ## what full adds to whole, by hours: 10^5 examples for each property, 10^6 mutations, every live attempt, every mutant of the core; ARGS='crash fuzz' runs two of them, ARGS='--minutes 90' begins none after that time, ARGS=--list shows them all
	@$(BIN)/python scripts/full.py --jobs $(JOBS) $(ARGS)

exact: $(READY) ## keep the exact readings of all cases anew, and print what changed
	@$(BIN)/python scripts/exact.py

receipts: $(READY) ## keep the receipts and approval ids of the packs and the hosts' payloads anew, and print what changed
	@$(BIN)/python scripts/receipts.py

mutants: $(READY) ## put small faults into the core one at a time: the tests must see nine of ten, and tests/mutants.toml excuses the rest; ARGS='--sample 5' for a quick look
	@$(BIN)/python scripts/mutants.py --jobs $(JOBS) $(ARGS)

bench: $(READY) ## measure everything and write docs/benchmarks.md: the hook, decide(), a warm engine, growth, the ledger, the service, relay, proxy, checkpoints; ARGS=--quick for short runs
	@$(BIN)/python benchmarks/page.py $(ARGS)

bench-check: $(READY) ## count the instructions of the hot path with valgrind, and fail where they grew by a tenth; ARGS=--keep keeps the counts of now
	@$(BIN)/python benchmarks/counts.py $(ARGS)

peers: $(READY) ## install other guards into the development cache, give them and Interlock the same calls, and write docs/benchmarks.md
	@$(BIN)/python benchmarks/peers.py --install $(ARGS)

# What is measured: folders outside of the repository, each of them if it is named.
MEASURED = $(if $(CORPORA),"$(CORPORA)") $(if $(REDTEAM),--redteam "$(REDTEAM)") $(if $(REPOSITORIES),--repositories "$(REPOSITORIES)")
ARCHIVES ?= $(or $(INTERLOCK_DEV_CACHE),$(HOME)/.cache/interlock-dev)/repositories

scoreboard: $(READY) ## run the shipped packs, and measure the corpora and the red team's cases in folders: make scoreboard CORPORA=DIR REDTEAM=DIR
	@status=0; $(BIN)/interlock eval run $(if $(strip $(MEASURED)),--quiet,$(ARGS)) || status=$$?; \
		$(if $(strip $(MEASURED)),$(BIN)/interlock eval scoreboard $(MEASURED) $(ARGS) || status=$$?;) exit $$status

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
	$(BIN)/python scripts/impure.py
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/messages.py
	$(BIN)/python scripts/api_reference.py

clean: ## remove what the other targets made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
