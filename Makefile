# The front door. Everything real happens in CMake; `make help` lists what there is.
.DEFAULT_GOAL := build
.PHONY: packages test-packages build library install-files deb archive test-package test-slurm all solve test asan test-arm64 bench bench-gpu evidence evidence-short fuzz format format-check tidy clean help

packages:
	@tools/install-packages

test-packages:
	@tools/install-packages tests

build: packages ## build the program: build/umf
	@cmake --preset cpu >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset cpu --target umf

library: build ## build the library: build/libumf.so; python/ has the package over it
	@cmake --build --preset cpu --target umf_c_api

install-files: build # what cmake --install build puts in place
	@cmake --build --preset cpu --target install_files

deb: install-files ## a Debian package: build/packages/umf_*.deb
	@cd build && cpack >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls build/packages/*.deb

test-package: install-files ## the Debian package in a fresh Debian: minutes; needs root, mmdebstrap, lintian and npm
	@tests/install/fresh_debian build build/fresh_debian

test-slurm: build ## runs disturbed in every way, under a small Slurm on this machine: minutes; needs root. ROUNDS=3 repeats it
	@tests/slurm/disturbances.py build/umf . build/slurm --rounds $(or $(ROUNDS),1) || [ $$? = 77 ]

archive: install-files ## a folder that brings its libraries, packed: build/packages/umf-*.tar.xz
	@tools/make-archive build

all: build # the tests, too
	@cmake --build --preset cpu

solve: build ## solve a built-in problem with the embedded models
	@build/umf solve

test: test-packages all ## build and run all tests
	@ctest --preset cpu -j$$((2 * $$(nproc)))

asan: packages ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan
	@ctest --preset asan -j2

test-arm64: packages ## a cross build for arm64 and its tests under qemu (Debian)
	@tools/arm64-sysroot build-arm64/sysroot
	@cmake --preset arm64 >/dev/null
	@cmake --build --preset arm64
	@tools/test-arm64 -j$$(nproc)

bench: build ## the measurements of docs/benchmarks.md (minutes)
	@cmake --build --preset cpu --target benchmarks
	@tools/bench build

evidence: build ## what switching models gains, on the embedded models: more than a day on two cores, resumable
	@tools/evidence/run build evidence all --workers $$(nproc) --threads $$(nproc)

evidence-short: build ## the claim alone, on 60 problems: 17 minutes on two cores, resumable
	@tools/evidence/run build evidence-short short --workers $$(nproc) --threads $$(nproc)

fuzz: packages ## fuzz every parser of untrusted input; FUZZ_SECONDS=60 each
	@tools/fuzz $(or $(FUZZ_SECONDS),60)

bench-gpu: packages ## steps and a whole search of the published shapes on the GPU, and small models (needs CUDA 13)
	@cmake --preset cuda >/dev/null
	@cmake --build --preset cuda --target engine_bench experts_bench gated_bench workers_bench whole_search_bench rollout_bench
	@build-cuda/src/model/engine_bench
	@build-cuda/src/model/engine_bench --backend cuda-fp8 --positions 1024
	@build-cuda/src/model/engine_bench --weights Q8_0 --positions 1024
	@build-cuda/src/model/engine_bench --weights Q4_K --positions 1024
	@build-cuda/src/model/experts_bench
	@build-cuda/src/backend/cuda/gated_bench
	@build-cuda/src/decode/rollout_bench
	@build-cuda/src/model/workers_bench
	@build-cuda/src/session/whole_search_bench --prm
	@build-cuda/src/session/whole_search_bench --window 64 --budget 512 --memory-limit 17

format: ## clang-format over all sources
	@git ls-files '*.cc' '*.h' '*.cu' '*.cuh' | xargs clang-format -i

format-check: ## fail if a source is not formatted
	@git ls-files '*.cc' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror

tidy: build ## clang-tidy over all sources
	@tools/install-packages tidy
	@git ls-files 'src/*.cc' | grep -v -e _fuzz.cc -e _bench.cc -e backend/cuda/ | xargs -P2 -n4 clang-tidy-19 -p build --quiet

clean: ## remove the build folders
	@rm -rf build build-asan build-arm64 build-cuda build-fuzz

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16
