/* corpus.h — what every head does over a text: corpus files, read and written. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CORPUS_H
#define MT_PUBLIC_CORPUS_H

#include <mt/ablation.h>
#include <mt/capture.h>
#include <mt/conllu.h>
#include <mt/error.h>
#include <mt/head-statistics.h>
#include <mt/model.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading --------------------------------------------------------------------------------- */

/* What every head does over a text: statistics, examples, search.
 *
 * A corpus file is one SQLite file that `regard-cli corpus TEXT -o FILE` writes. It holds the
 * sentences of a text with their translations, and for every head of all three kinds
 *
 *   statistics   of each measure: n, mean, deviation, skewness, kurtosis, least, most, and a
 *                histogram of MT_CORPUS_BINS bins over a fixed range
 *   roles        value, n and p of each, on one scale (Pande et al. 2021)
 *   offsets      how often the largest weight of a row is k positions away (Voita et al. 2019)
 *   relations    of Universal Dependencies, where the text came with trees
 *   distances    to all heads of its kind (Jensen–Shannon), and a map made of them
 *   examples     the 20 strongest sentences of each measure, and 10 groups of 5 by quantile
 *   a byte       for each sentence and measure, by which sentences are found
 *
 * Everything is a sum of whole numbers or the best of a total order, so that parts of a text that
 * were computed apart and merged give what the whole gives, to the last bit.
 *
 *     mt_corpus *corpus = mt_corpus_open("text.regard-corpus", &error);
 *     mt_corpus_statistics s;
 *     if (corpus && mt_corpus_get(corpus, MT_CROSS, 3, 0, MT_CORPUS_SPECIAL, &s, &error))
 *       printf("%llu sentences, mean %g\n", (unsigned long long) s.n, s.mean);
 *     mt_corpus_close(corpus);
 *
 * Layers and heads count from 0. A corpus that is open belongs to one thread at a time; opening the
 * same file twice is fine. A corpus file is a stranger's: its schema must be to the letter what is
 * written here, and each number in it is checked when it is read; errors are MT_ERROR_FORMAT. */

/* ---- Measures -------------------------------------------------------------------------------- */

/* Statistics of heads (mt/head-statistics.h) that a corpus file keeps, by their number there. The
 * first eight are those of mt_head_metrics. */
typedef enum {
  MT_CORPUS_ENTROPY,     /* bits, mean over rows */
  MT_CORPUS_CONFIDENCE,  /* mean over rows of the largest weight, special columns left out */
  MT_CORPUS_DISTANCE,    /* self: tokens; cross: share of the lengths */
  MT_CORPUS_SPECIAL,     /* mean mass on special tokens: </s>, start, language */
  MT_CORPUS_PREVIOUS,    /* share of rows that look most at the token before; self */
  MT_CORPUS_SAME,        /* … at their own token; self */
  MT_CORPUS_NEXT,        /* … at the next token; encoder */
  MT_CORPUS_MONOTONE,    /* share of steps whose largest weight does not move back; cross */
  MT_CORPUS_PUNCTUATION, /* mean mass on tokens that are nothing but punctuation */
  MT_CORPUS_FIRST,       /* mean mass on the first token */
  MT_CORPUS_RARE,        /* share of rows that look most at the rarest token of the sentence */
  MT_CORPUS_EFFECT,      /* nats: log p of the translation less that without the head (effects.h);
                            n is 0 where it was not asked for */
  MT_N_CORPUS_MEASURES,
} mt_corpus_measure;

/* Its row of the table of statistics. */
const mt_head_statistic *mt_corpus_measure_about(mt_corpus_measure measure);
/* False: there is none with this id. */
bool mt_corpus_measure_find(const char *id, mt_corpus_measure *measure);

/* ---- Opening --------------------------------------------------------------------------------- */

typedef struct mt_corpus mt_corpus;
/* For reading. MT_ERROR_IO: no such file, or it cannot be read; MT_ERROR_FORMAT: no corpus file, or
 * a damaged one; MT_ERROR_NO_MEMORY. */
mt_corpus *mt_corpus_open(const char *path, mt_error *error);
void mt_corpus_close(mt_corpus *corpus);

/* What the file says of itself; strings are borrowed from the corpus. */
typedef struct {
  const char *model_name;
  uint64_t fingerprint;      /* of the model */
  const char *text_name;     /* "news.en.txt"; of merged ones several: "a.txt + b.txt" */
  const char *search;        /* how translations were searched for: mt_request as JSON */
  const char *interventions; /* text of the changes that the model was run with; "": none */
  bool is_complete;          /* false: its text was not read to the end, or is being read */
  bool has_effects;          /* MT_CORPUS_EFFECT is there … */
  mt_ablation_kind with;     /* … and how heads were taken out for it */
  bool has_trees;            /* there are relations */
  uint64_t n_sentences;      /* in the statistics */
  uint64_t n_left_out;       /* lines that could not be read or translated */
  uint64_t n_tokens[MT_N_STACKS];
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];
} mt_corpus_about;
const mt_corpus_about *mt_corpus_get_about(const mt_corpus *corpus);
/* False, MT_ERROR_INPUT, which names both: it was made with another model. */
bool mt_corpus_check_model(const mt_corpus *corpus, const mt_model *model, mt_error *error);

