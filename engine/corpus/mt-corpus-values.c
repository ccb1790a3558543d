/* mt-corpus-values.c — measures, roles and offsets of a head on one sentence, and how different
 * heads are.
 *
 * What one sentence alone is measured by comes from metrics.h. A role is a set R_i of keys for each
 * row i; its score is that of Pande et al. 2021 ("sieve bias score"):
 *
 *     (sum_i mean_{j in R_i} A_ij) / (sum_i 1 / n_i)       over rows that have such a key,
 *
 * n_i being the keys that row i sees. A row that sees one key says nothing and is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Unicode punctuation of the blocks that everyday text uses; *n: bytes of the character. */
static bool
is_punctuation_at(const unsigned char *text, size_t left, size_t *n)
{
  *n = 1;
  if (text[0] < 0x80)
    return strchr("!\"#%&'()*,-./:;?@[\\]_{}", text[0]) != NULL;
  if (text[0] >= 0xc2 && text[0] < 0xe0 && left >= 2) {
    *n = 2;
    const unsigned c = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
    return c == 0xa1 || c == 0xa7 || c == 0xab || c == 0xb6 || c == 0xb7 || c == 0xbb ||
           c == 0xbf || c == 0x37e || c == 0x387 || (c >= 0x55a && c <= 0x55f) || c == 0x589 ||
           c == 0x5be || c == 0x60c || c == 0x61b || c == 0x61f || c == 0x6d4;
  }
  if (text[0] >= 0xe0 && text[0] < 0xf0 && left >= 3) {
    *n = 3;
    const unsigned c = (text[0] & 0x0fu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
    return (c >= 0x2010 && c <= 0x2027) || (c >= 0x2030 && c <= 0x205e && c != 0x2044) ||
           (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011) || c == 0x0964 ||
           c == 0x0965 || (c >= 0xff01 && c <= 0xff0f && c != 0xff04 && c != 0xff0b) ||
           c == 0xff1a || c == 0xff1b || c == 0xff1f;
  }
  return false;
}

static bool
is_punctuation(const char *piece)
{
  static const char bar[] = "▁";
  const unsigned char *at = (const unsigned char *) piece;
  if (strncmp(piece, bar, sizeof bar - 1) == 0)
    at += sizeof bar - 1;
  size_t left = strlen((const char *) at), n = 1;
  if (left == 0)
    return false;
  for (; left > 0; at += n, left -= n)
    if (!is_punctuation_at(at, left, &n))
      return false;
  return true;
}

bool
mt_corpus_keys_init(mt_corpus_keys *keys, const mt_tokens *tokens)
{
  const size_t n = mt_tokens_count(tokens);
  int64_t last = -1;
  *keys = (mt_corpus_keys){.n = n, .rarest = n};
  keys->is_special = mt_alloc(2 * n, 1);
  if (!keys->is_special)
    return false;
  keys->is_punctuation = keys->is_special + n;
  for (size_t i = 0; i < n; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    keys->is_special[i] = token->is_special;
    if (token->is_special)
      continue;
    keys->is_punctuation[i] = is_punctuation(token->piece);
    const int64_t rank = mt_token_is_unknown(token) ? INT64_MAX : token->id;
    if (rank > last) {
      last = rank;
      keys->rarest = i;
    }
  }
  return true;
}

void
mt_corpus_keys_clear(mt_corpus_keys *keys)
{
  mt_free(keys->is_special);
  *keys = (mt_corpus_keys){0};
}

/* ---- One head -------------------------------------------------------------------------------- */

/* The best cell so far for a measure. */
typedef struct {
  double most;
  size_t query, key;
} cell;

typedef struct {
  double inside, all, mass;
  size_t rows;
} role_sum;

typedef struct {
  mt_corpus_values *values;
  const mt_corpus_keys *keys;
  mt_attention_kind kind;
  size_t m, n;
  cell cells[MT_N_CORPUS_MEASURES];
  role_sum roles[MT_N_CORPUS_ROLES];
  double punctuation, first;
  size_t rare;
} head_work;

static void
offer(head_work *w, mt_corpus_measure measure, double value, size_t query, size_t key)
{
  cell *best = &w->cells[measure];
  if (value > best->most)
    *best = (cell){value, query, key};
}

/* A row's weights on the n_keys keys of a role together are mass. */
static void
add_role(head_work *w, mt_corpus_role role, double mass, size_t n_keys, size_t n_visible)
{
  role_sum *sum = &w->roles[role];
  if (n_keys == 0 || n_visible < 2)
    return;
  sum->inside += mass / (double) n_keys;
  sum->all += 1 / (double) n_visible;
  sum->mass += mass;
  sum->rows++;
}

/* One key of a role, if the row sees it. */
static void
add_role_key(head_work *w, mt_corpus_role role, const float *row, size_t key, size_t n_visible)
{
  if (key < n_visible)
    add_role(w, role, (double) row[key], 1, n_visible);
}

static void
add_self_row(head_work *w, const float *row, size_t i, size_t n_visible, size_t best)
{
  static const struct {
    int offset;
    mt_corpus_measure measure;
    mt_corpus_role role;
  } near[] = {{-1, MT_CORPUS_PREVIOUS, MT_CORPUS_ROLE_PREVIOUS},
              {0, MT_CORPUS_SAME, MT_CORPUS_ROLE_SAME},
              {1, MT_CORPUS_NEXT, MT_CORPUS_ROLE_NEXT}};
  for (int k = 0; k < 3; k++) {
    const size_t j = i + (size_t) near[k].offset; /* wraps round beyond n_visible */
    if (j < n_visible) {
      offer(w, near[k].measure, (double) row[j], i, j);
      add_role_key(w, near[k].role, row, j, n_visible);
    }
  }
  for (int k = -MT_CORPUS_REACH; k <= MT_CORPUS_REACH; k++) {
    const size_t j = i + (size_t) k;
    if (j >= n_visible)
      continue;
    w->values->rows[k + MT_CORPUS_REACH]++;
    w->values->hits[k + MT_CORPUS_REACH] += best == j;
  }
}

/* The source token at the same share of the length as row i. */
static size_t
on_diagonal(size_t i, size_t m, size_t n)
{
  return m > 1 ? (2 * i * (n - 1) + (m - 1)) / (2 * (m - 1)) : 0;
}

/* How far a cell is from the diagonal, as metrics.h has it; only compared. */
static double
distance(const head_work *w, size_t i, size_t j)
{
  if (w->kind != MT_CROSS)
    return i > j ? (double) (i - j) : (double) (j - i);
  const double row = w->m > 1 ? (double) i / (double) (w->m - 1) : 0;
  const double col = w->n > 1 ? (double) j / (double) (w->n - 1) : 0;
  return row > col ? row - col : col - row;
}

static void
add_row(head_work *w, const float *row, size_t i)
{
  const mt_corpus_keys *keys = w->keys;
  const size_t n_visible = w->kind == MT_DECODER_SELF ? i + 1 : w->n;
  double special = 0, punctuation = 0, largest = -1, far = 0;
  size_t n_special = 0, n_punctuation = 0, best = 0, best_word = 0, farthest = 0;
  float most = -1;
  for (size_t j = 0; j < n_visible; j++) {
    const float a = row[j];
    if (a > most) {
      most = a;
      best = j;
    }
    if (keys->is_special[j]) {
      special += (double) a;
      n_special++;
      offer(w, MT_CORPUS_SPECIAL, (double) a, i, j);
    } else if ((double) a > largest) {
      largest = (double) a;
      best_word = j;
    }
    if (keys->is_punctuation[j]) {
      punctuation += (double) a;
      n_punctuation++;
      offer(w, MT_CORPUS_PUNCTUATION, (double) a, i, j);
    }
    const double moved = (double) a * distance(w, i, j);
    if (moved > far) {
      far = moved;
      farthest = j;
    }
  }
  offer(w, MT_CORPUS_ENTROPY, mt_row_entropy(row, n_visible), i, best);
  offer(w, MT_CORPUS_DISTANCE, far, i, farthest);
  offer(w, MT_CORPUS_MONOTONE, (double) most, i, best);
  offer(w, MT_CORPUS_EFFECT, (double) most, i, best);
  offer(w, MT_CORPUS_FIRST, (double) row[0], i, 0);
  if (largest >= 0)
    offer(w, MT_CORPUS_CONFIDENCE, largest, i, best_word);
  if (keys->rarest < n_visible)
    offer(w, MT_CORPUS_RARE, (double) row[keys->rarest], i, keys->rarest);

  w->punctuation += punctuation;
  w->first += (double) row[0];
  w->rare += best == keys->rarest;
  add_role(w, MT_CORPUS_ROLE_SPECIAL, special, n_special, n_visible);
  add_role(w, MT_CORPUS_ROLE_PUNCTUATION, punctuation, n_punctuation, n_visible);
  add_role_key(w, MT_CORPUS_ROLE_FIRST, row, 0, n_visible);
  add_role_key(w, MT_CORPUS_ROLE_RARE, row, keys->rarest, n_visible);
  if (w->kind == MT_CROSS)
    add_role_key(w, MT_CORPUS_ROLE_DIAGONAL, row, on_diagonal(i, w->m, w->n), n_visible);
  else
    add_self_row(w, row, i, n_visible, best);
}

static void
set(head_work *w, mt_corpus_measure measure, double value)
{
  if (!(mt_corpus_measure_about(measure)->text_kinds & MT_KIND_BIT(w->kind)))
    return;
  const cell *best = &w->cells[measure];
  w->values->measures |= 1u << measure;
  w->values->measured[measure] =
      (mt_corpus_measured){mt_fixed_of(value), (uint32_t) best->query, (uint32_t) best->key};
}

void
mt_corpus_values_compute(mt_corpus_values *values, const mt_capture *capture,
                         const mt_corpus_keys *keys, mt_attention_kind kind, size_t layer,
                         size_t head)
{
  const mt_matrix a = mt_capture_weights(capture, kind, layer, head);
  const mt_head_metrics metrics = mt_head_metrics_compute(capture, kind, layer, head);
  *values = (mt_corpus_values){0};
  head_work w = {.values = values, .keys = keys, .kind = kind, .m = a.rows, .n = a.cols};
  for (size_t m = 0; m < MT_N_CORPUS_MEASURES; m++)
    w.cells[m].most = -1;
  for (size_t i = 0; i < a.rows; i++)
    add_row(&w, a.data + i * a.stride, i);

  const double rows = (double) a.rows;
  size_t n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (size_t k = 0; k < n; k++)
    if (statistics[k].measure >= 0 && statistics[k].offset != MT_HEAD_OTHER)
      set(&w, (mt_corpus_measure) statistics[k].measure,
          mt_head_statistic_of(&statistics[k], &metrics));
  set(&w, MT_CORPUS_PUNCTUATION, w.punctuation / rows);
  set(&w, MT_CORPUS_FIRST, w.first / rows);
  set(&w, MT_CORPUS_RARE, (double) w.rare / rows);
  values->measured[MT_CORPUS_EFFECT].query = (uint32_t) w.cells[MT_CORPUS_EFFECT].query;
  values->measured[MT_CORPUS_EFFECT].key = (uint32_t) w.cells[MT_CORPUS_EFFECT].key;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    const role_sum *sum = &w.roles[r];
    if (sum->rows == 0 || !(mt_corpus_role_about(r)->kinds & MT_KIND_BIT(kind)))
      continue;
    values->roles |= 1u << r;
    values->role_values[r] = mt_fixed_of(sum->inside / sum->all);
    values->role_shares[r] = mt_fixed_of(sum->mass / (double) sum->rows);
  }
}

