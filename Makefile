# `make hub` builds everything into hub/ and checks it; `make test` is what CI runs.
PYTHON ?= python3
BIN := .venv/bin
# Slipcover rewrites what it measures instead of tracing it, which costs a fifth instead of two thirds.
TRACED := $(BIN)/python -m slipcover --branch --source metrics,builders
INSPECT := inspect-ai==0.3.285
QUIET := --quiet --disable-pip-version-check
FROM_LOCK := $(QUIET) --require-hashes --no-deps
FROM_LOCK_BY_UV := $(BIN)/uv pip install --quiet --require-hashes --no-deps --compile-bytecode \
	$(PIP_FIND_LINKS:%=--find-links %) --python
# Each of two workers begins with a half of the files: what a module's tests share is made once.
TWO := -n 2 --dist worksteal
PURELIB := import sysconfig; print(sysconfig.get_path('purelib'))

.PHONY: cells lock hub quick test types tests slow burner coverage mutants nightly docs figures format clean
hub: .venv/.core
	$(BIN)/python push.py build --views
	$(BIN)/python push.py check

# What a person runs after each edit: under a minute.
quick: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest $(TWO) --quick

# Two at once, since mypy keeps one core alone: what they find stands between each other's lines.
test: .venv/.test .venv/.inspect
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --jobs 2 types tests

types:
	$(BIN)/mypy

tests:
	$(TRACED) --silent --fail-under 95 -m pytest $(TWO) -m "not slow"

# What takes more than ten seconds a test: builds that are killed, networks, whole pages.
slow: .venv/.test .venv/.inspect
	$(BIN)/pytest $(TWO) -m slow

# Branches of the metrics and the builders that no test takes.
coverage: .venv/.test
	$(TRACED) --skip-covered -m pytest $(TWO) -m "not slow"

# 60 small changes to the code, drawn by a seed: at least 95 % are noticed by a test.
mutants: .venv/.test
	$(BIN)/python -m tests.mutation --seed 0 --places 60 --floor 0.95 $(if $(LOG),--log $(LOG))

# What waits for processes, locks, leases, servers and pages, three times in a row beside a busy
# process per core; PYTEST="-x -k lease" chooses among it.
burner: .venv/.test
	$(BIN)/python -m tests.burner $(PYTEST)

# More kills, more generated inputs; takes an hour.
nightly: .venv/.test
	$(BIN)/pytest $(TWO) --nightly

# Python versions, lowest and newest dependencies, core and extras, odd checkouts; takes an hour.
# pyenv shows its interpreters only where they are named; any other is found on PATH.
cells: .venv/.test
	PATH="$(CURDIR)/$(BIN):$$PATH" PYENV_VERSION="$$(pyenv versions --bare 2>/dev/null | paste -sd: -)" \
	nox $(foreach name,$(CELLS),-s "cell($(name))") $(if $(TESTS),-- $(TESTS))

# What CI installs, file by file; after every change of pyproject.toml or constraints.txt.
lock: .venv/.inspect
	$(BIN)/python -m tests.record_lock $(INSPECT)

docs: .venv/.docs
	$(BIN)/mkdocs build --strict

# Runs every study whose figures stand in the cards again.
figures: .venv/.test
	$(BIN)/python -m studies figures

format: .venv/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

ifdef LOCKED
# What CI installs: the very files of locks/, by their checksums, and nothing that they pull in. pip
# takes one of them, uv, and uv the rest in a fraction of pip's time.
.venv/.core: locks/build.txt locks/test.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	grep -A1 "^uv==" locks/test.txt > .venv/uv.txt
	$(BIN)/python -m pip install $(FROM_LOCK) -r .venv/uv.txt
	$(FROM_LOCK_BY_UV) $(BIN)/python -r locks/build.txt
	$(FROM_LOCK_BY_UV) $(BIN)/python --no-build-isolation -r locks/test.txt
	touch $@

.venv/.test: .venv/.core
	touch $@
else
.venv/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install $(QUIET) -c constraints.txt .
	touch $@

.venv/.test: .venv/.core
	$(BIN)/python -m pip install $(QUIET) -c constraints.txt ".[test]"
	touch $@
endif

# inspect-ai wants another fsspec than datasets: it lies beside the others, in a venv of its own.
.venv/.inspect: .venv/.test
	$(BIN)/python -m venv --without-pip .venv/inspect
	$(BIN)/python -c "$(PURELIB)" > "$$(.venv/inspect/bin/python -c "$(PURELIB)")/beside.pth"
	$(if $(LOCKED),$(FROM_LOCK_BY_UV) .venv/inspect/bin/python -r locks/inspect.txt,\
		.venv/inspect/bin/python -m pip install $(QUIET) $(INSPECT))
	touch $@

.venv/.docs: .venv/.core
	$(BIN)/python -m pip install $(QUIET) -c constraints.txt ".[docs]"
	touch $@

clean:
	rm -rf hub .venv
