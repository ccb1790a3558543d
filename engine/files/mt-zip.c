/* mt-zip.c — zip archives: the entries of one that lies in memory, and writing one, by libzip.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libzip tells no one where an entry's bytes lie, so the archive is given to
 * it through a source of our own that remembers the last place it read from: after the first bytes
 * of a stored entry were read, that is where they are. The place is used only after it was checked
 * to lie in the archive and to hold those same bytes.
 */
#include "files/mt-zip.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

/* Far more than any model has, and quick to look at. */
#define MAX_ENTRIES 20000
#define MAX_NAME    1024
/* Deflate makes at most 1032 bytes of one (zlib's technical notes). Weights shrink to a fifth at
 * the very most: the second limit is asked of entries large enough to matter. */
#define DEFLATE_LIMIT 1032
#define LARGE         (64 << 20)
#define RATIO_LIMIT   32
#define HEAD          16 /* bytes compared before an entry is used where it lies */
/* More than libzip needs for the directory of so many entries. */
#define PROBE ((size_t) 8 << 20)
/* Bytes that are inflated before the pages they came from are given back. */
#define STEP ((size_t) 4 << 20)

typedef struct {
  mt_zip_entry entry;
  zip_uint64_t index; /* libzip's */
} item;

struct mt_zip {
  const unsigned char *bytes;
  size_t size;
  size_t position;  /* of the source */
  size_t last_read; /* where the source last read from */
  zip_error_t source_error;
  zip_t *archive;
  char *label;
  const char *folder; /* see mt_zip_folder */
  item *items;
  size_t n;
  size_t *by_name; /* [n] */
  bool is_mapped;
  mt_zip_on_inflated on_inflated;
  void *user;
};

/* ---- The archive as libzip's source ---------------------------------------------------------- */

static zip_int64_t
source_callback(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
  mt_zip *zip = user;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    zip->position = 0;
    return 0;
  case ZIP_SOURCE_READ: {
    size_t left = zip->size - zip->position;
    size_t n = length < left ? (size_t) length : left;
    memcpy(data, zip->bytes + zip->position, n);
    zip->last_read = zip->position;
    zip->position += n;
    return (zip_int64_t) n;
  }
  case ZIP_SOURCE_SEEK: {
    zip_int64_t to =
        zip_source_seek_compute_offset(zip->position, zip->size, data, length, &zip->source_error);
    if (to < 0)
      return -1;
    zip->position = (size_t) to;
    return 0;
  }
  case ZIP_SOURCE_TELL:
    return (zip_int64_t) zip->position;
  case ZIP_SOURCE_STAT: {
    zip_stat_t *stat = data;
    zip_stat_init(stat);
    stat->size = zip->size;
    stat->valid |= ZIP_STAT_SIZE;
    return sizeof *stat;
  }
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&zip->source_error, data, length);
  case ZIP_SOURCE_CLOSE:
  case ZIP_SOURCE_FREE:
    return 0;
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                          ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_SEEK,
                                          ZIP_SOURCE_TELL, ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
                                          -1);
  default:
    zip_error_set(&zip->source_error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
  }
}

static bool
is_no_memory(zip_error_t *reason)
{
  enum { Z_MEM_ERROR = -4 }; /* zlib's */
  return zip_error_code_zip(reason) == ZIP_ER_MEMORY ||
         (zip_error_system_type(reason) == ZIP_ET_ZLIB &&
          zip_error_code_system(reason) == Z_MEM_ERROR);
}

/* What libzip says, as our error. */
static bool
fail_zip(const mt_zip *zip, zip_error_t *reason, mt_error *error)
{
  if (is_no_memory(reason))
    return mt_fail_no_memory(error);
  if (zip_error_code_zip(reason) == ZIP_ER_EXISTS)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected each name once, found one twice.",
                   zip->label);
  /* Which of these it is, releases of libzip see differently. */
  return mt_fail(
      error, MT_ERROR_FORMAT,
      "%s: expected a zip archive, found another file, or one that is damaged or cut off.",
      zip->label);
}

