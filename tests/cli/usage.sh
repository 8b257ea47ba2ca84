#!/usr/bin/env bash
# The command line itself: help, misuse, exit codes, bad files. Takes seconds.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"
input="$CUZK_VECTORS/input"
c1="$input/porep-2KiB-1.c1.json"
meta="$input/porep-2KiB-1.meta.json"

# same_json NAME FILE FILE
same_json() {
    run python3 -c 'import json, sys
sys.exit(json.load(open(sys.argv[1])) != json.load(open(sys.argv[2])))' "$2" "$3"
    if ((status == 0)); then pass "$1"; else fail "$1" "$2 and $3 differ"; fi
}

expect_error 'no arguments is misuse' 2 'Commands:' "$CUZK"
expect_output 'help goes to stdout' 'Commands:' "$CUZK" --help
expect_output 'version' '^cuzk [0-9]+\.[0-9]+\.[0-9]+$' "$CUZK" --version
expect_output 'help COMMAND lists its options' '--insecure-rs-seed N' "$CUZK" help prove
expect_output 'COMMAND --help has examples' 'cuzk circuit shape porep-2k' "$CUZK" circuit shape --help
expect_output 'man page' '^\.TH CUZK 1' "$CUZK" help --man
expect_error 'unknown command names the nearest' 2 "did you mean 'prove'" "$CUZK" porve
expect_error 'unknown option names the nearest' 2 'did you mean --params' "$CUZK" prove x --parms y
expect_error 'and none that is far' 2 "unknown option '--timings'$" "$CUZK" prove x --timings
expect_error 'nor a command' 2 "unknown command 'make-coffee'$" "$CUZK" make-coffee
expect_error 'option without value' 2 'needs a value: FILE' "$CUZK" prove x --params
expect_error 'required option' 2 'needs --out' "$CUZK" prove "$c1" --params x
expect_error 'required argument' 2 'needs CIRCUIT' "$CUZK" setup --out x
expect_error 'prove without parameters' 2 'needs --params or --srs' "$CUZK" prove "$c1" --out x
expect_error 'unfolded needs parameters' 2 'needs --params' "$CUZK" prove "$c1" --srs x --unfolded --out x
cp "$c1" "$T/input.json"
expect_error 'the output is not an input' 2 'also read from' "$CUZK" prove "$T/input.json" --params x --out "$T/input.json"
rm "$T/input.json"
expect_error 'srs alone names its commands' 2 'convert, check' "$CUZK" srs
expect_output 'srs --help lists them' 'cuzk srs convert' "$CUZK" srs --help
expect_error 'a phase that is none' 2 'q columns' \
    "$CUZK" srs convert porep-2k --params "$T/none" --out "$T/x" --stop-after soon
expect 'a file that is no folded one is not sound' 1 "$CUZK" srs check "$c1"
expect_error 'argument too many' 2 'one argument too many' "$CUZK" setup a b --out x
expect_error 'negative number' 2 'not a whole number' "$CUZK" setup porep-2k --out x --insecure-seed -1
expect_error 'number with a tail' 2 'not a whole number' "$CUZK" setup porep-2k --out x --threads 2x
expect_error 'zero threads' 2 'from 1 to' "$CUZK" setup porep-2k --out x --threads 0
expect_error 'flag with a value' 2 'takes no value' "$CUZK" inspect "$c1" --json=yes
expect_error 'empty value' 2 'not empty' "$CUZK" setup porep-2k --out ''
expect_error 'size without sense' 2 'not a size' "$CUZK" setup porep-2k --out x --memory 3X
expect_error 'a limit of memory is named' 5 '--memory sets this limit' "$CUZK" setup porep-2k --out "$T/x" --memory 1M
expect_error 'a folder that is not there' 4 "^cuzk: $T/none: No such file" "$CUZK" setup porep-2k --out "$T/none/x"
expect_error 'empty range' 2 'not a range' "$CUZK" circuit rows porep-2k --range 5-5
expect_error 'unknown instruction set names those there are' 2 'portable' "$CUZK" circuit shape porep-2k --cpu z80
expect_error 'unknown circuit names those there are' 2 'porep-2k' "$CUZK" circuit shape porep-3k
expect_error 'and the kinds there are' 2 'winning-, window-, snap- and snap-poseidon-' "$CUZK" circuit shape winning
expect_error 'gen needs a seed' 2 'needs --seed' "$CUZK" gen winning 2KiB --out "$T/g"
expect_error 'gen needs a folder' 2 'needs --out' "$CUZK" gen winning 2KiB --seed 1
expect_error 'gen needs a size' 2 'needs KIND SIZE' "$CUZK" gen winning --seed 1 --out "$T/g"
expect_error 'gen of no kind names those there are' 2 'porep-syn' "$CUZK" gen wining 2KiB --seed 1 --out "$T/g"
expect_error 'gen of no size names those there are' 2 '512MiB' "$CUZK" gen winning 2k --seed 1 --out "$T/g"
expect_error 'gen of no sectors' 2 'from 1 to 100000' "$CUZK" gen window 2KiB --seed 1 --out "$T/g" --sectors 0
expect_error 'gen of two sectors that win' 2 'of 1 at most' "$CUZK" gen winning 2KiB --seed 1 --out "$T/g" --sectors 2
expect_error 'gen of what must be sealed' 7 'up to 512MiB' "$CUZK" gen porep-ni 32GiB --seed 1 --out "$T/g"
expect_error 'gen with another command'"'"'s option' 2 'unknown option' "$CUZK" gen winning 2KiB --seed 1 --every 3

