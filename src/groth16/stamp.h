/* groth16/stamp.h - FILE.checked: says that FILE was checked point by point, so that it is done once.
 *
 * A short text; it holds what the file was known by at that time (size, modification time, device,
 * inode) and its digest. It is believed as long as these are the file's and its owner is the reader, root or
 * the file's owner. Who can write into the folder can forge it, as he can replace the file itself.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GROTH16_STAMP_H
#define GROTH16_STAMP_H

#include "base/file.h"
#include "groth16/manifest.h"

#define STAMP_SUFFIX ".checked"

/* Does it begin as a stamp does? */
bool stamp_is(const uint8_t *in, uint64_t size);

/* Is there a stamp of path that fits the mapped file? If so its digest. */
bool stamp_accepts(const char *path, const struct file_map *map, char digest[DIGEST_TEXT]) MUST_USE;

/* Write one. The file must not have changed since it was mapped. Waits, if it must, until the clock has left
 * the file's modification time, so that a later change cannot carry the same. */
cuzk_status stamp_write(const char *path, const struct file_map *map, const char digest[DIGEST_TEXT],
                        struct cuzk_error *e) MUST_USE;

/* What a stamp of path said is not so: remove it, if there is one. */
void stamp_remove(const char *path);

#endif
