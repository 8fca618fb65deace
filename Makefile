# Every target first builds its requirements: `make demo` and `make test` work in a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BRICK := .cache/brickschema-0.8.0
BUILD_INPUTS := pyproject.toml setup.py $(shell find jelly_rdflib -name '*.pyx' -o -name '*.px[di]')

# Spark needs Java: the machine's, or else one from a Python package.
JAVA := $(if $(JAVA_HOME)$(shell command -v java),,[java])

# If a developer's environment exists, the demo uses it and needs none of its own.
DEMO_ENV := $(firstword $(wildcard $(VENV)/.dev) $(VENV)/.demo)
SPARK_ENV := $(firstword $(wildcard $(VENV)/.dev) $(VENV)/.demo-spark)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# A Python that is given on the command line must be that of the environment.
WHICH := -c "import sys; print(sys.base_prefix, sys.version)"
ifeq ($(origin PYTHON)$(filter clean help,$(or $(MAKECMDGOALS),help)),command line)
ifneq ($(wildcard $(BIN)/python),)
ifneq ($(shell $(PYTHON) $(WHICH)),$(shell $(BIN)/python $(WHICH)))
$(error $(VENV) has another Python than $(PYTHON): run `make clean` first, or leave PYTHON out)
endif
endif
endif

# If the compiler flags have changed, all modules are compiled again. `make build` compiles
# in another folder.
ifneq ($(MAKECMDGOALS),build)
ifneq ($(strip $(JELLY_RDFLIB_CFLAGS)),$(shell cat $(VENV)/.flags 2> /dev/null))
.PHONY: $(VENV)/.modules
endif
endif

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.* ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: $(DEMO_ENV) $(BRICK) ## Log, replay and undo the history of the Brick ontology; ARGS=--plot=brick.svg
	@echo "Reading five releases, logging and replaying their patches: half a minute."
	@$(BIN)/python demo/brick_history.py $(BRICK)/brickschema/ontologies .cache/brick-log $(ARGS)

.PHONY: demo-spark
demo-spark: $(SPARK_ENV) ## Replay the demo's log on Apache Spark to two versions, and compare them
	@test -d .cache/brick-log || $(MAKE) demo
	@echo "Replaying the log on Spark: a minute."
	@$(BIN)/python demo/spark_history.py .cache/brick-log

.PHONY: demo-live
demo-live: $(VENV)/.dev ## Send an application's changes to a log server, replicas, Fuseki and Spark
	@echo "Starting six programs and changing data: a minute, and longer while Maven gets Fuseki."
	@$(BIN)/python -m demo.live $(ARGS)

# These tests have targets of their own: they need Java, and take as long as all others.
SPARK_TESTS := jelly_rdflib/spark tests/spark tests/cli/spark
SPARK_LIVE_TESTS := tests/spark/live
JVM_TESTS := tests/interop/jvm
# These tests start brokers, which need Java.
LIVE_TESTS := tests/live/kafka tests/live/mqtt tests/live/fuseki
# `make lint` runs these.
TYPE_TESTS := tests/test_types.py
TESTS := $(addprefix --ignore=,$(SPARK_TESTS) $(LIVE_TESTS) $(JVM_TESTS) $(TYPE_TESTS))
# These cover the wire format, terms, applying changes, the store and the log.
QUICK_TESTS := $(addprefix tests/,core/batch core/jelly nodes store graph/test_apply.py \
    graph/test_identity.py log conformance/patch/test_suite.py) \
    $(addprefix --ignore=tests/,core/jelly/test_bad_input.py core/jelly/test_write.py \
    log/test_laws.py log/test_processes.py)
# Tests run in several processes, but few, to fit into the memory of most machines.
SIDE_BY_SIDE := --numprocesses=auto --maxprocesses=4 --dist=worksteal

.PHONY: test tests
tests: test
test: $(VENV)/.dev ## Build the modules and run the tests: about 5 minutes
	$(BIN)/pytest -m "not slow" $(SIDE_BY_SIDE) $(TESTS)

.PHONY: test-quick
test-quick: $(VENV)/.dev ## Run the tests of the package's core in one process: about a minute
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -m "not slow" -n0 $(QUICK_TESTS)

