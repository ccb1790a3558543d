/* mt-capture-difference.c — what one capture has more than another, of the same tokens or of
 * others, and how far heads are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "capture/mt-capture.h"
#include "mt.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What the rows and columns of a difference are; NULL where there is none. Borrowed. */
typedef struct {
  mt_tokens *source, *decoder_input, *output;
} mt_difference_axes;

/* "x→y" of two pieces; of one side only (the other NULL) "x→" or "→y", the mark of a word's
 * beginning first. */
#define MT_JOINED_EXTRA sizeof "→" /* bytes more than both, with the 0 */

/* ---- Alike? ---------------------------------------------------------------------------------- */

/* may_differ: up to half of them. */
static bool
check_tokens(const char *what, const mt_tokens *a, const mt_tokens *b, bool may_differ,
             mt_error *error)
{
  size_t n_same = 0, first = SIZE_MAX;
  size_t n_a = a ? mt_tokens_count(a) : 0, n_b = b ? mt_tokens_count(b) : 0;
  if (n_a != n_b)
    return mt_fail(error, MT_ERROR_INPUT, "The %s have %zu tokens in one and %zu in the other.",
                   what, n_a, n_b);
  for (size_t i = 0; i < n_a; i++) {
    const char *x = mt_tokens_get(a, i)->piece, *y = mt_tokens_get(b, i)->piece;
    if (strcmp(x, y) == 0)
      n_same++;
    else if (first == SIZE_MAX)
      first = i;
  }
  if (n_same == n_a || (may_differ && 2 * n_same >= n_a))
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "Token %zu of the %s is \"%.40s\" in one and \"%.40s\" in the other; %zu of %zu "
                 "are the same.",
                 first + 1, what, mt_tokens_get(a, first)->piece, mt_tokens_get(b, first)->piece,
                 n_same, n_a);
}

static size_t
join_pieces(char *out, size_t size, const char *a, const char *b)
{
  static const char arrow[] = "→", mark[] = "▁";
  const bool begins = b && strncmp(b, mark, strlen(mark)) == 0;
  const bool both = begins && (!a || strncmp(a, mark, strlen(mark)) == 0);
  return (size_t) snprintf(out, size, "%s%s%s",
                           a      ? a
                           : both ? mark
                                  : "",
                           arrow, b ? b + (both ? strlen(mark) : 0) : "");
}

/* Those of b, where a has another one with both pieces: "▁tired→wide". */
static mt_tokens *
join_tokens(const mt_tokens *a, const mt_tokens *b, mt_error *error)
{
  size_t n = mt_tokens_count(b), n_chars = 0, used = 0;
  for (size_t i = 0; i < n; i++)
    n_chars +=
        strlen(mt_tokens_get(a, i)->piece) + strlen(mt_tokens_get(b, i)->piece) + MT_JOINED_EXTRA;
  mt_token *items = mt_alloc(n, sizeof *items);
  char *chars = mt_alloc(n_chars, 1);
  mt_tokens *tokens = NULL;
  if (!items || !chars)
    mt_fail_no_memory(error);
  for (size_t i = 0; items && chars && i < n; i++) {
    const char *x = mt_tokens_get(a, i)->piece, *y = mt_tokens_get(b, i)->piece;
    items[i] = *mt_tokens_get(b, i);
    if (strcmp(x, y) == 0)
      continue;
    items[i].piece = chars + used;
    used += join_pieces(chars + used, n_chars - used, x, y) + 1;
  }
  if (items && chars)
    tokens = mt_tokens_new(mt_tokens_text(b), items, n, error);
  mt_free(items);
  mt_free(chars);
  return tokens;
}

/* As many layers and heads. */
static bool
check_shapes(const mt_capture *a, const mt_capture *b, mt_error *error)
{
  static const char *const kinds[MT_N_KINDS] = {[MT_ENCODER_SELF] = "encoder self-attention",
                                                [MT_CROSS] = "cross-attention",
                                                [MT_DECODER_SELF] = "decoder self-attention"};
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_capture_kind *x = &a->kinds[k], *y = &b->kinds[k];
    if (x->n_layers != y->n_layers || x->n_heads != y->n_heads)
      return mt_fail(error, MT_ERROR_INPUT,
                     "One has %zu layers of %zu heads of %s, the other %zu of %zu.", x->n_layers,
                     x->n_heads, kinds[k], y->n_layers, y->n_heads);
    if (x->first_layer != y->first_layer || x->first_head != y->first_head)
      return mt_fail(error, MT_ERROR_INPUT,
                     "One has %s from layer %zu and head %zu on, the other from %zu and %zu.",
                     kinds[k], x->first_layer + 1, x->first_head + 1, y->first_layer + 1,
                     y->first_head + 1);
  }
  return true;
}