/* ---- Statistics of a head -------------------------------------------------------------------- */

#define MT_CORPUS_BINS 50

/* Over sentences. Moments are of the population (divided by n): sd is the root of the mean square
 * distance from the mean, skewness and kurtosis the mean third and fourth power of it over sd³ and
 * sd⁴, kurtosis less 3; NAN where sd or n is 0. Values are added up rounded to 2^-30. */
typedef struct {
  uint64_t
      n; /* 0: the measure is not defined for the kind, or was not asked for; all else is NAN */
  double mean, sd, skewness, kurtosis, least, most;
  double low, high;              /* bin i counts low + (high - low) * [i, i + 1) / MT_CORPUS_BINS */
  uint64_t bins[MT_CORPUS_BINS]; /* their sum is n */
} mt_corpus_statistics;
/* Layer and head must be the model's. False: the file is damaged. */
bool mt_corpus_get(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                   mt_corpus_measure measure, mt_corpus_statistics *statistics, mt_error *error);

/* Rows whose largest weight is at offset k = -MT_CORPUS_REACH … MT_CORPUS_REACH, key less query, of
 * all rows of the text that have a key there: a positional head is one whose best share is 0.9 or
 * more (Voita et al. 2019). Self-attention only; 0 and 0 for cross. */
#define MT_CORPUS_REACH 8
typedef struct {
  uint64_t hits[2 * MT_CORPUS_REACH + 1], rows[2 * MT_CORPUS_REACH + 1];
  /* The offset with the greatest share of those that at least half of all rows have a key at; of
   * equals the one nearest to 0. NAN: there are no rows. */
  int best;
  double best_share;
} mt_corpus_offsets;
bool mt_corpus_get_offsets(const mt_corpus *corpus, mt_attention_kind kind, size_t layer,
                           size_t head, mt_corpus_offsets *offsets, mt_error *error);

/* ---- Roles ----------------------------------------------------------------------------------- */

/* What a head may be for, by the keys that it then looks at. */
typedef enum {
  MT_CORPUS_ROLE_PREVIOUS,    /* self: the token before */
  MT_CORPUS_ROLE_SAME,        /* self: its own token */
  MT_CORPUS_ROLE_NEXT,        /* encoder: the next token */
  MT_CORPUS_ROLE_DIAGONAL,    /* cross: the source token at the same share of the length */
  MT_CORPUS_ROLE_SPECIAL,     /* </s> and other special tokens ("delimiter", "sink") */
  MT_CORPUS_ROLE_PUNCTUATION, /* tokens that are nothing but punctuation */
  MT_CORPUS_ROLE_FIRST,       /* the first token */
  MT_CORPUS_ROLE_RARE,        /* the rarest token: the one that comes last in the vocabulary */
  MT_N_CORPUS_ROLES,
} mt_corpus_role;
typedef struct {
  const char *id;   /* "previous" */
  const char *name; /* "previous" */
  const char *what; /* a sentence: which keys */
  uint32_t kinds;
} mt_corpus_role_info;
const mt_corpus_role_info *mt_corpus_role_about(mt_corpus_role role);

/* On one scale for all roles (Pande et al. 2021, "sieve bias score"): of a sentence, the mean
 * weight on the keys of the role divided by the mean weight on all keys that the rows see, rows
 * without a key of the role left out. 1: as much as on any other key. value is its mean over
 * sentences that have such a key; p is that of a one-sided t-test over sentences against the
 * hypothesis that the mean is at most MT_CORPUS_ROLE_BIAS. */
#define MT_CORPUS_ROLE_BIAS 3.0
#define MT_CORPUS_ROLE_P    0.001
typedef struct {
  uint64_t n;       /* sentences; 0: value and share are NAN, and p is 1 */
  double value, sd; /* mean and deviation over sentences */
  double share;     /* mean over sentences of the mass on those keys, per row that has some: 0..1 */
  double p;
  bool holds; /* p < MT_CORPUS_ROLE_P divided by the heads of the file (Bonferroni) */
} mt_corpus_role_value;
/* n is 0 for roles that the kind does not have. */
bool mt_corpus_get_role(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head,
                        mt_corpus_role role, mt_corpus_role_value *value, mt_error *error);

/* ---- Relations (Universal Dependencies), of encoder heads ------------------------------------ */

