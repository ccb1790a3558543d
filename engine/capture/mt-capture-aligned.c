/* mt-capture-aligned.c — what one capture has more than another of other tokens: both on the union
 * of their tokens, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "capture/mt-capture-difference.h"
#include "capture/mt-capture.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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
    used += mt_join_pieces(chars + used, n_chars - used, of_a ? of_a->piece : NULL,
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
subtract(mt_capture *d, mt_attention_kind kind, const axis *rows, const axis *cols)
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
  mt_capture *d = ok ? mt_capture_difference_new(a, b, &axes, error) : NULL;
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
      subtract(d, k, k == MT_ENCODER_SELF ? source : steps, k == MT_DECODER_SELF ? steps : source);
  return d;
}

mt_capture *
mt_capture_difference_aligned(const mt_capture *a, const mt_capture *b, mt_error *error)
{
  if (!mt_capture_check_shapes(a, b, error))
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
