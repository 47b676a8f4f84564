# Two commands matter: 'make serve' (the page) and 'make test' (every check). The rest are their parts.
PYTHON ?= python3
VENV := .venv/bin/python
PORT ?= 8000

.PHONY: help serve test setup setup-test check format unit browser pyodide bench-boot site files lock clean

help:
	@echo 'make serve       set up what is missing and serve the page (PORT=8000)'
	@echo 'make test        set up what is missing and run every check'
	@echo 'make check       lint, format and types        make format   rewrite to the format'
	@echo 'make unit        unit and property tests       make browser  the tests in a browser'
	@echo 'make site        build the site into dist/     make bench-boot   time the boot'
	@echo 'make files       list app/ in pyscript.toml    make lock     resolve the test packages again'
	@echo 'make clean       remove all that was fetched or built'

serve: setup files
	@$(VENV) -m tools.serve --port $(PORT)

setup:
	@$(PYTHON) -m tools.setup site

setup-test:
	@$(PYTHON) -m tools.setup site test

test: setup-test
	@$(VENV) -m tools.run_checks

check: setup-test
	@$(VENV) -m tools.run_checks lint format types

format: setup-test
	@$(VENV) -m ruff check --fix-only --quiet . && $(VENV) -m ruff format .

unit: setup-test
	@$(VENV) -m tools.run_checks unit

browser: setup-test
	@$(VENV) -m tools.run_checks browser

bench-boot: setup-test
	@$(VENV) -m tools.site && $(VENV) -m tools.bench_boot $(BENCH)

site: setup
	@$(VENV) -m tools.site

files:
	@$(PYTHON) -m tools.files

lock: setup-test
	@$(VENV) -m tools.lock

clean:
	rm -rf .venv node_modules static/vendor static/models .cache dist test-results
