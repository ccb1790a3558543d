/* mt-json-read.h — JSON text to a tree in one block. Private to mt-json.c and mt-json-read.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_JSON_READ_H
#define MT_JSON_READ_H

#include "mt-json.h"

/* A value of the tree. A list or an object is followed by what is in it, in the order of the text,
 * so the value behind it is `span` further on. */
struct mt_json_value {
  const char *key; /* of a member of an object; else NULL */
  union {
    int64_t integer;
    double number;
    const char *string;
    /* of a list or object: how many values further on each of the n is: of a list in order, of an
     * object sorted by key */
    const uint32_t *index;
  };
  uint32_t n; /* bytes of a string; values in a list; different keys of an object */
  uint32_t span;
  uint8_t kind; /* mt_json_kind */
  bool boolean;
  bool is_hidden; /* a member whose key comes again */
};

/* Everything that was allocated for a document. */
struct mt_json_tree {
  mt_json_value *values; /* [n]; the first is the outermost */
  size_t n;
  uint32_t *index;
  char *strings;
};

typedef enum {
  MT_JSON_READ_OK,
  MT_JSON_READ_SYNTAX,
  MT_JSON_READ_CUT_OFF,
  MT_JSON_READ_DEEP,
  MT_JSON_READ_MANY,
  MT_JSON_READ_NO_MEMORY,
} mt_json_problem;

/* At most this many values, of 32 bytes each: a text of 100 MB could be made of 50 million. */
#define MT_JSON_MAX_VALUES (1 << 23)

/* Read n < 2^32 bytes of UTF-8 (checked by the caller), strictly as RFC 8259 says. max_depth: lists
 * and objects inside each other. On failure *tree is empty, *offset is the byte where it ended and
 * *what a phrase for MT_JSON_READ_SYNTAX. */
mt_json_problem mt_json_read(mt_json_tree *tree, const char *text, size_t n, size_t max_depth,
                             size_t *offset, const char **what);
void mt_json_tree_clear(mt_json_tree *tree);

#endif
