#!/usr/bin/env bash
# cuzk doctor: a sound installation, and what is wrong with others. Takes seconds.
# SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"

# finding NAME LEVEL PATTERN: among the findings of the JSON in $T/out is one of the level whose text matches.
finding() {
    if python3 -c 'import json, re, sys
found = json.load(open(sys.argv[1]))["findings"]
sys.exit(not any(f["level"] == sys.argv[2] and re.search(sys.argv[3], f["text"]) for f in found))' \
        "$T/out" "$2" "$3" 2>/dev/null; then
        pass "$1"
    else
        fail "$1" "no finding of level $2 like '$3'"
    fi
}

mkdir "$T/params"
expect 'parameters' 0 "$CUZK" setup window-2k --only-folded --insecure-seed 7 --out "$T/params/window-2k"
expect 'more of them' 0 "$CUZK" setup snap-poseidon-2k --insecure-seed 7 --out "$T/params/snap-poseidon-2k"

expect_output 'a sound installation' '^ok +proof +cpu: a proof of window-2k in .*, verified$' \
    "$CUZK" doctor --param-cache "$T/params"
for pattern in 'processor +instructions' 'memory +.* GiB of RAM' 'limits' 'folder' 'disk' \
    'parameters +window-2k: .*window-2k\.srs.* sound' 'parameters +snap-poseidon-2k: .* sound'; do
    if grep -qE "^(ok|note) +$pattern" "$T/out"; then pass "it tells of '$pattern'"; else fail "it tells of '$pattern'"; fi
done
grep -q 'cuzk srs convert snap-poseidon-2k' "$T/out" && pass 'and how proofs get faster' || fail 'and how proofs get faster'
expect_output 'as JSON' '^\{"sound": true' "$CUZK" doctor --param-cache "$T/params" --json
finding 'with the same findings' ok 'window-2k: .*checked before'
finding 'and the proof' ok 'cpu: a proof'
expect_output 'quickly' '^ok +parameters' "$CUZK" doctor --param-cache "$T/params" --quick
if grep -q 'proof of' "$T/out"; then fail 'without a proof'; else pass 'without a proof'; fi
only 'nothing is left' "$T/params" snap-poseidon-2k.params snap-poseidon-2k.params.checked snap-poseidon-2k.vk \
    window-2k.srs window-2k.srs.checked window-2k.templates
expect_output 'templates are known' '^circuit +window-2k$' "$CUZK" inspect "$T/params/window-2k.templates"
expect_output 'and sound' '"sound": true' "$CUZK" inspect "$T/params/window-2k.templates" --json
cp "$T/params/window-2k.templates" "$T/damaged"
printf '\x7f' | dd of="$T/damaged" bs=1 seek=9000 conv=notrunc status=none
expect 'damaged ones are not' 1 "$CUZK" inspect "$T/damaged"
expect_output 'a stamp is known' '^of +.*window-2k\.srs$' "$CUZK" inspect "$T/params/window-2k.srs.checked"
cp "$T/params/window-2k.srs.checked" "$T/other.checked"
cp "$T/params/window-2k.srs" "$T/other"
expect 'that of another file counts for nothing' 1 "$CUZK" inspect "$T/other.checked"
printf 'cuzkprt\n%16swindow-2k%40s' '' '' | tr ' ' '\0' >"$T/made.srs.part"
expect 'a file in the making is not whole' 1 "$CUZK" inspect "$T/made.srs.part"
grep -q 'window-2k' "$T/out" && pass 'and says of what' || fail 'and says of what'
rm "$T/other"* "$T/damaged" "$T/made.srs.part"
if ((EUID != 0)); then
    mkdir "$T/fixed"
    cp "$T/params/window-2k.srs"* "$T/fixed"
    chmod 555 "$T/fixed"
    "$CUZK" gen window 2KiB --seed 1 --out "$T/in" >/dev/null
    expect 'a folder that cannot be written' 0 "$CUZK" prove "$T/in/window-2KiB-1.meta.json" --srs "$T/fixed/window-2k.srs" \
        --out "$T/proof"
    grep -q 'templates are made anew each time' "$T/err" && pass 'is said' || fail 'is said'
else
    skip_test 'root can write everywhere'
fi
tidy 'nor elsewhere' "$CUZK" doctor --param-cache "$T/params"