/* ---- Divergence of heads --------------------------------------------------------------------- */

/* How different the heads of one kind are on a sentence.
 *
 * Jensen–Shannon divergence of rows p and q (Lin 1991), with m = (p + q) / 2 and H in bits:
 *
 *     JS = H(m) - (H(p) + H(q)) / 2,  and with g(x) = x log2 x:
 *     2 JS = sum g(p) + sum g(q) - sum g(p + q) + sum (p + q)
 *
 * The mean over rows of it takes only sums over all cells: those of one head are made once, so that
 * each pair of heads is one pass over two lists of numbers, with one logarithm in each step. 1,128
 * pairs of 48 heads are many: g is computed in single precision, four cells at a time. What a
 * causal mask hides is left out first. */

#define LANES 4
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t wholes __attribute__((vector_size(4 * LANES)));

/* x log2 x for 0 <= x <= 2, and 0 for 0: x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), and of
 * log2(1 + f) the series of the inverse hyperbolic tangent: with s = f / (2 + f), |s| < 0.172,
 * 2 / ln 2 (s + s³/3 + s⁵/5 + s⁷/7 + s⁹/9); the next term is below 4e-10. */
static floats
x_log_x(floats x)
{
  const wholes bits = (wholes) x;
  const wholes shifted = bits - 0x3f3504f3; /* the bits of sqrt(1/2) */
  const wholes exponent = shifted >> 23;
  const floats scaled = (floats) ((shifted & 0x007fffff) + 0x3f3504f3);
  const floats f = scaled - 1.0f, s = f / (scaled + 1.0f), z = s * s;
  const floats series = 1.0f + z * (0.33333333f + z * (0.2f + z * (0.14285714f + z * 0.11111111f)));
  const floats log2 = __builtin_convertvector(exponent, floats) + 2.88539008f * s * series;
  /* Below the least normal number there is nothing worth adding, and 0 has no logarithm. */
  const wholes is_there = x > 1e-37f;
  return (floats) ((wholes) (x * log2) & is_there);
}

