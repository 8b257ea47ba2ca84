#!/usr/bin/env bash
# Install the Debian or Ubuntu packages that are missing; silent when none is.
# usage: deps.sh build|check
# SPDX-License-Identifier: Apache-2.0 OR MIT
set -euo pipefail

build=(gcc g++ make meson ninja-build pkgconf python3 libhwloc-dev libssl-dev libsimdjson-dev libcmocka-dev
    libgrpc-dev libprotobuf-c-dev protobuf-c-compiler libmicrohttpd-dev libtomlplusplus-dev libsqlite3-dev)
check=(clang clang-format valgrind python3-grpcio python3-protobuf)

case "${1:-}" in
build) wanted=("${build[@]}") ;;
check) wanted=("${build[@]}" "${check[@]}") ;;
*)
    echo "usage: deps.sh build|check" >&2
    exit 2
    ;;
esac

# Elsewhere meson names what it does not find.
command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || exit 0

installed() {
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

as_root() {
    if [[ "$(id -u)" == 0 ]]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@" || sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        echo "deps: neither root nor sudo; please install:${missing[*]/#/ }" >&2
        exit 1
    fi
}

updated=0
install_missing() {
    missing=()
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    echo "deps: installing ${missing[*]}"
    if ((!updated)); then
        as_root apt-get update -qq </dev/null
        updated=1
    fi
    as_root apt-get install -qq -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
}

install_missing "${wanted[@]}"

# The sanitizers' libraries are a package named after clang's version.
if [[ "$1" == check ]]; then
    version="$(clang --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p')"
    install_missing "libclang-rt-$version-dev"
fi