/* Relations of the text, each in both directions, the most frequent first: "nsubj" from the word to
 * its governor, and from the governor to the word. Subtypes ("nsubj:pass") count as their relation.
 * 0: the text came without trees. */
size_t mt_corpus_n_relations(const mt_corpus *corpus);
typedef struct {
  const char *name; /* "nsubj"; borrowed from the corpus */
  bool is_reverse;  /* from the governor to the word */
  uint64_t n;       /* how often it is there */
  /* The best that always looking the same number of words away does, and how far that is. */
  int offset;
  double offset_share;
} mt_corpus_relation;
mt_corpus_relation mt_corpus_relation_at(const mt_corpus *corpus, size_t i);
/* Of those n, how often the word that a head looks at most is the right one: weights are summed
 * over the pieces of the word looked at and averaged over those of the one that looks (Clark et al.
 * 2019, section 4), special tokens left out. p is one-sided, that this is no more than
 * offset_share: normal approximation of the binomial. */
typedef struct {
  double share; /* 0..1 */
  double p;
  bool holds; /* p < MT_CORPUS_ROLE_P divided by encoder heads times relations, and n >= 20 */
} mt_corpus_relation_value;
bool mt_corpus_get_relation(const mt_corpus *corpus, size_t layer, size_t head, size_t i,
                            mt_corpus_relation_value *value, mt_error *error);

/* ---- Distances ------------------------------------------------------------------------------- */

/* Root of the mean, over sentences and in them over rows, of the Jensen–Shannon divergence (base 2)
 * between the two heads' rows: 0 … 1, a metric. Only heads of one kind have the same rows and
 * columns, so that only these can be compared: NAN between kinds. */
double mt_corpus_distance(const mt_corpus *corpus, mt_attention_kind kind, size_t layer_a,
                          size_t head_a, size_t layer_b, size_t head_b);

/* ---- Sentences ------------------------------------------------------------------------------- */

typedef struct {
  uint32_t begin, end; /* bytes of the text; equal for tokens without text of their own */
  bool is_special;
} mt_corpus_token;
/* Sentences count from 1 in the order of the text. */
typedef struct {
  uint64_t id;
  uint64_t line; /* of its text file, or of its first line in the tree file; from 1 */
  const char *text[MT_N_STACKS]; /* source, and the translation */
  size_t n_tokens[MT_N_STACKS];
  const mt_corpus_token *tokens[MT_N_STACKS]; /* source, output */
} mt_corpus_sentence;
/* Caller frees. MT_ERROR_INPUT: there is none with this id. */
mt_corpus_sentence *mt_corpus_sentence_new(const mt_corpus *corpus, uint64_t id, mt_error *error);
void mt_corpus_sentence_free(mt_corpus_sentence *sentence);

/* ---- Examples -------------------------------------------------------------------------------- */

#define MT_CORPUS_STRONGEST 20
#define MT_CORPUS_GROUPS    10
#define MT_CORPUS_PER_GROUP 5

typedef struct {
  uint64_t sentence; /* id */
  double value;      /* of the measure. In groups: to 1/255 of the measure's range */
  /* The cell that speaks most for it, from 0: a row of the matrix, and a column; weights are that
   * row, [n_weights], each to 1/255. In groups n_weights is 0, and there is no cell. */
  size_t query, key, n_weights;
  const float *weights;
} mt_corpus_example;
typedef struct {
  size_t n;
  mt_corpus_example *items;
} mt_corpus_examples;

/* The sentences with the greatest value, at most MT_CORPUS_STRONGEST, the strongest first; of equal
 * ones those that come first by a hash of their text. A text that comes several times counts
 * once. Caller frees. */
mt_corpus_examples *mt_corpus_strongest(const mt_corpus *corpus, mt_attention_kind kind,
                                        size_t layer, size_t head, mt_corpus_measure measure,
                                        mt_error *error);
/* Quantiles, so that nobody picks cherries: sentences sorted by value are cut into MT_CORPUS_GROUPS
 * groups of equal size; of each group the MT_CORPUS_PER_GROUP whose text comes first by hash.
 * groups [MT_CORPUS_GROUPS]: items of group g are [g * PER_GROUP, (g + 1) * PER_GROUP), the least
 * group first; sentence 0: the group has fewer. Caller frees. */
mt_corpus_examples *mt_corpus_quantiles(const mt_corpus *corpus, mt_attention_kind kind,
                                        size_t layer, size_t head, mt_corpus_measure measure,
                                        mt_error *error);
void mt_corpus_examples_free(mt_corpus_examples *examples);

/* ---- Search ---------------------------------------------------------------------------------- */

/* Sentences with these words, and where a head does this: "sentences in which cross 4.1 looks at
 * </s>" is measure MT_CORPUS_SPECIAL, least 0.5, most 1. {0} finds all. */
