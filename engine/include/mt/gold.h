/* gold.h — alignments that people made, and how far a recipe is from them. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Error rates as Och & Ney 2003 (section 6) have them, over all sentences together: A the links of
 * a recipe, S the sure ones and P the possible ones of the gold file, S among P:
 *
 *     precision |A n P| / |A|     recall |A n S| / |S|
 *     AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)
 */
#ifndef MT_PUBLIC_GOLD_H
#define MT_PUBLIC_GOLD_H

#include <mt/alignment.h>
#include <mt/error.h>
#include <mt/session.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Files ----------------------------------------------------------------------------------- */

/* A format; THE list is in mt-gold.c. */
typedef struct {
  const char *id;   /* "pharaoh" */
  const char *name; /* "Pharaoh: 0-0 1-2" */
  unsigned base;    /* what its writers count from, 0 or 1 */
  bool has_texts;   /* the sentences are in it */
} mt_gold_format;
size_t mt_gold_n_formats(void);
const mt_gold_format *mt_gold_format_at(size_t i);
/* mt_gold_n_formats(): there is none. */
size_t mt_gold_find_format(const char *id);

/* Words from 0, whatever the file counts from. */
typedef struct {
  uint32_t source, target;
  uint32_t line; /* of the file, from 1 */
  bool is_sure;
} mt_gold_link;

#define MT_GOLD_MOST_BYTES     ((size_t) 64 << 20)
#define MT_GOLD_MOST_SENTENCES 1000000
#define MT_GOLD_MOST_WORDS     65535
#define MT_GOLD_GUESS          (-1)

/* Never changed once it is made; counted. */
typedef struct mt_gold {
  int ref_count; /* private */
  char *label;   /* the file's name without its folders */
  size_t format; /* number of mt_gold_format_at */
  unsigned base; /* what the file counts from */
  size_t n_sentences;
  /* Of all sentences; possible: sure ones among them. */
  size_t n_sure, n_links;
  /* Private: mt_gold_links and mt_gold_text say what they hold. */
  struct mt_gold_sentence *sentences;
  mt_gold_link *links;
  char *texts;
  size_t n_texts, text_capacity, sentence_capacity;
  struct mt_gold_entry *entries; /* while it is read */
  size_t n_entries, entry_capacity;
} mt_gold;

/* Read a file. format: number of mt_gold_format_at, or MT_GOLD_GUESS: by what it holds. base: 0 or
 * 1, or MT_GOLD_GUESS: 0 if a word 0 is there, else 1. NAACL always counts from 1; its 0, a link to
 * nothing, is left out. Of a link that is there twice the sure one counts. Messages name the line:
 * "gold.txt, line 3: expected …". Errors: MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_TOO_LONG beyond
 * the limits above, MT_ERROR_NO_MEMORY. */
mt_gold *mt_gold_read(const char *path, int format, int base, mt_error *error);
/* The same of n bytes. */
mt_gold *mt_gold_parse(const char *label, const char *text, size_t n, int format, int base,
                       mt_error *error);
mt_gold *mt_gold_ref(mt_gold *gold);
void mt_gold_unref(mt_gold *gold);

/* Of sentence i, by target and source; borrowed. */
const mt_gold_link *mt_gold_links(const mt_gold *gold, size_t i, size_t *n);
/* NULL: the format has none. Borrowed. */
const char *mt_gold_text(const mt_gold *gold, size_t i, mt_stack side);
/* Are all links of sentence i between words that are there? MT_ERROR_INPUT names file and line. */
bool mt_gold_check(const mt_gold *gold, size_t i, size_t n_source, size_t n_target,
                   mt_error *error);
/* Links of one sentence as a line, "0-0 1-2", without its end; for mt_string_free. */
char *mt_links_to_text(const mt_link *links, size_t n, unsigned base, mt_error *error);

/* ---- Error rates ----------------------------------------------------------------------------- */

typedef struct {
  uint32_t n_links, n_sure;                /* |A|, |S| */
  uint32_t n_links_sure, n_links_possible; /* |A n S|, |A n P| */
} mt_aer_counts;
/* Of one sentence. */
mt_aer_counts mt_aer_count(const mt_link *links, size_t n, const mt_gold_link *gold, size_t n_gold);
/* 0..1; NAN: of nothing. */
double mt_aer(const mt_aer_counts *counts);
double mt_aer_precision(const mt_aer_counts *counts);
double mt_aer_recall(const mt_aer_counts *counts);

