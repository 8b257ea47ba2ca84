#!/usr/bin/env bash
# The shared library shows names that begin with cuzk_ and no others, and all that the headers declare; it
# needs no executable stack.
# usage: check_exports.sh BUILD_FOLDER
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
cd "$(dirname "$0")/../.."

shown="$(nm -D --defined-only "$1/src/libcuzk.so" | awk '{print $NF}' | sed 's/@.*//' | sort -u)"
strange="$(grep -v '^cuzk_' <<<"$shown" || true)"
if [[ -n "$strange" ]]; then
    printf 'names that should stay inside:\n%s\n' "$strange"
    exit 1
fi

declared="$(sed -n '/^ *[*\/]/d; s/^CUZK_API .*[ *]\(cuzk_[a-z0-9_]*\)(.*/\1/p' include/cuzk/*.h | sort -u)"
missing="$(comm -13 <(printf '%s\n' "$shown") <(printf '%s\n' "$declared"))"
if [[ -n "$missing" ]]; then
    printf 'declared in include/cuzk/, but not in the library:\n%s\n' "$missing"
    exit 1
fi
undeclared="$(comm -23 <(printf '%s\n' "$shown") <(printf '%s\n' "$declared"))"
if [[ -n "$undeclared" ]]; then
    printf 'in the library, but not declared in include/cuzk/:\n%s\n' "$undeclared"
    exit 1
fi
# An assembly source that does not say otherwise would make every user's stack executable.
if readelf -lW "$1/src/libcuzk.so" | grep GNU_STACK | grep -q RWE; then
    echo "the library asks for an executable stack"
    exit 1
fi
echo "$(wc -l <<<"$shown") names"
