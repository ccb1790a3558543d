/* mt-yaml.h — reading flat YAML with errors that name the file and the key. Private to the engine.
 *
 * For the files of Marian, which are one mapping of words to words, numbers and lists of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_YAML_H
#define MT_YAML_H

#include "files/mt-file.h"
#include "mt.h"

typedef struct {
  size_t key;        /* place in strings */
  size_t text;       /* place in strings; of a list SIZE_MAX */
  bool is_plain;     /* without quotes */
  size_t first_item; /* place in items */
  size_t n_items;
} mt_yaml_entry;

/* A document whose outermost value is a mapping. Initialise with {0}. */
typedef struct {
  mt_yaml_entry *entries;
  size_t n, capacity;
  size_t *items; /* of all lists, one after the other: places in strings */
  size_t n_items, items_capacity;
  char *strings; /* all of them, each with its NUL */
  size_t n_strings, strings_capacity;
  char *label; /* for messages: "en-de/decoder.yml" */
} mt_yaml;

/* Parse a whole file, or n bytes of text; of several documents the first. Values that are neither
 * a scalar nor a list of scalars are left out. Tags mean nothing. Errors: those of mt_dir_map, and
 * MT_ERROR_FORMAT with the line for what is no YAML, no mapping, too deep, too large, or has an
 * anchor or an alias (documents that refer to themselves need them). Release with mt_yaml_clear. */
bool mt_yaml_load(mt_yaml *yaml, const mt_dir *dir, const char *file, mt_error *error);
bool mt_yaml_parse(mt_yaml *yaml, const char *label, const char *text, size_t n, mt_error *error);
void mt_yaml_clear(mt_yaml *yaml);

/* Entries in the order of the file; a key may come twice. All strings are borrowed. */
const char *mt_yaml_key(const mt_yaml *yaml, size_t i);
const char *mt_yaml_text(const mt_yaml *yaml, size_t i);           /* NULL for a list */
const char *mt_yaml_item(const mt_yaml *yaml, size_t i, size_t k); /* k < n_items */

/* The last entry of a key, as in Python; false if there is none or its value is null. */
bool mt_yaml_find(const mt_yaml *yaml, const char *key, size_t *i);

/* Typed values. If the key is missing or null, *value stays as it is and the result is true; a
 * value of another type or out of range is MT_ERROR_FORMAT. */
bool mt_yaml_get_bool(const mt_yaml *yaml, const char *key, bool *value, mt_error *error);
bool mt_yaml_get_size(const mt_yaml *yaml, const char *key, size_t min, size_t max, size_t *value,
                      mt_error *error);
bool mt_yaml_get_number(const mt_yaml *yaml, const char *key, double *value, mt_error *error);
bool mt_yaml_get_string(const mt_yaml *yaml, const char *key, const char **value, mt_error *error);

/* A whole number >= 0 and nothing else; false if it is none or does not fit. */
bool mt_yaml_to_size(const char *text, size_t *value);

#endif
