/* groth16/groth16.h - proofs, keys, setup, proving, verification (J. Groth, 2016/260), equal to
 * bellperson's bit for bit.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_GROTH16_H
#define GROTH16_GROTH16_H

#include "base/exec.h"
#include "curve/group.h"
#include "r1cs/cs.h"

#define GROTH16_PROOF_BYTES 192

/* The domain of so many rows has 2^this points: the least that are as many. */
static inline unsigned groth16_domain_log(uint64_t rows)
{
    unsigned log = 0;
    while (UINT64_C(1) << log < rows)
        log++;
    return log;
}

struct groth16_proof {
    g1_affine a;
    g2_affine b;
    g1_affine c;
};

void groth16_proof_write(uint8_t out[GROTH16_PROOF_BYTES], const struct groth16_proof *proof);
/* Checked in full: flags, canonical, on curve, in the subgroup, not infinity. */
cuzk_status groth16_proof_read(struct groth16_proof *out, const uint8_t in[GROTH16_PROOF_BYTES],
                               struct cuzk_error *e) MUST_USE;

/* A verifying key. */
struct groth16_vk {
    g1_affine alpha_g1, beta_g1, delta_g1;
    g2_affine beta_g2, gamma_g2, delta_g2;
    g1_affine *ic; /* one a public input, the first for the constant one */
    uint32_t ic_count;
};
/* From the bytes of a .vk file or the start of a .params file, checked in full. *used: how many bytes.
 * Trailing bytes are the caller's affair. */
cuzk_status groth16_vk_read(struct groth16_vk *out, const uint8_t *in, size_t size, size_t *used,
                            struct cuzk_error *e) MUST_USE;
size_t groth16_vk_size(const struct groth16_vk *vk);
void groth16_vk_write(uint8_t *out, const struct groth16_vk *vk); /* groth16_vk_size bytes */
void groth16_vk_free(struct groth16_vk *vk);
/* A whole .vk file, the key at the start of a .params file whose counts fill it, or that of a .srs file; with
 * the digest where a parameters.json in the same folder lists it. */
cuzk_status groth16_vk_open(const struct exec *x, struct groth16_vk *out, const char *path,
                            struct cuzk_error *e) MUST_USE;

/* A parameter file, mapped (params.h has the file format). */
struct groth16_params;
/* Checks that the counts fill the file exactly and agree with each other, then each point in full: canonical,
 * on the curve, in the subgroup, not infinity; and the file's digest where a parameters.json in the same
 * folder lists it. So that this is done once, FILE.checked is left beside the file (stamp.h). Errors name the
 * section, the point and what is wrong with it. */
cuzk_status groth16_params_open(const struct exec *x, struct groth16_params **out, const char *path,
                                unsigned flags, struct cuzk_error *e) MUST_USE;
#define GROTH16_PARAMS_NO_STAMP 1u /* check all points even if a stamp says it was done; write none */
void groth16_params_free(struct groth16_params *p); /* NULL is fine */
const struct groth16_vk *groth16_params_vk(const struct groth16_params *p);

/* The sections behind the key, in the file's order. */
enum groth16_section { GROTH16_H = 0, GROTH16_L, GROTH16_A, GROTH16_B_G1, GROTH16_B_G2 };
#define GROTH16_SECTIONS 5
const char *groth16_section_name(enum groth16_section section); /* "h", "l", "a", "b_g1", "b_g2" */