.PHONY: test-random
test-random: TIME ?= 600
test-random: $(VENV)/.dev ## Test all properties with random examples, in random order, for TIME seconds
	$(BIN)/python -m tests.chance $(TIME) $(SIDE_BY_SIDE) $(TESTS)

.PHONY: test-slow
test-slow: $(VENV)/.dev ## Run the tests that `make test` leaves out because they are slow
	$(BIN)/pytest -m slow $(SIDE_BY_SIDE) $(TESTS) --ignore=tests/live $(ARGS)

.PHONY: mutants
mutants: $(VENV)/.dev ## Inject small faults into MODULE, or a sample of all modules; list those that tests miss
	$(BIN)/python -m tests.mutants $(MODULE) $(ARGS)

.PHONY: test-log-live
test-log-live: $(VENV)/.dev ## Interleave two processes on a log in every way: over an hour; ARGS=--sample=2000 for less
	$(BIN)/python -m tests.faults.log $(ARGS)

.PHONY: test-live
test-live: $(VENV)/.dev ## Test all transports of live changes with real brokers, which are also killed: 20 minutes
	$(BIN)/pytest -rs --numprocesses=2 --dist=loadfile tests/live $(ARGS)

.PHONY: test-asan
test-asan: $(VENV)/.dev ## Run these tests, or TESTS, under AddressSanitizer and UndefinedBehaviorSanitizer
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m sanitizers test $(SIDE_BY_SIDE) $(TESTS)

.PHONY: asan-modules
asan-modules: $(VENV)/.dev ## Build the modules for test-asan
	$(BIN)/python -m sanitizers build

# A Python without the GIL, and the tests that it runs; TSAN=1 uses one built with ThreadSanitizer.
NOGIL := .cache/nogil$(if $(TSAN),-tsan)
PYTHON_NOGIL ?= $(NOGIL)/python/bin/python3
NOGIL_TESTS ?= $(addprefix tests/,threads core/batch core/text core/thrift nodes store graph log)
NOGIL_FLAGS := $(if $(TSAN),-O1 -g -fsanitize=thread)
# This test reads Turtle, whose parser has no build for such a Python.
NOGIL_LEFT_OUT := --deselect tests/graph/test_update.py::test_load_reads_what_it_may
# Reports of ThreadSanitizer about CPython itself are suppressed.
NOGIL_ENVIRONMENT := $(if $(TSAN),TSAN_OPTIONS="suppressions=$(CURDIR)/$(NOGIL)/source/Tools/tsan/suppressions_free_threading.txt")

.PHONY: test-nogil
# The ordinary build translates the modules to C: Cython is slow under ThreadSanitizer.
test-nogil: $(PYTHON_NOGIL) $(VENV)/.modules ## Run tests without the GIL, on PYTHON_NOGIL or a newly built Python; TSAN=1 for data races
	$(PYTHON_NOGIL) -m venv $(NOGIL)/venv
	TSAN_OPTIONS=report_bugs=0 $(NOGIL)/venv/bin/pip install --quiet --group build --group nogil
	$(if $(TSAN),TSAN_OPTIONS=report_bugs=0 LDFLAGS=-fsanitize=thread JELLY_RDFLIB_CFLAGS="$(NOGIL_FLAGS)") \
	    $(NOGIL)/venv/bin/python setup.py --quiet build_ext --inplace --force --build-temp=$(NOGIL)/temp
	HYPOTHESIS_PROFILE=quick $(NOGIL_ENVIRONMENT) $(NOGIL)/venv/bin/python -X gil=0 -m pytest -q -m "not slow" \
	    -p tests.nogil $(NOGIL_LEFT_OUT) $(NOGIL_TESTS) $(ARGS)

$(NOGIL)/python/bin/python3:
	release/python_nogil.sh $(NOGIL) $(if $(TSAN),--with-thread-sanitizer)

.PHONY: fuzz
fuzz: TIME ?= 3600
fuzz: $(VENV)/.fuzz ## Fuzz TARGETS, by default all, for TIME seconds in total
	$(BIN)/python -m fuzz run --time $(TIME) $(TARGETS)

