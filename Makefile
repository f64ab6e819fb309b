# `make hub` builds everything into hub/ and checks it; `make test` is what CI runs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: hub test format clean
hub: .venv/.core
	$(BIN)/python push.py build
	$(BIN)/python push.py check

test: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

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

clean:
	rm -rf hub .venv