typedef struct {
  /* Words that must all be in the source or in its translation, in any order; "quotes" keep some
   * together, and a * at the end of a word stands for any ending. Case and accents do not count.
   * NULL or "": any. */
  const char *words;
  bool has_head; /* what follows counts */
  mt_attention_kind kind;
  size_t layer, head;
  mt_corpus_measure measure;
  double least, most; /* inclusive; compared to 1/255 of the measure's range, as values are kept */
  bool is_descending; /* the greatest value first; else in the order of the text */
  size_t limit, offset; /* so many, after so many; limit 0: 100 */
} mt_corpus_query;
typedef struct {
  uint64_t sentence; /* id */
  double value;      /* of the measure, to 1/255 of its range; NAN: no head was asked for */
} mt_corpus_hit;
typedef struct {
  uint64_t total; /* that were found, of which … */
  size_t n;       /* … so many are here */
  mt_corpus_hit *items;
} mt_corpus_hits;
/* Caller frees. MT_ERROR_INPUT: words that are no search, a measure the kind does not have. */
mt_corpus_hits *mt_corpus_search(const mt_corpus *corpus, const mt_corpus_query *query,
                                 mt_error *error);
void mt_corpus_hits_free(mt_corpus_hits *hits);

/* A hash of all that the file holds of heads and sentences, and nothing of the name of the text or
 * of how many parts it was made in: parts that were merged in the order of the text have that of
 * the whole. 0 with *error: the file is damaged. */
uint64_t mt_corpus_hash(const mt_corpus *corpus, mt_error *error);

/* ---- Writing --------------------------------------------------------------------------------- */

/* What a file is made of; a file that is there is continued only with the same. */
typedef struct {
  const char *text_name;     /* for people; not compared */
  const char *search;        /* how translations are searched for, as text; NULL: "" */
  const char *interventions; /* that the model is run with, as text; NULL: "" */
  bool has_effects;          /* each sentence comes with effects … */
  mt_ablation_kind with;     /* … of this kind */
  bool has_trees;            /* each sentence comes with a tree */
  unsigned n_threads;        /* for computing; 0: one */
} mt_corpus_settings;

/* A file that is being made. What was added is in it after the next commit, all of it or nothing:
 * whatever ends the program in between leaves the file as the last commit left it. */
typedef struct mt_corpus_writer mt_corpus_writer;

/* Makes the file, or opens it to go on, if it is there and not complete. Errors: MT_ERROR_IO, also
 * while another program has it open to write, or another thread of this one;
 * MT_ERROR_FORMAT: no corpus file, or a damaged one; MT_ERROR_INPUT: it is of another model or of
 * other settings; MT_ERROR_TOO_LONG: the model has too many heads; MT_ERROR_NO_MEMORY. */
mt_corpus_writer *mt_corpus_writer_new(const char *path, const mt_model *model,
                                       const mt_corpus_settings *settings, mt_error *error);
/* What was not committed is not kept. */
void mt_corpus_writer_free(mt_corpus_writer *writer);

/* How far the text was read at the last commit, as it was told; 0 at the beginning. */
uint64_t mt_corpus_writer_n_lines(const mt_corpus_writer *writer);
uint64_t mt_corpus_writer_text_hash(const mt_corpus_writer *writer);
bool mt_corpus_writer_is_complete(const mt_corpus_writer *writer);
uint64_t mt_corpus_writer_n_sentences(const mt_corpus_writer *writer);

/* Add a sentence. effects and tree: as the settings say, else NULL. line: where it stands in its
 * text, from 1. All linear in the cells of its matrices, but for the distances, which take a sum
 * over them for each pair of heads of a kind. False: MT_ERROR_INPUT (not of this shape, without the
 * words of its tree), MT_ERROR_IO, MT_ERROR_NO_MEMORY; the sentence is not added. */
bool mt_corpus_writer_add(mt_corpus_writer *writer, const mt_capture *capture,
                          const mt_ablation *effects, const mt_conllu_tree *tree, uint64_t line,
                          mt_error *error);
/* A line that could not be read or translated: only counted. */
void mt_corpus_writer_leave_out(mt_corpus_writer *writer);

/* So many lines of the text were read, whose hash is that; is_complete: they were all. */
bool mt_corpus_writer_commit(mt_corpus_writer *writer, uint64_t n_lines, uint64_t text_hash,
                             bool is_complete, mt_error *error);

/* One file of several complete ones of the same model and settings, sentence after sentence; out
 * must not be there. should_stop, which may be NULL, is asked now and then. On failure there is no
 * file at out. Errors as those of mt_corpus_writer_new; MT_ERROR_CANCELLED. */
bool mt_corpus_merge(const char *const *paths, size_t n, const char *out,
                     bool (*should_stop)(void *user), void *user, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