bool
mt_capture_check_alike(const mt_capture *a, const mt_capture *b, mt_error *error)
{
  return check_shapes(a, b, error) && check_tokens("sources", a->source, b->source, true, error) &&
         check_tokens("translations", a->output, b->output, false, error) &&
         check_tokens("decoder inputs", a->decoder_input, b->decoder_input, false, error);
}

/* ---- The difference -------------------------------------------------------------------------- */

static void
subtract(mt_capture *difference, const mt_capture *a, const mt_capture *b)
{
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *to = &difference->kinds[k];
    size_t n = to->n_layers * to->n_heads * to->rows * to->cols;
    for (size_t i = 0; i < n; i++) {
      to->weights[i] = b->kinds[k].weights[i] - a->kinds[k].weights[i];
      difference->most = fmaxf(difference->most, fabsf(to->weights[i]));
    }
  }
}

/* What b is beside a, with references to both, all weights still 0. */
static mt_capture *
new_difference(const mt_capture *a, const mt_capture *b, const mt_difference_axes *axes,
               mt_error *error)
{
  mt_capture_spec spec = {
      .model_name = b->model_name,
      .naming = b->naming,
      .precision = b->precision,
      .translation_precision = b->translation_precision,
      .search = mt_capture_search(b),
      .interventions = b->interventions,
      .source = axes->source,
      .decoder_input = axes->decoder_input,
      .output = axes->output,
      .attention_window = a->attention_window == b->attention_window ? a->attention_window : 0,
      .position_kind = b->position_kind,
  };
  for (int k = 0; k < MT_N_KINDS; k++) {
    spec.n_layers[k] = b->kinds[k].n_layers;
    spec.n_heads[k] = b->kinds[k].n_heads;
  }
  mt_capture *difference = mt_capture_new(&spec, error);
  if (!difference)
    return NULL;
  difference->hiding = NULL; /* what one of them hides has a difference */
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *kind = &difference->kinds[k];
    kind->row_lse = NULL; /* there is no score */
    kind->is_part = b->kinds[k].is_part;
    kind->lacks_heads = b->kinds[k].lacks_heads;
    kind->first_layer = b->kinds[k].first_layer;
    kind->first_head = b->kinds[k].first_head;
  }
  difference->is_causal = a->is_causal && b->is_causal;
  difference->logprobs = NULL;
  difference->a = mt_capture_ref((mt_capture *) a); /* counts apart, neither is changed */
  difference->b = mt_capture_ref((mt_capture *) b);
  return difference;
}

mt_capture *
mt_capture_difference(const mt_capture *a, const mt_capture *b, mt_error *error)
{
  if (!mt_capture_check_alike(a, b, error))
    return NULL;
  const mt_difference_axes axes = {
      .source = b->source ? join_tokens(a->source, b->source, error) : NULL,
      .decoder_input = b->has_decoder_input ? b->decoder_input : NULL,
      .output = b->has_output ? b->output : NULL,
  };
  if (b->source && !axes.source)
    return NULL;
  mt_capture *difference = new_difference(a, b, &axes, error);
  mt_tokens_unref(axes.source);
  if (difference)
    subtract(difference, a, b);
  return difference;
}

const mt_capture *
mt_capture_difference_a(const mt_capture *capture)
{
  return capture->a;
}

const mt_capture *
mt_capture_difference_b(const mt_capture *capture)
{
  return capture->b;
}

float
mt_capture_difference_most(const mt_capture *capture)
{
  return capture->most;
}

/* ---- How far --------------------------------------------------------------------------------- */

/* x log2 (x / mean), 0 for nothing. */
static double
part(double x, double mean)
{
  return x > 0 ? x * log2(x / mean) : 0;
}

double
mt_row_divergence(const float *a, const float *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double x = (double) a[i], y = (double) b[i], mean = (x + y) / 2;
    sum += (part(x, mean) + part(y, mean)) / 2;
  }
  return sum > 0 ? sum : 0; /* of equal rows rounding may leave less */
}

double
mt_capture_divergence(const mt_capture *a, const mt_capture *b, mt_attention_kind kind,
                      size_t layer, size_t head)
{
  mt_matrix x = mt_capture_weights(a, kind, layer, head),
            y = mt_capture_weights(b, kind, layer, head);
  double sum = 0;
  for (size_t r = 0; r < x.rows; r++)
    sum += mt_row_divergence(x.data + r * x.stride, y.data + r * y.stride, x.cols);
  return x.rows > 0 ? sum / (double) x.rows : 0;
}

