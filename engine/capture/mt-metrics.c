/* mt-metrics.c — numbers computed from attention matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A is one head's matrix [m][n], rows i (queries) sum to 1 over columns j (keys).
 *
 *   entropy of a row        H_i = -sum_j A_ij log2 A_ij                       (bits)
 *   confidence              mean_i max_{j not special} A_ij                   (Voita et al. 2019)
 *   diagonal distance       sum_ij A_ij |i - j| / sum_ij A_ij                 (Vig & Belinkov 2019)
 *   for cross-attention     … |i/(m-1) - j/(n-1)|: the axes have different lengths
 *   share at offset k       share of rows i with argmax_j A_ij = i + k        (Voita et al. 2019)
 *   special share           mean_i sum_{j special} A_ij                       (Clark et al. 2019)
 *   position share          mean_i var_j B_ij / (var_j B_ij + var_j (S - B)_ij)      (our own)
 *   where B is what relative positions add to the scores S; over the keys whose score is known
 *
 * Rows whose offset i + k falls outside the matrix do not count for that share.
 */
#include "mt.h"

#include <math.h>

double
mt_row_entropy(const float *row, size_t n)
{
  double entropy = 0;
  for (size_t j = 0; j < n; j++)
    if (row[j] > 0)
      entropy -= row[j] * log2((double) row[j]);
  return entropy;
}

mt_weight_range
mt_capture_weight_range(const mt_capture *capture, mt_attention_kind kind)
{
  mt_weight_range range = {0};
  bool first = true;
  for (size_t l = 0; l < mt_capture_n_layers(capture, kind); l++)
    for (size_t h = 0; h < mt_capture_n_heads(capture, kind); h++) {
      mt_matrix a = mt_capture_weights(capture, kind, l, h);
      for (size_t i = 0; i < a.rows; i++) {
        double sum = 0;
        float least = mt_matrix_at(&a, i, 0), largest = least;
        for (size_t j = 0; j < a.cols; j++) {
          float w = mt_matrix_at(&a, i, j);
          sum += w;
          least = w < least ? w : least;
          largest = w > largest ? w : largest;
        }
        range.least_sum = first || sum < range.least_sum ? sum : range.least_sum;
        range.largest_sum = first || sum > range.largest_sum ? sum : range.largest_sum;
        range.least = first || least < range.least ? least : range.least;
        range.largest = first || largest > range.largest ? largest : range.largest;
        first = false;
      }
    }
  return range;
}

static size_t
argmax(const float *row, size_t n)
{
  size_t best = 0;
  for (size_t j = 1; j < n; j++)
    if (row[j] > row[best])
      best = j;
  return best;
}

/* Share of hits among the rows that could hit; 0 if none could. */
static double
share(size_t hits, size_t possible)
{
  return possible ? (double) hits / (double) possible : 0;
}

/* How far apart row i and column j are, in tokens (self) or as a share of the lengths (cross). */
static double
cell_distance(mt_attention_kind kind, size_t i, size_t j, size_t m, size_t n)
{
  if (kind != MT_CROSS)
    return fabs((double) i - (double) j);
  double row = m > 1 ? (double) i / (double) (m - 1) : 0;
  double col = n > 1 ? (double) j / (double) (n - 1) : 0;
  return fabs(row - col);
}

/* Mean and squares of the distances from it, number by number (Welford 1962). */
typedef struct {
  double n, mean, squares;
} spread;

static void
spread_add(spread *s, double x)
{
  const double before = x - s->mean;
  s->n++;
  s->mean += before / s->n;
  s->squares += before * (x - s->mean);
}

static double
position_share(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head,
               mt_matrix a)
{
  double sum = 0, n = 0;
  if (!mt_capture_score_bias(capture, kind, layer, head).data)
    return (double) NAN;
  for (size_t i = 0; i < a.rows; i++) {
    spread content = {0}, position = {0};
    for (size_t j = 0; j < a.cols; j++) {
      const float score = mt_capture_score_at(capture, kind, layer, head, i, j);
      const float bias = mt_capture_score_bias_at(capture, kind, layer, head, i, j);
      if (!isfinite(score) || !isfinite(bias))
        continue;
      spread_add(&content, (double) score - (double) bias);
      spread_add(&position, (double) bias);
    }
    const double both = content.squares + position.squares;
    if (both > 0) { /* else there is one key, or all are alike */
      sum += position.squares / both;
      n++;
    }
  }
  return n > 0 ? sum / n : (double) NAN;
}

mt_head_metrics
mt_head_metrics_compute(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                        size_t head)
{
  mt_head_metrics out = {.position_share = (double) NAN};
  mt_matrix a = mt_capture_weights(capture, kind, layer, head);
  const mt_tokens *keys = mt_capture_columns(capture, kind);
  if (!a.rows || !a.cols)
    return out;

  bool is_self = kind != MT_CROSS;
  double mass = 0, distance = 0;
  size_t previous = 0, same = 0, next = 0, monotone = 0, last_argmax = 0;
  for (size_t i = 0; i < a.rows; i++) {
    const float *row = a.data + i * a.stride;
    out.mean_entropy += mt_row_entropy(row, a.cols);
    float largest = 0;
    for (size_t j = 0; j < a.cols; j++) {
      mass += row[j];
      distance += row[j] * cell_distance(kind, i, j, a.rows, a.cols);
      if (mt_tokens_get(keys, j)->is_special)
        out.special_share += row[j];
      else if (row[j] > largest)
        largest = row[j];
    }
    out.confidence += largest;

    size_t best = argmax(row, a.cols);
    previous += is_self && i > 0 && best == i - 1;
    same += is_self && best == i;
    next += is_self && best == i + 1;
    monotone += i > 0 && best >= last_argmax;
    last_argmax = best;
  }

  double m = (double) a.rows;
  out.mean_entropy /= m;
  out.confidence /= m;
  out.special_share /= m;
  out.diagonal_distance = mass > 0 ? distance / mass : 0;
  out.position_share = position_share(capture, kind, layer, head, a);
  if (is_self) {
    /* Under the causal mask no row can look ahead: next stays 0 there. */
    out.previous_share = share(previous, a.rows - 1);
    out.same_share = share(same, a.rows);
    out.next_share = share(next, a.rows - 1);
  } else
    out.monotone_share = share(monotone, a.rows - 1);
  return out;
}
