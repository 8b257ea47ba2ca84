#!/usr/bin/env bash
# cuzk-bench, on small sizes: without a daemon, and against one. Takes some seconds.
# Given by meson besides CUZK: CUZK_BENCH, and CUZK_DAEMON where it is built.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"

: "${CUZK_BENCH:?the program to test}"
bench="$CUZK_BENCH"
daemon=

# json NAME EXPRESSION: the expression of Python over the object r in $T/out holds.
json() {
    local name="$1" expression="$2"
    if python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not eval(" ".join(sys.argv[2].split())))' "$T/out" "$expression" 2>"$T/err"; then
        pass "$name"
    else
        fail "$name" "$expression"
    fi
}

# drawn NAME FILE: a plot, as XML.
drawn() {
    if python3 -c 'import sys, xml.dom.minidom as m
sys.exit(len(m.parse(sys.argv[1]).getElementsByTagName("path")) < 8)' "$2" 2>"$T/err"; then
        pass "$1"
    else
        fail "$1" "$2"
    fi
}

expect_error 'no arguments is misuse' 2 'Commands:' "$bench"
expect_output 'help goes to stdout' 'synth-only' "$bench" --help
expect_output 'help of a command' '--against PROGRAM' "$bench" synth-only --help
expect_output 'version' '^cuzk-bench [0-9]' "$bench" --version
expect_output 'man page' '^\.TH CUZK-BENCH 1' "$bench" help --man
expect_error 'unknown command names the nearest' 2 "did you mean 'sector'" "$bench" sectr x
expect_error 'a partition without parameters' 2 'needs --srs' "$bench" partition x
expect_error 'a missing request' 4 'No such file' "$bench" synth-only "$T/none"
expect_error 'scalars of no kind' 2 'uniform, witness, bits' "$bench" msm --scalars other
expect_error 'sizes the wrong way round' 2 'min-log' "$bench" ntt --min-log 12 --max-log 10

expect 'inputs' 0 "$bench" gen-vanilla winning 2KiB --seed 1 --out "$T/in" --json
json 'are named' 'r["request"].endswith("winning-2KiB-1.meta.json")'
expect 'more inputs' 0 "$bench" gen-vanilla window 2KiB --seed 1 --out "$T/in"
expect 'the same from cuzk' 0 "$CUZK" gen winning 2KiB --seed 1 --out "$T/gen"
same 'byte for byte' "$T/in/winning-2KiB-1.meta.json" "$T/gen/winning-2KiB-1.meta.json"
winning="$T/in/winning-2KiB-1.meta.json" window="$T/in/window-2KiB-1.meta.json"
mkdir "$T/params"
for kind in window winning; do
    expect "setup of $kind" 0 "$bench" setup "$kind-2k" --seed 7 --out "$T/params/$kind-2k" --json
    json 'tells its time and size' 'r["seconds"]["count"] == 1 and r["file_bytes"] > 2**20 and r["phases_s"]'
done
expect_output 'setup without keeping' 'folded parameters of' "$bench" setup window-2k --rounds 2
tidy 'leaves nothing' "$bench" setup window-2k

expect 'a witness' 0 "$bench" synth-only "$window" --rounds 3 --json
json 'is measured' 'r["circuit"] == "window-2k" and len(r["arms"]) == 1 and r["arms"][0]["witness"]["count"] == 3'
expect 'two variants' 0 "$bench" synth-only "$winning" --cpu portable,portable --rounds 9 --threads 1 --plot "$T/a.svg" --json
json 'are compared' 'len(r["arms"]) == 2 and r["comparison"]["both"]["low"] <= r["comparison"]["both"]["ratio"]
    <= r["comparison"]["both"]["high"] and r["arms"][1]["peak_anonymous_bytes"] > 0'
drawn 'and drawn' "$T/a.svg"
expect_output 'two builds' 'B against A, both +(no difference|faster|slower)' "$bench" synth-only "$window" \
    --against "$bench" --rounds 9
expect_error 'a program that is no build' 4 'measures no more' "$bench" synth-only "$window" --against true
expect_error 'a build of another protocol' 7 'no program to measure against' \
    "$bench" synth-only "$window" --against echo
expect 'sums' 0 "$bench" msm --min-log 8 --max-log 10 --rounds 2 --json
json 'of both groups and all kinds' 'len(r["results"]) == 12 and all(x["seconds"]["min_s"] > 0 for x in r["results"])'
expect 'one group, one kind' 0 "$bench" msm --group 2 --scalars bits --min-log 8 --max-log 8 --rounds 2 --json
json 'alone' '[x["name"] for x in r["results"]] == ["g2 bits"]'
expect 'small sums alone' 0 "$bench" msm --group 1 --scalars uniform --max-log 9 --rounds 2 --json
json 'of the one size' '[x["n"] for x in r["results"]] == [512]'
expect_error 'a plot that cannot be written' 4 "$T/none: No such file" "$bench" ntt --max-log 10 --plot "$T/none/n.svg"
expect 'transforms' 0 "$bench" ntt --min-log 10 --max-log 12 --rounds 2 --plot "$T/n.svg" --json
json 'of three kinds' 'len(r["results"]) == 6 and r["device"] == "cpu"'
drawn 'and drawn' "$T/n.svg"
expect 'a partition' 0 "$bench" partition "$window" --srs "$T/params/window-2k.srs" --partition 1 --rounds 2 --json
json 'is proved' 'r["partitions"] == 1 and r["seconds"]["count"] == 2 and r["phases_s"]["transforms"] > 0'
expect_output 'a sector' '^window-2k: 2 partitions proved and verified' "$bench" sector "$window" \
    --srs "$T/params/window-2k.srs" --rounds 1
