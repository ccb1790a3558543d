/* mt-db.c — SQLite, which only this file knows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-db.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "base/mt-utf8.h"
#include "files/mt-durable.h"
#include "files/mt-file.h"
#include "files/mt-lock.h"
#include "mt.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file was when it was looked at, to see if it changed. */
typedef struct {
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec modified;
} mt_db_stamp;

/* ---- The file, before SQLite gets it --------------------------------------------------------- */

/* A database file, looked at before SQLite gets it.
 *
 * SQLite waits for ever at a pipe; of a file in WAL mode it takes what lies in NAME-wal beside it,
 * whoever put it there, and writes NAME-shm, even to read. The format of the header is
 * https://sqlite.org/fileformat2.html, 1.3. */

#define MOST_BYTES ((off_t) 64 << 30)

enum { N_HEADER = 20, WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK = 1 };

static const char *
label_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static mt_db_stamp
stamp_of(const struct stat *info)
{
  return (mt_db_stamp){info->st_dev, info->st_ino, info->st_size, info->st_mtim};
}

/* The first bytes of a regular file. */
static bool
read_header(const char *path, const char *what, unsigned char header[N_HEADER], struct stat *info,
            mt_error *error)
{
  /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd >= 0 && fstat(fd, info) == 0 ? 0 : -1;
  if (n == 0 && S_ISREG(info->st_mode))
    n = pread(fd, header, N_HEADER, 0);
  bool ok = n >= 0 || mt_fail(error, MT_ERROR_IO, "%.600s: %m.", path);
  if (fd >= 0)
    close(fd);
  return ok &&
         (S_ISREG(info->st_mode) || mt_fail(error, MT_ERROR_IO, "%.600s: expected a %s, found %s.",
                                            path, what, mt_file_kind(info->st_mode)));
}

/* Whether NAME-journal or NAME-wal is there, with something in it. */
static bool
is_beside(const char *path, const char *ending, bool *is_there, mt_error *error)
{
  struct stat info;
  const size_t n = strlen(path), n_ending = strlen(ending) + 1;
  char *beside = mt_alloc(n + n_ending, 1);
  if (!beside)
    return mt_fail_no_memory(error);
  memcpy(beside, path, n);
  memcpy(beside + n, ending, n_ending);
  *is_there = stat(beside, &info) == 0 && info.st_size > 0;
  mt_free(beside);
  return true;
}

static bool
check_header(const char *label, const char *what, const unsigned char header[N_HEADER],
             mt_error *error)
{
  if (memcmp(header, "SQLite format 3", 16) != 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s is no %s.", label, what);
  if (header[WRITE_VERSION] == ROLLBACK && header[READ_VERSION] == ROLLBACK)
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected a %s with a rollback journal (bytes 18 and 19 are 1), found %d and "
                 "%d: one with a write-ahead log is not opened.",
                 label, what, header[WRITE_VERSION], header[READ_VERSION]);
}

/* Whether the file may be opened: a regular one of at most 64 GiB that is a database with a
 * rollback journal, not a write-ahead log. For reading no journal may lie beside it: then it was
 * not finished, and putting it in order would write to it; for writing no log, of which SQLite
 * would take the content. what: what kind of file it should be. Errors: MT_ERROR_IO,
 * MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
static bool
db_gate(const char *path, const char *what, bool to_read, mt_db_stamp *stamp, mt_error *error)
{
  unsigned char header[N_HEADER] = {0};
  struct stat info;
  bool has_journal = false, has_log = false;
  const char *label = label_of(path);
  if (!read_header(path, what, header, &info, error))
    return false;
  if (info.st_size > MOST_BYTES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %lld bytes, found %lld.", label,
                   (long long) MOST_BYTES, (long long) info.st_size);
  if (!is_beside(path, "-journal", &has_journal, error) ||
      !is_beside(path, "-wal", &has_log, error))
    return false;
  if (to_read && has_journal)
    return mt_fail(error, MT_ERROR_IO,
                   "%s: another program is writing it, or was ended while it did, for %s-journal "
                   "lies beside it: the command that began it goes on with it.",
                   label, label);
  if (!to_read && has_log)
    return mt_fail(error, MT_ERROR_IO, "%s: expected no write-ahead log, found %s-wal beside it.",
                   label, label);
  /* With a journal the header may not be there yet: SQLite puts the file in order first. */
  if (!has_journal && !check_header(label, what, header, error))
    return false;
  *stamp = stamp_of(&info);
  return true;
}