static uint64_t
number_at(const mt_zip *zip, size_t at, int n_bytes)
{
  uint64_t number = 0;
  for (int i = 0; i < n_bytes; i++)
    number |= (uint64_t) zip->bytes[at + (size_t) i] << (8 * i);
  return number;
}

/* How many entries the end record at this place says that there are (PKWARE's APPNOTE 4.3.14-16).
 * If there is a locator in front of it, the record that it leads to counts, whose numbers have 64
 * bits. */
static uint64_t
promised_entries(const mt_zip *zip, size_t at)
{
  uint64_t n = number_at(zip, at + 10, 2);
  if (at < 20 || memcmp(zip->bytes + at - 20, "PK\6\7", 4) != 0)
    return n <= zip->size / 46 ? n : 0; /* else no such record, but bytes that look like one */
  uint64_t record = number_at(zip, at - 20 + 8, 8);
  if (zip->size < 56 || record > zip->size - 56)
    return n;
  return number_at(zip, (size_t) record + 32, 8);
}

/* libzip reads the whole directory before it can be asked how long it is, and puts the names into a
 * table that names made for it let grow for hours. So the end records, of which it will choose one,
 * are looked at before. */
static bool
check_count(const mt_zip *zip, mt_error *error)
{
  const size_t end_size = 22, longest_comment = 65535;
  for (size_t i = 0; i <= longest_comment && end_size + i <= zip->size; i++) {
    size_t at = zip->size - end_size - i;
    if (memcmp(zip->bytes + at, "PK\5\6", 4) == 0 && promised_entries(zip, at) > MAX_ENTRIES)
      return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d entries, found %llu.",
                     zip->label, MAX_ENTRIES, (unsigned long long) promised_entries(zip, at));
  }
  return true;
}

static bool
read_directory(mt_zip *zip, zip_error_t *reason)
{
  zip_source_t *source = zip_source_function_create(source_callback, zip, reason);
  if (source)
    zip->archive = zip_open_from_source(source, ZIP_RDONLY, reason);
  if (!zip->archive)
    zip_source_free(source);
  return zip->archive;
}

static bool
open_archive(mt_zip *zip, mt_error *error)
{
  zip_error_t reason;
  zip_error_init(&reason);
  /* libzip takes no bytes at all for an empty archive, and looks for one at the end of any file. */
  if (!mt_zip_is_zip(zip->bytes, zip->size)) {
    zip_error_set(&reason, ZIP_ER_NOZIP, 0);
    return fail_zip(zip, &reason, error);
  }
  if (!check_count(zip, error))
    return false;
  /* In some places libzip forgets that memory ran out, and calls the archive damaged: so again, and
   * then memory is tried. */
  if (!read_directory(zip, &reason) && !is_no_memory(&reason) && !read_directory(zip, &reason)) {
    void *probe = mt_alloc(PROBE, 1);
    if (!probe)
      zip_error_set(&reason, ZIP_ER_MEMORY, 0);
    mt_free(probe);
  }
  bool ok = zip->archive || fail_zip(zip, &reason, error);
  zip_error_fini(&reason);
  return ok;
}

/* ---- Looking at every entry ------------------------------------------------------------------ */

/* A name that could lead out of the folder it was unpacked to. Nothing is unpacked here, but such
 * an archive was made to hurt. */
static bool
leaves_archive(const char *name)
{
  if (name[0] == '/' || strchr(name, '\\') || (name[0] != '\0' && name[1] == ':'))
    return true;
  for (const char *part = name; part; part = strchr(part, '/')) {
    part += *part == '/';
    if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
      return true;
  }
  return false;
}

