/* Proofs on a GPU against the CPU's: alone and in batches, parameters resident and streamed, several
 * circuits, and with each call of the driver failing. The same program is built twice: for the GPU, where
 * there is one, and for a driver whose device is the host (GPU_ON_HOST), where the CPU makes the sums.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16_testing.h"

#include "backend/cuda/device.h"
#include "backend/prover.h"
#include "base/error.h"
#include "circuits/gen.h"
#include "circuits/request.h"

#ifdef GPU_ON_HOST
#include "cuda_host_driver.h"
#define GPU_SUMS_MOST GPU_PROOF_BATCH
#include "gpu_sums_on_host.h"
struct exec sums_exec;
#define ROUNDS 2 /* of a test for lost memory */
#define DENSE  6 /* how closely failures follow each other */
#else
#define ROUNDS 200
#define DENSE  100
enum { HOST_BAD = 719 };
#endif

#define OUT_OF_MEMORY 2
#define SEED          17
#define MIB           ((uint64_t)1 << 20)

static struct fixture place; /* its folder alone */
#define folder place.folder
static struct exec x;
static struct poseidon_set *poseidon;
static struct cuzk_error error;
static const struct driver *driver;
static struct driver *real_driver;

/* A circuit with a request of it, and the proof that the CPU makes. */
struct sample {
    const char *circuit, *kind;
    struct groth16_srs *srs;
    struct template_circuit templates;
    struct request request;
    struct any_circuit real;
    fr inputs[256];
    uint32_t count;
    struct groth16_rs rs;
    uint8_t proof[GROTH16_PROOF_BYTES];
};
static struct sample window = {.circuit = "window-2k", .kind = "window"},
                     winning = {.circuit = "winning-2k", .kind = "winning"};

static void sample_make(struct sample *s)
{
    struct any_circuit blank;
    struct groth16_trapdoor t;
    struct groth16_proof proof;
    char name[128], meta[128];
    const struct gen_options options = {s->kind, "2KiB", SEED, 1};
    snprintf(name, sizeof name, "%s/%s.srs", folder, s->circuit);
    snprintf(meta, sizeof meta, "%s/%s-2KiB-%d.meta.json", folder, s->kind, SEED);
    groth16_trapdoor_from_seed(&t, SEED);
    assert_ok(catalogue_blank(&blank, poseidon, s->circuit, &error));
    assert_ok(groth16_srs_setup(&x, &blank.circuit, s->circuit, &t, NULL, name, &error));
    assert_ok(groth16_srs_open(&x, &s->srs, name, 0, &error));
    assert_ok(template_circuit_open(&x, &s->templates, NULL, s->circuit, &blank.circuit, &error));
    assert_ok(gen_run(&x, poseidon, &options, folder, &error));
    assert_ok(request_read(&x, &s->request, meta, true, &error));
    assert_ok(request_circuit(&s->real, poseidon, &s->request, 0, &error));
    s->count = (uint32_t)request_public_count(&s->request);
    assert_true(s->count <= ARRAY_LEN(s->inputs));
    assert_ok(request_public_inputs(&s->request, 0, s->inputs, &error));
    groth16_rs_from_seed(&s->rs, SEED);
    assert_ok(groth16_prove_folded(&x, &s->real.circuit, &s->templates, s->srs, &s->rs, s->inputs, s->count,
                                   &proof, &error));
    groth16_proof_write(s->proof, &proof);
}

static void sample_free(struct sample *s)
{
    groth16_srs_free(s->srs);
    template_circuit_free(&s->templates);
    request_free(&s->request);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-gpu-prover-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_ok(pool_new(&x.pool, 2, &error));
    x.variant = cpu_best();
    assert_ok(poseidon_set_new(&poseidon, &error));
#ifdef GPU_ON_HOST
    driver = &HOST_DRIVER;
    sums_exec = x;
#else
    unsigned count = 0;
    if (driver_open(&real_driver, &error) != CUZK_OK ||
        driver_device_count(&count, real_driver, &error) != CUZK_OK || count == 0) {
        print_message("no GPU: %s\n", error.message);
        return 0;
    }
    driver = real_driver;
#endif
    sample_make(&window);
    sample_make(&winning);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (driver) {
        sample_free(&window);
        sample_free(&winning);
    }
    driver_close(real_driver);
    poseidon_set_free(poseidon);
    pool_free(x.pool);
    folder_entries(&place, true);
    assert_int_equal(rmdir(folder), 0);
    return 0;
}

static struct device *device;
static struct gpu_prover *prover;

static void open_prover(uint64_t limit)
{
    if (!driver)
        skip();
    assert_ok(device_open(&device, driver, 0, limit, &error));
    assert_ok(gpu_prover_new(&prover, device, 2, &error));
}

