/* cuzk-bench - measures a running daemon, the library, and its kernels.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <limits.h>

#include "cuzk-bench/bench.h"

enum command_bit {
    CMD_SINGLE = 1 << 0,
    CMD_BATCH = 1 << 1,
    CMD_SUSTAINED = 1 << 2,
    CMD_STRESS = 1 << 3,
    CMD_STATUS = 1 << 4,
    CMD_METRICS = 1 << 5,
    CMD_PRELOAD = 1 << 6,
    CMD_EVICT = 1 << 7,
    CMD_GEN = 1 << 8,
    CMD_SYNTH = 1 << 9,
    CMD_MSM = 1 << 10,
    CMD_NTT = 1 << 11,
    CMD_PARTITION = 1 << 12,
    CMD_SECTOR = 1 << 13,
    CMD_SETUP = 1 << 14,
    LOADS = CMD_BATCH | CMD_SUSTAINED | CMD_STRESS,
    PROVES = CMD_SINGLE | LOADS,
    ASKS = PROVES | CMD_STATUS | CMD_METRICS | CMD_PRELOAD | CMD_EVICT,
    KERNELS = CMD_MSM | CMD_NTT,
    WHOLE = CMD_PARTITION | CMD_SECTOR | CMD_SETUP,
    LOCAL = CMD_GEN | CMD_SYNTH | KERNELS | WHOLE,
};

#define AT(member) offsetof(struct options, member)

static const struct option options[] = {
    {"daemon", "ADDRESS", "the daemon: unix:///path or host:port (default: unix:///run/curio/cuzk.sock)",
     OPT_TEXT, ASKS, 0, 0, AT(daemon), NO_HAS},
    {"count", "N", "how many requests (batch: 10; stress: no limit but --duration)", OPT_UNSIGNED,
     CMD_BATCH | CMD_STRESS, 1, UINT_MAX, AT(count), NO_HAS},
    {"concurrency", "N", "how many at a time (batch: 1; sustained: 4; stress: 16)", OPT_UNSIGNED, LOADS, 1,
     4096, AT(concurrency), NO_HAS},
    {"duration", "TIME", "how long new requests are sent (default: 60s)", OPT_TIME,
     CMD_SUSTAINED | CMD_STRESS, 1, UINT64_MAX, AT(duration), NO_HAS},
    {"warmup", "TIME", "before the time that counts (default: 0s)", OPT_TIME, CMD_SUSTAINED, 0, UINT64_MAX,
     AT(warmup), NO_HAS},
    {"timeout", "TIME", "a client's patience (default: for ever)", OPT_TIME, PROVES, 1, UINT64_MAX,
     AT(timeout), NO_HAS},
    {"cancel", "PERCENT", "requests that are cancelled while they run (default: 15)", OPT_UNSIGNED,
     CMD_STRESS, 0, 100, AT(cancel), AT(has_cancel)},
    {"vanish", "PERCENT", "clients that leave without waiting (default: 15)", OPT_UNSIGNED, CMD_STRESS, 0,
     100, AT(vanish), AT(has_vanish)},
    {"repeat", "PERCENT", "requests that are sent a second time (default: 25)", OPT_UNSIGNED, CMD_STRESS, 0,
     100, AT(repeat), AT(has_repeat)},
    {"priority", "NAME", "low, normal, high or critical (default: the kind's)", OPT_TEXT, PROVES, 0, 0,
     AT(priority), NO_HAS},
    {"request-id", "TEXT", "what request ids begin with (default: one that is new)", OPT_TEXT, PROVES, 0, 0,
     AT(request_id), NO_HAS},
    {"verify", "FOLDER", "check each proof with the keys of this folder of parameters", OPT_TEXT, PROVES, 0,
     0, AT(verify), NO_HAS},
    {"pid", "N", "the daemon's process, whose memory is watched (default: that behind the Unix socket)",
     OPT_UNSIGNED, PROVES, 1, INT_MAX, AT(pid), AT(has_pid)},
    {"partition", "K", "of a window proof, or of a sector, this partition, counted from 0", OPT_UNSIGNED,
     PROVES | CMD_SYNTH | CMD_PARTITION, 0, UINT_MAX, AT(partition), AT(has_partition)},
    {"srs", "FILE", "the circuit's folded parameters", OPT_TEXT, CMD_PARTITION | CMD_SECTOR, 0, 0, AT(srs),
     NO_HAS},
    {"out", "PATH", "where the result goes (gen-vanilla: a folder; setup: PATH.srs, kept; single: the proof)",
     OPT_TEXT, CMD_GEN | CMD_SETUP | CMD_SINGLE, 0, 0, AT(out), NO_HAS},
    {"seed", "N", "what everything is derived from", OPT_U64, CMD_GEN | CMD_SETUP | CMD_STRESS, 0, UINT64_MAX,
     AT(seed), AT(has_seed)},
    {"sectors", "N", "how many sectors a window proof is of (default: 3)", OPT_U64, CMD_GEN, 1, 100000,
     AT(sectors), NO_HAS},
    {"against", "PROGRAM", "another build's cuzk-bench to measure against", OPT_TEXT, CMD_SYNTH, 0, 0,
     AT(against), NO_HAS},
    {"worker", NULL, "measure once for each line on standard input: what a comparison starts", OPT_FLAG,
     CMD_SYNTH, 0, 0, AT(worker), NO_HAS},
    {"group", "N", "1 for G1, 2 for G2 (default: both)", OPT_UNSIGNED, CMD_MSM, 1, 2, AT(group), NO_HAS},
    {"scalars", "KIND", "uniform, witness (mostly 0 and 1) or bits (default: all three)", OPT_TEXT, CMD_MSM,
     0, 0, AT(scalars), NO_HAS},
    {"min-log", "N", "the smallest size, as a power of two (default: 16)", OPT_UNSIGNED, KERNELS, 5, 28,
     AT(min_log), NO_HAS},
    {"max-log", "N", "the largest size; every second one is measured (default: 20)", OPT_UNSIGNED, KERNELS, 5,
     28, AT(max_log), NO_HAS},
    {"rounds", "N", "how often it is measured (synth-only: 15; msm, ntt: 7; partition, sector: 3; setup: 1)",
     OPT_UNSIGNED, CMD_SYNTH | KERNELS | WHOLE, 1, 100000, AT(rounds), NO_HAS},
    {"device", "NAME",
     "cpu, gpu, auto, or gpu:0,2 for GPUs of these numbers (default: auto; msm, ntt: cpu, and of several the "
     "first)",
     OPT_TEXT, KERNELS | WHOLE, 0, 0, AT(device), NO_HAS},
    {"device-memory", "SIZE", "limit of each GPU's memory, as 16G (default: what is free)", OPT_SIZE,
     KERNELS | WHOLE, 1, UINT64_MAX, AT(device_memory), NO_HAS},
    {"threads", "N", "threads to use (default: what affinity and cgroup allow)", OPT_UNSIGNED, LOCAL, 1, 4096,
     AT(threads), NO_HAS},
    {"cpu", "NAME",
     "instruction set: auto, portable, adx, ifma; synth-only: two, as portable,adx, are compared", OPT_TEXT,
     LOCAL, 0, 0, AT(cpu), NO_HAS},
    {"memory", "SIZE", "limit of anonymous memory, as 900M or 16G", OPT_SIZE, LOCAL, 1, UINT64_MAX,
     AT(memory), NO_HAS},
    {"plot", "FILE", "draw what was measured (SVG)", OPT_TEXT, LOADS | CMD_SYNTH | KERNELS, 0, 0, AT(plot),
     NO_HAS},
    {"commit", "TEXT", "what the result says of the commit that is measured", OPT_TEXT, ALL_COMMANDS, 0, 0,
     AT(commit), NO_HAS},
    {"json", NULL, "answer with one JSON object on standard output", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(json),
     NO_HAS},
    {"quiet", NULL, "no progress, even on a terminal", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(quiet), NO_HAS},
    {"help", NULL, "show this help", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(help), NO_HAS},
};

#define REQUESTS                                                                                             \
    "A REQUEST is a C1 output or a request file, as `cuzk gen` and gen-vanilla make them. Of a window "      \
    "proof "                                                                                                 \
    "each partition is a request of its own. "

static const struct command commands[] = {
#ifdef CUZK_BENCH_CLIENT
    {"single", "REQUEST", 1, 1, CMD_SINGLE, "", "have the daemon prove one request",
     REQUESTS
     "Sends it, waits, and tells how long each phase took, and what is left beyond what the daemon counts: "
     "the way there and back. Exit code 1: it was not proved.",
     "cuzk-bench single c1.json --daemon unix:///run/curio/cuzk.sock\n"
     "cuzk-bench single inputs/winning-32GiB-1.meta.json --verify /data/zk/params --json",
     run_single},
    {"batch", "REQUEST...", 1, INT_MAX, CMD_BATCH, "", "a number of requests, several at a time",
     REQUESTS
     "Sends them in turn, under ids of their own, and tells latencies, throughput and the daemon's memory. "
     "Exit code 1: not all were proved.",
     "cuzk-bench batch c1.json --count 20 --concurrency 2\n"
     "cuzk-bench batch a.meta.json b.meta.json --count 100 --concurrency 8 --plot batch.svg --json",
     run_batch},
    {"sustained", "REQUEST...", 1, INT_MAX, CMD_SUSTAINED, "", "throughput and latencies at a concurrency",
     REQUESTS "Keeps as many of them under way as --concurrency says, for a while, and tells how many are "
              "completed a minute, and the latencies' median, 90 and 99 per cent. Throughput counts what is "
              "completed between the end of the warm-up and the end of the duration.",
     "cuzk-bench sustained c1.json --concurrency 4 --duration 10m --warmup 1m --plot sustained.svg",
     run_sustained},
    {"stress", "REQUEST...", 1, INT_MAX, CMD_STRESS, "",
     "mixed requests with clients that cancel, leave and repeat",
     REQUESTS
     "Sends them by chance: some clients leave at once or later, some cancel, some send what was sent "
     "before. Each must be answered with a proof or a clear error. --seed makes the same choices again.",
     "cuzk-bench stress window.meta.json winning.meta.json --duration 2m --concurrency 16 --verify "
     "/data/zk/params\n"
     "cuzk-bench stress c1.json winning.meta.json --count 200 --cancel 10 --vanish 10 --seed 7",
     run_stress},
    {"status", "", 0, 0, CMD_STATUS, "", "what the daemon does",
     "Prints whether it is ready, its devices, parameters and queues.",
     "cuzk-bench status\ncuzk-bench status --daemon localhost:9820 --json", run_status},
    {"metrics", "", 0, 0, CMD_METRICS, "", "the daemon's metrics", "Prints them in the format of Prometheus.",
     "cuzk-bench metrics", run_metrics},
    {"preload", "CIRCUIT", 1, 1, CMD_PRELOAD, "", "have the daemon load a circuit's parameters",
     "Loads them now, keeps them loaded, and tells how long it took.", "cuzk-bench preload porep-32g",
     run_preload},
    {"evict", "CIRCUIT", 1, 1, CMD_EVICT, "", "have the daemon forget a circuit's parameters",
     "Parameters that a job uses stay until it has ended.", "cuzk-bench evict porep-32g", run_evict},
#endif
    {"gen-vanilla", "KIND SIZE", 2, 2, CMD_GEN, "seed out", "make a valid request",
     "As `cuzk gen`: in the folder PATH the file KIND-SIZE-N.meta.json and beside it the C1 or the vanilla "
     "proofs of "
     "made-up sectors.",
     "cuzk-bench gen-vanilla porep 32GiB --seed 1 --out inputs\n"
     "cuzk-bench gen-vanilla window 32GiB --seed 1 --sectors 2349 --out inputs",
     run_gen},
    {"synth-only", "REQUEST", 1, 1, CMD_SYNTH, "",
     "a partition's witness and rows; two variants or builds compared",
     "Measures what comes before a partition's transforms: the witness, and the values of the rows. With two "
     "instruction sets (--cpu A,B) or with another build (--against) both are measured in turn by processes "
     "of "
     "their own, so that what disturbs the machine disturbs both, and the medians' ratio is told with an "
     "interval "
     "that holds with 95 per cent: a difference is called one only if it is outside of that noise.",
     "cuzk-bench synth-only c1.json\ncuzk-bench synth-only c1.json --cpu adx,ifma --threads 4 --rounds 31\n"
     "cuzk-bench synth-only c1.json --against ../old/build/cuzk-bench --json",
     run_synth},
    {"msm", "", 0, 0, CMD_MSM, "", "sums of many points",
     "Measures sums in G1 and G2 of uniform scalars, of scalars like a witness's, and of selected points. "
     "Every "
     "result is checked.",
     "cuzk-bench msm --group 1 --max-log 22\ncuzk-bench msm --device gpu --min-log 22 --max-log 27 --json",
     run_msm},
    {"ntt", "", 0, 0, CMD_NTT, "", "transforms",
     "Measures the forward and inverse transform, and the extension to a coset.",
     "cuzk-bench ntt --max-log 24 --threads 8\ncuzk-bench ntt --device gpu --min-log 24 --max-log 27 --json",
     run_ntt},
    {"partition", "REQUEST", 1, 1, CMD_PARTITION, "srs", "one partition's proof",
     "Proves the same partition several times, each verified, and tells the time of each phase.",
     "cuzk-bench partition c1.json --srs porep-32g.srs --device gpu --rounds 10 --json", run_partition},
    {"sector", "REQUEST", 1, 1, CMD_SECTOR, "srs", "all partitions' proofs, from the request's bytes on",
     "Reads the request, which the system holds in memory, and proves all its partitions, several times, "
     "each "
     "verified.",
     "cuzk-bench sector c1.json --srs porep-32g.srs --device gpu --json\n"
     "cuzk-bench sector c1.json --srs porep-32g.srs --device gpu --device-memory 24G",
     run_sector},
    {"setup", "CIRCUIT", 1, 1, CMD_SETUP, "", "making folded parameters",
     "Makes folded parameters from a trapdoor that anybody knows; they are removed unless --out is given.",
     "cuzk-bench setup winning-2k\ncuzk-bench setup porep-32g --device gpu --out /data/test/porep-32g --json",
     run_setup},
    {0},
};

const struct program program = {
    .name = "cuzk-bench",
    .title = "measure the proving daemon, the library and its kernels",
    .description =
        "Measures a running cuzk-daemon as its clients see it, and this machine without one: witnesses, "
        "sums, transforms, whole partitions and sectors.",
    .exit_codes =
        "0 done; 1 a request was not answered with a valid proof; 2 the command line is wrong; 3 malformed "
        "input; 4 the system refused, or the daemon cannot be reached; 5 out of memory; 6 parameters of "
        "another circuit; 7 not supported; 8 internal fault; 130 stopped by SIGINT or SIGTERM.",
    .commands = commands,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_size = sizeof(struct options),
    .help_at = AT(help),
};

int main(int argc, char **argv)
{
    return (int)cli_main(argc, argv);
}
