/* fuzz/fuzz_proof.c - proofs and verifying keys from any bytes: refused, or written back as they were.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "groth16/groth16.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip_key(const uint8_t *data, size_t size)
{
    struct groth16_vk vk;
    size_t used;
    if (groth16_vk_read(&vk, data, size, &used, NULL) != CUZK_OK)
        return;
    uint8_t *again = malloc(groth16_vk_size(&vk));
    if (!again || used != groth16_vk_size(&vk))
        abort();
    groth16_vk_write(again, &vk);
    if (memcmp(again, data, used) != 0)
        abort();
    free(again);
    groth16_vk_free(&vk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= GROTH16_PROOF_BYTES) {
        struct groth16_proof proof;
        struct cuzk_error e;
        uint8_t again[GROTH16_PROOF_BYTES];
        if (groth16_proof_read(&proof, data, &e) == CUZK_OK) {
            groth16_proof_write(again, &proof);
            if (memcmp(again, data, sizeof again) != 0)
                abort();
        }
    }
    round_trip_key(data, size);
    return 0;
}