/* ---- Of other tokens ------------------------------------------------------------------------- */

/* What one capture has more than another of other tokens: both on the union
 * of their tokens, in order. */

/* The union of two lists. */
typedef struct {
  mt_pair *pairs; /* [n] */
  size_t n;
  unsigned char *sides; /* [n] an mt_side each */
} axis;

static void
axis_clear(axis *x)
{
  mt_free(x->pairs);
  mt_free(x->sides);
}

/* Both a and b of one word: </s>, <pad> and languages are in every sentence. */
static bool
check_in_common(const char *what, const mt_tokens *a, const axis *x, mt_error *error)
{
  for (size_t i = 0; i < x->n; i++)
    if (x->sides[i] == MT_SIDE_BOTH && !mt_tokens_get(a, x->pairs[i].a)->is_special)
      return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "The %s have no token in common, so there is nothing to compare.", what);
}

static bool
align(const char *what, const mt_tokens *a, const mt_tokens *b, axis *x, mt_error *error)
{
  const size_t most = mt_tokens_count(a) + mt_tokens_count(b);
  x->pairs = mt_alloc(most, sizeof *x->pairs);
  x->sides = mt_alloc(most, sizeof *x->sides);
  if (!x->pairs || !x->sides)
    return mt_fail_no_memory(error);
  x->n = mt_tokens_align(a, b, x->pairs, error);
  if (most > 0 && x->n == 0)
    return false;
  for (size_t i = 0; i < x->n; i++)
    x->sides[i] = x->pairs[i].b == MT_NO_TOKEN   ? MT_SIDE_A
                  : x->pairs[i].a == MT_NO_TOKEN ? MT_SIDE_B
                                                 : MT_SIDE_BOTH;
  return check_in_common(what, a, x, error);
}

static const mt_token *
token_at(const mt_tokens *tokens, size_t i)
{
  return i == MT_NO_TOKEN ? NULL : mt_tokens_get(tokens, i);
}

/* A decoder step is aligned by what it writes. As a key it is what it reads, which another word
 * before it makes another one. */
static bool
find_keys(const mt_tokens *a, const mt_tokens *b, const axis *steps, unsigned char **keys,
          mt_error *error)
{
  *keys = mt_alloc(steps->n, sizeof **keys);
  if (!*keys)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < steps->n; i++) {
    (*keys)[i] = steps->sides[i];
    if (steps->sides[i] == MT_SIDE_BOTH && strcmp(mt_tokens_get(a, steps->pairs[i].a)->piece,
                                                  mt_tokens_get(b, steps->pairs[i].b)->piece) != 0)
      (*keys)[i] = MT_SIDE_EACH;
  }
  return true;
}

/* Whether pair i goes on with the word of the one before: on a side that has both, and on every
 * such side. No word is part of both and part of one, so that words can be hidden whole. */
static bool
goes_on(const mt_tokens *a, const mt_tokens *b, const axis *x, const unsigned char *sides, size_t i)
{
  if (i == 0 || sides[i] != sides[i - 1])
    return false;
  const mt_token *a0 = token_at(a, x->pairs[i - 1].a), *a1 = token_at(a, x->pairs[i].a);
  const mt_token *b0 = token_at(b, x->pairs[i - 1].b), *b1 = token_at(b, x->pairs[i].b);
  return (!a1 || a0->word == a1->word) && (!b1 || b0->word == b1->word);
}

static mt_tokens *
unite(const mt_tokens *a, const mt_tokens *b, const axis *x, const unsigned char *sides,
      mt_error *error)
{
  size_t n_chars = 0, used = 0;
  for (size_t i = 0; i < mt_tokens_count(a); i++)
    n_chars += strlen(mt_tokens_get(a, i)->piece) + MT_JOINED_EXTRA;
  for (size_t i = 0; i < mt_tokens_count(b); i++)
    n_chars += strlen(mt_tokens_get(b, i)->piece) + MT_JOINED_EXTRA;
  mt_token *items = mt_alloc(x->n, sizeof *items);
  char *chars = mt_alloc(n_chars, 1);
  mt_tokens *tokens = NULL;
  if (!items || !chars)
    mt_fail_no_memory(error);
  for (size_t i = 0; items && chars && i < x->n; i++) {
    const mt_token *of_a = token_at(a, x->pairs[i].a), *of_b = token_at(b, x->pairs[i].b);
    items[i] = of_b ? *of_b : *of_a;
    if (!of_b)
      items[i].begin = items[i].end = 0; /* it has no place in the text, which is b's */
    items[i].word = i == 0 ? 0 : items[i - 1].word + !goes_on(a, b, x, sides, i);
    if (of_a && of_b && strcmp(of_a->piece, of_b->piece) == 0)
      continue;
    items[i].piece = chars + used;
    used += join_pieces(chars + used, n_chars - used, of_a ? of_a->piece : NULL,
                        of_b ? of_b->piece : NULL) +
            1;
  }
  if (items && chars)
    tokens = mt_tokens_new(mt_tokens_text(b), items, x->n, error);
  mt_free(items);
  mt_free(chars);
  return tokens;
}

