/* mt-yaml.c — reading flat YAML with errors that name the file and the key.
 *
 * libyaml reports events; nothing is built from them but lists of strings, so that the memory taken
 * is bounded by the size of the file. An alias would break that, and no file of a model has one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-yaml.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_BYTES  ((size_t) 64 << 20) /* a vocabulary of 65,000 pieces has 1.5 MB */
#define MAX_DEPTH  16
#define MAX_EVENTS 1000000
/* Lines that start with "%", directives: libyaml compares each with all before. Nobody writes any.
 */
#define MAX_DIRECTIVES 16

/* A value that is kept. */

typedef struct {
  mt_yaml *yaml;
  yaml_parser_t parser;
  size_t n_events;
  mt_error *error;
} reader;

/* ---- What is kept ---------------------------------------------------------------------------- */

static size_t
line_of(const yaml_mark_t *mark)
{
  return mark->line + 1;
}

/* A scalar's text; *at is its place. */
static bool
keep_string(reader *r, const yaml_event_t *event, size_t *at)
{
  mt_yaml *yaml = r->yaml;
  const char *text = (const char *) event->data.scalar.value;
  size_t n = event->data.scalar.length;
  if (memchr(text, '\0', n))
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected text in line %zu, found a NUL in it.",
                   yaml->label, line_of(&event->start_mark));
  if (!mt_grow(&yaml->strings, yaml->n_strings, n + 1, &yaml->strings_capacity, 1))
    return mt_fail_no_memory(r->error);
  *at = yaml->n_strings;
  memcpy(yaml->strings + yaml->n_strings, text, n);
  yaml->strings[yaml->n_strings + n] = '\0';
  yaml->n_strings += n + 1;
  return true;
}

static bool
keep_item(reader *r, const yaml_event_t *event)
{
  mt_yaml *yaml = r->yaml;
  if (!mt_grow(&yaml->items, yaml->n_items, 1, &yaml->items_capacity, sizeof *yaml->items))
    return mt_fail_no_memory(r->error);
  if (!keep_string(r, event, &yaml->items[yaml->n_items]))
    return false;
  yaml->n_items++;
  return true;
}

static bool
keep_entry(reader *r, const mt_yaml_entry *entry)
{
  mt_yaml *yaml = r->yaml;
  if (!mt_grow(&yaml->entries, yaml->n, 1, &yaml->capacity, sizeof *entry))
    return mt_fail_no_memory(r->error);
  yaml->entries[yaml->n++] = *entry;
  return true;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static bool
fail_syntax(const reader *r)
{
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR)
    return mt_fail_no_memory(r->error);
  size_t line = p->error == YAML_READER_ERROR ? line_of(&p->mark) : line_of(&p->problem_mark);
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected YAML, found an error in line %zu (%s).",
                 r->yaml->label, line, p->problem ? p->problem : "not readable");
}

static bool
has_anchor(const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_ALIAS_EVENT:
    return true;
  case YAML_SCALAR_EVENT:
    return event->data.scalar.anchor != NULL;
  case YAML_SEQUENCE_START_EVENT:
    return event->data.sequence_start.anchor != NULL;
  case YAML_MAPPING_START_EVENT:
    return event->data.mapping_start.anchor != NULL;
  default:
    return false;
  }
}

/* The next event; delete it with yaml_event_delete. */
static bool
next_event(reader *r, yaml_event_t *event)
{
  if (++r->n_events > MAX_EVENTS)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected at most %d words, found more.",
                   r->yaml->label, MAX_EVENTS);
  if (!yaml_parser_parse(&r->parser, event))
    return fail_syntax(r);
  if (!has_anchor(event))
    return true;
  size_t line = line_of(&event->start_mark);
  yaml_event_delete(event);
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s: expected YAML without anchors and aliases, found one in line %zu.",
                 r->yaml->label, line);
}

/* Leave out the rest of a value whose start was read. */
static bool
skip_nested(reader *r)
{
  size_t depth = 1;
  while (depth > 0) {
    yaml_event_t event;
    if (!next_event(r, &event))
      return false;
    if (event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
      depth++;
    else if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT)
      depth--;
    size_t line = line_of(&event.start_mark);
    yaml_event_delete(&event);
    if (depth > MAX_DEPTH)
      return mt_fail(r->error, MT_ERROR_FORMAT,
                     "%s: expected YAML nested at most %d deep, found more in line %zu.",
                     r->yaml->label, MAX_DEPTH, line);
  }
  return true;
}

