#!/usr/bin/env bash
# cuzk-memmon: what it says of programs whose memory is known. Takes some seconds.
# Given by meson besides CUZK: CUZK_MEMMON.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"

: "${CUZK_MEMMON:?the program to test}"
memmon="$CUZK_MEMMON"
python="$(python3 -c 'import sys; print(sys.executable)')" # itself, not what starts it

# json NAME EXPRESSION FILE: the expression of Python over the object r holds.
json() {
    local name="$1" expression="$2" file="$3"
    if python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not eval(" ".join(sys.argv[2].split())))' "$file" "$expression" 2>"$T/err"; then
        pass "$name"
    else
        fail "$name" "$expression: $(head -c 600 "$file")"
    fi
}

# holder MIB CSV SAMPLES FILE [FILE]: a program that has so much memory, says so with the first file, waits for the
# second, and ends when the watch has written so many more samples, the first of which may have begun before.
cat >"$T/holder" <<'PYTHON'
import os, sys, time
mib, csv, samples, *files = sys.argv[1:]
data = bytearray(int(mib) << 20)
for i in range(0, len(data), 4096):
    data[i] = 1
open(files[0], "w").close()
end = time.monotonic() + 120
def written():
    return open(csv).read().count("\n") if os.path.exists(csv) else 0
def until(what):
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
until(lambda: os.path.exists(files[-1]))
before = max(written(), 1)
until(lambda: written() >= before + int(samples))
PYTHON

# sampled FILE COUNT: so many samples are in the CSV.
sampled() {
    [[ -e "$1" ]] && (($(wc -l <"$1") > $2))
}

# named PID NAME: the process has this name; before, it has that of who starts it.
named() {
    [[ "$(cat "/proc/$1/comm" 2>/dev/null)" == "$2" ]]
}

expect_output 'help goes to stdout' '--interval TIME' "$memmon" --help
expect_output 'version' '^cuzk-memmon [0-9]' "$memmon" --version
expect_output 'man page' '^\.TH CUZK-MEMMON 1' "$memmon" help --man
expect_error 'unknown option names the nearest' 2 'did you mean --interval' "$memmon" --intervall 1s
expect_error 'a time without sense' 2 'not a time' "$memmon" --interval 1x
expect_error 'too short an interval' 2 'not a time' "$memmon" --interval 1ms
expect_error 'no such process' 4 'there is no process' "$memmon" --pid 2147483646
expect_error 'no process of the name' 4 'no process is named' "$memmon" --name cuzk-no-such
expect_error 'a plot that cannot be written is told at once' 4 "$T/none: No such file" \
    "$memmon" --plot "$T/none/m.svg" -- touch "$T/begun"
if [[ -e "$T/begun" ]]; then fail 'before the command begins'; else pass 'before the command begins'; fi
expect_error 'a command and a process' 2 'have no place' "$memmon" --pid 1 -- true
expect_error 'a command that is not there' 127 'No such file' "$memmon" -- "$T/none"
touch "$T/plain"
expect_error 'a command that is none' 126 'Permission denied' "$memmon" -- "$T/plain"

expect 'a command that is over at once' 0 "$memmon" --json --plot "$T/short.svg" -- true
cp "$T/out" "$T/short"
json 'has a peak' 'r["peak"]["rss_bytes"] > 100000 and r["exit_code"] == 0' "$T/short"
expect 'the command'"'"'s exit code' 7 "$memmon" -- sh -c 'exit 7'
run "$memmon" --quiet -- sh -c 'kill -TERM $$'
if ((status == 143)); then pass 'a signal that ended it'; else fail 'a signal that ended it' "exit code $status"; fi
run "$memmon" -- sh -c 'echo said'
if ((status == 0)) && [[ "$(cat "$T/out")" == said ]] && grep -qE 'peak GiB|GiB at most' "$T/err"; then
    pass 'standard output is the command'"'"'s'
else
    fail 'standard output is the command'"'"'s'
fi

expect 'a known amount' 0 "$memmon" --interval 50ms --pages 100ms --json --csv "$T/m.csv" --plot "$T/m.svg" \
    --report "$T/m.json" -- "$python" "$T/holder" 64 "$T/m.csv" 8 "$T/m.ready"
cp "$T/out" "$T/known"
json 'anonymous memory' '64 <= r["peak"]["anonymous_bytes"] / 2**20 <= 64 + 48' "$T/known"
json 'resident is what it is made of' 'abs(r["last"]["rss_bytes"] - sum(r["last"][k + "_bytes"] for k in
    ("anonymous", "file", "shmem"))) < 2**20' "$T/known"
json 'proportional memory' '60 <= r["peak"]["pss_bytes"] / 2**20 <= 64 + 48' "$T/known"
json 'the kernel'"'"'s own peak' 'r["high_water_bytes"] >= r["peak"]["rss_bytes"] * 0.98' "$T/known"
json 'one process' 'r["peak"]["processes"] == 1 and r["exit_code"] == 0 and r["samples"] > 5' "$T/known"
same 'the report is the same' "$T/known" "$T/m.json"
if head -n 1 "$T/m.csv" | grep -q '^timestamp_ms,rss_kb,rss_gib,anonymous_kb,' &&
    (($(wc -l <"$T/m.csv") > 5)) && ! grep -vqE '^[0-9]{13},[0-9]+,[0-9.]+(,[0-9]+){8}$' <(tail -n +2 "$T/m.csv"); then
    pass 'CSV'
else
    fail 'CSV' "$(head -n 3 "$T/m.csv")"
