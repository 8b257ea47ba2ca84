/* daemon/descriptors.h - what the proto files declare, for the reflection service (made by proto/make.py).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_DESCRIPTORS_H
#define DAEMON_DESCRIPTORS_H

#include <stddef.h>

struct proto_descriptor {
    const char *name;          /* "cuzk/v1/proving.proto" */
    const unsigned char *file; /* a FileDescriptorProto */
    size_t size;
    const char *const *symbols; /* full names, NULL at the end */
};

extern const struct proto_descriptor proto_descriptors[]; /* name NULL at the end */

#endif
