# tests/cli/lib.sh - what the tests of the command line share; they speak TAP.
# Sourced by a test:  . "$(dirname "$0")/lib.sh"
# Given by meson: CUZK (the program), CUZK_VECTORS (tests/vectors).
# In each check the name comes first, then what is expected, then the command.
# SPDX-License-Identifier: Apache-2.0 OR MIT
# shellcheck shell=bash
set -uo pipefail

: "${CUZK:?the program to test}" "${CUZK_VECTORS:?the folder of the reference vectors}"
export LC_ALL=C

T="$(mktemp -d)" # a folder for the test's files
trap 'rm -rf "$T"' EXIT
count=0
failures=0

# pass NAME; fail NAME [WHY]
pass() {
    count=$((count + 1))
    echo "ok $count - $1"
}

fail() {
    count=$((count + 1))
    failures=$((failures + 1))
    echo "not ok $count - $1"
    echo "# ${2:-}"
    for file in "$T/out" "$T/err"; do
        [[ -s "$file" ]] && head -c 2000 "$file" | sed "s/^/# ${file##*/}: /"
    done
}

# skip_test WHY: one check less, without failing.
skip_test() {
    count=$((count + 1))
    echo "ok $count - # SKIP $1"
}

# run COMMAND...: sets status; what it says is in $T/out and $T/err.
run() {
    "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
}

# A crash or a sanitizer's report is never the expected failure.
sane() {
    ((status < 128 || status == 130)) && ! grep -qE 'Sanitizer|runtime error:|Assertion' "$T/err"
}

# await COMMAND...: wait until it succeeds, two minutes at most: only what never comes takes so long.
await() {
    local end=$((SECONDS + 120))
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.02
    done
}

# catches PID NUMBER: the process has a handler of the signal.
catches() {
    local mask
    mask="$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)"
    ((mask != 0)) 2>/dev/null && (((16#$mask >> ($2 - 1)) & 1))
}

# expect NAME CODE COMMAND...: ends with the exit code.
expect() {
    local name="$1" code="$2"
    shift 2
    run "$@"
    if sane && ((status == code)); then
        pass "$name"
    else
        fail "$name" "exit code $status instead of $code: $*"
    fi
}

# expect_error NAME CODE PATTERN COMMAND...: ends with the code, says one line like PATTERN (extended
# regular expression) on stderr, nothing on stdout.
expect_error() {
    local name="$1" code="$2" pattern="$3"
    shift 3
    run "$@"
    if ! sane || ((status != code)); then
        fail "$name" "exit code $status instead of $code: $*"
    elif [[ -s "$T/out" ]]; then
        fail "$name" "stdout should be empty: $*"
    elif ! grep -qE -- "$pattern" "$T/err"; then
        fail "$name" "stderr does not match '$pattern': $*"
    else
        pass "$name"
    fi
}

# expect_output NAME PATTERN COMMAND...: ends with 0, and a line of stdout matches.
expect_output() {
    local name="$1" pattern="$2"
    shift 2
    run "$@"
    if ! sane || ((status != 0)); then
        fail "$name" "exit code $status instead of 0: $*"
    elif ! grep -qE -- "$pattern" "$T/out"; then
        fail "$name" "stdout does not match '$pattern': $*"
    else
        pass "$name"
    fi
}

# tidy NAME COMMAND...: the command leaves nothing in /tmp under its process's number.
tidy() {
    local name="$1" left
    shift
    run bash -c 'echo $$ >"$0"; exec "$@"' "$T/process" "$@"
    left="$(compgen -G "/tmp/cuzk-*-$(cat "$T/process")-*")"
    rm -f "$T/process"
    if sane && ((status == 0)) && [[ -z "$left" ]]; then
        pass "$name"
    else
        fail "$name" "exit code $status, left: $left"
    fi
}

# same NAME FILE FILE
same() {
    if cmp "$2" "$3" >"$T/out" 2>"$T/err"; then
        pass "$1"
    else
        fail "$1" "$2 and $3 differ"
    fi
}

# only NAME FOLDER [FILE...]: the folder holds these files and no others, hidden ones included.
only() {
    local name="$1" folder="$2" found wanted
    shift 2
    found="$(find "$folder" -mindepth 1 -printf '%P\n' | sort)"
    wanted="$(printf '%s\n' "$@" | sort)"
    if [[ "$found" == "$wanted" ]]; then
        pass "$name"
    else
        fail "$name" "in $folder: ${found//$'\n'/ } (wanted: ${wanted//$'\n'/ })"
    fi
}

# leakless NAME CODE COMMAND...: as expect, under valgrind where there is one and no sanitizer is built in.
leakless() {
    local name="$1" code="$2"
    shift 2
    if ! command -v valgrind >/dev/null || grep -q __asan_init "$CUZK"; then
        expect "$name" "$code" "$@"
        return
    fi
    run valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@"
    if sane && ((status == code)); then
        pass "$name"
    else
        fail "$name" "exit code $status instead of $code under valgrind: $*"
    fi
}

# Each test ends with this.
done_testing() {
    echo "1..$count"
    exit $((failures != 0))
}
