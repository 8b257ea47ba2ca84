/* groth16/srs_format.c - the header of folded parameter files (srs.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "base/error.h"
#include "groth16/params.h"
#include "groth16/srs.h"
#include "ntt/ntt.h"

#define VERSION    1
#define ORDER      UINT32_C(0x01020304)
#define LIMB_BITS  64
#define MONTGOMERY 1
#define TABLE      144 /* where the sections' entries begin */
#define ENTRY      40

static const char MAGIC[8] = "cuzksrs\n";
#define NAME_AT (sizeof MAGIC + 16) /* of the circuit */
static const char *const kind_name[SRS_KINDS] = {"key",         "q",         "fold",      "l bits",
                                                 "l wide",      "a inputs",  "a bits",    "a wide",
                                                 "b_g1 inputs", "b_g1 bits", "b_g1 wide", "b_g2 inputs",
                                                 "b_g2 bits",   "b_g2 wide", "density a", "density b"};

const char *srs_kind_name(enum srs_kind kind)
{
    return kind_name[kind];
}

size_t srs_element_bytes(enum srs_kind kind)
{
    if (kind == SRS_KEY)
        return 1;
    if (kind == SRS_DENSITY_A || kind == SRS_DENSITY_B)
        return sizeof(uint64_t);
    return srs_kind_is_g2(kind) ? sizeof(g2_affine) : sizeof(g1_affine);
}

static uint64_t words_of(uint32_t bits)
{
    return ((uint64_t)bits + 63) / 64;
}

uint64_t srs_density_words(const struct srs_header *h, unsigned c)
{
    uint64_t words = 0;
    for (unsigned i = 0; i < c; i++)
        words += words_of(srs_class_size(h, (enum srs_class)i));
    return words;
}

static uint64_t next_offset(uint64_t at)
{
    return (at + SRS_ALIGN - 1) / SRS_ALIGN * SRS_ALIGN;
}

uint64_t srs_layout(struct srs_header *h)
{
    struct srs_section *s = h->section;
    s[SRS_KEY].count = VK_FIXED_BYTES + (uint64_t)h->inputs * G1_UNCOMPRESSED_BYTES;
    s[SRS_Q].count = UINT64_C(1) << h->domain_log;
    s[SRS_FOLD].count = h->inputs;
    s[SRS_L_BITS].count = h->bits;
    s[SRS_L_WIDE].count = h->wide;
    s[SRS_DENSITY_A].count = s[SRS_DENSITY_B].count = srs_density_words(h, SRS_CLASSES);
    uint64_t at = SRS_HEADER_BYTES;
    for (unsigned k = 0; k < SRS_KINDS; k++) {
        s[k].offset = k == SRS_KEY ? at : next_offset(at);
        at = s[k].offset + s[k].count * srs_element_bytes((enum srs_kind)k);
    }
    return at;
}

/* -- digests -- */

