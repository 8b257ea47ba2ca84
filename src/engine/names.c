/* engine/names.c - words for kinds, phases, states and lanes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/engine.h"

const double engine_bucket_bounds[ENGINE_BUCKETS - 1] = {0.1, 0.25, 0.5, 1,   2.5, 5,   10,  20,
                                                         30,  60,   90,  120, 300, 600, 1800};

static const char *word(const char *const *words, size_t count, size_t i, const char *other)
{
    return i < count && words[i] ? words[i] : other;
}

const char *engine_kind_name(enum engine_kind kind)
{
    static const char *const words[ENGINE_KINDS] = {
        NULL, "porep-c2", "snap-update", "window-post", "winning-post",
    };
    return word(words, ARRAY_LEN(words), (size_t)kind, "unknown");
}

const char *engine_kind_label(enum engine_kind kind)
{
    static const char *const words[ENGINE_KINDS] = {
        NULL, "porep_c2", "snap_update", "window_post", "winning_post",
    };
    return word(words, ARRAY_LEN(words), (size_t)kind, "unknown");
}

const char *engine_phase_name(enum engine_phase phase)
{
    static const char *const words[ENGINE_PHASES] = {
        "queued", "parse",  "memory",      "parameters", "witness", "ready",  "device",    "batch",
        "settle", "finish", "verify wait", "verify",     "done",    "failed", "cancelled",
    };
    return word(words, ARRAY_LEN(words), (size_t)phase, "unknown");
}

const char *engine_phase_status(enum engine_phase phase)
{
    switch (phase) {
    case ENGINE_PHASE_QUEUED:
        return "pending";
    case ENGINE_PHASE_PARSE:
    case ENGINE_PHASE_MEMORY:
    case ENGINE_PHASE_SRS:
    case ENGINE_PHASE_WITNESS:
        return "synthesizing";
    case ENGINE_PHASE_READY:
        return "synth_done";
    case ENGINE_PHASE_DONE:
        return "done";
    case ENGINE_PHASE_FAILED:
    case ENGINE_PHASE_CANCELLED:
        return "failed";
    default:
        return "gpu";
    }
}

const char *engine_state_name(enum engine_state state)
{
    static const char *const words[] = {"unknown", "queued", "running", "completed", "failed", "cancelled"};
    return word(words, ARRAY_LEN(words), (size_t)state, "unknown");
}

const char *engine_lane_name(enum engine_lane lane)
{
    static const char *const words[ENGINE_LANES] = {"parse", "witness", "device", "finish", "verify"};
    return word(words, ARRAY_LEN(words), (size_t)lane, "unknown");
}
