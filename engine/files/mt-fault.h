/* mt-fault.h — files that are cut off while they are mapped. Private to the engine.
 *
 * A page behind the end of a mapped file cannot be read: the system sends SIGBUS, which ends the
 * program. The handler that mt_guard_mapped_files installs puts pages of zeros there instead, and
 * notes which file it was; whoever uses the file asks afterwards whether what it read was real.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_FAULT_H
#define MT_FAULT_H

#include "mt.h"

/* What went wrong with the files of one model, or of one call. Initialise with {0}. It must live as
 * long as the mappings that are watched for it, and is changed only while one is forgotten. */
typedef struct {
  char file[256]; /* "en-de/model.safetensors", a file that is no longer mapped; "": none */
} mt_fault_log;

/* Watch a mapping of whole pages. folder and file name it in messages; log may be NULL. Returns a
 * ticket, or 0 if too many are watched: this one is then not guarded. Any thread. */
size_t mt_fault_watch(void *pages, size_t n_bytes, const char *folder, const char *file,
                      mt_fault_log *log);

/* Before the mapping is undone. ticket may be 0. */
void mt_fault_forget(size_t ticket);

/* False, with MT_ERROR_IO, if a file that was or is watched for this log was cut off. */
bool mt_fault_check(const mt_fault_log *log, mt_error *error);

#endif
