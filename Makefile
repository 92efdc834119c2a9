# The course needs Python 3.11 or newer and make, nothing else. What is installed goes into .venv.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts/python.exe,bin/python)
INSTALL = $(PY) -m pip install --disable-pip-version-check --no-input -c constraints.txt
PINS := pyproject.toml constraints.txt
STEADY := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0

.DEFAULT_GOAL := help
.PHONY: help lab test refresh bench doctor clean
.NOTPARALLEL:

help:  ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16
	@echo
	@echo "The first lab or test sets everything up in $(VENV), which takes some minutes and about 1.3 GB."

lab: $(VENV)/.torch  ## open the course in your browser (PORT=8899 chooses a port)
	@$(PY) -m course_utils lab $(if $(PORT),--port $(PORT)) $(ARGS)

test: $(VENV)/.test  ## check everything: code, lessons, README
	@$(STEADY) $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder --nbval --nbval-current-env --nbval-cell-timeout=120 \
		--nbval-sanitize-with=tests/nbval.cfg $(ARGS) notebooks tests/lessons tests/models tests course_utils README.md
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check

refresh: $(VENV)/.test  ## run the lessons and store their outputs (ARGS=02 for one of them)
	@$(PY) -m course_utils refresh $(ARGS)

bench: $(VENV)/.test  ## measure speed and memory beside the rivals
	@$(STEADY) $(PY) tests/bench.py $(ARGS)

doctor:  ## look whether this machine will run the course
	@$(or $(wildcard $(PY)),$(PYTHON)) -m course_utils doctor

clean:  ## remove what was installed and cached; work/ stays
	rm -rf $(VENV) .pytest_cache .ruff_cache notebooks/.ipynb_checkpoints
	find course_utils tests -name __pycache__ -prune -exec rm -rf {} +

# Each file below marks a step that is done, so that the next run needs neither pip nor a network.

$(PY):
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or newer, or name yours with PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "The course needs Python 3.11 or newer, but $(PYTHON) is %d.%d: name a newer one, as in: make lab PYTHON=python3.12" % sys.version_info[:2])'
	@echo "Setting up the course in $(VENV). This happens once and takes some minutes."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.course: $(PINS) | $(PY)
	@$(INSTALL) --quiet -e .
	@touch $@

$(VENV)/.torch: $(VENV)/.course
	@$(INSTALL) --quiet torch || echo "torch could not be installed here. NumPy lessons work; a cell that needs torch will say so. To try again, delete $@ and run make lab."
	@touch $@

$(VENV)/.test: $(VENV)/.torch
	@$(INSTALL) --quiet -e '.[test]'
	@touch $@
