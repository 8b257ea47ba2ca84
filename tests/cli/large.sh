#!/usr/bin/env bash
# A partition of a 32GiB PoRep that was made to order: the reference's public inputs, witness and digests.
# Takes minutes and 5 GB. SPDX-License-Identifier: Apache-2.0 OR MIT
. "$(dirname "$0")/lib.sh"

expect 'a 32GiB input is made' 0 "$CUZK" gen porep 32GiB --seed 1 --out "$T/g"
expect 'its hashes hold' 0 "$CUZK" inspect "$T/g/porep-32GiB-1.meta.json"
expect 'partition 0 is satisfied' 0 \
    "$CUZK" circuit instance "$T/g/porep-32GiB-1.c1.json" 0 --every 1048576 --json
cp "$T/out" "$T/instance"
# The reference was run without evaluating its rows: what it says is what is compared.
run python3 -c 'import json, sys
ours, reference = (json.load(open(name)) for name in sys.argv[1:])
sys.exit(any(ours.get(key) != reference[key] for key in reference))' \
    "$T/instance" "$CUZK_VECTORS/instance/porep-32GiB-gen-1.0.json"
if ((status == 0)); then pass 'and equals the reference'; else fail 'and equals the reference'; fi
done_testing
