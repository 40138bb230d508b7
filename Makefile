# The conventional words. Each installs what it lacks (scripts/need), says so, and touches no network otherwise.
# All the work is in scripts/, which can be run by hand too.

.DEFAULT_GOAL := build
.PHONY: build demo check test verify tidy bench bench-peers format sanitize fuzz soak clean help

build: ## build the programs, build/drover and build/drover-sim
	@scripts/need build
	@scripts/build build "drover drover-sim"

demo: ## build drover-sim, then watch twelve simulated nodes get a new driver
	@scripts/need build
	@scripts/build build drover-sim
	@build/drover-sim demo

check: ## lints and unit tests: what to run after every change
	@scripts/test lint unit

test: ## lints, unit tests, stories, a crash at every write, the programs from outside: no Go, no virtual machine
	@scripts/test

verify: ## everything: make test, clang, sanitizers, fuzzers, a real control plane, real kernels and nodes; STAGE=kernel: only that
	@scripts/verify $(STAGE)

tidy: ## clang-tidy over everything (make verify: over what changed)
	@TIDY=--all scripts/test tidy

bench: ## run the benchmarks: a table, and build/bench.json
	@scripts/need build
	@scripts/build build all_benches -DDROVER_BENCH=ON
	@scripts/bench

bench-peers: ## drover beside NVIDIA's upgrade library on a real control plane: a table, and build/peers.json (hours)
	@scripts/need build bed
	@scripts/build build "drover drover-sim"
	@scripts/bench-peers

format: ## format our C++ files in place
	@scripts/need format
	@scripts/format

sanitize: ## the tests under ASan+UBSan, then under TSan
	@scripts/test asan tsan_all

fuzz: ## every fuzz target for FUZZ_SECONDS (60); findings are kept in build/fuzz/
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-60} scripts/test fuzz

soak: ## SEEDS (30,000) seeds of random trouble of each vendor from SEED (1) on, and a crash at every single write: two hours
	@scripts/need build test
	@scripts/build build "test_proof test_cli" -DDROVER_TESTS=ON
	@scripts/proof "$${SEEDS:-30000}" "$${SEED:-1}"

clean: ## remove build/ (the real control plane's binaries stay in ~/.cache/drover)
	@rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