struct groth16_params_info {
    uint64_t file_bytes;
    uint32_t ic_count, count[GROTH16_SECTIONS];
    unsigned domain_log;  /* h has 2^domain_log - 1 points */
    char digest[33];      /* first 16 bytes of BLAKE2b-512 in hex; empty if it was not needed */
    bool listed;          /* a parameters.json lists the file, with this digest and */
    uint64_t sector_size; /* this sector size (else 0) */
    bool stamp_accepted;  /* the points were checked before, FILE.checked says */
    bool stamp_written;   /* they were checked now, and FILE.checked says so from now on */
    char stamp_fault[CUZK_ERROR_MESSAGE_MAX]; /* if neither: why no stamp could be written, so the next time
                                                 will check again */
};
void groth16_params_info(const struct groth16_params *p, struct groth16_params_info *out);
/* The encoded points of a section (curve/encoding.h, uncompressed), valid as long as p. */
const uint8_t *groth16_params_section(const struct groth16_params *p, enum groth16_section section,
                                      uint32_t *count);

/* A folded parameter file, mapped (srs.h has the file format and what is folded). */
struct groth16_srs;
/* Header, key and densities are always checked in full; the points (canonical, on the curve, in the subgroup)
 * and the sections' digests once: FILE.checked is left beside the file (stamp.h). Errors name the section and
 * the point. flags: GROTH16_PARAMS_NO_STAMP, GROTH16_SRS_RECHECK. */
cuzk_status groth16_srs_open(const struct exec *x, struct groth16_srs **out, const char *path, unsigned flags,
                             struct cuzk_error *e) MUST_USE;
#define GROTH16_SRS_RECHECK 2u                /* check all points even if a stamp says it was done */
void groth16_srs_free(struct groth16_srs *s); /* NULL is fine */
const struct groth16_vk *groth16_srs_vk(const struct groth16_srs *s);

struct groth16_srs_info {
    uint64_t file_bytes;
    char circuit[32];            /* "porep-32g" */
    uint32_t inputs, bits, wide; /* variables; inputs with the constant one */
    uint64_t in_a, in_b;         /* how many of them have a point in A, in B */
    unsigned domain_log;
    char digest[33];     /* of the header, which has the digests of all else */
    char source[33];     /* digest of the parameter file it was made from, */
    bool from_params;    /* if it was made from one, else from a trapdoor */
    bool stamp_accepted; /* as in groth16_params_info */
    bool stamp_written;
    char stamp_fault[CUZK_ERROR_MESSAGE_MAX];
};
void groth16_srs_info(const struct groth16_srs *s, struct groth16_srs_info *out);

/* Was it made for these parameters? CUZK_ERR_MISMATCH saying what to do if not. */
cuzk_status groth16_srs_belongs(const struct groth16_srs *s, const struct groth16_params *p,
                                struct cuzk_error *e) MUST_USE;

/* The five random values of a setup. */
struct groth16_trapdoor {
    fr alpha, beta, gamma, delta, tau;
};
cuzk_status groth16_trapdoor_random(struct groth16_trapdoor *out, struct cuzk_error *e) MUST_USE;
/* For tests only: derived from a seed, as the reference vectors are (label alpha, beta...). */
void groth16_trapdoor_from_seed(struct groth16_trapdoor *out, uint64_t seed);

/* Make PREFIX.params and PREFIX.vk: each is written beside its name and renamed at the end, so a file of
 * that name is always whole; on failure or cancel nothing new is left. */
cuzk_status groth16_setup(const struct exec *x, const struct circuit *circuit,
                          const struct groth16_trapdoor *t, const char *prefix,
                          struct cuzk_error *e) MUST_USE;
/* The same files with points of a maker's (points.h), which nobody else uses; NULL: the CPU. */
struct point_maker;
cuzk_status groth16_setup_by(const struct exec *x, const struct circuit *circuit,
                             const struct groth16_trapdoor *t, const char *prefix,
                             const struct point_maker *maker, struct cuzk_error *e) MUST_USE;

/* Make the folded file PATH from a trapdoor. name: the circuit's, below 32 bytes. source: the digest (hex) of
 * the parameter file of the same trapdoor, or NULL. Memory: three elements a variable and little else. On
 * failure or cancel nothing new is left. */