void srs_digest_text(char out[DIGEST_TEXT], const uint8_t digest[DIGEST_BYTES])
{
    for (int i = 0; i < DIGEST_BYTES; i++) {
        out[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    out[DIGEST_TEXT - 1] = '\0';
}

static uint8_t hex_value(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void srs_digest_bytes(uint8_t out[DIGEST_BYTES], const char text[DIGEST_TEXT])
{
    for (int i = 0; i < DIGEST_BYTES; i++)
        out[i] = (uint8_t)(hex_value(text[2 * i]) << 4 | hex_value(text[2 * i + 1]));
}

cuzk_status srs_digest(uint8_t out[DIGEST_BYTES], const void *data, size_t size, struct cuzk_error *e)
{
    struct digest_stream d = {NULL};
    char text[DIGEST_TEXT];
    cuzk_status status = digest_begin(&d, e);
    if (status == CUZK_OK)
        status = digest_update(&d, data, size, e);
    if (status == CUZK_OK)
        status = digest_end(&d, text, e);
    digest_free(&d);
    if (status == CUZK_OK)
        srs_digest_bytes(out, text);
    return status;
}

cuzk_status srs_digest_classes(uint8_t out[DIGEST_BYTES], const struct classes *c, struct cuzk_error *e)
{
    return srs_digest(out, c->is_bit.ptr, (size_t)words_of(c->count) * sizeof(uint64_t), e);
}

/* -- bytes -- */

static void put32(uint8_t **at, uint32_t v)
{
    memcpy(*at, &v, sizeof v);
    *at += sizeof v;
}

static void put64(uint8_t **at, uint64_t v)
{
    memcpy(*at, &v, sizeof v);
    *at += sizeof v;
}

static void put_bytes(uint8_t **at, const void *bytes, size_t n)
{
    memcpy(*at, bytes, n);
    *at += n;
}

static uint32_t get32(const uint8_t **at)
{
    uint32_t v;
    memcpy(&v, *at, sizeof v);
    *at += sizeof v;
    return v;
}

static uint64_t get64(const uint8_t **at)
{
    uint64_t v;
    memcpy(&v, *at, sizeof v);
    *at += sizeof v;
    return v;
}

static void render(uint8_t out[SRS_HEADER_BYTES], const struct srs_header *h)
{
    uint8_t *at = out;
    memset(out, 0, SRS_HEADER_BYTES);
    put_bytes(&at, MAGIC, sizeof MAGIC);
    put32(&at, VERSION);
    put32(&at, ORDER);
    put32(&at, LIMB_BITS);
    put32(&at, MONTGOMERY);
    put_bytes(&at, h->circuit, SRS_NAME_BYTES);
    put32(&at, h->inputs);
    put32(&at, h->aux);
    put32(&at, h->bits);
    put32(&at, h->wide);
    put32(&at, h->domain_log);
    put32(&at, h->from_params);
    put_bytes(&at, h->source, DIGEST_BYTES);
    put_bytes(&at, h->classes, DIGEST_BYTES);
    put32(&at, SRS_KINDS);
    at = out + TABLE;
    for (unsigned k = 0; k < SRS_KINDS; k++) {
        put32(&at, k);
        put32(&at, (uint32_t)srs_element_bytes((enum srs_kind)k));
        put64(&at, h->section[k].offset);
        put64(&at, h->section[k].count);
        put_bytes(&at, h->section[k].digest, DIGEST_BYTES);
    }
    VERIFY(at <= out + SRS_HEADER_BYTES - DIGEST_BYTES);
}

cuzk_status srs_header_write(uint8_t out[SRS_HEADER_BYTES], struct srs_header *h, struct cuzk_error *e)
{
    render(out, h);
    const cuzk_status status = srs_digest(h->digest, out, SRS_HEADER_BYTES - DIGEST_BYTES, e);
    if (status == CUZK_OK)
        memcpy(out + SRS_HEADER_BYTES - DIGEST_BYTES, h->digest, DIGEST_BYTES);
    return status;
}

bool srs_is(const uint8_t *in, uint64_t size)
{
    return size >= sizeof MAGIC && memcmp(in, MAGIC, sizeof MAGIC) == 0;
}

const char *srs_stated_name(const uint8_t *in, uint64_t size)
{
    return size >= NAME_AT + SRS_NAME_BYTES ? (const char *)in + NAME_AT : NULL;
}

static cuzk_status kind_of_file(const uint8_t *in, uint64_t size, struct cuzk_error *e)
{
    const uint8_t *at = in + sizeof MAGIC;
    if (size < SRS_HEADER_BYTES)
        return error_set(e, CUZK_ERR_INPUT, "the file (%llu bytes) ends within the header",
                         (unsigned long long)size);
    if (memcmp(in, MAGIC, sizeof MAGIC) != 0)
        return error_set(e, CUZK_ERR_INPUT, "this is not a folded parameter file (made by cuzk srs convert)");
    const uint32_t version = get32(&at), order = get32(&at), limb_bits = get32(&at), form = get32(&at);
    if (version != VERSION)
        return error_set(e, CUZK_ERR_UNSUPPORTED,
                         "format version %u, this program knows %d: convert it again", version, VERSION);
    if (order != ORDER || limb_bits != LIMB_BITS || form != MONTGOMERY)
        return error_set(e, CUZK_ERR_INPUT, "the header names another form of numbers");
    uint8_t digest[DIGEST_BYTES];
    const cuzk_status status = srs_digest(digest, in, SRS_HEADER_BYTES - DIGEST_BYTES, e);
    if (status != CUZK_OK)
        return status;
    if (memcmp(digest, in + SRS_HEADER_BYTES - DIGEST_BYTES, DIGEST_BYTES) != 0)
        return error_set(e, CUZK_ERR_INPUT, "the header is damaged: it has not the digest that it names");
    return CUZK_OK;
}

static cuzk_status counts_agree(const struct srs_header *h, struct cuzk_error *e)
{
    if (h->inputs == 0 || h->inputs >= VAR_AUX || h->aux >= VAR_AUX || (uint64_t)h->bits + h->wide != h->aux)
        return error_set(e, CUZK_ERR_INPUT, "%u inputs, %u auxiliary variables, of them %u bits and %u wide",
                         h->inputs, h->aux, h->bits, h->wide);
    if (h->domain_log > NTT_MAX_LOG)
        return error_set(e, CUZK_ERR_INPUT, "a domain of 2^%u, more than 2^%d", h->domain_log, NTT_MAX_LOG);
    for (unsigned c = 0; c < SRS_CLASSES; c++) {
        const uint32_t most = srs_class_size(h, (enum srs_class)c);
        const uint64_t a = h->section[SRS_A_INPUTS + c].count, b = h->section[SRS_B_G1_INPUTS + c].count,
                       b2 = h->section[SRS_B_G2_INPUTS + c].count;
        if (a > most || b > most)
            return error_set(e, CUZK_ERR_INPUT, "%s has %llu points, more than %u variables",
                             kind_name[(a > most ? SRS_A_INPUTS : SRS_B_G1_INPUTS) + c],
                             (unsigned long long)(a > most ? a : b), most);
        if (b != b2)
            return error_set(e, CUZK_ERR_INPUT, "%s has %llu points, %s %llu: they must be equal",
                             kind_name[SRS_B_G1_INPUTS + c], (unsigned long long)b,
                             kind_name[SRS_B_G2_INPUTS + c], (unsigned long long)b2);
    }
    return CUZK_OK;
}

static void parse(struct srs_header *h, const uint8_t *in)
{
    const uint8_t *at = in + NAME_AT;
    memcpy(h->circuit, at, SRS_NAME_BYTES);
    at += SRS_NAME_BYTES;
    h->inputs = get32(&at);
    h->aux = get32(&at);
    h->bits = get32(&at);
    h->wide = get32(&at);
    h->domain_log = get32(&at);
    h->from_params = get32(&at) == 1;
    memcpy(h->source, at, DIGEST_BYTES);
    memcpy(h->classes, at + DIGEST_BYTES, DIGEST_BYTES);
    at = in + TABLE;
    for (unsigned k = 0; k < SRS_KINDS; k++, at += DIGEST_BYTES) {
        at += 2 * sizeof(uint32_t); /* kind and element, compared later */
        h->section[k].offset = get64(&at);
        h->section[k].count = get64(&at);
        memcpy(h->section[k].digest, at, DIGEST_BYTES);
    }
    memcpy(h->digest, in + SRS_HEADER_BYTES - DIGEST_BYTES, DIGEST_BYTES);
}

cuzk_status srs_header_read(struct srs_header *out, const uint8_t *in, uint64_t size, struct cuzk_error *e)
{
    struct srs_header h = {.inputs = 0};
    uint8_t again[SRS_HEADER_BYTES];
    cuzk_status status = kind_of_file(in, size, e);
    if (status != CUZK_OK)
        return status;
    parse(&h, in);
    status = counts_agree(&h, e);
    if (status != CUZK_OK)
        return status;
    const uint64_t whole = srs_layout(&h);
    render(again, &h);
    if (h.circuit[SRS_NAME_BYTES - 1] != '\0' ||
        memcmp(again, in, SRS_HEADER_BYTES - DIGEST_BYTES) != 0) /* the layout follows from the counts */
        return error_set(e, CUZK_ERR_INPUT, "the sections are not where the counts put them");
    if (size != whole)
        return error_set(e, CUZK_ERR_INPUT, "the file has %llu bytes, by its header %llu: it is %s",
                         (unsigned long long)size, (unsigned long long)whole,
                         size < whole ? "cut short" : "too long");
    *out = h;
    return CUZK_OK;
}
