/* cuzk/cli.h - the values of the options of `cuzk`, and its commands.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_CLI_H
#define TOOLS_CUZK_CLI_H

#include "common/cli.h"

/* The values of the options; has_x says that it was given. */
struct options {
    bool help, json, quiet, folded, only_folded, unfolded, quick, full;
    bool has_insecure_seed, has_insecure_rs_seed, has_partition, has_range, has_seed;
    unsigned threads, partition;
    uint64_t memory, device_memory, every, insecure_seed, insecure_rs_seed, seed, sectors;
    struct range range;
    const char *cpu, *device, *out, *params, *srs, *vk, *proof, *stop_after, *param_cache, *circuits, *config;
};

enum command_bit {
    CMD_SETUP = 1,
    CMD_PROVE = 2,
    CMD_VERIFY = 4,
    CMD_INSPECT = 8,
    CMD_SHAPE = 16,
    CMD_INSTANCE = 32,
    CMD_ROWS = 64,
    CMD_VARS = 128,
    CMD_GEN = 256,
    CMD_CONVERT = 512,
    CMD_CHECK = 1024,
    CMD_DOCTOR = 2048,
};

enum exit_code run_doctor(const struct options *o, int argc, char **argv); /* doctor.c */

extern const struct command commands[]; /* ends with a NULL name */

#endif