.PHONY: fuzz-short
# A fixed seed shows only faults that a change introduces. `make fuzz`, with random seeds, finds the
# older faults.
fuzz-short: $(VENV)/.fuzz ## Fuzz all targets, two in parallel, for two minutes
	$(BIN)/python -m fuzz run --time 120 --jobs 2 --seed 1

.PHONY: fuzz-modules
fuzz-modules: $(VENV)/.fuzz ## Build the modules for fuzzing
	$(BIN)/python -m fuzz build

.PHONY: fuzz-reproduce
fuzz-reproduce: $(VENV)/.fuzz ## Run a target on an input that fuzzing found: TARGET=… INPUT=FILE
	$(BIN)/python -m fuzz reproduce $(TARGET) $(INPUT)

.PHONY: interop
interop: $(VENV)/.dev ## Test that this package, Jelly-JVM and Jena (built with Maven) read each other's output
	test -d .cache/brick-log || $(MAKE) demo
	$(BIN)/pytest -rs $(JVM_TESTS)

.PHONY: test-spark
test-spark: $(VENV)/.dev ## Run the tests on Spark: about 8 minutes
	$(BIN)/pytest -m "not slow" $(SIDE_BY_SIDE) --ignore=$(SPARK_LIVE_TESTS) $(SPARK_TESTS)

.PHONY: test-spark-live
test-spark-live: $(VENV)/.dev ## Test Kafka, S3 and HDFS, and run slow tests on Spark, many of which kill it: half an hour
	$(BIN)/pytest -rs -n0 $(SPARK_LIVE_TESTS) $(ARGS)
	$(if $(ARGS),,$(BIN)/pytest -rs -n0 -m slow --ignore=$(SPARK_LIVE_TESTS) $(SPARK_TESTS))

# No Python package has actionlint, so Go builds it once.
ACTIONLINT := $(if $(shell command -v go),$(BIN)/actionlint)

.PHONY: lint
lint: $(VENV)/.dev $(ACTIONLINT) ## Check style, types (also of the docs), workflows, and which package imports which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -q -n0 tests/test_layers.py tests/test_commits.py $(TYPE_TESTS)
	$(BIN)/shellcheck .ci/run
	$(if $(ACTIONLINT),$(ACTIONLINT) -shellcheck=$(BIN)/shellcheck,\
	    @echo "Go is missing, so actionlint can't be built: the workflows are not checked.")

.PHONY: docs
docs: $(VENV)/.dev ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

.PHONY: bench
bench: $(VENV)/.dev ## Measure against other libraries: a table of ratios; ARGS=--quick for less
	$(BIN)/python -m benchmarks $(ARGS)

.PHONY: bench-store
bench-store: $(VENV)/.dev ## Measure the JellyStore against other stores, and write its page
	$(BIN)/python -m benchmarks.store

.PHONY: bench-spark-replay
bench-spark-replay: $(VENV)/.dev ## Measure a replay of ten million operations on Spark, from Jelly-Patch and from text
	$(BIN)/python -m benchmarks.spark_replay $(ARGS)

.PHONY: bench-spark-limits
bench-spark-limits: $(VENV)/.dev ## Measure what grows with the data, on executors with 1 GB, for docs/spark/limits.md
	$(BIN)/python -m benchmarks.spark_limits $(ARGS)

.PHONY: bench-live
bench-live: $(VENV)/.dev ## Compare Kafka, gRPC, MQTT and HTTP with the plain clients, and write docs/live/benchmarks.md
	$(BIN)/python -m benchmarks.live $(ARGS)

.PHONY: bench-peers
bench-peers: $(VENV)/.dev ## Compare with Jelly-JVM, Jena and others, and write docs/benchmarks.md
	$(BIN)/python -m benchmarks.peers $(ARGS)

.PHONY: reliability
reliability: $(VENV)/.dev ## Measure how time and memory grow with the size of hostile input, for docs/tried.md
	$(BIN)/python -m benchmarks.reliability $(ARGS)

.PHONY: long-run
long-run: $(VENV)/.dev ## Pass 100 million operations through three processes, for docs/tried.md
	$(BIN)/python -m benchmarks.reliability.long_run --to docs $(ARGS)

