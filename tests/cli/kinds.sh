#!/usr/bin/env bash
# Setup, proof and verification of WinningPoSt, WindowPoSt and SnapDeals at 2KiB, against the reference's
# files, and of inputs made here. Takes minutes.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"
input="$CUZK_VECTORS/input"
mkdir "$T/k" "$T/p"

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

# reference PROOF: what the reference proves for it, in $T/reference
reference() {
    python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' \
        "$(member "$CUZK_VECTORS/proofs.json" "$1" proof)" >"$T/reference"
}

for kind in winning window snap-poseidon snap; do
    name="$kind-2k"
    expect "$name: setup from the fixed trapdoor" 0 \
        "$CUZK" setup "$name" --out "$T/k/$name" --insecure-seed 7 --folded
    for file in params vk; do
        sha256_is "$name: $file equals the reference" "$T/k/$name.$file" \
            "$(member "$CUZK_VECTORS/params.json" "$kind-2KiB" "${file}_sha256")"
    done
done

for kind in winning window snap; do
    request="$input/$kind-2KiB-1.meta.json"
    params="$T/k/$kind-2k.params"
    proof="$T/p/$kind"
    partitions=1
    [[ $kind == window ]] && partitions=2
    for ((k = 0; k < partitions; k++)); do
        expect "$kind: proof of partition $k with fixed r, s" 0 "$CUZK" prove "$request" --params "$params" \
            --out "$proof.$k" --partition "$k" --insecure-rs-seed 3
        reference "$kind-2KiB-1.$k"
        same "$kind: equals the reference" "$proof.$k" "$T/reference"
        expect "$kind: the same, unfolded" 0 "$CUZK" prove "$request" --params "$params" --unfolded \
            --out "$proof.unfolded" --partition "$k" --insecure-rs-seed 3
        same "$kind: equals the reference too" "$proof.unfolded" "$T/reference"
    done
    expect "$kind: proof of all partitions with random r, s" 0 "$CUZK" prove "$request" --params "$params" --out "$proof"
    cp "$request" "$T/statement.json" # without the vanilla proofs beside it
    expect "$kind: verify" 0 "$CUZK" verify "$T/statement.json" --vk "$T/k/$kind-2k.vk" --proof "$proof"
    expect "$kind: verify the first partition" 0 "$CUZK" verify "$request" --vk "$params" --proof "$proof.0" --partition 0
done

# Folded parameters from a parameter file, stopped and taken up again.
for kind in window winning; do
    expect_output "$kind: srs check" '^sound +yes$' "$CUZK" srs check "$T/k/$kind-2k.srs"
done
convert=("$CUZK" srs convert window-2k --params "$T/k/window-2k.params" --out "$T/k/made.srs")
"${convert[@]}" >"$T/out" 2>"$T/err" &
pid=$!
await test -s "$T/k/made.srs.part"
kill -INT "$pid"
wait "$pid"
status=$?
if ((status == 130)); then pass 'SIGINT stops a conversion'; else fail 'SIGINT stops a conversion' "$status"; fi
if [[ -f "$T/k/made.srs.part" && ! -e "$T/k/made.srs" ]]; then
    pass 'which leaves its part'
else
    fail 'which leaves its part'
fi
expect 'that is known for what it is' 1 "$CUZK" inspect "$T/k/made.srs.part"
if grep -qE '^circuit +window-2k$' "$T/out"; then pass 'and of which circuit'; else fail 'and of which circuit'; fi
# From the beginning: killed within each phase, then stopped at its end.
rm -f "$T/k/made.srs.part"
for phase in 'k columns' 'k rows' fold 'q columns'; do
    "${convert[@]}" --stop-after "$phase" >"$T/out" 2>"$T/err" &
    pid=$!
    sleep 0.3
    kill -KILL "$pid" 2>/dev/null
    wait "$pid"
    status=$?
    if ((status == 137)); then
        "${convert[@]}" --stop-after "$phase" >"$T/out" 2>"$T/err"
        status=$?
    fi
    if ((status == 130)) && grep -q "stopped after $phase" "$T/err"; then
        pass "killed in $phase, then stopped after it"
    else
        fail "killed in $phase, then stopped after it" "$status"
    fi
done
expect_error 'a part of another circuit is not taken up' 6 'remove it' \
    "$CUZK" srs convert winning-2k --params "$T/k/winning-2k.params" --out "$T/k/made.srs"
expect_error 'parameters of another circuit are not converted' 6 'another circuit' \
    "$CUZK" srs convert winning-2k --params "$T/k/window-2k.params" --out "$T/k/other.srs"