typedef struct {
  size_t n_samples; /* 0: 1000; at most 1000000 */
  uint64_t seed;    /* the same draws for all recipes */
  double level;     /* 0: 0.95 */
} mt_bootstrap;
/* Sentence i of n that draw `draw` of sample `sample` has: one number of the SplitMix64 generator,
 * so that others can draw the same. */
size_t mt_bootstrap_draw(uint64_t seed, size_t sample, size_t draw, size_t n);
/* Percentile interval of AER over samples of n sentences drawn with replacement (Efron 1979), the
 * quantiles as numpy.quantile has them. NAN where no sample has links. MT_ERROR_NO_MEMORY. */
bool mt_bootstrap_interval(const mt_bootstrap *bootstrap, const mt_aer_counts *sentences, size_t n,
                           double *low, double *high, mt_error *error);

/* ---- Recipes beside each other --------------------------------------------------------------- */

/* All recipes that differ from `base` in rows whose bits are set in `vary` (mt_recipe_field_at): of
 * the place every layer and every head, of the threshold none; with has_reverse every symmetry.
 * Returns *n recipes; for mt_recipes_free. NULL: MT_ERROR_NO_MEMORY. */
mt_recipe *mt_recipe_grid(const mt_recipe *base, uint32_t vary, size_t n_layers, size_t n_heads,
                          bool has_reverse, size_t *n, mt_error *error);
void mt_recipes_free(mt_recipe *recipes);

typedef struct {
  mt_recipe recipe;     /* with its layer */
  size_t number;        /* which of those that were asked for */
  bool is_chosen;       /* its layer is the one that would be chosen without gold */
  mt_aer_counts counts; /* of all sentences */
  double aer, precision, recall;
  double low, high; /* of the interval; NAN: it was not asked for */
} mt_evaluated;

/* Recipes on the sentences of a corpus (mt_session_evaluate). */
typedef struct {
  size_t n; /* recipes */
  size_t n_layers, n_heads;
  mt_evaluated *ranked;  /* [n] the lowest AER first; by their number until it is finished */
  mt_recipe *reverse;    /* [n] */
  mt_aer_counts *counts; /* [sentences][n] by number */
  size_t n_sentences, capacity;
  double *norms[2]; /* by row: [layers] */
} mt_evaluation;
/* Recipes whose layers are not open (mt_recipe_choose_layer), and those for the other direction, as
 * for mt_alignment_input_links; NULL: the same. MT_ERROR_INPUT: one names what a model of these
 * layers and heads does not have, or leaves the layer open. */
mt_evaluation *mt_evaluation_new(const mt_recipe *recipes, const mt_recipe *reverse_recipes,
                                 size_t n, size_t n_layers, size_t n_heads, mt_error *error);
void mt_evaluation_free(mt_evaluation *evaluation);
/* Counts of one sentence, from 0. */
mt_aer_counts mt_evaluation_sentence(const mt_evaluation *evaluation, size_t rank, size_t sentence);
/* The layer with the highest mean norm over all sentences, by input or output row. */
size_t mt_evaluation_chosen_layer(const mt_evaluation *evaluation, mt_recipe_row row);

/* A corpus with its gold file: sentences of both sides, and, or NULL, the same tokenised. */
typedef struct {
  const mt_gold *gold;
  size_t n; /* sentences; as many as the gold file has */
  const char *const *texts[MT_N_STACKS];
  const char *const *words[MT_N_STACKS];
  /* The languages and the tasks, of the model and of the one of the other direction; NULL: their
   * own. */
  const mt_search_params *search, *reverse_search;
  const mt_bootstrap *bootstrap;
  size_t n_intervals;
  void (*on_progress)(void *user, double share); /* or NULL */
  void *user;
} mt_evaluation_params;
/* All of it: every sentence through the model, and through the one of the other direction, if
 * reverse is not NULL; twice, where a recipe leaves the layer open, for which then all sentences
 * count. Errors name the sentence. */
mt_evaluation *mt_session_evaluate(mt_session *session, mt_session *reverse,
                                   const mt_evaluation_params *params, const mt_recipe *recipes,
                                   size_t n, const mt_hooks *hooks, mt_error *error);
/* In sessions of its own, on any thread. */
mt_evaluation *mt_model_evaluate(mt_model *model, mt_model *reverse,
                                 const mt_evaluation_params *params, const mt_recipe *recipes,
                                 size_t n, const mt_hooks *hooks, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
