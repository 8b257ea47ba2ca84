#!/usr/bin/env bash
# Build the fuzz targets and run each for a time. New inputs are kept in the build folder's corpus; a
# crash leaves its input in BUILD_FOLDER/crash and ends with exit code 1.
# usage: fuzz.sh BUILD_FOLDER SECONDS
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
cd "$(dirname "$0")/.."
build="$1"
seconds="$2"

if [[ ! -f "$build/build.ninja" ]]; then
    CC=clang CXX=clang++ meson setup "$build" . -Dfuzzers=true -Dbuildtype=debugoptimized \
        -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
fi
ninja -C "$build" fuzzers

mkdir -p "$build/crash"
passed=0
failed=0
for program in "$build"/fuzz/fuzz_*; do
    [[ -f "$program" && -x "$program" ]] || continue
    name="$(basename "$program")"
    corpus="$build/corpus/$name"
    mkdir -p "$corpus"
    seeds=()
    if [[ -d "fuzz/seeds/$name" ]]; then
        seeds=("fuzz/seeds/$name")
    fi
    echo "$name: $seconds s"
    if "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/crash/$name-" "$corpus" "${seeds[@]}" >"$build/$name.log" 2>&1; then
        grep -E 'number_of_executed_units|peak_rss' "$build/$name.log" || true
        passed=$((passed + 1))
    else
        tail -40 "$build/$name.log"
        failed=$((failed + 1))
    fi
done
echo "fuzz: $passed passed, $failed failed"
((failed == 0))
