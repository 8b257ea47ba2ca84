# Makefile - thin targets over meson and ninja. `make help` lists them.
# SPDX-License-Identifier: Apache-2.0 OR MIT

BUILD = build
GCC_BUILD = $(BUILD)/gcc
PREFIX = /usr/local
DESTDIR =
FUZZ_SECONDS = 60

CUDA_TOOLCHAIN = $(BUILD)/cuda-toolchain

GPU_ARCH = all

.PHONY: cuda-toolchain gpu build demo check check-long bench fuzz install uninstall format lint clean deps help
.DEFAULT_GOAL = build

## build        compile the library and the programs; they end in build/bin/
build: $(GCC_BUILD)/build.ninja
	ninja -C $(GCC_BUILD) programs
	@mkdir -p $(BUILD)/bin
	@sh scripts/collect.sh $(GCC_BUILD) $(BUILD)/bin

$(GCC_BUILD)/build.ninja:
	meson setup $(GCC_BUILD) . --prefix=$(PREFIX)

## gpu          the same with kernels for NVIDIA GPUs; GPU_ARCH=sm_90 for one architecture alone, quicker
gpu:
	@bash scripts/deps.sh build
	@command -v nvcc >/dev/null || test -x $(CUDA_TOOLCHAIN)/nvidia/cu13/bin/nvcc || $(MAKE) cuda-toolchain
	@test -f $(GCC_BUILD)/build.ninja || meson setup $(GCC_BUILD) . --prefix=$(PREFIX)
	meson configure $(GCC_BUILD) -Dgpu=enabled -Dgpu_arch=$(GPU_ARCH)
	$(MAKE) build

## demo         install what is missing, build, make 2KiB parameters, prove and verify the shipped C1
demo:
	@bash scripts/deps.sh build
	@bash scripts/demo.sh

## check        all tests but the long ones, with gcc, with clang and sanitizers, and checked
check:
	@bash scripts/deps.sh check
	@python3 tests/scripts/check.py

## check-long   the tests of the largest circuits (some minutes, 5 GB)
check-long:
	@bash scripts/deps.sh build
	@python3 tests/scripts/check.py --long

## bench        run the benchmarks; JSON in build/bench/
bench: $(GCC_BUILD)/build.ninja
	ninja -C $(GCC_BUILD)
	@bash scripts/bench.sh $(GCC_BUILD) $(BUILD)/bench

## fuzz         run each fuzz target for FUZZ_SECONDS (60)
fuzz:
	@bash scripts/deps.sh check
	@bash scripts/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

## install      into PREFIX (/usr/local), below DESTDIR
install: $(GCC_BUILD)/build.ninja
	meson configure $(GCC_BUILD) --prefix=$(PREFIX)
	ninja -C $(GCC_BUILD) programs
	DESTDIR=$(DESTDIR) meson install -C $(GCC_BUILD) --no-rebuild

## uninstall    remove what `make install` of this build folder put there
uninstall:
	ninja -C $(GCC_BUILD) uninstall

## format       format the sources in place
format:
	python3 tests/scripts/check_style.py --list-sources | xargs clang-format -i

## lint         clang-tidy over the sources, and the checks of style, includes and shell scripts
lint: $(GCC_BUILD)/build.ninja
	python3 tests/scripts/check_style.py
	python3 tests/scripts/check_includes.py
	bash scripts/lint.sh $(GCC_BUILD)

## deps         install the packages that build and tests need (Debian, Ubuntu)
deps:
	@bash scripts/deps.sh check

## cuda-toolchain  fetch nvcc (PyPI, 270 MB) into build/, where `make gpu` finds it
cuda-toolchain:
	python3 -m pip install -q --no-deps --target $(CUDA_TOOLCHAIN) nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 \
	  nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85

## clean        remove build/
clean:
	rm -rf $(BUILD)

## help         this list
help:
	@sed -n 's/^## //p' Makefile
