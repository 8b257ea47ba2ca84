#!/usr/bin/env bash
# What is installed is enough: a program compiles and runs against it by pkg-config, with the shared
# library and with the static one.
# usage: check_install.sh BUILD_FOLDER
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail
cd "$(dirname "$0")/../.."

place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
DESTDIR="$place" meson install -C "$1" --no-rebuild >"$place/log" || {
    cat "$place/log"
    exit 1
}
pc="$(find "$place" -name cuzk.pc)"
[[ -n "$pc" ]] || {
    echo "no cuzk.pc was installed"
    exit 1
}
# PKG_CONFIG_SYSROOT_DIR would also move the paths of other libraries: say where the prefix is instead.
prefix="$place$(sed -n 's/^prefix=//p' "$pc")"
export PKG_CONFIG_PATH="${pc%/*}"
flags() {
    pkg-config --define-variable=prefix="$prefix" "$@" cuzk
}

cat >"$place/use.c" <<'C'
#include <cuzk/cuzk.h>
#include <stdio.h>

int main(void)
{
    return printf("%s\n", cuzk_version()) < 0;
}
C
version="$(pkg-config --modversion cuzk)"
# shellcheck disable=SC2046 # the flags are words
gcc -std=c11 -Wall -Wextra -Werror "$place/use.c" -o "$place/use" $(flags --cflags --libs)
[[ "$(LD_LIBRARY_PATH="$(flags --variable=libdir)" "$place/use")" == "$version" ]]
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Werror "$place/use.c" -o "$place/use-static" $(flags --cflags) \
    "$(flags --variable=libdir)/libcuzk.a" $(pkg-config --libs $(flags --print-requires-private)) -lstdc++ -lm -pthread
# shellcheck disable=SC2046
g++ -x c++ -Wall -Wextra -Werror "$place/use.c" -x none -o "$place/use-cpp" $(flags --cflags --libs)
[[ "$("$place/use-static")" == "$version" ]]
for program in cuzk cuzk-bench cuzk-memmon; do
    test -x "$prefix/bin/$program"
done
echo "installed $version: headers, libraries, pkg-config file, programs"