/* Whether the file at a path is still that one. */
static bool
is_unchanged(const char *path, const mt_db_stamp *stamp)
{
  struct stat info;
  if (stat(path, &info) != 0)
    return true; /* it has another name now, or none; what is open stays what it was */
  const mt_db_stamp now = stamp_of(&info);
  return now.device != stamp->device || now.inode != stamp->inode || /* another file */
         (now.size == stamp->size && now.modified.tv_sec == stamp->modified.tv_sec &&
          now.modified.tv_nsec == stamp->modified.tv_nsec);
}

/* The address by which SQLite only reads the file, takes no lock and looks for no journal. Free it
 * with mt_free; NULL without memory. */
static char *
db_read_only_uri(const char *path)
{
  static const char digits[] = "0123456789abcdef", options[] = "?mode=ro&immutable=1";
  /* What comes after two slashes would be a host. */
  const char *scheme = path[0] == '/' ? "file://" : "file:./";
  char *uri = mt_alloc(strlen(scheme) + 3 * strlen(path) + sizeof options, 1);
  if (!uri)
    return NULL;
  char *to = stpcpy(uri, scheme);
  for (const unsigned char *c = (const unsigned char *) path; *c; c++)
    if (*c == '%' || *c == '?' || *c == '#') {
      *to++ = '%';
      *to++ = digits[*c >> 4];
      *to++ = digits[*c & 15];
    } else {
      *to++ = (char) *c;
    }
  memcpy(to, options, sizeof options);
  return uri;
}

/* ---- The database ---------------------------------------------------------------------------- */

/* Largest text or blob; a sentence has at most 1 MiB and a translation of some hundred tokens. */
#define DB_MOST_BYTES (8 * 1024 * 1024)
/* A statement may take so many steps of SQLite's machine between two rows: some seconds. */
#define STEPS_AT_ONCE 1000000
#define MOST_STEPS    2000

struct mt_db {
  sqlite3 *handle;
  const mt_db_format *format;
  char *path;
  bool is_read_only, is_new;
  mt_db_stamp stamp; /* of a file that is only read */
  mt_lock lock;      /* of one that is written */
  unsigned n_steps;  /* of the statement that runs, in STEPS_AT_ONCE */
};

struct mt_rows {
  mt_db *db;
  sqlite3_stmt *statement;
};

/* ---- Errors ---------------------------------------------------------------------------------- */

const char *
mt_db_label(const mt_db *db)
{
  const char *slash = strrchr(db->path, '/');
  return slash ? slash + 1 : db->path;
}

bool
mt_db_damaged(const mt_db *db, const char *what, mt_error *error)
{
  return mt_fail(error, MT_ERROR_FORMAT, "%s: this %s is damaged: %s.", mt_db_label(db),
                 db->format->what, what);
}

static bool
fail(const mt_db *db, int code, mt_error *error)
{
  const char *label = mt_db_label(db), *said = db->handle ? sqlite3_errmsg(db->handle) : "";
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return mt_fail_no_memory(error);
  case SQLITE_NOTADB:
    return mt_fail(error, MT_ERROR_FORMAT, "%s is no %s.", label, db->format->what);
  case SQLITE_CANTOPEN:
  case SQLITE_FULL:
  case SQLITE_IOERR:
  case SQLITE_PERM:
  case SQLITE_READONLY:
    return mt_fail(error, MT_ERROR_IO, "%s: %s.", db->path, said);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return mt_fail(error, MT_ERROR_IO, "%s: another program is writing it.", label);
  case SQLITE_INTERRUPT:
    return mt_db_damaged(db, "looking something up in it takes too long", error);
  default:
    return mt_db_damaged(db, said, error);
  }
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int
count_steps(void *user)
{
  mt_db *db = user;
  return ++db->n_steps > MOST_STEPS;
}

