/* cuzk/doctor_devices.c - driver and GPUs, and a tiny proof on each device.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/nvml.h"
#include "cuzk/doctor.h"

#define GIB 1073741824.0

/* The driver as the kernel and NVIDIA's library tell it; how many devices they count, 0 if that is not told.
 */
static unsigned note_driver(struct doctor *d)
{
    char line[256];
    struct nvml *nvml = nvml_open();
    const unsigned count = nvml_device_count(nvml);
    const bool module = doctor_read_line("/proc/driver/nvidia/version", line, sizeof line);
    d->gpus_seen = module || count > 0;
    if (nvml)
        doctor_note(d, "driver", FINDING_OK, NULL, "NVIDIA %s, %u device%s", nvml_driver_version(nvml), count,
                    count == 1 ? "" : "s");
    else if (module)
        doctor_note(
            d, "driver", FINDING_WARNING,
            "install the driver's libraries (libnvidia-ml.so.1, libcuda.so.1), in a container by its runtime "
            "(--gpus all)",
            "the kernel has a driver, but its library is missing: %s", line);
    nvml_close(nvml);
    return count;
}

static void note_gpu(struct doctor *d, const struct cuzk_device *device)
{
    const bool busy = device->limit < device->memory / 2;
    if (d->gpus < DEVICES_MAX)
        d->gpu[d->gpus++] = device->index;
    doctor_note(d, "device", busy ? FINDING_WARNING : FINDING_OK,
                busy ? "another process holds much of it: see nvidia-smi" : NULL,
                "GPU %u: %s, architecture sm_%u, for which this build has kernels, %.1f of %.1f GiB free",
                device->index, device->name, device->capability, (double)device->limit / GIB,
                (double)device->memory / GIB);
}

/* Open the GPUs that words name, each on its own where they are counted, so that one that fails hides no
 * other. */
static void open_gpus(struct doctor *d, const char *words)
{
    cuzk_context *context = NULL;
    struct cuzk_error e = {0};
    unsigned count = 0;
    const struct cuzk_options options = {.threads = 1, .device = words};
    cuzk_status status = cuzk_context_new(&context, &options, &e);
    if (status == CUZK_OK)
        status = cuzk_context_devices(context, &count, &e);
    for (unsigned i = 0; status == CUZK_OK && i < count; i++) {
        struct cuzk_device device;
        status = cuzk_context_device(context, i, &device, &e);
        if (status == CUZK_OK)
            note_gpu(d, &device);
    }
    if (status != CUZK_OK || count == 0)
        doctor_note(d, "device", d->gpus_seen ? FINDING_ERROR : FINDING_NOTE,
                    d->gpus_seen ? "use a build with kernels for it (-Dgpu=enabled), or a newer driver"
                                 : NULL,
                    "%s cannot be used: %s%s", d->gpus_seen ? words : "a GPU",
                    *e.message ? e.message : "there is none",
                    d->gpus_seen ? "" : "; proofs are made by the processor");
    cuzk_context_free(context);
}

void doctor_driver(struct doctor *d)
{
    const unsigned count = note_driver(d);
    if (count == 0)
        open_gpus(d, "gpu");
    for (unsigned i = 0; i < count && i < DEVICES_MAX; i++) {
        char words[16];
        snprintf(words, sizeof words, "gpu:%u", i);
        open_gpus(d, words);
    }
}

/* ---- a tiny proof ---- */

#define TINY_CIRCUIT "window-2k"
#define TINY_REQUEST "window-2KiB-1.meta.json"

struct tiny {
    char folder[64], prefix[128], request[128];
    uint8_t first[CUZK_PROOF_BYTES];
    bool have_first;
};

