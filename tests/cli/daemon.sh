# tests/cli/daemon.sh [KIND...] - the daemon over gRPC and HTTP (tests/daemon/check.py), where Python has grpcio.
# tests/cli/daemon.sh load|kill|crowd|figures - many jobs at once; kill -9 under load; more calls than places; what the
# daemon adds to a proof and how long a winning proof waits (tests/daemon/load.py, kill.py, crowd.py, figures.py).
# Given by meson: CUZK, CUZK_DAEMON, CUZK_VECTORS. CUZK_PYTHON: another Python than python3.
# SPDX-License-Identifier: Apache-2.0 OR MIT
# shellcheck shell=bash
. "$(dirname "$0")/lib.sh"

: "${CUZK_DAEMON:?the daemon to test}"
kinds=("$@")
program=check.py
case "${1:-}" in
"") kinds=(window winning) ;;
load | kill | crowd)
    program="$1.py"
    kinds=(window winning)
    ;;
figures)
    program=figures.py
    kinds=(snap winning)
    ;;
esac

python=
for candidate in "${CUZK_PYTHON:-python3}" /usr/bin/python3; do
    "$candidate" -c 'import grpc, google.protobuf' 2>/dev/null && python="$candidate" && break
done
if [[ -z "$python" ]]; then
    echo "1..0 # SKIP no grpcio and protobuf for Python (python3-grpcio; CUZK_PYTHON names another Python)"
    exit 0
fi
mkdir "$T/params"
for kind in "${kinds[@]}"; do
    "$CUZK" setup "$kind-2k" --folded --insecure-seed 7 --out "$T/params/$kind-2k" >"$T/out" 2>"$T/err" || {
        fail "setup of $kind-2k"
        done_testing
    }
done
case "$program" in
check.py) ;;
figures.py) kinds=(snap) ;;
*) kinds=() ;;
esac
"$python" "$(dirname "$0")/../daemon/$program" "$CUZK" "$CUZK_DAEMON" "$CUZK_VECTORS" "$T/params" "${kinds[@]}"