/* Sum of g(a + b) over n numbers, n a multiple of LANES; b NULL: of g(a). Some hundred are added in
 * single precision before they go to a double. */
static double
sum_x_log_x(const float *a, const float *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n;) {
    floats part = {0};
    const size_t end = n - i > 64 * LANES ? i + 64 * LANES : n;
    for (; i < end; i += LANES) {
      floats x, y = {0};
      memcpy(&x, a + i, sizeof x);
      if (b)
        memcpy(&y, b + i, sizeof y);
      part += x_log_x(x + y);
    }
    for (size_t l = 0; l < LANES; l++)
      sum += (double) part[l];
  }
  return sum;
}

/* Cells of a head that can have weight, filled up to whole vectors. */
static size_t
n_packed(const mt_capture *capture, mt_attention_kind kind)
{
  const mt_matrix a = mt_capture_weights(capture, kind, 0, 0);
  const size_t n = kind == MT_DECODER_SELF ? a.rows * (a.rows + 1) / 2 : a.rows * a.cols;
  return (n + LANES - 1) / LANES * LANES;
}

static size_t
n_heads(const mt_capture *capture, mt_attention_kind kind)
{
  return mt_capture_n_layers(capture, kind) * mt_capture_n_heads(capture, kind);
}

size_t
mt_corpus_divergences_room(const mt_capture *capture, mt_attention_kind kind)
{
  const size_t n = n_heads(capture, kind);
  return n ? n * n_packed(capture, kind) + 4 * n : 0; /* and two doubles for each head */
}

