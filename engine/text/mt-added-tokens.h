/* mt-added-tokens.h — tokens that a model has beyond its vocabulary file. Private to the engine.
 *
 * transformers adds them to a tokenizer after it was made: language codes, placeholders, special
 * tokens. They are cut out of a text before SentencePiece sees it, and have ids of their own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ADDED_TOKENS_H
#define MT_ADDED_TOKENS_H

#include "files/mt-file.h"
#include "files/mt-json.h"
#include "mt.h"

typedef struct {
  char *text;
  int32_t id; /* a row of the embedding, or beyond it; -1 until the vocabulary numbers it */
  bool lstrip, rstrip; /* takes the white space before it, after it */
  bool single_word;    /* is one only between blanks */
  bool is_special;     /* no text when ids become text */
  bool stays_text;     /* </s>, <unk>, <pad>: never cut out of a text */
  bool is_replaced;    /* another one got its id */
} mt_added_token;

/* A node of the tree of their bytes. */
typedef struct {
  unsigned char byte;
  int32_t child, sibling; /* 0: none */
  int32_t item;           /* which ends here, or -1 */
} mt_added_node;

typedef struct {
  mt_added_token *items;
  size_t n, capacity;
  char *eos, *unk, *pad; /* what the model calls </s>, <unk> and <pad>; NULL: as these */
  mt_added_node *nodes;
  size_t n_nodes, nodes_capacity;
  size_t longest;    /* bytes */
  bool has_flags;    /* one of them strips, or is a single word */
  bool leaves_whole; /* "split_special_tokens": nothing is cut out */
  /* Set before loading. As the fast tokenizers of transformers have it: the flag "special" counts.
   * And the named special tokens, all but the mask, are never cut out of a text. */
  bool is_fast;
  const mt_json *fast; /* set before loading: tokenizer.json, if it is read already */
} mt_added_tokens;

/* Read tokenizer_config.json and, as transformers does if that lists no added_tokens_decoder,
 * special_tokens_map.json, added_tokens.json and tokenizer.json, those that there are. Initialise
 * with {0}; clear in any case. Errors: those of the files, MT_ERROR_FORMAT. */
bool mt_added_tokens_load(mt_added_tokens *added, const mt_dir *dir, mt_error *error);
/* A special token of a family whose files may not list it; one that is spelled so keeps its id, if
 * it has one. Errors: MT_ERROR_NO_MEMORY. */
bool mt_added_tokens_add(mt_added_tokens *added, const char *text, int32_t id, bool strips_left,
                         mt_error *error);
/* When all have ids, before texts are cut. Errors: MT_ERROR_NO_MEMORY. */
bool mt_added_tokens_settle(mt_added_tokens *added, mt_error *error);
void mt_added_tokens_clear(mt_added_tokens *added);

/* The token that is spelled by these bytes, or NULL. */
const mt_added_token *mt_added_tokens_find(const mt_added_tokens *added, const char *text,
                                           size_t n);

/* A part of a text: an added token, or what lies between two. */
typedef struct {
  const mt_added_token *token; /* NULL: other text */
  const char *text;            /* n bytes, not terminated, at least one */
  size_t n;
  const uint32_t *places; /* of its bytes in the whole text */
} mt_stretch;

/* Cut n bytes of UTF-8 into stretches, in order. White space that a token takes is in none of them.
 * `visit` returns false to stop, after setting its own error; so does this. Also
 * MT_ERROR_NO_MEMORY. */
typedef bool (*mt_stretch_visit)(void *user, const mt_stretch *stretch);
bool mt_added_tokens_split(const mt_added_tokens *added, const char *text, size_t n,
                           mt_stretch_visit visit, void *user, mt_error *error);

#endif
