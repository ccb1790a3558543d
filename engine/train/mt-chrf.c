/* mt-chrf.c — chrF2 (Popović 2015) as sacreBLEU (Post 2018) computes it.
 *
 *   chrF_β = 100 (1 + β²) P R / (β² P + R)
 *
 * where P and R are means over the orders 1 … 6 of the shares of character n-grams of the
 * hypotheses, and of the references, that are matched in the whole corpus.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/chrf.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "train/mt-ngrams.h"

#define NO_CHARACTER 0x110000u /* a byte that is not UTF-8 is this and the byte */

/* Code points of a text without white space, into out [n]. Returns how many. */
static size_t
decode(const char *text, size_t n, uint32_t *out)
{
  size_t count = 0;
  for (size_t i = 0; i < n;) {
    const unsigned char *s = (const unsigned char *) text + i;
    size_t length = mt_utf8_length_at(text + i, n - i);
    if (length == 0) {
      out[count++] = NO_CHARACTER + *s;
      i++;
      continue;
    }
    uint32_t code = length == 1 ? *s : *s & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; k++)
      code = code << 6 | (s[k] & 0x3f);
    if (!mt_ngrams_is_space(text + i, length))
      out[count++] = code;
    i += length;
  }
  return count;
}

bool
mt_chrf_add(mt_chrf *chrf, const char *hypothesis, size_t n_hypothesis, const char *reference,
            size_t n_reference, mt_error *error)
{
  uint64_t matches[MT_NGRAMS_MAX_ORDER];
  uint32_t *h = mt_alloc(n_hypothesis, sizeof *h);
  uint32_t *r = mt_alloc(n_reference, sizeof *r);
  bool ok = (h && r) || mt_fail_no_memory(error);
  if (ok) {
    size_t n_h = decode(hypothesis, n_hypothesis, h);
    size_t n_r = decode(reference, n_reference, r);
    ok = mt_ngrams_match(h, n_h, r, n_r, MT_CHRF_ORDER, matches, error);
    for (size_t n = 1; ok && n <= MT_CHRF_ORDER; n++) {
      size_t of_reference = mt_ngrams_count(n_r, n);
      /* sacreBLEU: n-grams that no reference could have do not count. */
      chrf->n_hypothesis[n - 1] += of_reference ? mt_ngrams_count(n_h, n) : 0;
      chrf->n_reference[n - 1] += of_reference;
      chrf->n_matches[n - 1] += matches[n - 1];
    }
  }
  mt_free(h);
  mt_free(r);
  return ok;
}

double
mt_chrf_score(const mt_chrf *chrf)
{
  const double factor = MT_CHRF_BETA * MT_CHRF_BETA;
  double precision = 0, recall = 0;
  int n_orders = 0;
  for (int n = 0; n < MT_CHRF_ORDER; n++) {
    if (chrf->n_hypothesis[n] == 0 || chrf->n_reference[n] == 0)
      continue;
    precision += (double) chrf->n_matches[n] / (double) chrf->n_hypothesis[n];
    recall += (double) chrf->n_matches[n] / (double) chrf->n_reference[n];
    n_orders++;
  }
  if (n_orders == 0 || precision + recall == 0)
    return 0;
  precision /= n_orders;
  recall /= n_orders;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}