static bool
check_entry(const mt_zip *zip, zip_uint64_t index, const zip_stat_t *stat, mt_error *error)
{
  const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                              ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD | ZIP_STAT_CRC;
  if ((stat->valid & needed) != needed || stat->name[0] == '\0' || strlen(stat->name) > MAX_NAME)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected every entry to have a name, a size and a check sum, found one "
                   "without.",
                   zip->label);
  if (leaves_archive(stat->name))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected names inside the archive, found \"%.200s\".", zip->label,
                   stat->name);
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  zip_file_get_external_attributes(zip->archive, index, 0, &system, &attributes);
  if (system == ZIP_OPSYS_UNIX && S_ISLNK(attributes >> 16))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected files, found the link \"%.200s\".",
                   zip->label, stat->name);
  if (stat->encryption_method != ZIP_EM_NONE)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected readable files, found \"%.200s\" encrypted.", zip->label,
                   stat->name);
  if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected \"%.200s\" stored or deflated, found compression method %u.",
                   zip->label, stat->name, (unsigned) stat->comp_method);
  if (stat->comp_size > zip->size || stat->size > SIZE_MAX / 2)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected \"%.200s\" to lie in the archive, found %llu bytes promised in "
                   "a file of %zu.",
                   zip->label, stat->name,
                   (unsigned long long) (stat->size > stat->comp_size ? stat->size
                                                                      : stat->comp_size),
                   zip->size);
  zip_uint64_t ratio = stat->comp_method == ZIP_CM_STORE ? 1
                       : stat->size > LARGE              ? RATIO_LIMIT
                                                         : DEFLATE_LIMIT;
  if (stat->size / ratio > stat->comp_size)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: \"%.200s\" promises %llu bytes, too many for the %llu that it has in the "
                   "archive.",
                   zip->label, stat->name, (unsigned long long) stat->size,
                   (unsigned long long) stat->comp_size);
  return true;
}

/* Where a stored entry's bytes lie, or SIZE_MAX. */
static size_t
find_in_place(mt_zip *zip, zip_uint64_t index, const zip_stat_t *stat)
{
  unsigned char head[HEAD];
  if (stat->comp_method != ZIP_CM_STORE || stat->size == 0 || stat->size != stat->comp_size)
    return SIZE_MAX;
  zip_file_t *file = zip_fopen_index(zip->archive, index, 0);
  if (!file)
    return SIZE_MAX;
  size_t n = stat->size < HEAD ? (size_t) stat->size : HEAD;
  zip_int64_t got = zip_fread(file, head, n);
  size_t offset = zip->last_read;
  zip_fclose(file);
  bool found = got == (zip_int64_t) n && offset <= zip->size && stat->size <= zip->size - offset &&
               memcmp(zip->bytes + offset, head, n) == 0;
  return found ? offset : SIZE_MAX;
}

/* Whether the header in front of an entry's bytes, which other programs may go by, has its name,
 * too. libzip can be asked to compare the two, but its releases differ in what else they then
 * refuse: from 1.11 on what PyTorch writes. */
static bool
has_name_in_front(const mt_zip *zip, size_t offset, const char *name)
{
  const size_t fixed = 30, most_extra = 65535, n = strlen(name);
  for (size_t extra = 0; extra <= most_extra && fixed + n + extra <= offset; extra++) {
    const size_t at = offset - extra - n - fixed;
    if (memcmp(zip->bytes + at, "PK\3\4", 4) == 0 && number_at(zip, at + 26, 2) == n &&
        number_at(zip, at + 28, 2) == extra)
      return memcmp(zip->bytes + at + fixed, name, n) == 0;
  }
  return false;
}

static bool
list_entries(mt_zip *zip, mt_error *error)
{
  zip_int64_t count = zip_get_num_entries(zip->archive, 0);
  if (count > MAX_ENTRIES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d entries, found %lld.",
                   zip->label, MAX_ENTRIES, (long long) count);
  zip->items = mt_alloc((size_t) count, sizeof *zip->items);
  if (!zip->items)
    return mt_fail_no_memory(error);
  size_t left = zip->size;
  for (zip_uint64_t i = 0; i < (zip_uint64_t) count; i++) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(zip->archive, i, 0, &stat) != 0)
      return fail_zip(zip, zip_get_error(zip->archive), error);
    if (!check_entry(zip, i, &stat, error))
      return false;
    /* All entries are read, for their check sums: those that share bytes would take for ever. */
    if (stat.comp_size > left)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected entries side by side, found more bytes of them than the "
                     "archive has, %zu.",
                     zip->label, zip->size);
    left -= (size_t) stat.comp_size;
    if (stat.name[strlen(stat.name) - 1] == '/') {
      zip->folder = zip->folder ? zip->folder : stat.name;
      continue;
    }
    const size_t offset = find_in_place(zip, i, &stat);
    if (offset != SIZE_MAX && !has_name_in_front(zip, offset, stat.name))
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected a whole zip archive, found damage (\"%.200s\" has another name "
                     "beside its bytes).",
                     zip->label, stat.name);
    zip->items[zip->n++] = (item){
        .entry = {.name = stat.name, .size = (size_t) stat.size, .offset = offset, .crc = stat.crc},
        .index = i,
    };
  }
  return true;
}

