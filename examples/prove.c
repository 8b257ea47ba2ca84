/* prove.c - the public interface in one page: prove a partition of a C1 and verify the proof.
 *
 *   cc prove.c $(pkg-config --cflags --libs cuzk) -o prove
 *   ./prove c1.json porep-2k.params porep-2k.vk
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>

#include <cuzk/cuzk.h>

static void show_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)user;
    if (done == total)
        fprintf(stderr, "%s\n", phase);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: prove C1 PARAMS VK\n");
        return 2;
    }
    struct cuzk_error error = {0};
    const struct cuzk_options options = {.progress = show_progress};
    cuzk_context *context = NULL;
    cuzk_request *request = NULL;
    cuzk_params *params = NULL;
    cuzk_vk *vk = NULL;
    uint8_t proof[CUZK_PROOF_BYTES];
    bool valid = false;

    cuzk_status status = cuzk_context_new(&context, &options, &error);
    if (status == CUZK_OK)
        status = cuzk_request_open(context, &request, argv[1], 0, &error);
    if (status == CUZK_OK)
        status = cuzk_params_open(context, &params, argv[2], &error);
    if (status == CUZK_OK)
        status = cuzk_vk_open(context, &vk, argv[3], &error);
    if (status == CUZK_OK)
        status = cuzk_prove(context, request, params, 0, NULL, proof, &error);
    if (status == CUZK_OK)
        status = cuzk_verify(context, request, vk, 0, 1, proof, &valid, &error);

    if (status == CUZK_OK)
        printf("%s, partition 0 of %u: the proof is %s\n", cuzk_request_circuit(request),
               cuzk_request_partitions(request), valid ? "valid" : "not valid");
    else
        fprintf(stderr, "%s: %s\n", cuzk_status_name(status), error.message);

    cuzk_vk_free(vk);
    cuzk_params_free(params);
    cuzk_request_free(request);
    cuzk_context_free(context);
    return status == CUZK_OK && valid ? 0 : 1;
}
