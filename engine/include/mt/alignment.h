/* alignment.h — which word stands for which, by a recipe, and what is copied by it. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ALIGNMENT_H
#define MT_PUBLIC_ALIGNMENT_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/model.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Recipes and links ----------------------------------------------------------------------- */

/* Which word of the source a word of the translation stands for, by a recipe from
 * cross-attention.
 *
 * There are many ways to read links from attention, and they differ by half of all links (Kobayashi
 * et al. 2020, table 4): a recipe says which one it is. Gold files and error rates: gold.h. */

/* ---- The recipe ------------------------------------------------------------------------------ */

typedef enum { MT_RECIPE_NORMS, MT_RECIPE_WEIGHTS } mt_recipe_matrix;
typedef enum { MT_RECIPE_INPUT_ROW, MT_RECIPE_OUTPUT_ROW } mt_recipe_row;
typedef enum { MT_RECIPE_SUM, MT_RECIPE_MEAN } mt_recipe_pieces;
typedef enum { MT_RECIPE_DROP, MT_RECIPE_KEEP } mt_recipe_special;
typedef enum { MT_RECIPE_ARG_MAX, MT_RECIPE_THRESHOLD } mt_recipe_choose;
typedef enum {
  MT_RECIPE_ONE_DIRECTION,
  MT_RECIPE_INTERSECTION,
  MT_RECIPE_UNION,
  MT_RECIPE_GROW_DIAG_FINAL,
} mt_recipe_symmetry;
typedef enum { MT_RECIPE_OFF, MT_RECIPE_ON } mt_recipe_switch;

typedef struct {
  uint16_t layer, head; /* from 0 */
} mt_recipe_head;
#define MT_RECIPE_MOST_HEADS 32
#define MT_RECIPE_AUTO       (-1)

/* A value; the default is mt_recipe_default, not {0}. Of cross-attention everywhere. */
typedef struct {
  /* Weights A, or norms |A f(x)| of what keys give to queries (attribution.h, norms). */
  mt_recipe_matrix matrix;
  /* n_heads 0: a layer from 0, its weights the mean of its heads, its norms those of the sum of
   * what all heads give; MT_RECIPE_AUTO: the one with the highest mean norm. Else the mean of the
   * matrices of these heads, each by itself, all different, in order. */
  int layer;
  size_t n_heads;
  mt_recipe_head heads[MT_RECIPE_MOST_HEADS];
  bool is_chosen; /* mt_recipe_choose_layer put the layer there, and said is so */
  /* The row of a token: the one whose input it is, or the one that predicts it. */
  mt_recipe_row row;
  /* Of the pieces of a source word, and of those of a target word. */
  mt_recipe_pieces source, target;
  /* Source tokens such as </s>: left out; or they compete, and a word that is most theirs has no
   * link. Those of the target never have links. */
  mt_recipe_special special;
  /* For each target word the source word with the largest number (the first of several), or all
   * that have at least `threshold` of what its row sums to. A word whose row is 0 has no link. */
  mt_recipe_choose choose;
  double threshold;
  /* With links of a second model of the other direction: Koehn, Och & Marcu 2003. */
  mt_recipe_symmetry symmetry;
  /* The punctuation rule: words without letter and digit go with such only. It changes error rates.
   */
  mt_recipe_switch punctuation;
} mt_recipe;

/* Norms, layer by itself, input row, pieces summed and averaged, </s> left out, arg max: the best
 * one of Kobayashi et al. 2020 for which no gold is needed. */
mt_recipe mt_recipe_default(void);

/* THE settings, one row each: what is typed, saved, shown and varied goes through them. */
typedef enum {
  MT_RECIPE_CHOICE, /* value: index into choices */
  MT_RECIPE_PLACE,  /* "auto", "4", "4.1", "4.1+5.1": no single number; from 1 in text */
  MT_RECIPE_NUMBER,
} mt_recipe_type;
typedef struct {
  const char *key;  /* "matrix", in files and as --matrix */
  const char *name; /* "Matrix" */
  const char *help;
  mt_recipe_type type;
  const char *const *choices; /* NULL-terminated: "norms", "weights" */
  const char *const *phrases; /* as many: how a description says it */
  double least, most;
} mt_recipe_field;
size_t mt_recipe_n_fields(void);
const mt_recipe_field *mt_recipe_field_at(size_t i); /* i < n */
bool mt_recipe_find_field(const char *key, size_t *i);
/* Index of the choice, or the number; of the place -1. */
double mt_recipe_get(const mt_recipe *recipe, size_t i);
/* MT_ERROR_INPUT for what is out of range, or the place; nothing is changed then. */
bool mt_recipe_set(mt_recipe *recipe, size_t i, double value, mt_error *error);
#define MT_RECIPE_TEXT_SIZE 512
/* As text, into out [MT_RECIPE_TEXT_SIZE], which is returned. */
const char *mt_recipe_get_text(const mt_recipe *recipe, size_t i, char *out);

