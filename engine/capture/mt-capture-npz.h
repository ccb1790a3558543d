/* mt-capture-npz.h — the layout of a capture as .npz: what its arrays are called. Private to the
 * engine; mt.h (mt_capture_write_npz, mt_capture_read_npz) says what is in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CAPTURE_NPZ_H
#define MT_CAPTURE_NPZ_H

#include "files/mt-npz.h"
#include "mt.h"

typedef struct {
  const char *kind; /* "encoder", … */
  const char *weights, *scores, *row_lse;
  const char *first; /* of a part: numbers of its first layer and head */
} mt_kind_names;
extern const mt_kind_names mt_npz_kinds[MT_N_KINDS];

typedef struct {
  const char *tokens, *ids, *words, *special, *text, *spans;
} mt_list_names;
typedef enum { MT_LIST_SOURCE, MT_LIST_DECODER_INPUT, MT_LIST_OUTPUT } mt_list;
#define MT_N_LISTS 3
extern const mt_list_names mt_npz_lists[MT_N_LISTS];
/* The same without a prefix, for a file with one list only. */
extern const mt_list_names mt_npz_only_list;

extern const char *const mt_npz_stack_positions[MT_N_STACKS];
/* Words for enumerations, NULL-terminated, by their values. */
extern const char *const mt_npz_position_kinds[];
extern const char *const mt_npz_namings[];
/* Names of arrays that hold a name of a precision. */
extern const char mt_npz_precision[], mt_npz_translation_precision[];
extern const char mt_npz_attention_window[], mt_npz_changes[], mt_npz_search[];

/* Limits of what is read, see mt.h. */
enum { MT_NPZ_MAX_TOKENS = 4096, MT_NPZ_MAX_PIECE = 256, MT_NPZ_MAX_TEXT = 1 << 20 };

/* ---- Reading its parts; of a batch of one, the one ------------------------------------------ */

/* Array `name`, if the file has it. False on failure; *found says if it is there. */
bool mt_npz_find_array(mt_npz *npz, const char *name, mt_npy *npy, size_t *i, bool *found,
                       mt_error *error);

/* One string of at most MT_NPZ_MAX_TEXT bytes: a copy for mt_free, or NULL if there is none. */
bool mt_npz_read_text(mt_npz *npz, const char *name, char **text, mt_error *error);

/* A list of tokens that you own. n: how many there have to be, or 0 if nothing else says so.
 * Where the file has no such list *tokens is NULL, or if is_needed (then n is not 0) a list of
 * numbers. */
bool mt_npz_read_tokens(mt_npz *npz, const mt_list_names *names, size_t n, bool is_needed,
                        mt_tokens **tokens, mt_error *error);

#endif
