/* mt-archive.c — a zip archive of a few named files, read and written as a whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/files.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-zip-write.h"
#include "files/mt-zip.h"

#include <string.h>

/* Its folders' entries and the bytes between entries, beside what is in it. */
#define FRAME ((size_t) 1 << 20)

typedef struct {
  const char *name; /* the rule's */
  mt_bytes bytes;
  bool is_there;
} item;

struct mt_archive {
  item *items;
  size_t n;
};

bool
mt_archive_write(const char *path, const mt_archive_file *files, size_t n, mt_error *error)
{
  mt_zip_part *parts = mt_alloc(n, sizeof *parts);
  if (!parts)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    parts[i] = (mt_zip_part){.name = files[i].name,
                             .data = files[i].data,
                             .data_size = files[i].size,
                             .deflate = files[i].deflate};
  bool ok = mt_zip_write(path, parts, n, error);
  mt_free(parts);
  return ok;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const mt_archive_rule *
find_rule(const mt_archive_rule *rules, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp(rules[i].name, name) == 0)
      return &rules[i];
  return NULL;
}

/* Of all entries, before one is read. */
static bool
check(const mt_zip *zip, const char *label, const char *what, const mt_archive_rule *rules,
      size_t n, size_t most, mt_error *error)
{
  size_t sum = 0, first;
  if (!mt_zip_find(zip, rules[0].name, &first))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s, found a zip archive without \"%s\" in it.", label, what,
                   rules[0].name);
  if (mt_zip_folder(zip))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s, found the folder \"%.200s\" in it, which belongs to none.",
                   label, what, mt_zip_folder(zip));
  for (size_t i = 0; i < mt_zip_count(zip); i++) {
    const mt_zip_entry *entry = mt_zip_get(zip, i);
    const mt_archive_rule *rule = find_rule(rules, n, entry->name);
    if (!rule)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected %s, found \"%.200s\" in it, which belongs to none.", label, what,
                     entry->name);
    if (entry->size > rule->most || entry->size > most - sum)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected at most %zu bytes of \"%s\" and %zu in all, found %zu.", label,
                     rule->most, rule->name, most, entry->size);
    sum += entry->size;
  }
  return true;
}

static bool
read_all(mt_archive *archive, mt_zip *zip, mt_error *error)
{
  for (size_t i = 0; i < archive->n; i++) {
    item *to = &archive->items[i];
    size_t at;
    if (!mt_zip_find(zip, to->name, &at))
      continue;
    to->is_there = true;
    to->bytes.size = mt_zip_get(zip, at)->size;
    to->bytes.data = mt_alloc(to->bytes.size + 1, 1); /* and never none */
    if (!to->bytes.data)
      return mt_fail_no_memory(error);
    if (!mt_zip_read(zip, at, to->bytes.data, error))
      return false;
  }
  return true;
}

static mt_archive *
new_archive(const mt_archive_rule *rules, size_t n, mt_error *error)
{
  mt_archive *archive = mt_alloc(1, sizeof *archive);
  item *items = mt_alloc(n, sizeof *items);
  if (!archive || !items) {
    mt_free(archive);
    mt_free(items);
    mt_fail_no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    items[i].name = rules[i].name;
  *archive = (mt_archive){.items = items, .n = n};
  return archive;
}

mt_archive *
mt_archive_read(const char *path, const char *what, const mt_archive_rule *rules, size_t n,
                size_t most, mt_error *error)
{
  mt_mapping file;
  mt_fault_log faults = {0};
  char *label;
  if (!mt_file_map(path, most + FRAME, &faults, &file, &label, error))
    return NULL;
  mt_archive *archive = new_archive(rules, n, error);
  mt_zip *zip = archive ? mt_zip_open(file.bytes, file.size, label, error) : NULL;
  bool ok = zip && check(zip, label, what, rules, n, most, error) && read_all(archive, zip, error);
  mt_zip_free(zip);
  mt_unmap(&file);
  mt_free(label);
  ok = mt_fault_check(&faults, error) && ok;
  if (ok)
    return archive;
  mt_archive_free(archive);
  return NULL;
}

void
mt_archive_free(mt_archive *archive)
{
  if (!archive)
    return;
  for (size_t i = 0; i < archive->n; i++)
    mt_bytes_clear(&archive->items[i].bytes);
  mt_free(archive->items);
  mt_free(archive);
}

const unsigned char *
mt_archive_get(const mt_archive *archive, const char *name, size_t *size)
{
  for (size_t i = 0; i < archive->n; i++)
    if (archive->items[i].is_there && strcmp(archive->items[i].name, name) == 0) {
      *size = archive->items[i].bytes.size;
      return archive->items[i].bytes.data;
    }
  return NULL;
}
