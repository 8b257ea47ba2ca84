#!/usr/bin/env bash
# clang-tidy over the compiled C sources, shellcheck over the scripts where it is installed.
# usage: lint.sh BUILD_FOLDER
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
cd "$(dirname "$0")/.."
checks='-*,bugprone-*,clang-analyzer-*'
for noisy in bugprone-easily-swappable-parameters bugprone-reserved-identifier bugprone-narrowing-conversions \
    bugprone-assignment-in-if-condition bugprone-implicit-widening-of-multiplication-result \
    bugprone-sizeof-expression bugprone-not-null-terminated-result clang-analyzer-valist.Uninitialized \
    clang-analyzer-security.insecureAPI.strcpy \
    clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling; do
    checks+=",-$noisy"
done
# These follow a failed call past its error return, since error_set() in another file could give CUZK_OK for
# all the analyzer knows.
for blind in NullDereference NonNullParamChecker CallAndMessage UndefinedBinaryOperatorResult; do
    checks+=",-clang-analyzer-core.$blind"
done
if command -v clang-tidy >/dev/null; then
    find src tools -name '*.c' -print0 | sort -z |
        xargs -0 -P "$(nproc)" -n 4 clang-tidy -p "$1" --quiet --checks="$checks" --warnings-as-errors='*'
else
    echo "lint: no clang-tidy here, skipped"
fi
if command -v shellcheck >/dev/null; then
    shellcheck -x .ci/run scripts/*.sh tests/cli/*.sh tests/scripts/*.sh
else
    echo "lint: no shellcheck here, skipped"
fi