/* A list whose start was read. *is_flat: only scalars are in it; else it is not kept. */
static bool
read_list(reader *r, mt_yaml_entry *entry, bool *is_flat)
{
  *is_flat = true;
  entry->first_item = r->yaml->n_items;
  for (;;) {
    yaml_event_t event;
    if (!next_event(r, &event))
      return false;
    yaml_event_type_t type = event.type;
    bool ok = type != YAML_SCALAR_EVENT || keep_item(r, &event);
    yaml_event_delete(&event);
    if (!ok)
      return false;
    if (type == YAML_SEQUENCE_END_EVENT)
      break;
    if (type != YAML_SCALAR_EVENT) {
      *is_flat = false;
      if (!skip_nested(r))
        return false;
    }
  }
  entry->n_items = r->yaml->n_items - entry->first_item;
  return true;
}

/* The value of a key that was read. */
static bool
read_value(reader *r, mt_yaml_entry *entry)
{
  yaml_event_t event;
  if (!next_event(r, &event))
    return false;
  yaml_event_type_t type = event.type;
  bool ok = true;
  if (type == YAML_SCALAR_EVENT) {
    entry->is_plain = event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    ok = keep_string(r, &event, &entry->text);
  }
  yaml_event_delete(&event);
  if (!ok)
    return false;
  if (type == YAML_MAPPING_START_EVENT)
    return skip_nested(r);
  bool is_kept = true;
  if (type == YAML_SEQUENCE_START_EVENT) {
    entry->text = SIZE_MAX;
    if (!read_list(r, entry, &is_kept))
      return false;
  }
  return !is_kept || keep_entry(r, entry);
}

/* The entries of the outermost mapping, whose start was read. */
static bool
read_mapping(reader *r)
{
  for (;;) {
    mt_yaml_entry entry = {.n_items = 1};
    yaml_event_t event;
    if (!next_event(r, &event))
      return false;
    yaml_event_type_t type = event.type;
    size_t line = line_of(&event.start_mark);
    bool ok = type != YAML_SCALAR_EVENT || keep_string(r, &event, &entry.key);
    yaml_event_delete(&event);
    if (type == YAML_MAPPING_END_EVENT)
      return true;
    if (type != YAML_SCALAR_EVENT)
      return mt_fail(r->error, MT_ERROR_FORMAT,
                     "%s: expected a word as the key in line %zu, found a list or a mapping.",
                     r->yaml->label, line);
    if (!ok || !read_value(r, &entry))
      return false;
  }
}

static bool
read_document(reader *r)
{
  for (;;) {
    yaml_event_t event;
    if (!next_event(r, &event))
      return false;
    yaml_event_type_t type = event.type;
    yaml_event_delete(&event);
    if (type == YAML_MAPPING_START_EVENT)
      return read_mapping(r);
    if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT)
      return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected lines \"key: value\", found %s.",
                     r->yaml->label, type == YAML_STREAM_END_EVENT ? "nothing" : "something else");
  }
}

static bool
has_few_directives(const char *text, size_t n)
{
  size_t n_found = n > 0 && text[0] == '%';
  const char *end = text + n;
  for (const char *at = text; n_found <= MAX_DIRECTIVES && at < end; at++) {
    at = memchr(at, '%', (size_t) (end - at));
    if (!at)
      return true;
    n_found += at > text && (at[-1] == '\n' || at[-1] == '\r');
  }
  return n_found <= MAX_DIRECTIVES;
}

bool
mt_yaml_parse(mt_yaml *yaml, const char *label, const char *text, size_t n, mt_error *error)
{
  if (!has_few_directives(text, n))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected at most %d lines that start with \"%%\", found more.", label,
                   MAX_DIRECTIVES);
  mt_yaml read = {.label = mt_strdup(label)};
  reader r = {.yaml = &read, .error = error};
  if (!read.label)
    return mt_fail_no_memory(error);
  bool ok = yaml_parser_initialize(&r.parser) || mt_fail_no_memory(error);
  if (ok) {
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *) text, n);
    ok = read_document(&r);
    yaml_parser_delete(&r.parser);
  }
  if (ok)
    *yaml = read;
  else
    mt_yaml_clear(&read);
  return ok;
}

bool
mt_yaml_load(mt_yaml *yaml, const mt_dir *dir, const char *file, mt_error *error)
{
  mt_mapping mapping = {0};
  if (!mt_dir_map(dir, file, MAX_BYTES, &mapping, error))
    return false;
  char label[600];
  snprintf(label, sizeof label, "%.300s/%.290s", dir->name, file);
  bool ok = mt_yaml_parse(yaml, label, (const char *) mapping.bytes, mapping.size, error);
  mt_unmap(&mapping);
  return ok;
}

