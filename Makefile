# `make hub` builds everything into hub/ and checks it; `make test` is what CI runs.
PYTHON ?= python3
BIN := .venv/bin
INSPECT := inspect-ai==0.3.285
TUNING := setfit==1.2.0 peft==0.21.2
LIGHTEVAL := "lighteval==0.13.0" "xxhash<4"
QUIET := --quiet --disable-pip-version-check
FROM_LOCK := $(QUIET) --require-hashes --no-deps
FROM_LOCK_BY_UV := $(BIN)/uv pip install --quiet --require-hashes --no-deps --compile-bytecode \
	$(PIP_FIND_LINKS:%=--find-links %) --python
# Each of two workers begins with a half of the files: what a module's tests share is made once.
TWO := -n 2 --dist worksteal
# The versions that CI runs; not for Python 3.10, for which some of them are not made.
PINS = $$($(BIN)/python -c "import sys; print('-c constraints.txt' if sys.version_info > (3, 11) else '')")
PURELIB := import sysconfig; print(sysconfig.get_path('purelib'))

.PHONY: cells lock hub quick test test-product test-research types tests slow burner coverage mutants nightly docs figures nulls bench bench-smoke format clean
hub: .venv/.core
	$(BIN)/python push.py build --views
	$(BIN)/python push.py check
	$(BIN)/python -m pip install $(QUIET) --no-deps --no-build-isolation --force-reinstall .
	@echo "Try: $(BIN)/garden-path list"
	@echo "     $(BIN)/garden-path inputs eras"
	@echo "     $(BIN)/garden-path score eras FILE"

# What a person runs after each edit, of the product: under a minute.
quick: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest $(TWO) --quick tests/product

# Two at once, since mypy keeps one core alone: what they find stands between each other's lines.
test: .venv/.test .venv/.inspect
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --jobs 2 types tests

# One half each: what goes to the Hub, and how the figures were made.
test-product: .venv/.test .venv/.inspect
	$(BIN)/pytest $(TWO) -m "not slow" tests/product

test-research: .venv/.test
	$(BIN)/pytest $(TWO) -m "not slow" tests/research

types:
	$(BIN)/mypy

tests:
	$(BIN)/pytest $(TWO) -m "not slow"

# What takes more than some five seconds a test: builds that are killed, networks, whole pages.
slow: .venv/.test .venv/.inspect .venv/.lighteval .venv/.tuning
	$(BIN)/pytest $(TWO) -m slow
	.venv/tuning/bin/python -m pytest -m slow tests/product/test_acceptance.py -k "setfit or peft"

# Branches of the metrics and the builders that no test takes; ends in 1 below 90 %.
coverage: .venv/.test
	$(BIN)/python -m slipcover --branch --source metrics,builders --skip-covered --fail-under 90 \
	-m pytest $(TWO) -m "not slow"

# 60 small changes to the code, drawn by a seed: at least 95 % are noticed by a test.
mutants: .venv/.test
	$(BIN)/python -m tests.support.mutation --seed 0 --places 60 --floor 0.95 $(if $(LOG),--log $(LOG))

# What waits for processes, locks, leases, servers and pages, three times in a row beside a busy
# process per core; PYTEST="-x -k lease" chooses among it.
burner: .venv/.test
	$(BIN)/python -m tests.support.burner $(PYTEST)

# More kills, more generated inputs, and what no test reaches; takes an hour.
nightly: coverage
	$(BIN)/pytest $(TWO) --nightly

# Python versions, lowest and newest dependencies, core and extras, odd checkouts; takes an hour.
# pyenv shows its interpreters only where they are named; any other is found on PATH.
cells: .venv/.test
	PATH="$(CURDIR)/$(BIN):$$PATH" PYENV_VERSION="$$(pyenv versions --bare 2>/dev/null | paste -sd: -)" \
	nox $(foreach name,$(CELLS),-s "cell($(name))") $(if $(TESTS),-- $(TESTS))

# What CI installs, file by file; after every change of pyproject.toml or constraints.txt.
lock: .venv/.inspect
	$(BIN)/python -m tests.support.record_lock $(INSPECT)

docs: .venv/.docs
	$(BIN)/python -m mkdocs build --strict

# The best shallow reader of every built config, into builders/SUITE/data; then make hub again.
nulls: .venv/.test
	$(BIN)/python -m research shallow --write

# Runs every study whose figures stand in the cards again.
figures: .venv/.test
	$(BIN)/python -m research figures

# Speed against peers, about ten minutes of a free core; writes docs/benchmarks.md and
# ends in 1 where a goal is missed. On a hundredth of the work it judges nothing: `make test` does it.
bench: .venv/.test
	$(BIN)/python -m research.benchmarks --write

bench-smoke: .venv/.test
	$(BIN)/python -m research.benchmarks --smoke

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
	$(BIN)/python -m pip install $(QUIET) $(PINS) ".[hub]"
	touch $@

.venv/.test: .venv/.core
	$(BIN)/python -m pip install $(QUIET) $(PINS) ".[test]"
	touch $@
endif

# inspect-ai wants another fsspec than datasets: it lies beside the others, in a venv of its own.
.venv/.inspect: .venv/.test
	$(BIN)/python -m venv --without-pip .venv/inspect
	$(BIN)/python -c "$(PURELIB)" > "$$(.venv/inspect/bin/python -c "$(PURELIB)")/beside.pth"
	$(if $(LOCKED),$(FROM_LOCK_BY_UV) .venv/inspect/bin/python -r locks/inspect.txt,\
		.venv/inspect/bin/python -m pip install $(QUIET) $(INSPECT))
	touch $@

# lighteval likewise: it pins nltk, and xxhash has to be older; for one of the slow tests.
.venv/.lighteval: .venv/.test
	$(BIN)/python -m venv --without-pip .venv/lighteval
	$(BIN)/python -c "$(PURELIB)" > "$$(.venv/lighteval/bin/python -c "$(PURELIB)")/beside.pth"
	.venv/lighteval/bin/python -m pip install $(QUIET) $(LIGHTEVAL)
	touch $@

# SetFit and PEFT likewise, for two of the slow tests: nothing else here needs them.
.venv/.tuning: .venv/.test
	$(BIN)/python -m venv --without-pip .venv/tuning
	$(BIN)/python -c "$(PURELIB)" > "$$(.venv/tuning/bin/python -c "$(PURELIB)")/beside.pth"
	$(BIN)/python -m pip --python .venv/tuning/bin/python install $(QUIET) $(PINS) $(TUNING)
	touch $@

.venv/.docs: .venv/.core
	$(BIN)/python -m pip install $(QUIET) $(PINS) ".[docs]"
	touch $@

clean:
	rm -rf hub .venv