fi
if python3 -c 'import sys, xml.dom.minidom as m
paths = m.parse(sys.argv[1]).getElementsByTagName("path")
sys.exit(len([p for p in paths if "L" in p.getAttribute("d")]) < 2)' "$T/m.svg" 2>"$T/err"; then
    pass 'the plot is SVG with lines'
else
    fail 'the plot is SVG with lines'
fi

hold="'$python' '$T/holder'"
expect 'a tree' 0 "$memmon" --interval 50ms --json --csv "$T/t.csv" -- sh -c \
    "$hold 32 '$T/t.csv' 3 '$T/t.one' '$T/t.two' & $hold 48 '$T/t.csv' 3 '$T/t.two' '$T/t.one' & wait"
cp "$T/out" "$T/tree"
json 'is counted whole' '80 <= r["peak"]["anonymous_bytes"] / 2**20 <= 80 + 96' "$T/tree"
json 'with its processes' 'r["peak"]["processes"] == 3 and len(r["processes"]) == 3' "$T/tree"

# A grandchild whose parent is gone still belongs to the command.
expect 'orphans' 0 "$memmon" --interval 50ms --json --csv "$T/o.csv" -- sh -c \
    "sh -c \"{ $hold 40 '$T/o.csv' 3 '$T/o.ready'; touch '$T/o.seen'; } &\"
    for i in \$(seq 1200); do if test -e '$T/o.seen'; then break; fi; sleep 0.1; done"
cp "$T/out" "$T/orphan"
json 'are counted' 'r["peak"]["anonymous_bytes"] / 2**20 >= 40' "$T/orphan"

"$memmon" --quiet --csv "$T/s.csv" -- sleep 120 &
watcher=$!
await sampled "$T/s.csv" 1
kill -TERM "$watcher"
wait "$watcher"
status=$?
if ((status == 143)); then pass 'signals are passed on'; else fail 'signals are passed on' "exit code $status"; fi

"$python" "$T/holder" 32 "$T/f.csv" 2 "$T/f.ready" &
holder=$!
expect 'following a process until it ends' 0 "$memmon" --pid "$holder" --interval 100ms --json --csv "$T/f.csv"
cp "$T/out" "$T/followed"
json 'which was seen' '32 <= r["peak"]["anonymous_bytes"] / 2**20 <= 80 and "exit_code" not in r' "$T/followed"
wait "$holder"

# What a process had before it was watched is the kernel's peak, not the watch's.
"$python" -c 'import time
data = bytearray(160 << 20)
for i in range(0, len(data), 4096):
    data[i] = 1
del data
print("gone", flush=True)
time.sleep(300)' >"$T/gone" &
holder=$!
await test -s "$T/gone"
"$memmon" --pid "$holder" --interval 50ms --json --csv "$T/l.csv" >"$T/late" &
watcher=$!
await sampled "$T/l.csv" 1
kill "$holder"
wait "$watcher"
json 'the peak is of the time watched' 'r["peak"]["rss_bytes"] / 2**20 < 100 and
    r["high_water_bytes"] / 2**20 > 150' "$T/late"
sleep 300 &
holder=$!
"$memmon" --pid "$holder" --interval 100ms --json --csv "$T/stopped.csv" >"$T/stopped" &
watcher=$!
await sampled "$T/stopped.csv" 2
kill -INT "$watcher" 2>/dev/null || kill -TERM "$watcher"
kill -TERM "$watcher" 2>/dev/null
wait "$watcher"
status=$?
kill "$holder"
if ((status == 0)); then pass 'a watch that is stopped sums up'; else fail 'a watch that is stopped' "exit code $status"; fi
json 'what it saw' 'r["samples"] >= 2' "$T/stopped"

name="sleeper-$$" # no other test's, of those that run beside this one
cp "$(command -v sleep)" "$T/$name"
"$T/$name" 300 &
sleeper=$!
await named "$sleeper" "$name"
{
    await sampled "$T/n.csv" 1
    kill "$sleeper"
} &
expect_output 'finding a process by name' "\"name\": \"$name\"" "$memmon" --name "$name" --json --interval 100ms \
    --csv "$T/n.csv"
wait
"$memmon" --name "$name" --wait --json --interval 100ms --csv "$T/w.csv" >"$T/waited" &
watcher=$!
await test -e "$T/w.csv" # then it looks
sleep 0.3
"$T/$name" 300 &
sleeper=$!
await sampled "$T/w.csv" 1
kill "$sleeper"
wait "$watcher"
json 'waiting for one' "r['name'] == '$name' and r['samples'] >= 1" "$T/waited"
"$T/$name" 300 &
sleeper=$!
"$T/$name" 300 &
other=$!
await named "$sleeper" "$name"
await named "$other" "$name"
expect_error 'two of a name' 2 'choose one with --pid' "$memmon" --name "$name"
kill "$sleeper" "$other"
wait

# NVIDIA's library, played by one of ours.
if cc -shared -fPIC -o "$T/libnvidia-ml.so.1" "$(dirname "$0")/nvml.c" 2>"$T/err" && ! grep -q __asan_init "$memmon"; then
    expect 'memory of devices' 0 env LD_LIBRARY_PATH="$T" "$memmon" --json --interval 50ms --csv "$T/d.csv" -- \
        "$python" "$T/holder" 1 "$T/d.csv" 1 "$T/d.ready"
    cp "$T/out" "$T/device"
    json 'of the process' 'r["peak"]["device_bytes"] == 100 << 20 and r["devices"] == 2' "$T/device"
else
    skip_test 'no compiler, or a sanitizer that wants to come first'
fi
leakless 'no leak' 0 "$memmon" --interval 50ms --plot "$T/l.svg" --csv "$T/l.csv" --json -- sleep 0.2
done_testing