typedef struct {
  const mt_capture *capture;
  mt_attention_kind kind;
  size_t n, size, rows;
  float *cells;      /* [n][size] */
  double *own, *all; /* [n] sum g(p), sum p */
  mt_fixed *out;
} work;

static void
pack_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  const size_t per_layer = mt_capture_n_heads(w->capture, w->kind);
  for (size_t h = part; h < w->n; h += n_parts) {
    const mt_matrix a = mt_capture_weights(w->capture, w->kind, h / per_layer, h % per_layer);
    float *to = w->cells + h * w->size;
    size_t at = 0;
    double all = 0;
    for (size_t i = 0; i < a.rows; i++) {
      const size_t n = w->kind == MT_DECODER_SELF ? i + 1 : a.cols;
      memcpy(to + at, a.data + i * a.stride, n * sizeof *to);
      at += n;
    }
    for (size_t i = 0; i < at; i++)
      all += (double) to[i];
    for (; at < w->size; at++)
      to[at] = 0;
    w->all[h] = all;
    w->own[h] = sum_x_log_x(to, NULL, w->size);
  }
}

static void
pairs_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  for (size_t a = part; a < w->n; a += n_parts)
    for (size_t b = 0; b < a; b++) {
      const double both = sum_x_log_x(w->cells + a * w->size, w->cells + b * w->size, w->size);
      const double twice = w->own[a] + w->own[b] - both + w->all[a] + w->all[b];
      const double mean = twice / (2 * (double) w->rows);
      w->out[a * (a - 1) / 2 + b] = mt_fixed_of(fmax(fmin(mean, 1), 0));
    }
}

void
mt_corpus_divergences(const mt_capture *capture, mt_attention_kind kind, float *scratch,
                      mt_pool *pool, mt_fixed *out)
{
  work w = {.capture = capture, .kind = kind, .n = n_heads(capture, kind), .out = out};
  if (w.n == 0)
    return;
  w.size = n_packed(capture, kind);
  w.rows = mt_capture_weights(capture, kind, 0, 0).rows;
  w.own = (double *) (void *) scratch;
  w.all = w.own + w.n;
  w.cells = scratch + 4 * w.n;
  const size_t n_parts = w.n < 16 ? w.n : 16;
  mt_pool_run(pool, n_parts, pack_part, &w);
  mt_pool_run(pool, n_parts, pairs_part, &w);
}