static bool
has_both(unsigned char row, unsigned char col)
{
  return row == MT_SIDE_BOTH && col == MT_SIDE_BOTH;
}

static void
subtract_aligned(mt_capture *d, mt_attention_kind kind, const axis *rows, const axis *cols)
{
  const mt_capture_kind *x = &d->a->kinds[kind], *y = &d->b->kinds[kind], *to = &d->kinds[kind];
  const mt_attention_mask mask = mt_capture_mask(d, kind, 0, 0);
  float *out = to->weights;
  for (size_t h = 0; h < to->n_layers * to->n_heads; h++)
    for (size_t r = 0; r < to->rows; r++)
      for (size_t c = 0; c < to->cols; c++, out++) {
        *out = NAN;
        if (!has_both(mask.rows[r], mask.cols[c]))
          continue;
        *out = y->weights[(h * y->rows + rows->pairs[r].b) * y->cols + cols->pairs[c].b] -
               x->weights[(h * x->rows + rows->pairs[r].a) * x->cols + cols->pairs[c].a];
        d->most = fmaxf(d->most, fabsf(*out));
      }
}

/* Takes sides and keys over. */
static mt_capture *
make(const mt_capture *a, const mt_capture *b, axis *source, axis *steps, unsigned char **keys,
     mt_error *error)
{
  const bool has_source = source->n > 0, has_steps = steps->n > 0;
  mt_difference_axes axes = {0};
  bool ok = true;
  if (has_source)
    ok = (axes.source = unite(a->source, b->source, source, source->sides, error));
  if (ok && has_steps && b->has_decoder_input)
    ok = (axes.decoder_input = unite(a->decoder_input, b->decoder_input, steps, *keys, error));
  if (ok && has_steps && b->has_output)
    ok = (axes.output = unite(a->output, b->output, steps, steps->sides, error));
  mt_capture *d = ok ? new_difference(a, b, &axes, error) : NULL;
  mt_tokens_unref(axes.source);
  mt_tokens_unref(axes.decoder_input);
  mt_tokens_unref(axes.output);
  if (!d)
    return NULL;
  d->attention_window = 0; /* what is beside each other in one need not be in the other */
  d->sides.source = source->sides;
  d->sides.steps = steps->sides;
  d->sides.keys = *keys;
  source->sides = steps->sides = *keys = NULL;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (d->kinds[k].n_layers)
      subtract_aligned(d, k, k == MT_ENCODER_SELF ? source : steps,
                       k == MT_DECODER_SELF ? steps : source);
  return d;
}

mt_capture *
mt_capture_difference_aligned(const mt_capture *a, const mt_capture *b, mt_error *error)
{
  if (!check_shapes(a, b, error))
    return NULL;
  axis source = {0}, steps = {0};
  unsigned char *keys = NULL;
  mt_capture *d = NULL;
  bool ok = true;
  if (a->source && b->source)
    ok = align("sources", a->source, b->source, &source, error);
  if (ok && a->output && b->output)
    ok = align("translations", a->output, b->output, &steps, error) &&
         find_keys(a->decoder_input, b->decoder_input, &steps, &keys, error);
  bool is_same = ok;
  for (size_t i = 0; i < source.n && is_same; i++)
    is_same = source.sides[i] == MT_SIDE_BOTH;
  for (size_t i = 0; i < steps.n && is_same; i++)
    is_same = keys[i] == MT_SIDE_BOTH;
  if (is_same)
    d = mt_capture_difference(a, b, error);
  else if (ok)
    d = make(a, b, &source, &steps, &keys, error);
  axis_clear(&source);
  axis_clear(&steps);
  mt_free(keys);
  return d;
}