static cuzk_status tiny_make(struct doctor *d, struct tiny *t, struct cuzk_error *e)
{
    const uint64_t seed = 1;
    snprintf(t->folder, sizeof t->folder, "/tmp/cuzk-doctor-%ld-XXXXXX", (long)getpid());
    if (!mkdtemp(t->folder)) {
        snprintf(e->message, sizeof e->message, "%s: %s", t->folder, strerror(errno));
        t->folder[0] = 0;
        return CUZK_ERR_IO;
    }
    snprintf(t->prefix, sizeof t->prefix, "%s/" TINY_CIRCUIT, t->folder);
    snprintf(t->request, sizeof t->request, "%s/" TINY_REQUEST, t->folder);
    const cuzk_status status = cuzk_generate(d->context, "window", "2KiB", 1, 2, t->folder, e);
    return status == CUZK_OK ? cuzk_setup_folded(d->context, TINY_CIRCUIT, t->prefix, true, &seed, e)
                             : status;
}

static void tiny_remove(const struct tiny *t)
{
    DIR *folder = t->folder[0] ? opendir(t->folder) : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    if (t->folder[0])
        (void)rmdir(t->folder);
}

static cuzk_status tiny_prove(const struct tiny *t, const char *device, const struct options *o,
                              uint8_t proof[CUZK_PROOF_BYTES], double *seconds, struct cuzk_error *e)
{
    cuzk_context *context = NULL;
    cuzk_request *request = NULL;
    cuzk_srs *srs = NULL;
    char path[160];
    const uint64_t seed = 1;
    const struct cuzk_options options = {
        .threads = o->threads, .cpu = o->cpu, .memory_limit = o->memory, .device = device};
    snprintf(path, sizeof path, "%s.srs", t->prefix);
    cuzk_status status = cuzk_context_new(&context, &options, e);
    if (status == CUZK_OK)
        status = cuzk_request_open(context, &request, t->request, 0, e);
    if (status == CUZK_OK)
        status = cuzk_srs_open(context, &srs, path, e);
    const double start = now_seconds();
    if (status == CUZK_OK)
        status = cuzk_prove_partitions(context, request, srs, 0, 1, &seed, proof, NULL, e);
    *seconds = now_seconds() - start;
    cuzk_srs_free(srs);
    cuzk_request_free(request);
    cuzk_context_free(context);
    return status;
}

static void prove_on(struct doctor *d, struct tiny *t, const char *device)
{
    uint8_t proof[CUZK_PROOF_BYTES];
    struct cuzk_error e = {0};
    double seconds = 0;
    const cuzk_status status = tiny_prove(t, device, d->o, proof, &seconds, &e);
    if (status != CUZK_OK) {
        doctor_note(d, "proof", FINDING_ERROR,
                    "see the line above on the device; if that is well, please report this",
                    "%s cannot prove: %s", device, e.message);
        return;
    }
    if (!t->have_first)
        memcpy(t->first, proof, sizeof proof);
    const bool same = memcmp(t->first, proof, sizeof proof) == 0;
    t->have_first = true;
    doctor_note(d, "proof", same ? FINDING_OK : FINDING_ERROR,
                same ? NULL : "the device computes wrongly: replace it, and report this if it happens again",
                "%s: a proof of " TINY_CIRCUIT " in %.2f s, verified%s", device, seconds,
                same ? "" : ", but not the one that the processor makes");
}

void doctor_proofs(struct doctor *d)
{
    struct tiny t = {.have_first = false};
    struct cuzk_error e = {0};
    if (d->o->quick)
        return;
    const cuzk_status status = tiny_make(d, &t, &e);
    if (status == CUZK_OK) {
        prove_on(d, &t, "cpu");
        for (unsigned i = 0; i < d->gpus; i++) {
            char device[16];
            snprintf(device, sizeof device, "gpu:%u", d->gpu[i]);
            prove_on(d, &t, device);
        }
    } else if (status != CUZK_ERR_CANCELLED) {
        doctor_note(d, "proof", FINDING_ERROR, "make room in /tmp, and for memory",
                    "no parameters for a tiny proof: %s", e.message);
    }
    tiny_remove(&t);
}
