# `make run` plays the main job, `make test` checks everything, `make check` what is quick: ruff, mypy
# and the tests of files that take little time (tests/durations.json, which `make durations` records
# on an idle machine).  `make bench` measures speed,
# `make fuzz` attacks the commands and all files at length, `make docs`
# builds the site of the documentation, `make web` serves the table in the browser, `make peers` prints
# how OpenSpiel and pomdp-py compare, installed in an environment of their own, and with
# PROBLEMS=FOLDER what planners reach of the values of others' solvers, `make planners` the
# same for POMDPPlanners, which needs 6 GB, `make cluster` starts
# four hosts in namespaces, as root, `make slurm` a Slurm of four nodes, as root, `make lowest` runs
# what is quick with the oldest versions that pyproject.toml allows, `make evidence` lists what the
# results are made from, and plays what is missing (ARGS=hours=8), `make paper` writes their pages
# and pictures from the rows.
# Each makes the environment first if it is not there, with what it needs; VENV and PYTHON choose
# where and from what.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
PEERS := .venv-peers
PLANNERS := .venv-planners
LOWEST := .venv-lowest

.PHONY: run web test check nightly durations fuzz bench peers planners evidence paper cluster slurm lowest docs clean

run: $(VENV)/.run
	$(BIN)/python -m experiments.compare experiment=main $(ARGS)

web: $(VENV)/.web
	$(BIN)/python -m experiments.web $(ARGS)

PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PYTEST) -m "not nightly" $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m mypy
	$(PYTEST) -m "not slow and not nightly" $(ARGS)

nightly: $(VENV)/.dev
	$(PYTEST) -m nightly $(ARGS)

durations: $(VENV)/.dev
	SLEUTH_RECORD_DURATIONS=1 $(PYTEST) -m "not nightly"

fuzz: $(VENV)/.dev
	$(BIN)/python tests/fuzz/run.py $(ARGS)

bench: $(VENV)/.benchmarks
	$(BIN)/python -m benchmarks.bench_belief
	$(BIN)/python -m benchmarks.bench_compile
	$(BIN)/python -m benchmarks.bench_search
	$(BIN)/python -m benchmarks.bench_arena
	$(BIN)/python -m benchmarks.bench_game
	$(BIN)/python -m benchmarks.bench_root
	$(BIN)/python -m benchmarks.bench_parallel
	$(BIN)/python -m benchmarks.bench_plain
	$(BIN)/python -m benchmarks.bench_pomdp

peers: $(PEERS)/.peers
	$(PEERS)/bin/python -m benchmarks.peers $(ARGS)
	$(if $(PROBLEMS),$(PEERS)/bin/python -m benchmarks.solvers $(PROBLEMS) $(SOLVERS))

planners: $(PLANNERS)/.planners
	$(PLANNERS)/bin/python -m benchmarks.peers.planners $(ARGS)

evidence: $(VENV)/.dev
	$(BIN)/python -m benchmarks.evidence $(ARGS)

paper: $(VENV)/.dev
	$(BIN)/python -m benchmarks.evidence write=true $(ARGS)

cluster: $(VENV)/.dev
	$(BIN)/python -m benchmarks.cluster $(ARGS)

slurm: $(VENV)/.dev
	$(BIN)/python -m benchmarks.slurm $(ARGS)

lowest: $(LOWEST)/.lowest
	$(LOWEST)/bin/python -m pytest -m "not slow and not nightly" $(ARGS)

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Plug-ins of Hydra for the tests, which work with what is installed and ask for other versions of
# Optuna, or for much of Ray that nobody here uses.
PLUGINS := hydra-optuna-sweeper==1.3.0 hydra-ray-launcher==1.2.2

NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'

# $(call install,ENVIRONMENT,PACKAGES): by uv, which takes a fraction of the time, if it is there or
# pip can install it, else by pip.
install = @echo "installing into $(1), once: less than a minute with uv, some minutes with pip"; \
	{ command -v uv || $(1)/bin/python -m pip install --quiet uv; } >/dev/null; \
	PATH="$(1)/bin:$$PATH" uv pip install --quiet --python $(1)/bin/python $(2) \
	|| $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2) \
	|| { echo "installing failed, see above; it needs a network, once: then run make again" >&2; exit 1; }

# Stamps are made last, so that an installation cut short is done again.
%/.made: pyproject.toml
	@$(NEW_ENOUGH)
	@$(PYTHON) -m venv $*
	@touch $@

$(VENV)/.run: $(VENV)/.made
	$(call install,$(VENV),--editable .)
	@touch $@

$(VENV)/.dev: $(VENV)/.made
	$(call install,$(VENV),--editable '.[dev]')
	$(call install,$(VENV),--no-deps $(PLUGINS))
	@touch $(VENV)/.run $@

$(VENV)/.web: $(VENV)/.made
	$(call install,$(VENV),--editable '.[web]')
	@touch $@

$(VENV)/.benchmarks: $(VENV)/.made
	$(call install,$(VENV),--editable '.[benchmarks]')
	@touch $@

$(VENV)/.docs: $(VENV)/.made
	$(call install,$(VENV),--editable '.[docs]')
	@touch $@

$(PEERS)/.peers: $(PEERS)/.made
	$(call install,$(PEERS),--editable '.[peers]')
	@touch $@

$(PLANNERS)/.planners: $(PLANNERS)/.made
	$(call install,$(PLANNERS),--editable '.[planners]')
	@touch $@

# pip has no way to ask for the lowest versions; uv has.
$(LOWEST)/.lowest: $(LOWEST)/.made
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	$(call install,$(LOWEST),--no-deps $(PLUGINS))
	@touch $@

.PRECIOUS: %/.made

clean:
	rm -rf .venv $(PEERS) $(PLANNERS) $(LOWEST) build site *.egg-info
