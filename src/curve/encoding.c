/* curve/encoding.c - the single operations of encoding.h, from the text of encoding.inc.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#define ENCODING_DEFINE
#include "curve/encoding_inline.h"

const char *encoding_fault_text(enum encoding_fault fault)
{
    switch (fault) {
    case ENCODING_OK:
        return "is sound";
    case ENCODING_FLAGS:
        return "has wrong flag bits";
    case ENCODING_NOT_CANONICAL:
        return "has a coordinate that is not below the field's modulus";
    case ENCODING_NOT_ON_CURVE:
        return "is not on the curve";
    case ENCODING_NOT_IN_SUBGROUP:
        return "is not in the subgroup of prime order";
    }
    return "has an unknown fault";
}