: >"$T/empty"
head -c 5000 "$c1" >"$T/cut"
expect_error 'missing file' 4 'No such file' "$CUZK" inspect "$T/none"
expect_error 'folder' 4 'directory' "$CUZK" inspect "$T"
expect 'an empty file is not sound' 1 "$CUZK" inspect "$T/empty"
expect_error 'verify cannot tell without a key' 2 'No such file' "$CUZK" verify "$c1" --vk "$T/none" --proof "$c1"
expect_error 'verify cannot tell with an empty key' 2 'empty' "$CUZK" verify "$c1" --vk "$T/empty" --proof "$c1"
expect_error 'empty C1' 3 'empty' "$CUZK" prove "$T/empty" --params x --out "$T/p"
expect_error 'cut C1' 3 'byte' "$CUZK" prove "$T/cut" --params x --out "$T/p"
expect_error 'folder as C1' 4 'directory' "$CUZK" prove "$T" --params x --out "$T/p"
expect_error 'result in a missing folder' 4 'none' "$CUZK" prove "$c1" --params x --out "$T/none/p"
expect_error 'result over a folder' 4 'directory' "$CUZK" prove "$c1" --params x --out "$T"
expect_error 'missing parameters' 4 'No such file' "$CUZK" prove "$c1" --params "$T/none" --out "$T/p"
expect_error 'parameters that are none' 3 'c1.json' "$CUZK" prove "$c1" --params "$c1" --out "$T/p"
expect_error 'partition out of range' 2 'has 1' "$CUZK" prove "$c1" --params x --out "$T/p" --partition 1
expect_error 'partition of a window proof out of range' 2 'has 2' \
    "$CUZK" prove "$input/window-2KiB-1.meta.json" --params x --out "$T/p" --partition 2
expect_error 'gen in a missing folder' 4 'No such file' "$CUZK" gen winning 2KiB --seed 1 --out "$T/none/g"
expect_error 'memory limit too small' 5 'memory' "$CUZK" circuit shape porep-2k --memory 1K
only 'nothing was written by all that' "$T" cut empty err out

expect_output 'inspect a C1' 'C1 output' "$CUZK" inspect "$c1"
expect_output 'inspect a C1 as JSON' '"sound": true' "$CUZK" inspect "$c1" --json
cp "$T/out" "$T/report"
same_json 'which is JSON' "$T/report" "$T/report"
expect_output 'inspect a request' 'request' "$CUZK" inspect "$meta"
expect 'inspect a cut C1' 1 "$CUZK" inspect "$T/cut"
for request in winning-2KiB-1 window-2KiB-1 window-v1-2KiB-1 snap-2KiB-1; do
    expect_output "inspect $request" '^vanilla_proof +holds$' "$CUZK" inspect "$input/$request.meta.json"