/* All settings, "matrix=norms of=auto row=input …"; the threshold only where it counts. Equal
 * recipes have the same text, others another; whether a layer was chosen is not in it. Into out
 * [MT_RECIPE_TEXT_SIZE], which is returned. */
const char *mt_recipe_text(const mt_recipe *recipe, char *out);
/* From such a text, in any order; what is missing is the default. label: what messages call it.
 * MT_ERROR_INPUT names the word that is not understood; then *recipe is left alone. */
bool mt_recipe_parse(mt_recipe *recipe, const char *label, const char *text, mt_error *error);
/* The same as a JSON object, {"matrix": "norms", "of": "auto", …}; for mt_string_free. NULL:
 * MT_ERROR_NO_MEMORY. */
char *mt_recipe_to_json(const mt_recipe *recipe, mt_error *error);
/* From n bytes; null or missing: the default. MT_ERROR_FORMAT. */
bool mt_recipe_from_json(mt_recipe *recipe, const char *label, const char *text, size_t n,
                         mt_error *error);
bool mt_recipe_equal(const mt_recipe *a, const mt_recipe *b);
/* For people: "norms, layer 4 (highest mean norm, chosen without gold), input row", of the rows
 * whose bits are set in `rows`; into out [MT_RECIPE_TEXT_SIZE], which is returned. */
#define MT_RECIPE_ALL_ROWS UINT32_MAX
const char *mt_recipe_describe(const mt_recipe *recipe, uint32_t rows, char *out);

/* Has a model of so many decoder layers and heads all that it names? MT_ERROR_INPUT. */
bool mt_recipe_check(const mt_recipe *recipe, size_t n_layers, size_t n_heads, mt_error *error);

/* ---- One translation ------------------------------------------------------------------------- */

typedef struct {
  size_t begin, end; /* bytes, or words: end is behind the last */
} mt_span;

/* The words of a text, and which of them each piece has characters of. */
typedef struct {
  char *text; /* that they are words of */
  size_t n;
  mt_span *words;  /* [n] bytes of the text */
  mt_span *pieces; /* [tokens] words; none for special tokens, and for pieces without characters */
  bool *is_punctuation; /* [n] no letter and no digit */
} mt_words;

/* A translation with all that recipes read, and the words of both sides. Never changed once it is
 * made; counted. Memory: two numbers for each cell of each head. */
typedef struct {
  int ref_count; /* private */
  mt_tokens *tokens[MT_N_STACKS];
  mt_words words[MT_N_STACKS];
  size_t n_layers, n_heads, rows, keys; /* of cross-attention */
  float *heads[2];                      /* by mt_recipe_matrix: [layers][heads][rows][keys] */
  float *layers[2]; /* [layers][rows][keys]: norms of the sum, mean of weights */
} mt_alignment_input;

/* Two texts, teacher-forced: one pass, the output layer left out. Words are what stands between
 * white space in the texts; or in source_words and target_words, where these are not NULL: the same
 * characters but for white space, as a gold file was tokenised. A piece belongs to every word of
 * which it has a character. Of params, which may be NULL, the languages and the task count; of
 * hooks, changes and should_stop. Errors: as mt_session_score; MT_ERROR_INPUT for words that are
 * not those of the text, and for changes after which a context is not weights times values
 * (mt_interventions_check_explained).
 */
mt_alignment_input *mt_alignment_input_new(mt_session *session, const char *source,
                                           const char *target, const char *source_words,
                                           const char *target_words, const mt_search_params *params,
                                           const mt_hooks *hooks, mt_error *error);
/* Hypothesis `index` of a translation, likewise. */
mt_alignment_input *mt_alignment_input_of_translation(mt_session *session,
                                                      const mt_translation *translation,
                                                      size_t index, const mt_hooks *hooks,
                                                      mt_error *error);