static int
compare_names(const void *a, const void *b, void *user)
{
  const item *items = user;
  return strcmp(items[*(const size_t *) a].entry.name, items[*(const size_t *) b].entry.name);
}

static bool
index_names(mt_zip *zip, mt_error *error)
{
  zip->by_name = mt_alloc(zip->n, sizeof *zip->by_name);
  if (!zip->by_name)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < zip->n; i++)
    zip->by_name[i] = i;
  qsort_r(zip->by_name, zip->n, sizeof *zip->by_name, compare_names, zip->items);
  for (size_t i = 1; i < zip->n; i++) {
    const char *name = zip->items[zip->by_name[i]].entry.name;
    if (strcmp(name, zip->items[zip->by_name[i - 1]].entry.name) == 0)
      return mt_fail(error, MT_ERROR_FORMAT, "%s: expected each name once, found \"%.200s\" twice.",
                     zip->label, name);
  }
  return true;
}

/* ---- The interface --------------------------------------------------------------------------- */

bool
mt_zip_is_zip(const unsigned char *bytes, size_t size)
{
  /* A local header, or the end record of an empty archive. */
  return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

mt_zip *
mt_zip_open(const unsigned char *bytes, size_t size, const char *label, mt_error *error)
{
  mt_zip *zip = mt_alloc(1, sizeof *zip);
  if (!zip)
    return mt_fail_no_memory(error), NULL;

  zip->bytes = bytes;
  zip->size = size;
  zip_error_init(&zip->source_error);
  zip->label = mt_strdup(label);
  bool ok = zip->label
                ? open_archive(zip, error) && list_entries(zip, error) && index_names(zip, error)
                : mt_fail_no_memory(error);
  if (ok)
    return zip;
  mt_zip_free(zip);
  return NULL;
}

void
mt_zip_set_mapped(mt_zip *zip)
{
  zip->is_mapped = true;
}

void
mt_zip_free(mt_zip *zip)
{
  if (!zip)
    return;
  if (zip->archive)
    zip_discard(zip->archive); /* frees the source, which still calls back */
  zip_error_fini(&zip->source_error);
  mt_free(zip->items);
  mt_free(zip->by_name);
  mt_free(zip->label);
  mt_free(zip);
}

size_t
mt_zip_count(const mt_zip *zip)
{
  return zip->n;
}

const char *
mt_zip_folder(const mt_zip *zip)
{
  return zip->folder;
}

const mt_zip_entry *
mt_zip_get(const mt_zip *zip, size_t i)
{
  return &zip->items[i].entry;
}

bool
mt_zip_find(const mt_zip *zip, const char *name, size_t *i)
{
  size_t low = 0, high = zip->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(name, zip->items[zip->by_name[middle]].entry.name);
    if (order == 0) {
      *i = zip->by_name[middle];
      return true;
    }
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

void
mt_zip_set_watch(mt_zip *zip, mt_zip_on_inflated on_inflated, void *user)
{
  zip->on_inflated = on_inflated;
  zip->user = user;
}

size_t
mt_zip_count_inflated(const mt_zip *zip)
{
  size_t n = 0;
  for (size_t i = 0; i < zip->n; i++)
    if (zip->items[i].entry.offset == SIZE_MAX && zip->items[i].entry.size < SIZE_MAX - n)
      n += zip->items[i].entry.size;
  return n;
}

mt_sum
mt_zip_sum(const mt_zip *zip, size_t i)
{
  const mt_zip_entry *entry = &zip->items[i].entry;
  return (mt_sum){.bytes = zip->bytes + entry->offset,
                  .size = entry->size,
                  .crc = entry->crc,
                  .label = zip->label,
                  .name = entry->name,
                  .is_mapped = zip->is_mapped};
}

/* Reading the bytes in out [done] of an entry came to `got`, which is below 0. */
static bool
fail_read(const mt_zip *zip, const mt_zip_entry *entry, zip_file_t *file, const void *out,
          size_t done, mt_error *error)
{
  zip_error_t *reason = zip_file_get_error(file);
  if (is_no_memory(reason))
    return mt_fail_no_memory(error);
  if (zip_error_code_zip(reason) == ZIP_ER_CRC && done == entry->size)
    return mt_sum_fail(zip->label, entry->name, entry->crc, mt_crc32(0, out, done), error);
  return mt_fail(error, MT_ERROR_FORMAT, "%s: \"%.200s\" is damaged (%s).", zip->label, entry->name,
                 zip_error_strerror(reason));
}

bool
mt_zip_read(mt_zip *zip, size_t i, void *out, mt_error *error)
{
  const mt_zip_entry *entry = &zip->items[i].entry;
  zip_file_t *file = zip_fopen_index(zip->archive, zip->items[i].index, 0);
  if (!file)
    return fail_zip(zip, zip_get_error(zip->archive), error);
  size_t done = 0, from = zip->position;
  zip_int64_t got = 1;
  bool goes_on = true;
  while (goes_on && done < entry->size && got > 0) {
    size_t left = entry->size - done;
    got = zip_fread(file, (unsigned char *) out + done, left < STEP ? left : STEP);
    if (got > 0)
      done += (size_t) got;
    if (zip->is_mapped && zip->position > from) {
      mt_drop_pages(zip->bytes + from, zip->position - from);
      from = zip->position;
    }
    if (got > 0 && zip->on_inflated)
      goes_on = zip->on_inflated(zip->user, (size_t) got);
  }
  if (!goes_on) {
    zip_fclose(file);
    return mt_fail(error, MT_ERROR_CANCELLED, "Loading %s was cancelled.", zip->label);
  }
  /* One byte more: libzip compares the check sum when it meets the end. */
  unsigned char beyond;
  if (got >= 0)
    got = zip_fread(file, &beyond, 1);
  bool ok = true;
  if (got < 0)
    ok = fail_read(zip, entry, file, out, done, error);
  else if (got > 0 || done < entry->size)
    ok = mt_fail(error, MT_ERROR_FORMAT, "%s: expected %zu bytes in \"%.200s\", found %s.",
                 zip->label, entry->size, entry->name, got > 0 ? "more" : "fewer");
  zip_fclose(file);
  return ok;
}

bool
mt_zip_read_start(mt_zip *zip, size_t i, void *out, size_t most, size_t *n, mt_error *error)
{
  const mt_zip_entry *entry = &zip->items[i].entry;
  zip_file_t *file = zip_fopen_index(zip->archive, zip->items[i].index, 0);
  if (!file)
    return fail_zip(zip, zip_get_error(zip->archive), error);
  size_t wanted = entry->size < most ? entry->size : most, done = 0;
  zip_int64_t got = 1;
  for (; done < wanted && got > 0; done += got > 0 ? (size_t) got : 0)
    got = zip_fread(file, (unsigned char *) out + done, wanted - done);
  unsigned char beyond; /* as in mt_zip_read */
  if (got >= 0 && done == entry->size)
    got = zip_fread(file, &beyond, 1);
  bool ok = got >= 0 || fail_read(zip, entry, file, out, done, error);
  zip_fclose(file);
  *n = done;
  return ok;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* An archive is written to a temporary file beside the target and renamed over it only when it is
 * whole and on the disk. libzip itself works that way but for the last, which it does not wait for:
 * what it replaces in zip_close is therefore a file of our own. */

/* ---- One entry ------------------------------------------------------------------------------- */

/* What libzip reads it from: head and data, without a copy of them. */
typedef struct {
  const mt_zip_part *part;
  size_t position;
} part_source;

static size_t
read_part(part_source *source, char *out, size_t wanted)
{
  const mt_zip_part *part = source->part;
  const void *pieces[] = {part->head, part->data};
  const size_t sizes[] = {part->head_size, part->data_size};
  size_t done = 0, begin = 0;
  for (int i = 0; i < 2; i++) {
    const size_t end = begin + sizes[i];
    if (source->position < end && done < wanted) {
      const size_t left = end - source->position;
      const size_t n = left < wanted - done ? left : wanted - done;
      memcpy(out + done, (const char *) pieces[i] + (source->position - begin), n);
      source->position += n;
      done += n;
    }
    begin = end;
  }
  return done;
}

static zip_int64_t
part_callback(void *user, void *out, zip_uint64_t size, zip_source_cmd_t command)
{
  part_source *source = user;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    source->position = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return (zip_int64_t) read_part(source, out, size);
  case ZIP_SOURCE_CLOSE:
    return 0;
  case ZIP_SOURCE_STAT: {
    zip_stat_t *stat = out;
    zip_stat_init(stat);
    stat->size = source->part->head_size + source->part->data_size;
    stat->valid = ZIP_STAT_SIZE;
    return sizeof *stat;
  }
  case ZIP_SOURCE_ERROR:
    memset(out, 0, 2 * sizeof(int));
    return 2 * sizeof(int);
  case ZIP_SOURCE_FREE:
    mt_free(source);
    return 0;
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                          ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  default:
    return -1;
  }
}

/* What libzip says, as our error. In places it fails for want of memory and says nothing. */
static bool
fail_write(const char *path, zip_error_t *reason, mt_error *error)
{
  enum { Z_MEM_ERROR = -4 }; /* zlib's */
  if (zip_error_code_zip(reason) == ZIP_ER_MEMORY ||
      (zip_error_system_type(reason) == ZIP_ET_ZLIB &&
       zip_error_code_system(reason) == Z_MEM_ERROR) ||
      zip_error_code_zip(reason) == ZIP_ER_OK ||
      (zip_error_system_type(reason) == ZIP_ET_SYS && zip_error_code_system(reason) == ENOMEM))
    return mt_fail_no_memory(error);
  return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: %s", path, zip_error_strerror(reason));
}

/* 1 January 1980, the first that an archive can hold, as MS-DOS writes it. */
enum { FIRST_DAY = (1980 - 1980) << 9 | 1 << 5 | 1 };

static bool
add_part(zip_t *zip, const mt_zip_part *part, const char *path, mt_error *error)
{
  part_source *contents = mt_alloc(1, sizeof *contents);
  if (!contents)
    return mt_fail_no_memory(error);
  contents->part = part;
  zip_source_t *source = zip_source_function(zip, part_callback, contents);
  if (!source) {
    mt_free(contents);
    return mt_fail_no_memory(error);
  }
  zip_int64_t index = zip_file_add(zip, part->name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return fail_write(path, zip_get_error(zip), error);
  }
  /* Without the time of writing, as NumPy does it: the same parts make the same bytes. */
  zip_file_set_dostime(zip, (zip_uint64_t) index, 0, FIRST_DAY, 0);
  zip_set_file_compression(zip, (zip_uint64_t) index, part->deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                           0);
  return true;
}

/* Adds all and closes the archive, whatever comes of it. */
static bool
fill(zip_t *zip, const char *path, const mt_zip_part *parts, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if (!add_part(zip, &parts[i], path, error)) {
      zip_discard(zip);
      return false;
    }
  if (zip_close(zip) < 0) {
    fail_write(path, zip_get_error(zip), error);
    zip_discard(zip);
    return false;
  }
  return true;
}

/* ---- To a file ------------------------------------------------------------------------------- */

/* Where an archive goes. */
typedef struct {
  const char *path; /* as it was asked for, for errors */
  char *real;       /* the file behind all links, of realpath; NULL: there is none yet */
  char *part;       /* what is renamed to it */
  mode_t mode;      /* of the file that it replaces, or what the process gives new files */
} place;

static bool
fail_place(const place *p, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: %m", p->path);
}

/* A new, empty file beside the place. */
static bool
make_part(place *p, const char *beside, bool is_there, mt_error *error)
{
  const size_t size = strlen(beside) + sizeof ".012345";
  int fd = -1;
  p->part = mt_alloc(size, 1);
  if (!p->part)
    return mt_fail_no_memory(error);
  errno = EEXIST;
  for (unsigned attempt = 0; attempt < 100 && fd < 0 && errno == EEXIST; attempt++) {
    unsigned number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
      number = (unsigned) getpid() + attempt;
    snprintf(p->part, size, "%s.%06x", beside, number & 0xffffff);
    fd = open(p->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    const int reason = errno;
    if (fd >= 0) {
      close(fd);
      unlink(p->part);
    }
    mt_free(p->part);
    p->part = NULL;
    errno = reason;
    return fail_place(p, error);
  }
  close(fd);
  if (!is_there)
    p->mode = info.st_mode & 0777;
  return true;
}

/* What a path stands for: an archive would come in the place of a link, and in that of a device
 * too.
 */
static bool
find_place(place *p, mt_error *error)
{
  struct stat info;
  const bool is_there = stat(p->path, &info) == 0;
  if (is_there && !S_ISREG(info.st_mode))
    return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: expected a regular file, found %s",
                   p->path, S_ISDIR(info.st_mode) ? "a directory" : "a device, pipe or socket");
  p->mode = is_there ? info.st_mode & 0777 : 0;
  p->real = is_there ? realpath(p->path, NULL) : NULL;
  return make_part(p, p->real ? p->real : p->path, is_there, error);
}

/* libzip, too, puts a file in the place of another one: the mode is ours to set. */
static bool
put_in_place(const place *p, mt_error *error)
{
  return (chmod(p->part, p->mode) == 0 &&
          mt_durable_rename(p->part, p->real ? p->real : p->path)) ||
         fail_place(p, error);
}

static void
leave_place(place *p, bool is_written)
{
  if (p->part && !is_written)
    unlink(p->part);
  mt_free(p->part);
  free(p->real); /* of realpath, not of mt_alloc */
}

bool
mt_zip_write(const char *path, const mt_zip_part *parts, size_t n, mt_error *error)
{
  place p = {.path = path};
  int code = 0;
  bool written = find_place(&p, error);
  zip_t *zip = written ? zip_open(p.part, ZIP_CREATE | ZIP_TRUNCATE, &code) : NULL;
  if (zip)
    written = fill(zip, path, parts, n, error) && put_in_place(&p, error);
  else if (written) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    written = fail_write(path, &reason, error);
    zip_error_fini(&reason);
  }
  leave_place(&p, written);
  return written;
}

/* ---- Into memory ----------------------------------------------------------------------------- */

static bool
copy_out(zip_source_t *source, mt_bytes *bytes, mt_error *error)
{
  zip_stat_t stat;
  zip_stat_init(&stat);
  bool ok = zip_source_stat(source, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) &&
            zip_source_open(source) == 0;
  if (!ok)
    return fail_write("archive", zip_source_error(source), error);
  bytes->size = (size_t) stat.size;
  bytes->data = mt_alloc(bytes->size, 1);
  ok = bytes->data != NULL;
  for (size_t done = 0; ok && done < bytes->size;) {
    zip_int64_t got = zip_source_read(source, bytes->data + done, bytes->size - done);
    ok = got > 0;
    done += ok ? (size_t) got : 0;
  }
  zip_source_close(source);
  if (!ok) {
    mt_bytes_clear(bytes);
    return mt_fail_no_memory(error);
  }
  return true;
}

bool
mt_zip_make(const mt_zip_part *parts, size_t n, mt_bytes *bytes, mt_error *error)
{
  *bytes = (mt_bytes){0};
  zip_error_t reason;
  zip_error_init(&reason);
  zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &reason);
  zip_t *zip = source ? zip_open_from_source(source, ZIP_TRUNCATE, &reason) : NULL;
  bool ok = zip || fail_write("archive", &reason, error);
  zip_error_fini(&reason);
  if (!zip) {
    zip_source_free(source);
    return false;
  }
  zip_source_keep(source); /* the archive frees its own */
  ok = fill(zip, "archive", parts, n, error) && copy_out(source, bytes, error);
  zip_source_free(source);
  return ok;
}

void
mt_bytes_clear(mt_bytes *bytes)
{
  mt_free(bytes->data);
  *bytes = (mt_bytes){0};
}
