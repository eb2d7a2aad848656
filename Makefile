# make run | test | check | bench | docs | sanitize | clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Built anew when the build or the kernels change; Python files are used where they stand (editable install).
INSTALLED := $(VENV)/installed
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*/*)

run: $(INSTALLED)  ## set up, then report on a bundled table
	$(BIN)/suffice report crabs --target sp

test: $(INSTALLED)  ## the whole test suite
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(INSTALLED)  ## style, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)  ## compare with the peers and write benchmarks/RESULTS.md
	$(BIN)/pip install -q -e '.[bench]'
	$(BIN)/python -m benchmarks

docs: $(INSTALLED)  ## the documentation, in docs/_build/html
	$(BIN)/pip install -q -e '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/sphinx-build -q -W -b doctest docs docs/_build/doctest

sanitize: $(INSTALLED)  ## the native tests under the address and undefined-behaviour sanitizers
	$(BIN)/pip install -q scikit-build-core nanobind
	bash tests/backend/sanitize.sh $(BIN)/python

$(INSTALLED): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build docs/_build

.PHONY: run test check bench docs sanitize clean
