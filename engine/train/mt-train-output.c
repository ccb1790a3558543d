/* mt-train-output.c — output layer, softmax and loss, forward and backward at once; the paper,
 * sections 3.4 and 5.4.
 *
 *     logits = h E^T              dh = dlogits E        dE += dlogits^T h
 *
 * E is the embedding, or a matrix of the output layer's own.
 *
 * Logits of all rows would be the largest tensor of all: T times V. They are made, turned into
 * their own gradient and used up a block of rows at a time. With R-Drop the rows of the second pass
 * are half a batch behind those of the first, and a block has as many of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-product.h"
#include "train/mt-train-workspace.h"

/* Rows whose logits are made, turned into gradients and used by one thread: less would read the
 * matrix too often, more would leave the caches. */
#define ROWS_PER_PART 24

typedef struct {
  const mt_operators *operators;
  const mt_products *products;
  size_t d, n_vocab;
  size_t n_passes;                /* 2 with R-Drop */
  size_t rows;                    /* of this block, of each pass */
  const mt_real *h[2];            /* [rows][d] */
  mt_real *d_h[2];                /* [rows][d] */
  const mt_real *matrix;          /* [V][d] */
  mt_real *to_vocab, *from_vocab; /* panels of the matrix: h times, dlogits times */
  mt_real *h_panels;
  mt_real *d_matrix, *d_bias;
  mt_r_drop_pair loss;
  size_t pass; /* whose rows words_part takes */
} output_block;

/* Rows of the block: logits, loss, and what the decoder gets back. */
static void
rows_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = mt_product_part(o->products, i, n_parts, o->rows);
  size_t end = mt_product_part(o->products, i + 1, n_parts, o->rows);
  const mt_softmax_pair *passes = o->loss.passes;
  for (size_t k = 0; k < o->n_passes; k++)
    mt_product_rows(o->products, passes[k].logits, v, (mt_factor){o->h[k], d, false},
                    (mt_factor){o->matrix, d, true}, o->to_vocab, v, d, false, begin, end);
  if (o->n_passes == 2)
    o->operators->r_drop(&o->loss, begin, end);
  else
    o->operators->softmax(&passes[0], begin, end);
  for (size_t k = 0; k < o->n_passes && passes[k].wants_gradient; k++)
    mt_product_rows(o->products, o->d_h[k], d, (mt_factor){passes[k].logits, v, false},
                    (mt_factor){o->matrix, d, false}, o->from_vocab, d, v, false, begin, end);
}

/* Words of the vocabulary: what the matrix gets back. */
static void
words_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = v * i / n_parts, end = v * (i + 1) / n_parts;
  const mt_real *d_logits = o->loss.passes[o->pass].logits;
  mt_product_rows(o->products, o->d_matrix, d, (mt_factor){d_logits, v, true},
                  (mt_factor){o->h[o->pass], d, false}, o->h_panels, d, o->rows, true, begin, end);
  o->operators->add_columns(o->d_bias, d_logits, v, o->rows, begin, end);
}

/* Rows first … first + rows - 1 of each pass. */
static void
describe_block(output_block *o, const mt_train_pass *pass, size_t first)
{
  const mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *decoder = &w->stacks[MT_STACK_DECODER];
  o->loss.alpha = (mt_real) network->config.r_drop;
  for (size_t k = 0; k < o->n_passes; k++) {
    size_t at = k * (decoder->rows / 2) + first;
    o->h[k] = decoder->add_norms[decoder->n_sub_layers].y + at * o->d;
    o->d_h[k] = w->d_y + at * o->d;
    o->loss.passes[k] = (mt_softmax_pair){
        .n = o->n_vocab,
        .smoothing = (mt_real) network->config.label_smoothing,
        .bias = network->parameters + network->layout->output_bias,
        .answer = pass->batch->target_out + at,
        .logits = w->logits + k * o->rows * o->n_vocab,
        .wants_gradient = pass->is_training,
        .loss = w->row_loss + at,
        .nll = w->row_nll + at,
    };
  }
}

void
mt_output_pass(const mt_train_pass *pass, mt_loss *loss)
{
  mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *decoder = &w->stacks[MT_STACK_DECODER];
  const mt_network_layout *layout = network->layout;
  size_t d = network->config.d_model, n_rows = decoder->rows;
  size_t n_passes = pass->is_training && network->config.r_drop > 0 ? 2 : 1;
  size_t pass_rows = n_rows / n_passes, block_rows = MT_OUTPUT_ROWS / n_passes;
  output_block o = {
      .operators = w->operators,
      .products = &w->products,
      .d = d,
      .n_vocab = network->config.vocab_size,
      .n_passes = n_passes,
      .matrix = network->parameters + layout->output,
      .d_matrix = network->gradients + layout->output,
      .d_bias = network->gradients + layout->output_bias,
  };
  o.to_vocab = w->panels;
  o.from_vocab = o.to_vocab + mt_product_room(d, o.n_vocab);
  o.h_panels = o.from_vocab + mt_product_room(o.n_vocab, d);
  bool has_panels = mt_product_has_panels(&w->products, false);
  bool has_h_panels = pass->is_training && mt_product_has_panels(&w->products, true);
  if (has_panels) {
    mt_product_pack(&w->products, o.to_vocab, (mt_factor){o.matrix, d, true}, o.n_vocab, d);
    if (pass->is_training)
      mt_product_pack(&w->products, o.from_vocab, (mt_factor){o.matrix, d, false}, d, o.n_vocab);
  }
  size_t n_threads = mt_pool_n_threads(w->pool);
  for (size_t first = 0; first < pass_rows; first += block_rows) {
    o.rows = pass_rows - first < block_rows ? pass_rows - first : block_rows;
    describe_block(&o, pass, first);
    /* Own products come out the same however they are divided; OpenBLAS' may not. */
    size_t n_parts = has_panels ? (o.rows + ROWS_PER_PART - 1) / ROWS_PER_PART : n_threads;
    mt_pool_run(w->pool, n_parts, rows_part, &o);
    for (o.pass = 0; o.pass < n_passes && pass->is_training; o.pass++) {
      if (has_h_panels)
        mt_product_pack(&w->products, o.h_panels, (mt_factor){o.h[o.pass], d, false}, d, o.rows);
      mt_pool_run(w->pool, n_threads, words_part, &o);
    }
  }
  *loss = (mt_loss){.n_tokens = n_rows};
  for (size_t r = 0; r < n_rows; r++) {
    loss->smoothed_loss += w->row_loss[r];
    loss->negative_log_likelihood += w->row_nll[r];
  }
}
