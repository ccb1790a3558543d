/* mt-durable.h — files that are the old ones or the new ones, also when the power fails. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file system may write a new name to the disk before the bytes behind it: whoever renames a file
 * over another one without more ado may find neither of them.
 */
#ifndef MT_DURABLE_H
#define MT_DURABLE_H

#include <stdbool.h>

/* Rename `part`, which is whole and closed, to `place`, in the same folder: first its bytes are on
 * the disk, then its name is. False, with errno: nothing at `place` has changed. */
bool mt_durable_rename(const char *part, const char *place);
/* The bytes of a file that is closed are on the disk. False, with errno. */
bool mt_durable_bytes(const char *path);
/* What was renamed to `path` has its name on the disk, where the file system can do that. */
void mt_durable_name(const char *path);

#endif
