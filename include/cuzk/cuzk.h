/* cuzk/cuzk.h - the public interface of libcuzk: Groth16 proofs for Filecoin.
 *
 * Conventions
 * - A call that can fail returns cuzk_status and, where one is passed, fills struct cuzk_error with one
 *   line of detail. Outputs are written only on success.
 * - Handles are opaque, made by _new or _open and freed by _free; freeing NULL is fine. What a handle was
 *   made from must outlive it.
 * - One context runs one call at a time. Several contexts may be used at once from several threads, and
 *   opened requests, parameters and keys may be shared by them (they do not change).
 * - Input files are mapped: whoever shortens one while it is in use makes the process receive SIGBUS.
 * - The library never prints, exits, reads the environment or installs signal handlers.
 * - Proving takes time that depends on the witness; keep it off machines where that matters.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CUZK_CUZK_H
#define CUZK_CUZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuzk/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CUZK_API      __attribute__((visibility("default")))
#define CUZK_MUST_USE __attribute__((warn_unused_result))
#else
#define CUZK_API
#define CUZK_MUST_USE
#endif

#define CUZK_PROOF_BYTES 192 /* one partition's proof: A, B, C compressed */

/* "0.1.0" */
CUZK_API const char *cuzk_version(void);

/* A short word for a status: "input", "io"... Never NULL. */
CUZK_API const char *cuzk_status_name(cuzk_status status);

/* ---- context ---- */

/* How work is done. Zero-initialise; every zero means the default. */
struct cuzk_options {
    unsigned threads;      /* 0: what the affinity mask and the cgroup's quota allow */
    const char *cpu;       /* instruction set: "portable", "adx", "ifma"; NULL or "auto": the best there is */
    uint64_t memory_limit; /* bytes of anonymous memory; 0: the least of RAM, the cgroup's limit and the
                            * memory nodes (NUMA) that the process may use */

    const char *device; /* what proves from folded parameters, and makes them: "cpu"; "gpu": all GPUs, at
                         * least one; "gpu:0,2": those of these numbers; NULL or "auto": GPUs if this build
                         * can use any, else the CPU. They are opened when first wanted */
    uint64_t device_memory_limit; /* bytes of each GPU's memory; 0: what is free */