expect_error 'a partition that is not there' 2 'no partition 7' "$bench" partition "$window" \
    --srs "$T/params/window-2k.srs" --partition 7
expect_error 'parameters of another circuit' 6 'window-2k' "$bench" partition "$winning" --srs "$T/params/window-2k.srs"

if [[ -z "${CUZK_DAEMON:-}" ]]; then
    done_testing
fi
expect_error 'no daemon' 4 'GetStatus: ' "$bench" status --daemon "unix://$T/none.sock"
"$CUZK_DAEMON" --listen "unix://$T/sock" --set "srs.param_cache=$T/params" --set "daemon.state_folder=$T/state" \
    2>"$T/daemon.log" &
daemon=$!
trap 'kill -9 "$daemon" 2>/dev/null; rm -rf "$T"' EXIT
ready() {
    "$bench" status --daemon "unix://$T/sock" >/dev/null 2>&1
}
await ready
at=(--daemon "unix://$T/sock")
expect 'status' 0 "$bench" status "${at[@]}" --json
json 'of a ready daemon' 'r["ready"] and len(r["queues"]) == 4'
expect_output 'status as text' 'ready' "$bench" status "${at[@]}"
expect 'preload' 0 "$bench" preload winning-2k "${at[@]}" --json
json 'loads' 'not r["already_loaded"]'
expect_output 'preload again' 'was loaded already' "$bench" preload winning-2k "${at[@]}"
expect_error 'preload of no circuit' 4 'PreloadSRS' "$bench" preload porep-2k "${at[@]}"
expect 'a single proof' 0 "$bench" single "$winning" "${at[@]}" --verify "$T/params" --out "$T/proof" --json
json 'is verified' 'r["outcome"] == "completed" and r["valid"] and r["proof_bytes"] == 192 and
    r["latency_s"] >= r["daemon_s"] - 0.002 and r["daemon_memory"]["peak_anonymous_bytes"] > 0'
expect 'by cuzk, too' 0 "$CUZK" verify "$winning" --vk "$T/params/winning-2k.srs" --proof "$T/proof"
expect_output 'as text' 'witness' "$bench" single "$window" "${at[@]}" --partition 1
expect 'a batch' 0 "$bench" batch "$winning" "$window" "${at[@]}" --count 9 --concurrency 3 --verify "$T/params" \
    --plot "$T/b.svg" --json
json 'is counted' 'r["completed"] == 9 and r["not_valid"] == 0 and r["requests_a_minute"] > 0 and
    {c["circuit"]: c["latency"]["count"] for c in r["circuits"]} == {"winning-2k": 3, "window-2k": 6} and
    r["all"]["latency"]["p99_s"] >= r["all"]["latency"]["median_s"]'
drawn 'and drawn' "$T/b.svg"
for seconds in 2 10 50; do # a busy machine may end no request in two
    expect "sustained for $seconds s" 0 "$bench" sustained "$window" "${at[@]}" --concurrency 2 --duration "${seconds}s" \
        --warmup 500ms --json
    grep -qE '"measured_requests": *0,' "$T/out" || break
done
json 'tells how busy the device was' 'any(w["lane"] == "device" and 0.4 < w["busy"] <= 1.1 for w in r["lanes"])'
json 'counts its window' "abs(r['measured_seconds'] - $seconds) < 0.1 and 0 < r['measured_requests'] <= r['completed']"
expect 'stress' 0 "$bench" stress "$winning" "$window" "${at[@]}" --count 24 --concurrency 8 --cancel 20 --vanish 20 \
    --repeat 25 --seed 3 --verify "$T/params" --json
json 'answers each' 'r["requests"] == 24 and r["failed"] + r["error"] + r["refused"] + r["not_valid"] == 0 and
    r["completed"] > 0 and r["vanished"] > 0'
cp "$T/in"/window-2KiB-1.* "$T" && for file in "$T"/window-2KiB-1.*.vanilla; do
    [[ -n "${other:-}" ]] && cp "$other" "$file"
    other="$file"
done
expect 'a proof that cannot be' 1 "$bench" batch "$T/window-2KiB-1.meta.json" "${at[@]}" --count 2 --json
json 'is a failure' 'r["failed"] > 0 and r["failed_message"]'
expect_output 'metrics' '^cuzk_proofs_completed_total [1-9]' "$bench" metrics "${at[@]}"
expect_output 'evict' 'winning-2k: evicted' "$bench" evict winning-2k "${at[@]}"
expect_error 'a priority that is none' 2 'critical' "$bench" single "$winning" "${at[@]}" --priority urgent
leakless 'no leak' 0 "$bench" status "${at[@]}"
kill -TERM "$daemon"
wait "$daemon"
status=$?
if ((status == 0)); then pass 'the daemon ends well'; else fail 'the daemon ends well' "exit code $status"; fi
done_testing
