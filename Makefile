# `make hub` builds everything into hub/ and checks it; `make test` is what CI runs.
PYTHON ?= python3
BIN := .venv/bin
COVERED := metrics builders
INSPECT := inspect-ai==0.3.285
PURELIB := import sysconfig; print(sysconfig.get_path('purelib'))

.PHONY: hub quick test slow coverage mutants nightly docs figures format clean
hub: .venv/.core
	$(BIN)/python push.py build --views
	$(BIN)/python push.py check

# What a person runs after each edit: under a minute.
quick: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --quick

test: .venv/.test .venv/.inspect
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "not slow"

# What takes more than ten seconds a test: builds that are killed, networks, whole pages.
slow: .venv/.test .venv/.inspect
	$(BIN)/pytest -n 2 -m slow

# Branches of the metrics and the builders that no test takes; fails under 95 %.
coverage: .venv/.test
	$(BIN)/pytest -n 2 -m "not slow" --cov-branch --cov-report=term:skip-covered --cov-fail-under=95 $(COVERED:%=--cov=%)

# 60 small changes to the code, drawn by a seed: at least 95 % are noticed by a test.
mutants: .venv/.test
	$(BIN)/python -m tests.mutation --seed 0 --places 60 --floor 0.95

# More kills, more generated inputs; takes an hour.
nightly: .venv/.test
	$(BIN)/pytest -n 2 --nightly

docs: .venv/.docs
	$(BIN)/mkdocs build --strict

# Runs every study whose figures stand in the cards again.
figures: .venv/.test
	$(BIN)/python -m studies figures

format: .venv/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt .
	touch $@

.venv/.test: .venv/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt ".[test]"
	touch $@

# inspect-ai wants another fsspec than datasets: it lies beside the others, in a venv of its own.
.venv/.inspect: .venv/.test
	$(BIN)/python -m venv --without-pip .venv/inspect
	$(BIN)/python -c "$(PURELIB)" > "$$(.venv/inspect/bin/python -c "$(PURELIB)")/beside.pth"
	.venv/inspect/bin/python -m pip install --quiet --disable-pip-version-check $(INSPECT)
	touch $@

.venv/.docs: .venv/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt ".[docs]"
	touch $@

clean:
	rm -rf hub .venv