done
expect_output 'inspect a vanilla proof' '^circuit +window-2k$' "$CUZK" inspect "$input/window-2KiB-1.8039.vanilla"
head -c 5000 "$input/window-2KiB-1.8039.vanilla" >"$T/cut"
expect 'inspect a cut vanilla proof' 1 "$CUZK" inspect "$T/cut"
# A request whose vanilla proof is another sector's, and one whose file is cut.
mkdir "$T/r"
cp "$input"/window-2KiB-1.* "$T/r"
cp "$T/r/window-2KiB-1.8039.vanilla" "$T/r/window-2KiB-1.18584.vanilla"
expect 'a vanilla proof of another sector is not sound' 1 "$CUZK" inspect "$T/r/window-2KiB-1.meta.json"
if grep -q 'fault .*sector 18584: the proof is of sector 8039' "$T/out"; then
    pass 'and the first check that fails is named'
else
    fail 'and the first check that fails is named'
fi
cp "$T/cut" "$T/r/window-2KiB-1.18584.vanilla"
expect 'a cut vanilla proof is not sound' 1 "$CUZK" inspect "$T/r/window-2KiB-1.meta.json" --json

expect_output 'rows by name' '^1	' "$CUZK" circuit rows porep-2k --range 0-2
expect_output 'variables with values' '^w6	.*	[01]$' "$CUZK" circuit vars "$c1" 0 --range 5-7
expect 'shape' 0 "$CUZK" circuit shape porep-2k --json
cp "$T/out" "$T/shape"
same_json 'shape equals the reference' "$T/shape" "$CUZK_VECTORS/shape/porep-2KiB.json"
expect 'instance' 0 "$CUZK" circuit instance "$c1" 0 --json
cp "$T/out" "$T/instance"
same_json 'instance equals the reference' "$T/instance" "$CUZK_VECTORS/instance/porep-2KiB-1.0.json"

for kind in winning window snap snap-poseidon; do
    expect "shape of $kind-2k" 0 "$CUZK" circuit shape "$kind-2k" --json
    cp "$T/out" "$T/shape"
    same_json "$kind-2k equals the reference" "$T/shape" "$CUZK_VECTORS/shape/$kind-2KiB.json"
done
for instance in winning-2KiB-1.0 window-2KiB-1.0 window-2KiB-1.1 window-v1-2KiB-1.1 snap-2KiB-1.0; do
    expect "instance $instance" 0 "$CUZK" circuit instance "$input/${instance%.*}.meta.json" "${instance##*.}" --json
    cp "$T/out" "$T/instance"
    same_json "$instance equals the reference" "$T/instance" "$CUZK_VECTORS/instance/$instance.json"
done

# Made inputs: equal for equal seeds, different for others, sound and satisfied.
for kind in porep porep-v1 porep-syn porep-ni winning window window-v1 snap snap-poseidon; do
    expect "gen $kind" 0 "$CUZK" gen "$kind" 2KiB --seed 5 --out "$T/g" --threads 1
    expect "gen $kind once more" 0 "$CUZK" gen "$kind" 2KiB --seed 5 --out "$T/h" --json --threads 2
    expect_output "gen $kind is sound" '^sound +yes$' "$CUZK" inspect "$T/g/$kind-2KiB-5.meta.json"
done
run diff -r "$T/g" "$T/h"
if ((status == 0)); then pass 'equal seeds give equal files'; else fail 'equal seeds give equal files'; fi
expect 'gen of another seed' 0 "$CUZK" gen winning 2KiB --seed 6 --out "$T/h"
run diff "$T/g/winning-2KiB-5.meta.json" "$T/h/winning-2KiB-6.meta.json"
if ((status == 1)); then pass 'is another'; else fail 'is another'; fi
expect 'gen of five sectors' 0 "$CUZK" gen window 2KiB --seed 7 --sectors 5 --out "$T/h"
expect_output 'in three partitions' '^partitions +3$' "$CUZK" inspect "$T/h/window-2KiB-7.meta.json"
for request in winning-2KiB-5 window-v1-2KiB-5 snap-poseidon-2KiB-5; do
    expect_output "made $request is satisfied" '^satisfied +yes$' "$CUZK" circuit instance "$T/g/$request.meta.json" 0
done

# A full standard output is told (exit code 4).
"$CUZK" circuit shape porep-2k >/dev/full 2>"$T/err"
status=$?
if ((status == 4)); then pass 'full standard output'; else fail 'full standard output' "exit code $status"; fi
done_testing
