.DEFAULT_GOAL := help
SHELL := /bin/bash

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.10; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	&& echo $$python && break; done)

BIN := .venv/bin
READY := .venv/.ready
PYTEST := $(BIN)/python -m pytest

.PHONY: help demo check test laws laws-spark slow soak bench bench-large bench-tpch bench-graph format lock clean java

help: ## print this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

demo: java ## see a stream table kept fresh, from nothing, in a minute or two
	@$(BIN)/python examples/demo.py

check: $(READY) ## format, lint, types, imports, doctests and the tests without Spark
	@$(BIN)/ruff format --check --output-format concise .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo --no-cache
	@$(PYTEST) --doctest-modules streamtables tests -m "not spark and not slow and not long" -n 2

test: java ## every test but the slow ones
	@$(PYTEST) --doctest-modules streamtables tests -m "not slow" -n 2 --dist loadfile --durations 15

laws: $(READY) ## the laws on random queries and changes, N checks from SEED (N=20000)
	@$(BIN)/python tests/laws.py

laws-spark: java ## the first law on Spark and Delta Lake, N checks from SEED (N=300)
	@$(BIN)/python tests/laws_spark.py

slow: java ## the slow tests
	@$(PYTEST) -m slow

soak: java ## the daemon under load, then killed: DURATION=30 (minutes) KILLS=200 WRITES=4 (a second) PERIOD=10 (seconds)
	@SOAK_MINUTES=$(or $(DURATION),30) SOAK_WRITES=$(or $(WRITES),4) SOAK_PERIOD=$(or $(PERIOD),10) \
		KILLS=$(or $(KILLS),200) PAIR_MINUTES=$(or $(PAIR_MINUTES),10) \
		$(PYTEST) -m slow -s tests/scheduler/test_soak.py tests/scheduler/test_killed.py -k "long or killed"

bench: java ## measure refreshes: BASE= BATCH= VIEWS= ROUNDS= SOURCES= MODE= OLD=bench/bench.json
	@$(BIN)/python tests/benchmarks/bench.py $(if $(OLD),--compare $(OLD))

bench-large: java ## refreshes alone, of many views in step: BASE= BATCH= VIEWS= ROUNDS= MODE=
	@$(BIN)/python tests/benchmarks/large.py

bench-tpch: java ## TPC-H's queries under its refresh functions: SF= SHARE= VIEWS= ROUNDS= MODE=
	@$(BIN)/python tests/benchmarks/tpch.py

bench-graph: java ## chains, fan-outs, a diamond, a mix of 60, and tables without news: BASE= TABLES= ROUNDS=
	@$(BIN)/python tests/benchmarks/graph.py

format: $(READY) ## put the code into shape
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

lock: $(READY) ## write requirements.lock anew from pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --upgrade --group dev \
		--extra postgres --no-annotate --no-header --no-emit-index-url \
		pyproject.toml --output-file requirements.lock

clean: ## remove what the other targets made
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist warehouse
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

java: $(READY)
	@$(BIN)/python -m streamtables.spark.java --offer-install

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed: set PYTHON to it." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "Python's venv is missing: sudo apt-get install python3-venv" >&2; exit 1; }
	@echo "Making .venv (once; Spark is 400 MB) …" >&2
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@# PySpark comes as a source archive of which a wheel is made: it need not be pressed together again for that.
	@# uv knows nothing of pip's own settings, such as a company's index: then pip has to do it.
	@$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements.lock \
		--config-settings-package 'pyspark:--build-option=--compression=stored' || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable . || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@
