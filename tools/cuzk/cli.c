/* cuzk/cli.c - the options of `cuzk`.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk/cli.h"

#include <limits.h>

static const struct option options[] = {
    {"out", "PATH", "where the result goes (setup: the prefix of PATH.params and PATH.vk; gen: a folder)",
     OPT_TEXT, CMD_SETUP | CMD_PROVE | CMD_GEN | CMD_CONVERT, 0, 0, offsetof(struct options, out), NO_HAS},
    {"seed", "N", "what everything is derived from: equal seeds give equal files", OPT_U64, CMD_GEN, 0,
     UINT64_MAX, offsetof(struct options, seed), offsetof(struct options, has_seed)},
    {"sectors", "N", "how many sectors a window proof is of (default: 3)", OPT_U64, CMD_GEN, 1, 100000,
     offsetof(struct options, sectors), NO_HAS},
    {"folded", NULL, "write PATH.srs as well, the folded parameters", OPT_FLAG, CMD_SETUP, 0, 0,
     offsetof(struct options, folded), NO_HAS},
    {"only-folded", NULL, "write PATH.srs alone", OPT_FLAG, CMD_SETUP, 0, 0,
     offsetof(struct options, only_folded), NO_HAS},
    {"params", "FILE", "the circuit's parameters", OPT_TEXT, CMD_PROVE | CMD_CONVERT, 0, 0,
     offsetof(struct options, params), NO_HAS},
    {"srs", "FILE", "the circuit's folded parameters (default: X.srs beside X.params, if it is there)",
     OPT_TEXT, CMD_PROVE, 0, 0, offsetof(struct options, srs), NO_HAS},
    {"unfolded", NULL, "use the parameters themselves, even if folded ones are beside them", OPT_FLAG,
     CMD_PROVE, 0, 0, offsetof(struct options, unfolded), NO_HAS},
    {"stop-after", "PHASE", "stop when this is done: k columns, k rows, fold, q columns, q rows, a and b",
     OPT_TEXT, CMD_CONVERT, 0, 0, offsetof(struct options, stop_after), NO_HAS},
    {"vk", "FILE", "the verifying key, or a parameter file (it begins with one)", OPT_TEXT, CMD_VERIFY, 0, 0,
     offsetof(struct options, vk), NO_HAS},
    {"proof", "FILE", "the proof, 192 bytes a partition in order", OPT_TEXT, CMD_VERIFY, 0, 0,
     offsetof(struct options, proof), NO_HAS},
    {"partition", "K", "this partition alone, counted from 0 (default: all)", OPT_UNSIGNED,
     CMD_PROVE | CMD_VERIFY, 0, UINT_MAX, offsetof(struct options, partition),
     offsetof(struct options, has_partition)},
    {"insecure-seed", "N", "FOR TESTS: derive the trapdoor from N; anybody can then forge proofs", OPT_U64,
     CMD_SETUP, 0, UINT64_MAX, offsetof(struct options, insecure_seed),
     offsetof(struct options, has_insecure_seed)},
    {"insecure-rs-seed", "N", "FOR TESTS: derive r and s from N; the proof then hides nothing", OPT_U64,
     CMD_PROVE, 0, UINT64_MAX, offsetof(struct options, insecure_rs_seed),
     offsetof(struct options, has_insecure_rs_seed)},
    {"every", "N", "a running digest each N rows (default: 65536)", OPT_U64, CMD_SHAPE | CMD_INSTANCE, 1,
     UINT32_MAX, offsetof(struct options, every), NO_HAS},
    {"range", "A-B", "from A up to, not including, B", OPT_RANGE, CMD_ROWS | CMD_VARS, 0, 0,
     offsetof(struct options, range), offsetof(struct options, has_range)},
    {"param-cache", "FOLDER",
     "where the parameters are, as the setting srs.param_cache (default: that of --config, or "
     "/data/zk/params)",
     OPT_TEXT, CMD_DOCTOR, 0, 0, offsetof(struct options, param_cache), NO_HAS},
    {"circuits", "LIST",
     "the circuits that must be there, with commas between (default: those of the setting srs.keep_loaded, "
     "or "
     "all that are found)",
     OPT_TEXT, CMD_DOCTOR, 0, 0, offsetof(struct options, circuits), NO_HAS},
    {"config", "FILE", "the daemon's settings, which cuzk-daemon reads", OPT_TEXT, CMD_DOCTOR, 0, 0,
     offsetof(struct options, config), NO_HAS},
    {"quick", NULL, "leave out what takes long: files not checked before, the disk's speed, the tiny proofs",
     OPT_FLAG, CMD_DOCTOR, 0, 0, offsetof(struct options, quick), NO_HAS},
    {"full", NULL, "check every point and digest of each parameter file, whatever was checked before",
     OPT_FLAG, CMD_DOCTOR, 0, 0, offsetof(struct options, full), NO_HAS},
    {"json", NULL, "answer with one JSON object on standard output", OPT_FLAG,
     ALL_COMMANDS & ~(unsigned)(CMD_ROWS | CMD_VARS), 0, 0, offsetof(struct options, json), NO_HAS},
    {"quiet", NULL, "no progress, even on a terminal", OPT_FLAG, ALL_COMMANDS, 0, 0,
     offsetof(struct options, quiet), NO_HAS},
    {"threads", "N", "threads to use (default: what affinity and cgroup allow)", OPT_UNSIGNED, ALL_COMMANDS,
     1, 4096, offsetof(struct options, threads), NO_HAS},
    {"cpu", "NAME", "instruction set: auto, portable, adx, ifma (default: auto)", OPT_TEXT, ALL_COMMANDS, 0,
     0, offsetof(struct options, cpu), NO_HAS},
    {"memory", "SIZE",
     "limit of anonymous memory, as 900M or 16G (default: the least of RAM, cgroup limit and usable memory "
     "nodes)",
     OPT_SIZE, ALL_COMMANDS, 1, UINT64_MAX, offsetof(struct options, memory), NO_HAS},
    {"device", "NAME",
     "what proves from folded parameters, or makes parameters: cpu, gpu, auto, or gpu:0,2 for GPUs of these "
     "numbers "
     "(default: auto)",
     OPT_TEXT, CMD_SETUP | CMD_PROVE | CMD_CONVERT, 0, 0, offsetof(struct options, device), NO_HAS},
    {"device-memory", "SIZE", "limit of each GPU's memory, as 16G (default: what is free)", OPT_SIZE,
     CMD_SETUP | CMD_PROVE | CMD_CONVERT, 1, UINT64_MAX, offsetof(struct options, device_memory), NO_HAS},
    {"help", NULL, "show this help", OPT_FLAG, ALL_COMMANDS, 0, 0, offsetof(struct options, help), NO_HAS},
};

static const char description[] =
    "Groth16 proofs for Filecoin: makes parameters, proves, verifies, makes inputs "
    "for tests, and looks into files and circuits.";
static const char exit_codes[] =
    "0 done, valid, sound; 1 not valid, not sound or not satisfied; 2 the command line "
    "is wrong (verify: it could not be told); 3 malformed input; 4 the system refused "
    "(file, disk); 5 out of memory or over the limit; 6 parameters or key of another "
    "circuit; 7 not supported; 8 internal fault; 130 stopped by SIGINT or SIGTERM.";

const struct program program = {
    .name = "cuzk",
    .title = "Groth16 proofs for Filecoin",
    .description = description,
    .exit_codes = exit_codes,
    .commands = commands,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_size = sizeof(struct options),
    .help_at = offsetof(struct options, help),
};
