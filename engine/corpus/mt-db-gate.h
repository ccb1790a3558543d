/* mt-db-gate.h — a database file, looked at before SQLite gets it. Private to mt-db.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DB_GATE_H
#define MT_DB_GATE_H

#include "mt.h"

#include <sys/stat.h>

/* What a file was when it was looked at, to see if it changed. */
typedef struct {
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec modified;
} mt_db_stamp;

/* Whether the file may be opened: a regular one of at most 64 GiB that is a database with a
 * rollback journal, not a write-ahead log. For reading no journal may lie beside it: then it was
 * not finished, and putting it in order would write to it; for writing no log, of which SQLite
 * would take the content. what: what kind of file it should be. Errors: MT_ERROR_IO,
 * MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
bool mt_db_gate(const char *path, const char *what, bool to_read, mt_db_stamp *stamp,
                mt_error *error);
/* Whether the file at a path is still that one. */
bool mt_db_is_unchanged(const char *path, const mt_db_stamp *stamp);
/* The address by which SQLite only reads the file, takes no lock and looks for no journal. Free it
 * with mt_free; NULL without memory. */
char *mt_db_read_only_uri(const char *path);

#endif