void
mt_yaml_clear(mt_yaml *yaml)
{
  mt_free(yaml->entries);
  mt_free(yaml->items);
  mt_free(yaml->strings);
  mt_free(yaml->label);
  *yaml = (mt_yaml){0};
}

/* ---- Looking up ------------------------------------------------------------------------------ */

const char *
mt_yaml_key(const mt_yaml *yaml, size_t i)
{
  return yaml->strings + yaml->entries[i].key;
}

const char *
mt_yaml_text(const mt_yaml *yaml, size_t i)
{
  size_t text = yaml->entries[i].text;
  return text == SIZE_MAX ? NULL : yaml->strings + text;
}

const char *
mt_yaml_item(const mt_yaml *yaml, size_t i, size_t k)
{
  const char *text = mt_yaml_text(yaml, i);
  return text ? text : yaml->strings + yaml->items[yaml->entries[i].first_item + k];
}

/* "~", "null" and nothing at all, without quotes. */
static bool
is_null(const mt_yaml *yaml, size_t i)
{
  const char *text = mt_yaml_text(yaml, i);
  return text && yaml->entries[i].is_plain &&
         (*text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

bool
mt_yaml_find(const mt_yaml *yaml, const char *key, size_t *i)
{
  for (size_t k = yaml->n; k-- > 0;)
    if (strcmp(mt_yaml_key(yaml, k), key) == 0) {
      *i = k;
      return !is_null(yaml, k);
    }
  return false;
}

static bool
fail_type(const mt_yaml *yaml, size_t i, const char *expected, mt_error *error)
{
  const char *text = mt_yaml_text(yaml, i);
  return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s to be %s, found %s%.100s%s.", yaml->label,
                 mt_yaml_key(yaml, i), expected, text ? "\"" : "", text ? text : "a list",
                 text ? "\"" : "");
}

bool
mt_yaml_get_bool(const mt_yaml *yaml, const char *key, bool *value, mt_error *error)
{
  size_t i;
  if (!mt_yaml_find(yaml, key, &i))
    return true;
  const char *text = mt_yaml_text(yaml, i);
  if (text && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
    *value = text[0] == 't';
    return true;
  }
  return fail_type(yaml, i, "true or false", error);
}

bool
mt_yaml_to_size(const char *text, size_t *value)
{
  size_t number = 0;
  if (*text == '\0')
    return false;
  for (; *text; text++)
    if (*text < '0' || *text > '9' || __builtin_mul_overflow(number, (size_t) 10, &number) ||
        __builtin_add_overflow(number, (size_t) (*text - '0'), &number))
      return false;
  *value = number;
  return true;
}

bool
mt_yaml_get_size(const mt_yaml *yaml, const char *key, size_t min, size_t max, size_t *value,
                 mt_error *error)
{
  size_t i, number;
  if (!mt_yaml_find(yaml, key, &i))
    return true;
  const char *text = mt_yaml_text(yaml, i);
  if (text && mt_yaml_to_size(text, &number) && number >= min && number <= max) {
    *value = number;
    return true;
  }
  char expected[80];
  snprintf(expected, sizeof expected, "a whole number from %zu to %zu", min, max);
  return fail_type(yaml, i, expected, error);
}

bool
mt_yaml_get_number(const mt_yaml *yaml, const char *key, double *value, mt_error *error)
{
  size_t i;
  if (!mt_yaml_find(yaml, key, &i))
    return true;
  const char *text = mt_yaml_text(yaml, i);
  /* strtod would also take hexadecimal numbers, names, and the user's decimal comma. */
  if (text && *text && strspn(text, "+-.0123456789eE") == strlen(text)) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t) 0);
    if (plain == (locale_t) 0)
      return mt_fail_no_memory(error);
    char *end;
    double number = strtod_l(text, &end, plain);
    freelocale(plain);
    if (*end == '\0' && isfinite(number)) {
      *value = number;
      return true;
    }
  }
  return fail_type(yaml, i, "a number", error);
}

bool
mt_yaml_get_string(const mt_yaml *yaml, const char *key, const char **value, mt_error *error)
{
  size_t i;
  if (!mt_yaml_find(yaml, key, &i))
    return true;
  const char *text = mt_yaml_text(yaml, i);
  if (!text)
    return fail_type(yaml, i, "a word", error);
  *value = text;
  return true;
}