    /* Called from the thread that made the call, as work advances: done of total in a named phase. */
    void (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
    void *progress_user;

    /* Non-zero asks the running call to stop with CUZK_ERR_CANCELLED. May be set by a signal handler. */
    const volatile int *cancel;
};

typedef struct cuzk_context cuzk_context;
CUZK_API cuzk_status cuzk_context_new(cuzk_context **out, const struct cuzk_options *options,
                                      struct cuzk_error *e) CUZK_MUST_USE;
CUZK_API void cuzk_context_free(cuzk_context *context);
CUZK_API unsigned cuzk_context_threads(const cuzk_context *context);
CUZK_API const char *cuzk_context_cpu(const cuzk_context *context);
/* The most anonymous memory reserved at one time so far, in bytes (large blocks only). */
CUZK_API uint64_t cuzk_context_memory_peak(const cuzk_context *context);

/* ---- devices ---- */

struct cuzk_device {
    char name[96];
    unsigned index;      /* the driver's number */
    unsigned capability; /* 90 for 9.0 */
    unsigned multiprocessors;
    uint64_t memory, limit; /* bytes: of the card; that may be used */
    uint64_t peak;          /* the most that was in use at one time so far */
};
/* How many GPUs the context uses, opening them, and what each is. */
CUZK_API cuzk_status cuzk_context_devices(cuzk_context *context, unsigned *count,
                                          struct cuzk_error *e) CUZK_MUST_USE;
CUZK_API cuzk_status cuzk_context_device(cuzk_context *context, unsigned i, struct cuzk_device *out,
                                         struct cuzk_error *e) CUZK_MUST_USE;

/* What the user should know of the calls so far although they succeeded: that the CPU did what a GPU failed
 * to; that "auto" found a GPU which cannot be used, beside others; that the file X.templates, which saves
 * time, cannot be written. Empty if there is nothing, else the last such thing. */
CUZK_API const char *cuzk_context_note(const cuzk_context *context);

/* ---- circuits ----
 *
 * A circuit is named by its kind and the sector's size: porep-, winning-, window- (also wpost-), snap-,
 * snap-poseidon-; 2k, 4k, 16k, 32k, 8m, 512m, 32g, 64g. */

/* ---- setup ---- */

/* Make parameters for a circuit with a random trapdoor, which is forgotten:
 * PREFIX.params and PREFIX.vk. Fit for development networks, not for a network with a ceremony's keys.
 * insecure_seed: NULL, or for tests a seed that everything is derived from; anybody can forge proofs
 * for such keys. */
CUZK_API cuzk_status cuzk_setup(cuzk_context *context, const char *circuit, const char *prefix,
                                const uint64_t *insecure_seed, struct cuzk_error *e) CUZK_MUST_USE;

/* The same with PREFIX.srs, the folded parameters of the same trapdoor, which proofs are made from fastest;
 * with only_folded it alone is written (a verifying key is in it). */
CUZK_API cuzk_status cuzk_setup_folded(cuzk_context *context, const char *circuit, const char *prefix,
                                       bool only_folded, const uint64_t *insecure_seed,
                                       struct cuzk_error *e) CUZK_MUST_USE;

/* ---- requests ---- */

/* What is to be proved or was proved: read from a C1 file, or from a request file (a JSON object with the
 * statement, the C1 or the vanilla proofs beside it; docs/formats.md). */
typedef struct cuzk_request cuzk_request;

#define CUZK_REQUEST_STATEMENT 1u /* read the statement alone: enough to verify, not to prove */

CUZK_API cuzk_status cuzk_request_open(cuzk_context *context, cuzk_request **out, const char *path,
                                       unsigned flags, struct cuzk_error *e) CUZK_MUST_USE;
CUZK_API void cuzk_request_free(cuzk_request *request);
CUZK_API const char *cuzk_request_circuit(const cuzk_request *request); /* "porep-32g" */
CUZK_API unsigned cuzk_request_partitions(const cuzk_request *request);

/* Make a valid request of made-up sectors in folder (made if its parent is there): KIND-SIZE-SEED.meta.json
 * and the C1 or the vanilla proofs beside it. Equal arguments give equal bytes.
 * kind: "porep", "porep-v1", "porep-syn", "porep-ni", "winning", "window", "window-v1", "snap",
 * "snap-poseidon". size: "2KiB", "4KiB", "16KiB", "32KiB", "8MiB", "512MiB", "32GiB", "64GiB". sectors: how
 * many a window proof is of, 0: three; 0 or 1 for all others. On failure nothing new is left. */
CUZK_API cuzk_status cuzk_generate(cuzk_context *context, const char *kind, const char *size, uint64_t seed,
                                   uint64_t sectors, const char *folder, struct cuzk_error *e) CUZK_MUST_USE;

/* ---- parameters and keys ---- */

typedef struct cuzk_params cuzk_params;

/* Map a .params file. All its points are checked (canonical, on the curve, in the subgroup) the first time;
 * a stamp beside the file (FILE.checked) saves that later. Where parameters.json in the same folder lists
 * the file, its digest must agree. */
CUZK_API cuzk_status cuzk_params_open(cuzk_context *context, cuzk_params **out, const char *path,
                                      struct cuzk_error *e) CUZK_MUST_USE;
CUZK_API void cuzk_params_free(cuzk_params *params);

typedef struct cuzk_vk cuzk_vk;
/* From a .vk file, from the beginning of a .params file, or out of a .srs file. */
CUZK_API cuzk_status cuzk_vk_open(cuzk_context *context, cuzk_vk **out, const char *path,
                                  struct cuzk_error *e) CUZK_MUST_USE;
CUZK_API void cuzk_vk_free(cuzk_vk *vk);

/* ---- folded parameters ---- */

typedef struct cuzk_srs cuzk_srs;

/* Map a .srs file. All its points and its digests are checked the first time; a stamp beside the file
 * (FILE.checked) saves that later. */
CUZK_API cuzk_status cuzk_srs_open(cuzk_context *context, cuzk_srs **out, const char *path,
                                   struct cuzk_error *e) CUZK_MUST_USE;
/* What GPUs hold of it stays in their memory until they need the room for others, or the context is freed. */
CUZK_API void cuzk_srs_free(cuzk_srs *srs);

/* CUZK_ERR_MISMATCH, saying what to do, unless the file was made for these parameters. */
CUZK_API cuzk_status cuzk_srs_belongs(const cuzk_srs *srs, const cuzk_params *params,
                                      struct cuzk_error *e) CUZK_MUST_USE;

/* Make the folded file of a circuit from its .params file, whoever made that: two transforms of points, which
 * take long (docs/formats.md) and are done by the context's first device, if it has one; the file is the
 * same. Until it is whole it is PATH.part, with a journal: a call that was stopped or killed is taken up
 * where it was by calling again. stop_after: NULL, or the phase after which to stop with CUZK_ERR_CANCELLED:
 * "k columns", "k rows", "fold", "q columns", "q rows", "a and b". */
CUZK_API cuzk_status cuzk_srs_convert(cuzk_context *context, const char *circuit, const char *params_path,
                                      const char *path, const char *stop_after,
                                      struct cuzk_error *e) CUZK_MUST_USE;

/* ---- proofs ---- */

/* Prove one partition. Vanilla proofs that do not hold are CUZK_ERR_UNSATISFIED before the work begins. The
 * proof is verified before it is given out. insecure_rs_seed: NULL (random r and s), or for tests a seed that
 * they are derived from. */
CUZK_API cuzk_status cuzk_prove(cuzk_context *context, const cuzk_request *request, const cuzk_params *params,
                                unsigned partition, const uint64_t *insecure_rs_seed,
                                uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *e) CUZK_MUST_USE;

/* The same from folded parameters: the same proof for the same seed, several times as fast and in a small
 * part of the memory. */
CUZK_API cuzk_status cuzk_prove_folded(cuzk_context *context, const cuzk_request *request,
                                       const cuzk_srs *srs, unsigned partition,
                                       const uint64_t *insecure_rs_seed, uint8_t proof[CUZK_PROOF_BYTES],
                                       struct cuzk_error *e) CUZK_MUST_USE;

/* The same of count partitions from first on, CUZK_PROOF_BYTES each in order, on all of the context's devices
 * at once: what one fails another does. A GPU begins while the vanilla proofs are still being checked.
 * seconds: NULL, or each one's time from its beginning to its verified proof (several are under way at a
 * time). */
CUZK_API cuzk_status cuzk_prove_partitions(cuzk_context *context, const cuzk_request *request,
                                           const cuzk_srs *srs, unsigned first, unsigned count,
                                           const uint64_t *insecure_rs_seed, uint8_t *proofs, double *seconds,
                                           struct cuzk_error *e) CUZK_MUST_USE;

/* Do the proofs of count partitions from first on hold? proofs: CUZK_PROOF_BYTES each, in order.
 * *valid is written when that could be told: a malformed proof is not valid. */
CUZK_API cuzk_status cuzk_verify(cuzk_context *context, const cuzk_request *request, const cuzk_vk *vk,
                                 unsigned first, unsigned count, const uint8_t *proofs, bool *valid,
                                 struct cuzk_error *e) CUZK_MUST_USE;

/* Write a file whole or not at all: beside its name first, then flushed to disk and renamed. An existing
 * file of that name is replaced. */
CUZK_API cuzk_status cuzk_write_file(const char *path, const void *data, size_t size,
                                     struct cuzk_error *e) CUZK_MUST_USE;

/* ---- reports ---- */

/* Where a report goes, piece by piece; false stops it with CUZK_ERR_IO. */
struct cuzk_writer {
    bool (*write)(void *user, const char *text, size_t size);
    void *user;
};
enum cuzk_format {
    CUZK_FORMAT_TEXT = 0,
    CUZK_FORMAT_JSON = 1, /* one object */
};

/* What is this file (a C1, a request, a vanilla proof, parameters, folded ones, a key, a proof), and is it
 * sound? *sound says so; the report says what it is and, if not sound, what is wrong: of a request also the
 * first check that its vanilla proofs fail. A vanilla proof alone is judged by its form. */
CUZK_API cuzk_status cuzk_inspect(cuzk_context *context, const char *path, enum cuzk_format format,
                                  const struct cuzk_writer *out, bool *sound,
                                  struct cuzk_error *e) CUZK_MUST_USE;

/* Check a folded file in full, whatever a stamp says: header, key, every point and all digests. *sound says
 * whether it is; a stamp is then left. The report as cuzk_inspect's. */
CUZK_API cuzk_status cuzk_srs_check(cuzk_context *context, const char *path, enum cuzk_format format,
                                    const struct cuzk_writer *out, bool *sound,
                                    struct cuzk_error *e) CUZK_MUST_USE;

/* A blank circuit's counts, densities and R1CS digest, with a running digest each `every` rows (0: 65536). */
CUZK_API cuzk_status cuzk_circuit_shape(cuzk_context *context, const char *circuit, uint64_t every,
                                        enum cuzk_format format, const struct cuzk_writer *out,
                                        struct cuzk_error *e) CUZK_MUST_USE;

/* The same of a partition's real circuit, with public inputs, witness, a, b, c digests, and whether it is
 * satisfied (*satisfied). */
CUZK_API cuzk_status cuzk_circuit_instance(cuzk_context *context, const cuzk_request *request,
                                           unsigned partition, uint64_t every, enum cuzk_format format,
                                           const struct cuzk_writer *out, bool *satisfied,
                                           struct cuzk_error *e) CUZK_MUST_USE;

/* Rows [first, end) or auxiliary variables [first, end), one a line with their names. circuit names a blank
 * circuit; or, with circuit NULL, the request's partition (variables then have values). */
enum cuzk_listing {
    CUZK_LIST_ROWS = 0,
    CUZK_LIST_VARIABLES = 1,
};
CUZK_API cuzk_status cuzk_circuit_list(cuzk_context *context, const char *circuit,
                                       const cuzk_request *request, unsigned partition,
                                       enum cuzk_listing what, uint64_t first, uint64_t end,
                                       const struct cuzk_writer *out, struct cuzk_error *e) CUZK_MUST_USE;

/* ---- installations ---- */

/* What the machine offers to this process. */
struct cuzk_machine {
    uint64_t ram, cgroup_memory, node_memory; /* bytes: RAM; the cgroup's limit; what the memory nodes (NUMA)
                                               * have that it may use, where some are barred to it.
                                               * UINT64_MAX: no limit */
    uint64_t cgroup_cpu;                      /* quota in thousandths of a CPU; UINT64_MAX: none */
    unsigned threads;                         /* what a context uses unless it is told */
    char cpu[16];                             /* the instruction set that it uses then */
    char variants[64];                        /* all that this build and processor can: "portable, adx" */
    bool sha;                                 /* the processor has instructions for SHA-256 */
};
CUZK_API void cuzk_machine_read(struct cuzk_machine *out);

/* The i-th circuit's name; NULL from the end on. */
CUZK_API const char *cuzk_circuit_name(size_t i);

/* The file in folder that a circuit's proofs are made from, as the daemon finds it: X.srs before X.params,
 * under the circuit's name or the real network's. CUZK_ERR_NOT_FOUND: none, with the names that were looked
 * for. CUZK_ERR_IO: one is there that may not be read. */
#define CUZK_PATH_MAX 4096
CUZK_API cuzk_status cuzk_params_find(const char *folder, const char *circuit, char path[CUZK_PATH_MAX],
                                      struct cuzk_error *e) CUZK_MUST_USE;

/* Was the file's every point checked before (FILE.checked)? Then opening takes no time; and its size. */
CUZK_API cuzk_status cuzk_params_checked(const char *path, bool *checked, uint64_t *size,
                                         struct cuzk_error *e) CUZK_MUST_USE;

/* Open the file, .srs or .params, as cuzk_srs_open and cuzk_params_open do, and see whether it is the
 * circuit's: CUZK_ERR_MISMATCH if not. */
CUZK_API cuzk_status cuzk_params_check(cuzk_context *context, const char *circuit, const char *path,
                                       struct cuzk_error *e) CUZK_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
