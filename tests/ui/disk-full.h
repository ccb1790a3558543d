/* disk-full.h — a disk that is full, for this process: a limit on the size of files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* From now on no file can be made longer than so many bytes; writing more is an error (EFBIG). */
void disk_full_begin(gsize bytes);
void disk_full_end(void);
