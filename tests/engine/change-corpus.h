/* change-corpus.h — a corpus file changed behind the engine's back, by SQL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <sqlite3.h>

static inline void
change_corpus(const char *path, const char *sql)
{
  sqlite3 *db;
  char *message = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  sqlite3_exec(db, sql, NULL, NULL, &message);
  if (message)
    g_error("%s: %s", sql, message);
  sqlite3_close(db);
}
