/* base/common.h - the few words that every room uses.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BASE_COMMON_H
#define BASE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuzk/status.h>

#define MUST_USE                 __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

__extension__ typedef unsigned __int128 u128;

/* Checked builds (-Dchecked=true) stop at a broken invariant; others believe it. */
#ifdef CUZK_CHECKED
#include <assert.h>
#define VERIFY(cond) assert(cond)
#else
#define VERIFY(cond) ((void)0)
#endif

/* The variant that this translation unit is compiled for: sources that hold
 * arithmetic loops are compiled once a variant, with the field functions of
 * that variant inlined, and export V(name). The room's header offers plain
 * functions that choose by exec->variant, once a batch. */
#if defined(CUZK_VARIANT_IFMA)
#define V(name) name##_ifma
#elif defined(CUZK_VARIANT_ADX)
#define V(name) name##_adx
#else
#define V(name) name##_portable
#endif

#endif
