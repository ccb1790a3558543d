/* mt-corpus-sums.h — what is added up of one head over the sentences of a text. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything is a whole number, so that the order of adding makes no difference. A value v, cut to
 * ±512, is q = round(v 2^30); powers are kept to 2^-60: q², q³ / 2^30, q⁴ / 2^60. 2^30 sentences of
 * the greatest value then need 2^126.
 */
#ifndef MT_CORPUS_SUMS_H
#define MT_CORPUS_SUMS_H

#include "corpus/mt-packed.h"
#include "mt.h"

/* value * 2^30 */
typedef int64_t mt_fixed;
#define MT_FIXED_ONE   ((mt_fixed) 1 << 30)
#define MT_FIXED_LIMIT (512 * MT_FIXED_ONE)
mt_fixed mt_fixed_of(double value);
double mt_fixed_value(mt_fixed fixed);

/* Sentences of a file. */
#define MT_CORPUS_MOST_SENTENCES ((uint64_t) 1 << 30)
#define MT_CORPUS_N_OFFSETS      (2 * MT_CORPUS_REACH + 1)

/* ---- One head on one sentence ---------------------------------------------------------------- */

typedef struct {
  mt_fixed value;
  uint32_t query, key; /* the cell that speaks most for it */
} mt_corpus_measured;

typedef struct {
  uint32_t measures; /* 1 << measure of those that it has */
  mt_corpus_measured measured[MT_N_CORPUS_MEASURES];
  uint32_t roles; /* likewise */
  mt_fixed role_values[MT_N_CORPUS_ROLES], role_shares[MT_N_CORPUS_ROLES];
  uint32_t hits[MT_CORPUS_N_OFFSETS], rows[MT_CORPUS_N_OFFSETS];
} mt_corpus_values;

/* ---- Over sentences -------------------------------------------------------------------------- */

typedef struct {
  uint64_t n;
  mt_exact sums[4]; /* of v, to 2^-30, and of v², v³, v⁴, to 2^-60 */
  mt_fixed least, most;
  uint64_t bins[MT_CORPUS_BINS];
} mt_corpus_measure_sums;

typedef struct {
  uint64_t n;
  mt_exact sum, square; /* to 2^-30 and 2^-60 */
  mt_exact share;       /* to 2^-30 */
} mt_corpus_role_sums;

typedef struct {
  mt_corpus_measure_sums measures[MT_N_CORPUS_MEASURES];
  mt_corpus_role_sums roles[MT_N_CORPUS_ROLES];
  uint64_t hits[MT_CORPUS_N_OFFSETS], rows[MT_CORPUS_N_OFFSETS];
} mt_corpus_sums;

void mt_corpus_sums_add(mt_corpus_sums *sums, mt_attention_kind kind,
                        const mt_corpus_values *values);
void mt_corpus_sums_merge(mt_corpus_sums *sums, const mt_corpus_sums *others);
void mt_corpus_sums_put(const mt_corpus_sums *sums, mt_packed *bytes);
/* False: what is there cannot be such sums over at most `most` sentences. */
bool mt_corpus_sums_get(mt_corpus_sums *sums, mt_packed_in *in, uint64_t most);

/* What they say. */
void mt_corpus_sums_statistics(const mt_corpus_measure_sums *sums, mt_corpus_statistics *out);
/* Of n heads that are tested at once. */
void mt_corpus_sums_role(const mt_corpus_role_sums *sums, size_t n_heads,
                         mt_corpus_role_value *out);
void mt_corpus_sums_offsets(const mt_corpus_sums *sums, mt_corpus_offsets *out);

/* ---- Tests ----------------------------------------------------------------------------------- */

/* P(T >= t) of Student's t distribution with that many degrees of freedom. */
double mt_student_tail(double t, double freedom);
/* P(Z >= z) of the normal distribution. */
double mt_normal_tail(double z);

/* ---- A byte for a value ---------------------------------------------------------------------- */

/* Where a value stands in the range of its measure: 0 … 255, and back. */
unsigned char mt_corpus_quantize(mt_corpus_measure measure, mt_attention_kind kind, double value);
double mt_corpus_dequantize(mt_corpus_measure measure, mt_attention_kind kind, unsigned char byte);

/* ---- The strongest examples ------------------------------------------------------------------ */

/* The sentences on which a measure of a head is greatest.
 *
 * A total order, the greater value first, of equals the lesser hash of the texts, makes the best of
 * two lists the best of all that went into them. */

typedef struct {
  mt_fixed value;
  uint64_t hash, sentence; /* of the texts; id */
  uint32_t query, key;
  uint32_t n;             /* weights of the row, as far as it sees keys */
  unsigned char *weights; /* [n] 255 is 1 */
} mt_corpus_top_item;

typedef struct {
  size_t n;
  mt_corpus_top_item items[MT_CORPUS_STRONGEST]; /* the strongest first, none with another's hash */
  bool is_changed;                               /* since whoever writes it looked */
} mt_corpus_top;

void mt_corpus_top_clear(mt_corpus_top *top);
/* Whether a sentence would come among them. */
bool mt_corpus_top_wants(const mt_corpus_top *top, mt_fixed value, uint64_t hash);
/* Take it in, if so; weights are copied. False: no memory. */
bool mt_corpus_top_add(mt_corpus_top *top, const mt_corpus_top_item *item);
void mt_corpus_top_put(const mt_corpus_top *top, mt_packed *packed);
/* An empty list from what was put, of a file with n_sentences. False: it cannot be one, or no
 * memory
 * (*no_memory). */
bool mt_corpus_top_get(mt_corpus_top *top, mt_packed_in *in, uint64_t n_sentences, bool *no_memory);

#endif
