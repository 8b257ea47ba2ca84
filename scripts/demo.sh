#!/usr/bin/env bash
# From nothing to a verified proof: build, make parameters for the 2KiB PoRep, prove the shipped C1 with
# random r and s, verify. Shows the time of each step.
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
cd "$(dirname "$0")/.."

c1=tests/vectors/input/porep-2KiB-1.c1.json
out=build/demo
began="$(date +%s%N)"

seconds_since() {
    local ms=$((($(date +%s%N) - $1) / 1000000))
    printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

step() {
    local title="$1" start
    shift
    start="$(date +%s%N)"
    printf '== %s\n   %s\n' "$title" "$*"
    "$@"
    printf '   -- %s\n' "$(seconds_since "$start")"
}

quiet_build() {
    mkdir -p build
    if ! make build >build/demo-build.log 2>&1; then
        tail -30 build/demo-build.log
        return 1
    fi
}

mkdir -p "$out"
rm -f "$out"/porep-2k.*
step 'build' quiet_build
step 'make parameters and key with a random trapdoor' build/bin/cuzk setup porep-2k --out "$out/porep-2k"
step 'prove' build/bin/cuzk prove "$c1" --params "$out/porep-2k.params" --out "$out/porep-2k.proof"
step 'verify' build/bin/cuzk verify "$c1" --vk "$out/porep-2k.vk" --proof "$out/porep-2k.proof"
printf '== all in %s; files in %s\n' "$(seconds_since "$began")" "$out"
