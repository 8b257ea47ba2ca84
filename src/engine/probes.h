/* engine/probes.h - static tracepoints (USDT) of the provider cuzk, where sys/sdt.h was there to build with:
 * job_accepted(job, request, kind), job_ended(job, state, milliseconds), partition_phase(job, partition,
 * phase). job, request: texts; kind, state, phase: numbers as in engine.h.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_PROBES_H
#define ENGINE_PROBES_H

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define PROBE3(name, a, b, c) DTRACE_PROBE3(cuzk, name, a, b, c)
#endif
#endif
#ifndef PROBE3
#define PROBE3(name, a, b, c) ((void)0)
#endif

#endif