static void
be_careful(mt_db *db)
{
  static const struct {
    int limit, most;
  } limits[] = {{SQLITE_LIMIT_LENGTH, DB_MOST_BYTES},
                {SQLITE_LIMIT_SQL_LENGTH, 10000},
                {SQLITE_LIMIT_COLUMN, 32},
                {SQLITE_LIMIT_EXPR_DEPTH, 64},
                {SQLITE_LIMIT_COMPOUND_SELECT, 4},
                {SQLITE_LIMIT_ATTACHED, 0},
                {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                {SQLITE_LIMIT_VARIABLE_NUMBER, 32},
                {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    sqlite3_limit(db->handle, limits[i].limit, limits[i].most);
  static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                            SQLITE_DBCONFIG_ENABLE_TRIGGER,
                            SQLITE_DBCONFIG_ENABLE_VIEW,
                            SQLITE_DBCONFIG_ENABLE_FKEY,
                            SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                            SQLITE_DBCONFIG_DQS_DDL,
                            SQLITE_DBCONFIG_DQS_DML};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
    sqlite3_db_config(db->handle, off[i], 0, NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_timeout(db->handle, 2000);
  sqlite3_progress_handler(db->handle, STEPS_AT_ONCE, count_steps, db);
}

/* PRAGMAs whose values are numbers. */
static bool
ask(mt_db *db, const char *sql, int64_t *value, mt_error *error)
{
  mt_rows *rows = mt_db_prepare(db, sql, error);
  const bool ok = rows && mt_rows_next(rows, error) == MT_ROWS_ROW;
  *value = ok ? mt_rows_whole(rows, 0) : 0;
  mt_rows_free(rows);
  return ok;
}

bool
mt_db_size(mt_db *db, uint64_t *n_bytes, mt_error *error)
{
  int64_t n_pages, page_size;
  const bool ok = ask(db, "PRAGMA page_count", &n_pages, error) &&
                  ask(db, "PRAGMA page_size", &page_size, error);
  *n_bytes = ok ? (uint64_t) n_pages * (uint64_t) page_size : 0;
  return ok;
}

static bool
set_up(mt_db *db, mt_error *error)
{
  char ids[128];
  sqlite3_snprintf(sizeof ids, ids, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                   db->format->application_id, db->format->version);
  return mt_db_run(db, "PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; BEGIN", error) &&
         mt_db_run(db, ids, error) && mt_db_run(db, db->format->schema, error);
}

/* ---- Is it ours? ----------------------------------------------------------------------------- */

#define LIST "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type"

/* The next rows of both lists are the same, or both have ended (*is_end). */
static bool
same_row(mt_rows *a, mt_rows *b, bool *is_end, mt_error *error)
{
  const mt_rows_result of_a = mt_rows_next(a, error), of_b = mt_rows_next(b, error);
  *is_end = of_a == MT_ROWS_END;
  if (of_a == MT_ROWS_FAILED || of_b == MT_ROWS_FAILED)
    return false;
  if (of_a != of_b)
    return mt_db_damaged(b->db, "its tables are not those of such a file", error);
  for (int i = 0; !*is_end && i < 4; i++)
    if (strcmp(mt_rows_text(a, i), mt_rows_text(b, i)) != 0)
      return mt_db_damaged(b->db, "its tables are not those of such a file", error);
  return true;
}

static mt_db *open_handle(const char *path, const char *address, int flags,
                          const mt_db_format *format, mt_error *error);

/* Compare it with a new one, which is made in memory. */
static bool
check_schema(mt_db *db, mt_error *error)
{
  mt_db *model = open_handle(":memory:", ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             db->format, error);
  mt_rows *expected = NULL, *found = NULL;
  bool ok = model && mt_db_run(model, db->format->schema, error), is_end = false;
  if (ok) {
    expected = mt_db_prepare(model, LIST, error);
    found = expected ? mt_db_prepare(db, LIST, error) : NULL;
    ok = found != NULL;
  }
  while (ok && !is_end)
    ok = same_row(expected, found, &is_end, error);
  mt_rows_free(expected);
  mt_rows_free(found);
  mt_db_close(model);
  return ok;
}

static bool
check(mt_db *db, mt_error *error)
{
  int64_t application_id, version;
  if (!ask(db, "PRAGMA application_id", &application_id, error) ||
      !ask(db, "PRAGMA user_version", &version, error))
    return false;
  if (application_id != db->format->application_id)
    return mt_fail(error, MT_ERROR_FORMAT, "%s is no %s.", mt_db_label(db), db->format->what);
  if (version != db->format->version)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s is a %s of version %lld; this program reads version %d.", mt_db_label(db),
                   db->format->what, (long long) version, db->format->version);
  return mt_db_run(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", error) &&
         check_schema(db, error);
}

/* path: for messages; address: what SQLite is given. */
static mt_db *
open_handle(const char *path, const char *address, int flags, const mt_db_format *format,
            mt_error *error)
{
  mt_db *db = mt_alloc(1, sizeof *db);
  if (db)
    db->path = mt_strdup(path);
  if (!db || !db->path) {
    mt_free(db);
    return mt_fail_no_memory(error), NULL;
  }
  db->format = format;
  db->lock = MT_LOCK_NONE;
  const int code = sqlite3_open_v2(address, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) {
    be_careful(db);
    return db;
  }
  fail(db, code, error);
  mt_db_close(db);
  return NULL;
}

/* Nothing is written, neither to it nor beside it. */
static mt_db *
open_to_read(const char *path, const mt_db_format *format, mt_error *error)
{
  mt_db_stamp stamp;
  if (!db_gate(path, format->what, true, &stamp, error))
    return NULL;
  char *uri = db_read_only_uri(path);
  if (!uri)
    return mt_fail_no_memory(error), NULL;
  mt_db *db = open_handle(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, format, error);
  mt_free(uri);
  if (db) {
    db->is_read_only = true;
    db->stamp = stamp;
  }
  return db;
}

static mt_db *
open_to_write(const char *path, const mt_db_format *format, mt_error *error)
{
  mt_db_stamp ignored;
  return db_gate(path, format->what, false, &ignored, error)
             ? open_handle(path, path, SQLITE_OPEN_READWRITE, format, error)
             : NULL;
}

/* What a program that was killed over it left. */
static void
remove_journal(const char *path)
{
  char *journal = sqlite3_mprintf("%s-journal", path);
  if (journal)
    unlink(journal);
  sqlite3_free(journal);
}

/* A file that is locked. */
static mt_db *
open_locked(const char *path, bool anew, const mt_db_format *format, mt_error *error)
{
  if (anew && truncate(path, 0) == 0)
    remove_journal(path);
  if (!mt_db_is_empty(path)) {
    mt_db *db = open_to_write(path, format, error);
    if (db && check(db, error))
      return db;
    mt_db_close(db);
    return NULL;
  }
  mt_db *db = open_handle(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, format, error);
  if (db)
    db->is_new = true;
  if (db && set_up(db, error))
    return db;
  mt_db_discard(db);
  return NULL;
}

static bool
lock(mt_lock *lock, const char *path, mt_error *error)
{
  return mt_lock_take(lock, path) ||
         mt_fail(error, MT_ERROR_IO, "%s: another program is writing it.", label_of(path));
}

mt_db *
mt_db_open(const char *path, mt_db_mode mode, const mt_db_format *format, mt_error *error)
{
  mt_lock held = MT_LOCK_NONE;
  if (mode != MT_DB_READ && !lock(&held, path, error))
    return NULL;
  mt_db *db = mode == MT_DB_READ ? open_to_read(path, format, error)
                                 : open_locked(path, mode == MT_DB_ANEW, format, error);
  if (!db) {
    mt_lock_undo(&held, path);
  } else if (mode != MT_DB_READ) {
    db->lock = held;
  } else if (!check(db, error)) {
    mt_db_close(db);
    db = NULL;
  }
  return db;
}

/* Of SQLite: the lock is still held. */
static void
close_handle(mt_db *db)
{
  sqlite3_close_v2(db->handle);
  db->handle = NULL;
}

void
mt_db_close(mt_db *db)
{
  if (!db)
    return;
  close_handle(db);
  mt_lock_release(&db->lock);
  mt_free(db->path);
  mt_free(db);
}

void
mt_db_discard(mt_db *db)
{
  if (!db)
    return;
  close_handle(db);
  unlink(db->path);
  remove_journal(db->path);
  mt_db_close(db);
}

/* Nobody can begin a file there between the look and the name. */
static bool
rename_to(const char *path, const char *place, mt_error *error)
{
  mt_lock held = MT_LOCK_NONE;
  if (!mt_durable_bytes(path))
    return mt_fail(error, MT_ERROR_IO, "%s: %s.", place, strerror(errno));
  if (!lock(&held, place, error))
    return false;
  bool ok = mt_db_is_empty(place) || mt_fail(error, MT_ERROR_IO, "%s is there already.", place);
  ok = ok &&
       (rename(path, place) == 0 || mt_fail(error, MT_ERROR_IO, "%s: %s.", place, strerror(errno)));
  if (ok)
    mt_durable_name(place);
  else
    mt_lock_undo(&held, place);
  mt_lock_release(&held);
  return ok;
}

bool
mt_db_close_as(mt_db *db, const char *place, mt_error *error)
{
  close_handle(db);
  const bool ok = rename_to(db->path, place, error);
  if (ok)
    mt_db_close(db);
  else
    mt_db_discard(db);
  return ok;
}

bool
mt_db_is_new(const mt_db *db)
{
  return db->is_new;
}

bool
mt_db_is_empty(const char *path)
{
  static const mt_db_format any = {.what = "file", .schema = ""};
  struct stat info;
  if (stat(path, &info) != 0)
    return true;
  if (!S_ISREG(info.st_mode) || info.st_size == 0)
    return S_ISREG(info.st_mode);
  mt_db *db = open_to_write(path, &any, NULL);
  int64_t n_pages = 1;
  const bool ok = db && ask(db, "PRAGMA page_count", &n_pages, NULL);
  mt_db_close(db);
  return ok && n_pages == 0;
}

/* ---- Statements ------------------------------------------------------------------------------ */

bool
mt_db_run(mt_db *db, const char *sql, mt_error *error)
{
  db->n_steps = 0;
  const int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
  return code == SQLITE_OK || fail(db, code, error);
}

mt_rows *
mt_db_prepare(mt_db *db, const char *sql, mt_error *error)
{
  mt_rows *rows = mt_alloc(1, sizeof *rows);
  if (!rows)
    return mt_fail_no_memory(error), NULL;
  rows->db = db;
  const int code = sqlite3_prepare_v2(db->handle, sql, -1, &rows->statement, NULL);
  if (code == SQLITE_OK)
    return rows;
  fail(db, code, error);
  mt_free(rows);
  return NULL;
}

void
mt_rows_free(mt_rows *rows)
{
  if (!rows)
    return;
  sqlite3_finalize(rows->statement);
  mt_free(rows);
}

/* What cannot be bound, for want of memory, is NULL, which the tables do not take. */
void
mt_rows_bind_whole(mt_rows *rows, int i, int64_t value)
{
  sqlite3_bind_int64(rows->statement, i, value);
}

void
mt_rows_bind_text(mt_rows *rows, int i, const char *text)
{
  sqlite3_bind_text(rows->statement, i, text, -1, SQLITE_STATIC);
}

void
mt_rows_bind_bytes(mt_rows *rows, int i, const void *bytes, size_t n)
{
  if (n == 0)
    sqlite3_bind_zeroblob(rows->statement, i, 0);
  else
    sqlite3_bind_blob64(rows->statement, i, bytes, n, SQLITE_STATIC);
}

/* SQLite fetches a column when it is first asked for: now, where it can be said that there was no
 * memory for it. */
static bool
fetch(const mt_rows *rows)
{
  for (int i = 0; i < sqlite3_column_count(rows->statement); i++) {
    const int type = sqlite3_column_type(rows->statement, i);
    const void *bytes = type == SQLITE_TEXT   ? sqlite3_column_text(rows->statement, i)
                        : type == SQLITE_BLOB ? sqlite3_column_blob(rows->statement, i)
                                              : "";
    if (!bytes && (sqlite3_errcode(rows->db->handle) & 0xff) == SQLITE_NOMEM)
      return false;
  }
  return true;
}

mt_rows_result
mt_rows_next(mt_rows *rows, mt_error *error)
{
  rows->db->n_steps = 0;
  int code = sqlite3_step(rows->statement);
  /* No lock keeps writers away from what is only read. */
  if (rows->db->is_read_only && !is_unchanged(rows->db->path, &rows->db->stamp)) {
    mt_fail(error, MT_ERROR_IO, "%s was changed while it was read: open it again.",
            mt_db_label(rows->db));
    return MT_ROWS_FAILED;
  }
  if (code == SQLITE_ROW && fetch(rows))
    return MT_ROWS_ROW;
  if (code == SQLITE_ROW)
    code = SQLITE_NOMEM;
  if (code == SQLITE_DONE)
    return MT_ROWS_END;
  fail(rows->db, code, error);
  return MT_ROWS_FAILED;
}

/* From the beginning, with nothing bound. */
static void
rows_reset(mt_rows *rows)
{
  sqlite3_reset(rows->statement);
  sqlite3_clear_bindings(rows->statement);
}

bool
mt_rows_run(mt_rows *rows, mt_error *error)
{
  const bool ok = mt_rows_next(rows, error) == MT_ROWS_END;
  rows_reset(rows);
  return ok;
}

int64_t
mt_rows_whole(const mt_rows *rows, int column)
{
  return sqlite3_column_type(rows->statement, column) == SQLITE_INTEGER
             ? sqlite3_column_int64(rows->statement, column)
             : 0;
}

const char *
mt_rows_text(const mt_rows *rows, int column)
{
  if (sqlite3_column_type(rows->statement, column) != SQLITE_TEXT)
    return "";
  const char *text = (const char *) sqlite3_column_text(rows->statement, column);
  const size_t n = (size_t) sqlite3_column_bytes(rows->statement, column);
  return text && strlen(text) == n && mt_utf8_valid(text, n, NULL) ? text : "";
}

const void *
mt_rows_bytes(const mt_rows *rows, int column, size_t *n)
{
  *n = 0;
  if (sqlite3_column_type(rows->statement, column) != SQLITE_BLOB)
    return NULL;
  const void *bytes = sqlite3_column_blob(rows->statement, column);
  *n = bytes ? (size_t) sqlite3_column_bytes(rows->statement, column) : 0;
  return bytes;
}

uint64_t
mt_rows_hash(const mt_rows *rows, uint64_t hash)
{
  for (int i = 0; i < sqlite3_column_count(rows->statement); i++) {
    const int type = sqlite3_column_type(rows->statement, i);
    const int64_t whole = type == SQLITE_INTEGER ? sqlite3_column_int64(rows->statement, i) : 0;
    const void *bytes = whole ? NULL : sqlite3_column_blob(rows->statement, i);
    const int n = bytes ? sqlite3_column_bytes(rows->statement, i) : 0;
    hash = mt_hash_bytes(hash, &type, sizeof type);
    hash = mt_hash_bytes(hash, &whole, sizeof whole);
    hash = mt_hash_bytes(hash, &n, sizeof n);
    hash = mt_hash_bytes(hash, bytes, (size_t) n);
  }
  return hash;
}