static void close_prover(void)
{
    gpu_prover_free(prover);
    assert_int_equal(device_memory_used(device), 0);
    device_close(device);
}

static struct gpu_proof *begin(const struct sample *s)
{
    struct gpu_proof *proof;
    assert_ok(
        gpu_proof_new(&proof, &x, &s->real.circuit, &s->templates, s->srs, s->inputs, s->count, &error));
    return proof;
}

static void finish(const struct sample *s, struct gpu_proof *proof)
{
    struct groth16_proof made;
    uint8_t bytes[GROTH16_PROOF_BYTES];
    assert_ok(gpu_proof_finish(&x, proof, &s->rs, &made, &error));
    groth16_proof_write(bytes, &made);
    assert_memory_equal(bytes, s->proof, sizeof bytes);
    gpu_proof_free(proof);
}

static void prove(const struct sample *s, unsigned count)
{
    struct gpu_proof *proof[GPU_PROOF_BATCH] = {NULL};
    for (unsigned i = 0; i < count; i++)
        proof[i] = begin(s);
    for (unsigned i = 0; i < count; i++)
        assert_ok(gpu_proof_quotient(prover, &x, proof[i], i + 1 < count ? proof[i + 1] : NULL, &error));
    assert_ok(gpu_proof_settle(prover, &x, proof, count, &error));
    for (unsigned i = 0; i < count; i++)
        finish(s, proof[i]);
}

static void proofs_are_the_cpus(void **state)
{
    (void)state;
    open_prover(0);
    prove(&window, 1);
    prove(&winning, 1);
    prove(&window, 3);
    struct gpu_prover_info a, b;
    gpu_prover_info(prover, window.srs, &a);
    gpu_prover_info(prover, winning.srs, &b);
    assert_true(a.srs_bytes > 0 && a.srs_resident == a.srs_bytes);
    assert_true(b.srs_bytes > 0 && b.srs_resident == b.srs_bytes); /* beside each other */
    prove(&winning, a.batch < 10 ? a.batch : 10);
    close_prover();
}

static void streamed_proofs_are_the_cpus(void **state)
{
    (void)state;
    if (!driver)
        skip();
    /* the least memory that a proof can be made in, and a little more each time */
    struct gpu_prover_info info = {0};
    unsigned streamed = 0;
    for (uint64_t limit = 64 * MIB; limit < 2048 * MIB; limit += 2 * MIB) {
        open_prover(limit);
        cuzk_status status = gpu_prover_hold(prover, &x, window.srs, &window.templates, &error);
        if (status == CUZK_OK) {
            gpu_prover_info(prover, window.srs, &info);
            prove(&window, info.batch < 2 ? 1 : 2);
            assert_true(device_memory_peak(device) <= limit);
            streamed += info.srs_resident < info.srs_bytes;
        } else {
            assert_int_equal(status, CUZK_ERR_MEMORY);
        }
        close_prover();
        if (status == CUZK_OK && info.srs_resident == info.srs_bytes)
            break;
    }
    assert_true(streamed > 0);
    assert_int_equal(info.srs_resident, info.srs_bytes);
}

static void another_circuit_waits_for_open_proofs(void **state)
{
    (void)state;
    open_prover(0);
    struct gpu_proof *open = begin(&window), *other = begin(&winning);
    assert_ok(gpu_proof_quotient(prover, &x, open, NULL, &error));
    assert_int_equal(gpu_proof_settle(prover, &x, &other, 1, &error), CUZK_ERR_ARGUMENT);
    assert_ok(gpu_proof_quotient(prover, &x, other, NULL, &error)); /* beside it */
    struct gpu_proof *both[] = {open, other};
    assert_int_equal(gpu_proof_settle(prover, &x, both, 2, &error), CUZK_ERR_ARGUMENT);
    gpu_proof_recall(prover, open);
    assert_ok(gpu_proof_quotient(prover, &x, open, NULL, &error));
    assert_ok(gpu_proof_settle(prover, &x, &other, 1, &error));
    finish(&winning, other);
    assert_ok(gpu_proof_settle(prover, &x, &open, 1, &error));
    finish(&window, open);
    close_prover();
}

/* One proof from a new prover, the n-th call failing. */
static cuzk_status attempt(unsigned n, int result)
{
    struct gpu_proof *proof = begin(&winning);
    device_fail_after(device, n, result);
    cuzk_status status = gpu_proof_quotient(prover, &x, proof, NULL, &error);
    if (status == CUZK_OK)
        status = gpu_proof_settle(prover, &x, &proof, 1, &error);
    device_fail_after(device, 0, 0);
    if (status == CUZK_OK)
        finish(&winning, proof);
    else
        gpu_proof_free(proof);
    return status;
}