expect 'the conversion goes on' 0 "${convert[@]}"
same 'and gives what setup gave' "$T/k/made.srs" "$T/k/window-2k.srs"
if [[ -e "$T/k/made.srs.part" ]]; then fail 'no part is left'; else pass 'no part is left'; fi
expect 'folded parameters alone from a trapdoor' 0 "$CUZK" setup window-2k --out "$T/k/alone" --insecure-seed 8 --only-folded
cp "$T/k/alone.srs" "$T/k/window-2k.srs"
mkdir "$T/k/taken.srs"
expect_error 'a name that is taken is told before the work' 4 'taken.srs' \
    "$CUZK" setup window-2k --out "$T/k/taken" --insecure-seed 8 --folded
if [[ -e "$T/k/taken.params" ]]; then fail 'and nothing is made'; else pass 'and nothing is made'; fi
expect_error 'folded parameters of another trapdoor' 6 'convert' \
    "$CUZK" prove "$input/window-2KiB-1.meta.json" --params "$T/k/window-2k.params" --out "$T/p/x"
expect 'are left aside where asked' 0 "$CUZK" prove "$input/window-2KiB-1.meta.json" \
    --params "$T/k/window-2k.params" --unfolded --out "$T/p/x"
rm "$T/p/x" "$T/k/window-2k.srs"
expect_error 'folded parameters of another circuit' 6 'window-2k' \
    "$CUZK" prove "$input/winning-2KiB-1.meta.json" --srs "$T/k/alone.srs" --out "$T/p/x"

# Proofs are of their own statement, partition and kind.
vk="$T/k/window-2k.vk"
expect 'a partition for another' 1 \
    "$CUZK" verify "$input/window-2KiB-1.meta.json" --vk "$vk" --proof "$T/p/window.0" --partition 1
cat "$T/p/window.1" "$T/p/window.0" >"$T/swapped"
expect 'partitions swapped' 1 "$CUZK" verify "$input/window-2KiB-1.meta.json" --vk "$vk" --proof "$T/swapped"
expect 'half of the partitions' 1 "$CUZK" verify "$input/window-2KiB-1.meta.json" --vk "$vk" --proof "$T/p/window.0"
expect 'the window proof of the other version' 1 \
    "$CUZK" verify "$input/window-v1-2KiB-1.meta.json" --vk "$vk" --proof "$T/p/window"
expect_error 'another kind'"'"'s key' 2 'another circuit' \
    "$CUZK" verify "$input/winning-2KiB-1.meta.json" --vk "$vk" --proof "$T/p/winning"
expect_error 'another kind'"'"'s statement' 2 'another circuit' \
    "$CUZK" verify "$input/porep-2KiB-1.meta.json" --vk "$vk" --proof "$T/p/window.0"
expect 'the other update circuit'"'"'s key' 1 \
    "$CUZK" verify "$input/snap-2KiB-1.meta.json" --vk "$T/k/snap-poseidon-2k.vk" --proof "$T/p/snap"
expect_error 'another kind'"'"'s parameters' 6 'circuit' \
    "$CUZK" prove "$input/winning-2KiB-1.meta.json" --params "$T/k/window-2k.params" --out "$T/p/x"
for field in comm_r_old comm_d_new comm_r_new; do
    python3 - "$input/snap-2KiB-1.meta.json" "$T/statement.json" "$field" <<'E2'
import json, sys
statement = json.load(open(sys.argv[1]))
value = bytearray.fromhex(statement[sys.argv[3]])
value[3] ^= 4
statement[sys.argv[3]] = value.hex()
json.dump(statement, open(sys.argv[2], "w"))
E2
    expect "update with a bit of $field flipped" 1 \
        "$CUZK" verify "$T/statement.json" --vk "$T/k/snap-2k.vk" --proof "$T/p/snap"
done
# What does not hold is not proved, and no time is spent on it.
mkdir "$T/r"
cp "$input"/window-2KiB-1.* "$T/r"
cp "$T/r/window-2KiB-1.8039.vanilla" "$T/r/window-2KiB-1.18584.vanilla"
expect_error 'a vanilla proof of another sector' 1 'sector 18584: the proof is of sector 8039' \
    "$CUZK" prove "$T/r/window-2KiB-1.meta.json" --params "$T/k/window-2k.params" --out "$T/p/x"

# Inputs made here.
for kind in winning window window-v1 snap snap-poseidon; do
    circuit="${kind%-v1}-2k"
    made="$T/g/$kind-2KiB-12.meta.json"
    expect "gen $kind" 0 "$CUZK" gen "$kind" 2KiB --seed 12 --out "$T/g"
    expect "gen $kind: proof" 0 "$CUZK" prove "$made" --params "$T/k/$circuit.params" --out "$T/g/proof"
    expect "gen $kind: verify" 0 "$CUZK" verify "$made" --vk "$T/k/$circuit.vk" --proof "$T/g/proof"
done
done_testing
