/* mt-db.h — a SQLite file that may come from anybody. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a database can be made to do by who wrote it is taken away: nothing of its schema is
 * trusted, and a schema that is not to the letter the expected one is refused before anything else
 * is asked.
 */
#ifndef MT_DB_H
#define MT_DB_H

#include "mt.h"

typedef struct mt_db mt_db;
typedef struct mt_rows mt_rows;

typedef enum {
  /* It is there, and nothing is written, neither to it nor beside it. One that somebody writes, or
   * was killed while writing, is refused. */
  MT_DB_READ,
  /* Gone on with; or, where nothing is there, made with the schema, in a transaction that is left
   * open (mt_db_is_new): a file has everything that belongs to it, or nothing. Nobody else opens it
   * to write meanwhile: MT_ERROR_IO, another program is writing it. */
  MT_DB_WRITE,
  MT_DB_ANEW, /* the same, but what is there goes: it is what a program that was killed left */
} mt_db_mode;

/* What kind of file it is. */
typedef struct {
  const char *what;   /* in messages: "corpus file" */
  const char *schema; /* statements */
  int application_id, version;
} mt_db_format;

/* MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED (a later version), MT_ERROR_NO_MEMORY. */
mt_db *mt_db_open(const char *path, mt_db_mode mode, const mt_db_format *format, mt_error *error);
void mt_db_close(mt_db *db);
/* Close it, and the file goes away. */
void mt_db_discard(mt_db *db);
/* Close it, and the file gets another name, in the same folder, where nothing may be: MT_ERROR_IO,
 * and the file goes away. */
bool mt_db_close_as(mt_db *db, const char *place, mt_error *error);
/* Whether it was made when it was opened. */
bool mt_db_is_new(const mt_db *db);
/* Whether nothing is there, or what is left of a file that was not made to the end. */
bool mt_db_is_empty(const char *path);
/* The end of its path, for messages. */
const char *mt_db_label(const mt_db *db);
/* Bytes of the file, in whole pages. */
bool mt_db_size(mt_db *db, uint64_t *n_bytes, mt_error *error);
/* Statements without results. */
bool mt_db_run(mt_db *db, const char *sql, mt_error *error);
/* False: MT_ERROR_FORMAT, "…: damaged: what". */
bool mt_db_damaged(const mt_db *db, const char *what, mt_error *error);

/* One statement, with ? for what is bound, from 1. NULL: *error. */
mt_rows *mt_db_prepare(mt_db *db, const char *sql, mt_error *error);
void mt_rows_free(mt_rows *rows);
void mt_rows_bind_whole(mt_rows *rows, int i, int64_t value);
/* Borrowed until the next reset. */
void mt_rows_bind_text(mt_rows *rows, int i, const char *text);
void mt_rows_bind_bytes(mt_rows *rows, int i, const void *bytes, size_t n);
typedef enum { MT_ROWS_ROW, MT_ROWS_END, MT_ROWS_FAILED } mt_rows_result;
mt_rows_result mt_rows_next(mt_rows *rows, mt_error *error);
/* Run a statement without results, and reset it. */
bool mt_rows_run(mt_rows *rows, mt_error *error);

/* Columns of a row, from 0. What has another type is 0, "" and no bytes. Borrowed until the next
 * row. */
int64_t mt_rows_whole(const mt_rows *rows, int column);
const char *mt_rows_text(const mt_rows *rows, int column); /* valid UTF-8 without NUL, or "" */
const void *mt_rows_bytes(const mt_rows *rows, int column, size_t *n);
/* The hash of what was hashed before (mt-hash.h), and of all columns of this row. */
uint64_t mt_rows_hash(const mt_rows *rows, uint64_t hash);

#endif