/* A device that is started anew knows nothing of the proofs that were on it. */
static void proofs_before_a_reset_are_lost(void **state)
{
    (void)state;
    open_prover(0);
    struct gpu_prover_info info;
    struct gpu_proof *lost = begin(&window), *other = begin(&window);
    assert_ok(gpu_proof_quotient(prover, &x, lost, NULL, &error));
    gpu_prover_drop(prover, window.srs); /* it has an open proof: it stays */
    gpu_prover_info(prover, window.srs, &info);
    assert_true(info.batch > 0);
    assert_ok(gpu_prover_reset(prover, &error));
    gpu_prover_info(prover, window.srs, &info);
    assert_int_equal(info.batch, 0);
    assert_ok(gpu_proof_quotient(prover, &x, other, NULL, &error));
    struct gpu_proof *both[] = {other, lost};
    assert_int_equal(gpu_proof_settle(prover, &x, both, 2, &error), CUZK_ERR_ARGUMENT);
    gpu_proof_free(lost);
    gpu_prover_drop(prover, window.srs);
    assert_ok(gpu_proof_settle(prover, &x, &other, 1, &error));
    finish(&window, other);
    gpu_prover_drop(prover, window.srs);
    assert_int_equal(device_memory_used(device), 0);
    close_prover();
}

/* Each call of the driver fails once: an error, nothing lost, and the next proof succeeds. */
static void each_call_may_fail(void **state)
{
    (void)state;
    open_prover(0);
    unsigned lost = 0, refused = 0;
    for (unsigned n = 1;; n += 1 + n / DENSE) {
        const bool lose = n % 2 == 0;
        gpu_prover_drop(prover, winning.srs);
        const cuzk_status status = attempt(n, lose ? HOST_BAD : OUT_OF_MEMORY);
        if (status == CUZK_OK && n > 200)
            break;
        if (status != CUZK_OK && status != (lose ? CUZK_ERR_DEVICE : CUZK_ERR_MEMORY))
            fail_msg("call %u: %s", n, error.message);
        assert_int_equal(device_retired(device), status == CUZK_ERR_DEVICE);
        lost += status == CUZK_ERR_DEVICE;
        refused += status == CUZK_ERR_MEMORY;
        if (status == CUZK_ERR_DEVICE) {
            struct gpu_proof *proof = begin(&winning);
            assert_int_equal(gpu_proof_quotient(prover, &x, proof, NULL, &error), CUZK_ERR_DEVICE);
            gpu_proof_free(proof);
            assert_ok(gpu_prover_reset(prover, &error));
            assert_int_equal(device_memory_used(device), 0);
        }
        if (n % 8 == 0)
            prove(&winning, 1);
    }
    assert_true(lost > 10 && refused > 10);
    prove(&winning, 1);
    close_prover();
}

/* Memory of the device is what it was after many proofs. */
static void no_memory_is_lost(void **state)
{
    (void)state;
    open_prover(0);
    prove(&window, 2);
    const uint64_t used = device_memory_used(device), peak = device_memory_peak(device);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct gpu_proof *dropped = begin(&window);
        assert_ok(gpu_proof_quotient(prover, &x, dropped, NULL, &error));
        gpu_proof_free(dropped);
        prove(&window, 1);
    }
    gpu_prover_drop(prover, winning.srs); /* not there */
    assert_int_equal(device_memory_used(device), used);
    assert_int_equal(device_memory_peak(device), peak);
    gpu_prover_drop(prover, window.srs);
    assert_int_equal(device_memory_used(device), 0);
    close_prover();
}

static void a_cancelled_proof_leaves_nothing(void **state)
{
    (void)state;
    open_prover(0);
    struct exec stopped = x;
    const volatile int cancel = 1;
    stopped.cancel = &cancel;
    struct gpu_proof *proof = begin(&window);
    assert_int_equal(gpu_proof_quotient(prover, &stopped, proof, NULL, &error), CUZK_ERR_CANCELLED);
    assert_ok(gpu_proof_quotient(prover, &x, proof, NULL, &error));
    assert_int_equal(gpu_proof_settle(prover, &stopped, &proof, 1, &error), CUZK_ERR_CANCELLED);
    assert_int_equal(gpu_proof_settle(prover, &x, &proof, 1, &error), CUZK_ERR_ARGUMENT); /* half done */
    gpu_proof_free(proof);
    prove(&window, 1);
    close_prover();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_are_the_cpus),
        cmocka_unit_test(streamed_proofs_are_the_cpus),
        cmocka_unit_test(another_circuit_waits_for_open_proofs),
        cmocka_unit_test(a_cancelled_proof_leaves_nothing),
        cmocka_unit_test(proofs_before_a_reset_are_lost),
        cmocka_unit_test(no_memory_is_lost),
        cmocka_unit_test(each_call_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
