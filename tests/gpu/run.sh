#!/usr/bin/env bash
# What needs a GPU, on a machine with one (scripts/gpu_pack.sh packs this with the programs):
#
#   run.sh checks [LOGS]            tests; proofs of all kinds equal to the CPU's
#   run.sh sanitizer [LOGS]         compute-sanitizer over sums, transforms and a proof
#   run.sh kernels [LOGS]           sums and transforms, as JSON lines
#   run.sh KIND SIZE ROOM [LOGS]    parameters, a partition and all partitions of porep, window, winning or snap, as
#                                   32GiB; ROOM: a folder with room for the parameters (porep 32GiB: 48 GB), a tmpfs
#                                   will do. LIMITS: more limits of device memory to prove under, as "16G 24G"
#
# Each step has a time limit and a log; the last line counts them. LOGS: a folder (./logs).
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CUZK_VECTORS="$here/vectors"
PATH="$here/bin:$PATH"
commit="$(cat "$here/commit")"
passed=0 failed=0

# step NAME SECONDS COMMAND...: its output into LOGS/NAME.log.
step() {
    local name="$1" seconds="$2" start="$SECONDS" status
    shift 2
    timeout -k 10 "$seconds" bash -c '"$@"' "$name" "$@" >"$logs/$name.log" 2>&1
    status=$?
    if ((status == 0)); then
        passed=$((passed + 1))
        echo "passed  $name ($((SECONDS - start)) s)"
    else
        failed=$((failed + 1))
        echo "failed  $name ($((SECONDS - start)) s, exit code $status): $(tail -n 3 "$logs/$name.log" | tr '\n' ' ')"
    fi
    return "$status"
}

# A test that skipped everything has shown nothing.
test_here() {
    local said status
    said="$("test_$1" 2>&1)"
    status=$?
    printf '%s\n' "$said"
    ((status == 0)) && ! grep -q 'SKIPPED TEST' <<<"$said"
}

# same KIND: every partition's proof by GPU and CPU, parameters made by both.
same() {
    local kind="$1" folder="$work/$1" meta k=0
    mkdir -p "$folder"
    cuzk setup "$kind-2k" --only-folded --insecure-seed 7 --device gpu --out "$folder/gpu" --quiet &&
        cuzk setup "$kind-2k" --only-folded --insecure-seed 7 --device cpu --out "$folder/cpu" --quiet &&
        cmp "$folder/gpu.srs" "$folder/cpu.srs" &&
        cuzk gen "$kind" 2KiB --seed 5 --out "$folder" --quiet || return 1
    for meta in "$folder/$kind"-2KiB-5*.json; do
        [[ "$kind" == porep || "$meta" == *.meta.json ]] || continue
        for device in gpu cpu; do
            cuzk prove "$meta" --srs "$folder/gpu.srs" --insecure-rs-seed 3 --device "$device" \
                --out "$folder/proof.$device" --quiet || return 1
        done
        cmp "$folder/proof.gpu" "$folder/proof.cpu" || return 1
        k=$((k + 1))
    done
    echo "$k requests"
    ((k > 0))
}
export -f test_here same

checks() {
    for name in cuda_device cuda_fixed cuda_msm cuda_ntt cuda_rows cuda_transform gpu_prover engine_gpu; do
        step "$name" 240 test_here "$name"
    done
    for kind in winning window snap porep; do
        step "same-$kind" 120 same "$kind"
    done
}

sanitizer() {
    local srs="$work/winning.srs"
    cuzk setup winning-2k --only-folded --insecure-seed 7 --out "$work/winning" --quiet
    cuzk gen winning 2KiB --seed 5 --out "$work" --quiet
    for tool in memcheck initcheck synccheck racecheck; do
        step "$tool-proof" 150 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 1 \
            "$here/bin/cuzk" prove "$work/winning-2KiB-5.meta.json" --srs "$srs" --device gpu --out "$work/proof" --quiet
        step "$tool-sum" 150 compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 1 \
            "$here/bin/bench_cuda" --only g1/uniform --min-log 16 --max-log 16 --reps 1 --commit "$commit"
    done
}

kernels() {
    step kernels 500 bench_cuda --min-log 16 --max-log 27 --commit "$commit"
    grep '^{' "$logs/kernels.log"
}

# figures KIND SIZE ROOM
figures() {
    local kind="$1" size="$2" room="$3" circuit request
    circuit="$kind-$(tr 'A-Z' 'a-z' <<<"${size%iB}")"
    step "setup-$circuit" 300 cuzk setup "$circuit" --only-folded --insecure-seed 7 --device gpu --out "$room/$circuit" || return
    step "gen-$circuit" 120 cuzk gen "$kind" "$size" --seed 5 --out "$work" || return
    request="$(ls "$work/$kind-$size-5"*.json | grep -E "$([[ "$kind" == porep ]] && echo . || echo meta)" | head -n 1)"
    local bench=(--srs "$room/$circuit.srs" --device gpu --commit "$commit" --json)
    step "partition-$circuit" 200 cuzk-bench partition "$request" "${bench[@]}"
    step "sector-$circuit" 300 cuzk-bench sector "$request" "${bench[@]}"
    for limit in ${LIMITS:-}; do
        step "sector-$circuit-$limit" 300 cuzk-bench sector "$request" "${bench[@]}" --device-memory "$limit"
    done
    tail -n +1 "$logs"/partition-"$circuit"*.log "$logs"/sector-"$circuit"*.log
}

mode="${1:-}"
(($# > 0)) && shift
case "$mode" in
checks | sanitizer | kernels) logs="${1:-logs}" ;;
porep | window | winning | snap)
    size="${1:?a size, as 32GiB}" room="${2:?a folder with room}"
    logs="${3:-logs}"
    ;;
*)
    sed -n '3,13s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
mkdir -p "$logs"
logs="$(cd "$logs" && pwd)"
export work
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
case "$mode" in
checks | sanitizer | kernels) "$mode" ;;
*) figures "$mode" "$size" "$room" ;;
esac
echo "$passed passed, $failed failed (commit $commit)"
((failed == 0))