mt_alignment_input *mt_alignment_input_ref(mt_alignment_input *input);
void mt_alignment_input_unref(mt_alignment_input *input);

/* Add to sums [layers] the norms of each layer over rows and columns of words, with the recipe's
 * row, and to *n how many cells those are: several sentences may be added up. */
void mt_alignment_input_add_norms(const mt_alignment_input *input, mt_recipe_row row, double *sums,
                                  size_t *n);
/* Of a recipe that leaves the layer open, the one with the largest sum; others stay. */
void mt_recipe_choose_layer(mt_recipe *recipe, const double *sums, size_t n_layers);

/* ---- Links ----------------------------------------------------------------------------------- */

/* Words from 0. */
typedef struct {
  uint32_t source, target;
  float weight; /* share that the source word has of the row of the target word, 0..1 */
} mt_link;

/* The links of a recipe, by target and source; a layer that is left open is chosen by this sentence
 * alone. reverse: the same two texts in a model of the other direction, its source our target, and
 * the recipe for it (NULL: the same), of which symmetry does not count; NULL: there is none. Of
 * links that only it has the weight is the share of the source word's row. Returns *n links that
 * you own; free them with mt_links_free. Errors: MT_ERROR_INPUT for a place that is not there, for
 * symmetry without reverse, and for one of other words; MT_ERROR_NO_MEMORY: NULL. */
mt_link *mt_alignment_input_links(const mt_alignment_input *input, const mt_recipe *recipe,
                                  const mt_alignment_input *reverse,
                                  const mt_recipe *reverse_recipe, size_t *n, mt_error *error);
void mt_links_free(mt_link *links);
/* What they are chosen from: [target words][source words], 0 where the punctuation rule forbids a
 * link. Also for mt_links_free_matrix; NULL: as above. */
float *mt_alignment_input_matrix(const mt_alignment_input *input, const mt_recipe *recipe,
                                 mt_error *error);
void mt_links_free_matrix(float *matrix);

/* Both as a set, by target and source: what the symmetry of a recipe makes of the links of one
 * direction and of the other, whose words are counted as in the first. out: room for n_a + n_b.
 * Grow-diag-final as in Koehn, Och & Marcu 2003: from the intersection, links of the union beside
 * those that are there (eight neighbours) while one of their words has none; then of a, then of b,
 * those of which one word has none. 0: none, or MT_ERROR_NO_MEMORY, and *error says so. */
size_t mt_links_join(const mt_link *a, size_t n_a, const mt_link *b, size_t n_b,
                     mt_recipe_symmetry symmetry, mt_link *out, mt_error *error);

/* ---- Copies ---------------------------------------------------------------------------------- */

/* One word that was copied. */
typedef struct {
  size_t first, n;                 /* tokens of the output that it stands for, <unk> among them */
  size_t begin, end;               /* bytes of the text of mt_copies.tokens */
  size_t source_begin, source_end; /* bytes of the text of the source's tokens */
  float weight; /* share that the source word has of what all have in the rows of <unk> */
} mt_copied;

/* Never changed once it is made; counted. */
typedef struct {
  int ref_count; /* private */
  /* Those of the output with their places in the text that has the copied words: mt_tokens_text of
   * it. Those of a copied word have all of it. */
  mt_tokens *tokens;
  size_t n;
  mt_copied *copied; /* [n] in the order of the output */
} mt_copies;

/* Whether the output of a hypothesis has a token that says only that there is no token. */
bool mt_copies_are_wanted(const mt_hypothesis *hypothesis);

/* Hypothesis `index` with each such word replaced by the word of the source that it stands for by
 * mt_recipe_default: the largest of the norms of cross-attention, in the layer with the highest
 * mean norm of this sentence, in the row whose input is <unk> (of the last token, which is no
 * input: the row that predicts it), summed over the pieces of a source word. The word is <unk> and
 * the pieces beside it that belong to the same word, without punctuation; of the source, what
 * stands between white space, without the punctuation around it, or the piece alone in scripts that
 * have no white space between words. One more pass of the model, if there is an <unk>. An <unk> for
 * which attention names no word stays away. Errors as mt_alignment_input_of_translation. */
mt_copies *mt_copies_new(mt_session *session, const mt_translation *translation, size_t index,
                         const mt_hooks *hooks, mt_error *error);
mt_copies *mt_copies_ref(mt_copies *copies);
void mt_copies_unref(mt_copies *copies); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