# The number of cases in the official suite: a checkout with fewer cases is incomplete.
OFFICIAL_CASES := 187

.PHONY: conformance
conformance: $(VENV)/.dev ## Run our cases of the official suite; with SUITE, its checkout, run all and write the report
	$(BIN)/python -m tests.conformance $(if $(SUITE),"$(SUITE)" --at-least $(OFFICIAL_CASES) \
	    --report docs/conformance/earl.ttl)

.PHONY: conformance-patch
conformance-patch: $(VENV)/.dev ## Run the Jelly-Patch suite on the package and on JELLY_JVM, a checkout, and write its pages
	$(BIN)/python -m tests.conformance.patch.pages "$(JELLY_JVM)"

# Each variable names a checkout of that project; no files of it are kept here.
PEERS := W3C RDFLIB PYSHACL

.PHONY: test-peers
test-peers: $(VENV)/.dev ## Run other projects' own tests, for docs/peers-tests.md: W3C=… RDFLIB=… PYSHACL=…
	$(BIN)/python -m tests.peers $(foreach peer,$(PEERS),$(if $($(peer)),\
	    --$(shell echo $(peer) | tr A-Z a-z) "$($(peer))")) $(ARGS)

.PHONY: build
build: $(VENV)/.dev ## Make the sdist, and from it the wheel, in dist/
	rm -rf dist
	$(BIN)/python -m build --quiet

.PHONY: wheels
wheels: | $(BIN)/python ## Build wheels for two libcs and two processors, and try some; PYTHONS="python3.12 python3.13"
	$(BIN)/pip install --quiet --group wheels
	$(BIN)/python -m release.wheels $(PYTHONS)

.PHONY: release
release: $(VENV)/.dev $(BRICK) ## Make all files of a release in dist/: wheels, site, notes, sums; PYTHONS=… for more wheels
	test -d .cache/brick-log || $(MAKE) demo
	$(BIN)/pip install --quiet --group wheels
	$(BIN)/python -m release.everything --log .cache/brick-log $(PYTHONS)

.PHONY: clean
clean: ## Remove all built files, .venv and .cache included
	rm -rf $(VENV) .cache build dist site *.egg-info
	rm -rf .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find jelly_rdflib -name '*.so' -delete

$(BIN)/python:
	$(eval MISSING := $(shell $(PYTHON) setup.py check_machine 2>&1))
	$(if $(MISSING),$(error $(MISSING)))
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# On a terminal pip shows its progress. Setuptools always warns of editable installs.
QUIET := $(shell test -t 2 || echo --quiet)
INSTALL := PYTHONWARNINGS="ignore:Editable installation" $(BIN)/pip install $(QUIET)

$(BIN)/actionlint: | $(BIN)/python
	GOBIN=$(CURDIR)/$(BIN) go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# The Cython modules, built in place, and the packages to build them.
$(VENV)/.modules: $(BUILD_INPUTS) | $(BIN)/python
	@$(INSTALL) --group build
	@rm -f $@
	@echo "Compiling the Cython modules: all take about a minute."
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@echo "$(strip $(JELLY_RDFLIB_CFLAGS))" > $(VENV)/.flags
	@touch $@

# $(VENV)/.GROUP: an editable install of the package, with the packages of that group.
$(VENV)/.%: pyproject.toml $(VENV)/.modules
	@echo "Installing the packages for '$*' that are missing$(if $(filter dev,$*), (all: 2 GB and some minutes))."
	@JELLY_RDFLIB_MODULES_ARE_BUILT=1 $(INSTALL) --no-build-isolation --editable ".$(if $(filter demo,$*),,$(JAVA))" --group $*
	@touch $@

# Few developers fuzz, so its packages are not in the group dev.
$(VENV)/.fuzz: pyproject.toml $(VENV)/.dev
	$(BIN)/pip install --quiet --group fuzz
	touch $@

# Only the ontology's files are needed. The package's code never runs, so it needs no dependencies
# and installs on any Python.
$(BRICK): | $(BIN)/python
	rm -rf $@
	$(BIN)/pip install --quiet --no-deps --no-compile --ignore-requires-python \
	    --target $@ $(subst -,==,$(notdir $@))
