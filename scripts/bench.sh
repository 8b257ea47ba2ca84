#!/usr/bin/env bash
# Run every benchmark program; each prints one JSON document.
# usage: bench.sh BUILD_FOLDER TO
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
mkdir -p "$2"
found=0
for program in "$1"/bench/bench_*; do
    if [[ -f "$program" && -x "$program" ]]; then
        found=1
        name="$(basename "$program")"
        echo "$name -> $2/$name.json"
        "$program" >"$2/$name.json.new"
        mv "$2/$name.json.new" "$2/$name.json"
    fi
done
((found)) || echo "no benchmarks in $1/bench"
