#!/usr/bin/env bash
# Programs and tests of a build with kernels, packed for a machine that has a GPU and none of our packages: there,
# unpack and see tests/gpu/run.sh. All libraries but glibc's go along, so its glibc must be as new as here.
# usage: gpu_pack.sh BUILD_FOLDER OUT.tar.xz
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
build="$1" out="$2" here="$(cd "$(dirname "$0")/.." && pwd)"
tests=(cuda_device cuda_fixed cuda_msm cuda_ntt cuda_rows cuda_transform gpu_prover engine_gpu)
pack="$(mktemp -d)"
trap 'rm -rf "$pack"' EXIT
mkdir "$pack/bin" "$pack/lib"
ninja -C "$build" tools/cuzk tools/cuzk-bench bench/bench_cuda "${tests[@]/#/tests/test_}"
for program in tools/cuzk tools/cuzk-bench bench/bench_cuda "${tests[@]/#/tests/test_}"; do
    install -s "$build/$program" "$pack/bin/"
done
ldd "$pack"/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' | xargs -I '{}' cp -L '{}' "$pack/lib/"
cp -r "$here/tests/vectors" "$here/tests/gpu/run.sh" "$pack/"
git -C "$here" describe --always --dirty >"$pack/commit"
tar -C "$pack" -c . | xz -T0 -3 >"$out"
ls -l "$out"