cuzk_status groth16_srs_setup(const struct exec *x, const struct circuit *circuit, const char *name,
                              const struct groth16_trapdoor *t, const char *source, const char *path,
                              struct cuzk_error *e) MUST_USE;
/* The same file with points of a maker's; NULL: the CPU. */
cuzk_status groth16_srs_setup_by(const struct exec *x, const struct circuit *circuit, const char *name,
                                 const struct groth16_trapdoor *t, const char *source, const char *path,
                                 const struct point_maker *maker, struct cuzk_error *e) MUST_USE;

/* Make the folded file PATH of a circuit from its parameters. Until it is whole it is PATH.part, which is
 * taken up where it was by the next call (srs_part.h). stop_after: NULL, or the phase to stop after with
 * CUZK_ERR_CANCELLED. runner: what does the transforms of points, or NULL: the CPU (transform.h); the file is
 * the same. CUZK_ERR_MISMATCH: the parameters are of another circuit. */
struct transform_runner;
cuzk_status groth16_srs_convert(const struct exec *x, const struct circuit *circuit, const char *name,
                                const struct groth16_params *p, const char *path, const char *stop_after,
                                const struct transform_runner *runner, struct cuzk_error *e) MUST_USE;
/* CUZK_ERR_ARGUMENT, naming those there are, if it is no phase's name; NULL is fine. */
cuzk_status groth16_srs_phase_check(const char *name, struct cuzk_error *e) MUST_USE;

/* The prover's two random values. */
struct groth16_rs {
    fr r, s;
};
cuzk_status groth16_rs_random(struct groth16_rs *out, struct cuzk_error *e) MUST_USE;
void groth16_rs_from_seed(struct groth16_rs *out, uint64_t seed); /* tests only */

/* Prove, and verify what was proved before giving it out. The circuit is run as a real instance.
 * CUZK_ERR_UNSATISFIED: a row does not hold (the message names the first), or the circuit's inputs
 * without the constant one are not public_inputs (NULL: not compared).
 * CUZK_ERR_MISMATCH: the parameters are of another circuit: counts or densities differ (found before the
 * heavy work), or every row holds and yet the proof does not verify. Memory: about 3 * 32 bytes a point of
 * the domain and 32 a variable. r and s are not kept. */
cuzk_status groth16_prove(const struct exec *x, const struct circuit *circuit, const struct groth16_params *p,
                          const struct groth16_rs *rs, const fr *public_inputs, uint32_t public_count,
                          struct groth16_proof *out, struct cuzk_error *e) MUST_USE;

/* The same with a folded file, equal bit for bit. Memory: 2 * 32 bytes a point of the domain and 32 a wide
 * variable; the file is mapped. C is not evaluated, so only verification, before the proof is given out,
 * shows that a row does not hold; then the rows are looked through for the message. templates: the circuit's
 * (rows.h). */
struct template_circuit;
cuzk_status groth16_prove_folded(const struct exec *x, const struct circuit *circuit,
                                 const struct template_circuit *templates, const struct groth16_srs *s,
                                 const struct groth16_rs *rs, const fr *public_inputs, uint32_t public_count,
                                 struct groth16_proof *out, struct cuzk_error *e) MUST_USE;

/* *valid: does the proof hold for these inputs (count = ic_count - 1, an argument error if not)? */
cuzk_status groth16_verify(const struct exec *x, const struct groth16_vk *vk,
                           const struct groth16_proof *proof, const fr *public_inputs, uint32_t count,
                           bool *valid, struct cuzk_error *e) MUST_USE;

/* All of n proofs at once, by a random linear combination with 128-bit weights from the system's
 * generator (as bellperson's verify_proofs_batch): inputs[i] points at count values each. */
cuzk_status groth16_verify_many(const struct exec *x, const struct groth16_vk *vk,
                                const struct groth16_proof *proofs, const fr *const *inputs, uint32_t count,
                                size_t n, bool *valid, struct cuzk_error *e) MUST_USE;

#endif