expect_error 'an option that is none' 2 'did you mean --quick' "$CUZK" doctor --quik
expect 'no folder' 1 "$CUZK" doctor --param-cache "$T/none" --quick --json
finding 'is said' error 'none: No such file'
expect 'missing parameters' 1 "$CUZK" doctor --param-cache "$T/params" --circuits window-2k,porep-2k --quick --json
finding 'are named, with the names looked for' error 'no parameters of porep-2k .*v28-stacked-proof-of-replication'
finding 'the others are well' ok 'window-2k'
expect 'a circuit that is none' 1 "$CUZK" doctor --param-cache "$T/params" --circuits window-3k --quick --json
finding 'is named' error "no circuit is named 'window-3k'"

cp -r "$T/params" "$T/bad"
cp "$T/params/window-2k.srs" "$T/bad/winning-2k.srs"
expect 'parameters of another circuit' 1 "$CUZK" doctor --param-cache "$T/bad" --json
finding 'are named' error 'winning-2k.srs is of the circuit window-2k'
rm "$T/bad/winning-2k.srs"*

# One bit of a point, with the file's time as it was: the stamp believes it, a full check does not.
"$CUZK" doctor --param-cache "$T/bad" --quick >/dev/null 2>&1
"$CUZK" doctor --param-cache "$T/bad" >/dev/null 2>&1
touch -r "$T/bad/window-2k.srs" "$T/time"
printf '\xff' | dd of="$T/bad/window-2k.srs" bs=1 seek=$((3 << 20)) conv=notrunc status=none
touch -r "$T/time" "$T/bad/window-2k.srs"
expect 'damage under a stamp' 1 "$CUZK" doctor --param-cache "$T/bad" --circuits window-2k --full --json
finding 'is found by a full check' error 'window-2k.srs.*(point|canonical|digest)'
touch "$T/bad/window-2k.srs"
expect 'damage' 1 "$CUZK" doctor --param-cache "$T/bad" --circuits window-2k --json
finding 'is named' error 'window-2k.srs.*(point|canonical|digest)'
expect 'damage of bellperson'"'"'s parameters' 1 bash -c "
    printf '\\xff' | dd of='$T/bad/snap-poseidon-2k.params' bs=1 seek=200000 conv=notrunc status=none
    '$CUZK' doctor --param-cache '$T/bad' --circuits snap-poseidon-2k --json"
finding 'is named, too' error 'snap-poseidon-2k.params'
head -c 1000000 "$T/params/window-2k.srs" >"$T/bad/window-2k.srs"
expect 'a cut file' 1 "$CUZK" doctor --param-cache "$T/bad" --circuits window-2k --json --quick
expect 'a cut file, checked' 1 "$CUZK" doctor --param-cache "$T/bad" --circuits window-2k --json
finding 'is named as well' error 'window-2k.srs'
leakless 'no leak' 0 "$CUZK" doctor --param-cache "$T/params" --quick

# GPUs that the driver counts and this program cannot open are errors, one each.
if [[ ! -e /proc/driver/nvidia/version ]] && ! grep -q __asan_init "$CUZK" &&
    cc -shared -fPIC -o "$T/libnvidia-ml.so.1" "$(dirname "$0")/nvml.c" 2>"$T/err"; then
    expect 'GPUs without a driver' 1 env LD_LIBRARY_PATH="$T" "$CUZK" doctor --param-cache "$T/params" --json --quick
    finding 'are counted' ok 'NVIDIA 580.0, 2 devices'
    finding 'and the first cannot be used' error '^gpu:0 cannot be used'
    finding 'nor the second' error '^gpu:1 cannot be used'
else
    skip_test 'no compiler, real GPUs, or a sanitizer that wants to come first'
fi

if [[ -n "${CUZK_DAEMON:-}" ]]; then
    printf '[srs]\nparam_cache = "%s"\nkeep_loaded = ["window-2k"]\n' "$T/params" >"$T/cuzk.toml"
    printf '[daemon]\nstate_folder = "%s"\n' "$T" >>"$T/cuzk.toml"
    expect 'the daemon'"'"'s settings' 0 "$CUZK" doctor --config "$T/cuzk.toml" --quick --json
    finding 'say which circuits' ok 'window-2k'
    echo 'keep_loadd = 1' >>"$T/cuzk.toml"
    expect 'wrong settings' 1 "$CUZK" doctor --config "$T/cuzk.toml" --quick --json
    finding 'are named with their line' error 'cuzk.toml:6'
    for option in --version --help --man --example '--check-config --set daemon.state_folder=/tmp'; do
        # shellcheck disable=SC2086 # several words
        "$CUZK_DAEMON" $option --set srs.param_cache="$T" >/dev/full 2>"$T/err"
        status=$?
        if ((status == 1)) && grep -q 'standard output: No space left' "$T/err"; then
            pass "a full standard output is told by $option"
        else
            fail "a full standard output is told by $option" "exit code $status"
        fi
    done
fi
done_testing
