#!/usr/bin/env bash
# Setup, proof and verification of a real 2KiB PoRep, against the reference's files. Takes minutes.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"
input="$CUZK_VECTORS/input"
c1="$input/porep-2KiB-1.c1.json"
meta="$input/porep-2KiB-1.meta.json"
params="$T/k/porep-2k.params"
vk="$T/k/porep-2k.vk"
mkdir "$T/k" "$T/stop" "$T/full" "$T/p"

# member FILE KEY...: a value in a JSON file
member() {
    python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    v = v[key]
print(v)' "$@"
}

# sha256_is NAME FILE HEX
sha256_is() {
    local found
    found="$(sha256sum "$2" | cut -d' ' -f1)"
    if [[ "$found" == "$3" ]]; then pass "$1"; else fail "$1" "$found instead of $3"; fi
}

# flip FROM TO BIT: a copy with one bit flipped
flip() {
    python3 -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
bit = int(sys.argv[3])
data[bit // 8] ^= 1 << (bit % 8)
open(sys.argv[2], "wb").write(data)' "$@"
}

# status_is NAME CODE
status_is() {
    if ((status == $2)); then pass "$1"; else fail "$1" "exit code $status instead of $2"; fi
}

# Setups that end early leave nothing.
"$CUZK" setup porep-2k --out "$T/stop/p" --insecure-seed 7 >"$T/out" 2>"$T/err" &
pid=$!
await catches "$pid" 2
sleep 3
kill -INT "$pid"
wait "$pid"
status=$?
status_is 'SIGINT stops setup' 130
only 'and leaves nothing' "$T/stop"
(
    ulimit -f 1000
    exec "$CUZK" setup porep-2k --out "$T/full/p" --insecure-seed 7
) >"$T/out" 2>"$T/err"
status=$?
status_is 'a file that cannot grow is told' 4
only 'and leaves nothing' "$T/full"

srs="$T/k/porep-2k.srs"
expect 'setup from the fixed trapdoor' 0 \
    "$CUZK" setup porep-2k --out "$T/k/porep-2k" --insecure-seed 7 --folded --json
only 'writes parameters, folded ones, their stamps and the key' "$T/k" porep-2k.params porep-2k.params.checked \
    porep-2k.srs porep-2k.srs.checked porep-2k.vk
sha256_is 'parameters equal the reference' "$params" "$(member "$CUZK_VECTORS/params.json" porep-2KiB params_sha256)"
sha256_is 'key equals the reference' "$vk" "$(member "$CUZK_VECTORS/params.json" porep-2KiB vk_sha256)"

expect 'proof with fixed r, s' 0 "$CUZK" prove "$c1" --params "$params" --out "$T/p/fixed" --insecure-rs-seed 3 --json
python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' \
    "$(member "$CUZK_VECTORS/proofs.json" porep-2KiB-1.0 proof)" >"$T/reference"
same 'equals the reference' "$T/p/fixed" "$T/reference"
expect_output 'folded parameters alone are enough' '"folded": true' \
    "$CUZK" prove "$c1" --srs "$srs" --out "$T/p/folded" --insecure-rs-seed 3 --json
same 'and give the same' "$T/p/folded" "$T/reference"
expect_output 'unfolded' '"folded": false' \
    "$CUZK" prove "$c1" --params "$params" --unfolded --out "$T/p/unfolded" --insecure-rs-seed 3 --json
same 'it is the same too' "$T/p/unfolded" "$T/reference"
rm "$T/p/folded" "$T/p/unfolded"
expect 'proof with random r, s, of a request file' 0 \
    "$CUZK" prove "$meta" --params "$params" --out "$T/p/random" --partition 0
run cmp "$T/p/fixed" "$T/p/random"
status_is 'is another proof' 1
expect 'proof by portable code on one thread' 0 "$CUZK" prove "$c1" --params "$params" --out "$T/p/portable" \
    --insecure-rs-seed 3 --cpu portable --threads 1
same 'equals the reference too' "$T/p/portable" "$T/reference"

expect 'a made input' 0 "$CUZK" gen porep 2KiB --seed 11 --out "$T/g"
expect 'is proved' 0 "$CUZK" prove "$T/g/porep-2KiB-11.meta.json" --params "$params" --out "$T/g/proof"
expect 'and verified' 0 "$CUZK" verify "$T/g/porep-2KiB-11.meta.json" --vk "$vk" --proof "$T/g/proof"
expect 'against its own statement alone' 1 "$CUZK" verify "$meta" --vk "$vk" --proof "$T/g/proof"

expect 'verify with the key in folded parameters' 0 "$CUZK" verify "$c1" --vk "$srs" --proof "$T/p/random"
for proof in fixed random; do
    expect "verify $proof" 0 "$CUZK" verify "$c1" --vk "$vk" --proof "$T/p/$proof"
    expect "verify $proof with the parameters' key" 0 "$CUZK" verify "$meta" --vk "$params" --proof "$T/p/$proof"
done
expect_output 'inspect a proof' 'proof' "$CUZK" inspect "$T/p/fixed"
expect_output 'inspect a key' 'verifying key' "$CUZK" inspect "$vk"
expect_output 'inspect parameters' '"sound": true' "$CUZK" inspect "$params" --json

for bit in 0 1 2 5 6 7 9 300 383 384 389 390 391 800 1151 1152 1157 1158 1159 1300 1535; do
    flip "$T/reference" "$T/bad" "$bit"
    expect "proof with bit $bit flipped" 1 "$CUZK" verify "$c1" --vk "$vk" --proof "$T/bad"
done
head -c 191 "$T/reference" >"$T/bad"
expect 'proof a byte short' 1 "$CUZK" verify "$c1" --vk "$vk" --proof "$T/bad"
printf x | cat "$T/reference" - >"$T/bad"
expect 'proof a byte long' 1 "$CUZK" verify "$c1" --vk "$vk" --proof "$T/bad"
for other in porep-syn-2KiB-1 porep-v1-2KiB-1; do
    expect "statement of $other" 1 "$CUZK" verify "$input/$other.meta.json" --vk "$vk" --proof "$T/reference"
done
for bit in 0 2 7 100 767 768 1500 3000 4000 5000 8000 9000 20000 37600; do
    # It makes the key unreadable (could not tell) or the proof invalid, never valid.
    flip "$vk" "$T/bad" "$bit"
    run "$CUZK" verify "$c1" --vk "$T/bad" --proof "$T/reference"
    if sane && ((status == 1 || status == 2)); then
        pass "key with bit $bit flipped"
    else
        fail "key with bit $bit flipped" "exit code $status"
    fi
done
# One flipped bit in each field of the statement: another statement, or none at all.
for field in comm_r comm_d replica_id seed; do
    python3 - "$c1" "$T/bad" "$field" <<'E2'
import base64, json, sys
outer = json.load(open(sys.argv[1]))
inner = json.loads(base64.b64decode(outer["Phase1Out"]))
inner[sys.argv[3]][3] ^= 4
outer["Phase1Out"] = base64.b64encode(json.dumps(inner, separators=(",", ":")).encode()).decode()
json.dump(outer, open(sys.argv[2], "w"))
E2
    expect "statement with a bit of $field flipped" 1 "$CUZK" verify "$T/bad" --vk "$vk" --proof "$T/reference"
done

printf '\1' | dd of="$srs" bs=1 seek=3000000 conv=notrunc status=none
expect_error 'folded parameters with a bad point' 3 'q: point' "$CUZK" prove "$c1" --srs "$srs" --out "$T/p/x"
rm "$srs"
expect_error 'parameters of another circuit' 6 'circuit' \
    "$CUZK" prove "$input/porep-4KiB-1.c1.json" --params "$params" --out "$T/p/x"
truncate -s -1 "$params"
expect_error 'parameters a byte short' 3 'byte|bytes' "$CUZK" prove "$c1" --params "$params" --out "$T/p/x"
only 'no proof was left' "$T/p" fixed portable random
done_testing
