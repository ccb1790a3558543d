/* mt-train-health.c — whether the network looks anywhere.
 *
 * A post-norm encoder can lose its positions while the loss still falls: after each layer all
 * positions of a sentence look more alike, until cross-attention has nothing to choose from. Two
 * numbers show it long before a translation does: how alike positions are after each encoder layer,
 * and how sharp the best cross-attention head is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "train/mt-train-workspace.h"

#include <math.h>
#include <string.h>

bool
mt_health_reserve(mt_health *health, const mt_network_config *config)
{
  if (!health->row_maximum)
    health->row_maximum =
        mt_alloc(config->n_layers[MT_STACK_DECODER] * config->n_heads, sizeof *health->row_maximum);
  return health->row_maximum;
}

void
mt_health_clear(mt_health *health)
{
  mt_free(health->row_maximum);
  *health = (mt_health){0};
}

/* The mean cosine between two of n vectors: |u|^2 is n and each pair twice, where u is the sum of
 * their unit vectors. sum [d] is for that. */
static double
mean_cosine(const mt_real *x, size_t n, size_t d, double *sum)
{
  memset(sum, 0, d * sizeof *sum);
  for (size_t r = 0; r < n; r++) {
    double squares = 0;
    for (size_t i = 0; i < d; i++)
      squares += (double) x[r * d + i] * (double) x[r * d + i];
    double share = squares > 0 ? 1 / sqrt(squares) : 0;
    for (size_t i = 0; i < d; i++)
      sum[i] += share * (double) x[r * d + i];
  }
  double squares = 0, count = (double) n;
  for (size_t i = 0; i < d; i++)
    squares += sum[i] * sum[i];
  return (squares - count) / (count * (count - 1));
}

void
mt_health_add_cosines(const mt_train_pass *pass, const mt_real *x, size_t index)
{
  const mt_train_batch *batch = pass->batch;
  mt_health *health = pass->health;
  size_t d = pass->network->config.d_model;
  for (size_t i = 0; i < batch->n_sentences; i++) {
    size_t begin = batch->source_begin[i], n = batch->source_begin[i + 1] - begin;
    if (n < 2)
      continue;
    health->cosine[index] += mean_cosine(x + begin * d, n, d, pass->workspace->unit_sum);
    health->n_sentences += index == 0;
  }
}

void
mt_health_add_weights(const mt_train_pass *pass, size_t layer)
{
  const mt_train_batch *batch = pass->batch;
  const mt_workspace *w = pass->workspace;
  mt_health *health = pass->health;
  size_t n_heads = pass->network->config.n_heads, n_rows = w->stacks[MT_STACK_DECODER].rows;
  for (size_t h = 0; h < n_heads; h++) {
    double sum = 0;
    for (size_t r = 0; r < n_rows; r++)
      sum += (double) w->largest[h * n_rows + r];
    health->row_maximum[layer * n_heads + h] += sum;
  }
  if (layer > 0)
    return;
  health->n_rows += n_rows;
  for (size_t i = 0; i < batch->n_sentences; i++)
    health->uniform += (double) (batch->target_begin[i + 1] - batch->target_begin[i]) /
                       (double) (batch->source_begin[i + 1] - batch->source_begin[i]);
}

mt_health_summary
mt_health_summarize(const mt_health *health, const mt_network_config *config)
{
  mt_health_summary summary = {0};
  size_t n_heads = config->n_heads, n = config->n_layers[MT_STACK_DECODER] * n_heads;
  double n_sentences = health->n_sentences ? (double) health->n_sentences : 1;
  double n_rows = health->n_rows ? (double) health->n_rows : 1;
  for (size_t l = 0; l <= config->n_layers[MT_STACK_ENCODER]; l++)
    summary.cosine[l] = health->cosine[l] / n_sentences;
  summary.uniform = health->uniform / n_rows;
  for (size_t i = 0; health->row_maximum && i < n; i++)
    if (health->row_maximum[i] / n_rows > summary.sharpness) {
      summary.sharpness = health->row_maximum[i] / n_rows;
      summary.layer = i / n_heads;
      summary.head = i % n_heads;
    }
  return summary;
}
