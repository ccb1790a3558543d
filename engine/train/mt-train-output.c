/* mt-train-output.c — output layer, softmax and loss, forward and backward at once; the paper,
 * sections 3.4 and 5.4.
 *
 *     logits = h E^T              dh = dlogits E        dE += dlogits^T h
 *
 * Logits of all rows would be the largest tensor of all: T times V. They are made, turned into
 * their own gradient and used up a block of rows at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-product.h"
#include "mt-train-workspace.h"

/* Rows whose logits are made, turned into gradients and used by one thread: less would read the
 * embedding too often, more would leave the caches. */
#define ROWS_PER_PART 24

typedef struct {
  const mt_operators *operators;
  size_t d, n_vocab;
  size_t rows;                    /* of this block */
  const mt_real *h;               /* [rows][d] */
  mt_real *d_h;                   /* [rows][d] */
  const mt_real *embedding;       /* [V][d] */
  mt_real *to_vocab, *from_vocab; /* panels of the embedding: h times, dlogits times */
  mt_real *d_embedding, *d_bias;
  mt_softmax_pair softmax;
} output_block;

/* c = a b, where b is the embedding or its transpose, and has panels if there are any. */
static void
rows_product(const output_block *o, mt_real *c, size_t cols, const mt_real *a, size_t depth,
             const mt_real *panels, bool transposed, size_t begin, size_t end)
{
  if (o->operators->multiplies)
    o->operators->multiply(c, cols, a, depth, panels, cols, depth, false, begin, end);
  else
    mt_product_alone(c + begin * cols, cols, (mt_factor){a + begin * depth, depth, false},
                     (mt_factor){o->embedding, o->d, transposed}, end - begin, cols, depth, false);
}

/* Rows of the block: logits, loss, and what the decoder gets back. */
static void
rows_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = mt_product_part(i, n_parts, o->rows);
  size_t end = mt_product_part(i + 1, n_parts, o->rows);
  rows_product(o, o->softmax.logits, v, o->h, d, o->to_vocab, true, begin, end);
  o->operators->softmax(&o->softmax, begin, end);
  if (o->softmax.wants_gradient)
    rows_product(o, o->d_h, d, o->softmax.logits, v, o->from_vocab, false, begin, end);
}

/* Words of the vocabulary: what the embedding gets back. */
static void
words_part(void *user, size_t i, size_t n_parts)
{
  const output_block *o = user;
  size_t d = o->d, v = o->n_vocab;
  size_t begin = v * i / n_parts, end = v * (i + 1) / n_parts;
  mt_product_alone(o->d_embedding + begin * d, d, (mt_factor){o->softmax.logits + begin, v, true},
                   (mt_factor){o->h, d, false}, end - begin, d, o->rows, true);
  o->operators->add_columns(o->d_bias, o->softmax.logits, v, o->rows, begin, end);
}

void
mt_output_pass(const mt_train_pass *pass, mt_loss *loss)
{
  mt_network *network = pass->network;
  mt_workspace *w = pass->workspace;
  const mt_train_stack *decoder = &w->stacks[MT_STACK_DECODER];
  const mt_network_layout *layout = network->layout;
  size_t d = network->config.d_model, n_rows = decoder->rows;
  output_block o = {
      .operators = w->operators,
      .d = d,
      .n_vocab = network->config.vocab_size,
      .embedding = network->parameters + layout->embedding,
      .d_embedding = network->gradients + layout->embedding,
      .d_bias = network->gradients + layout->output_bias,
  };
  o.to_vocab = w->panels;
  o.from_vocab = w->panels + (o.n_vocab + MT_PANELS_PAD) * d;
  if (w->operators->multiplies) {
    mt_product_pack(&w->products, o.to_vocab, (mt_factor){o.embedding, d, true}, o.n_vocab, d);
    if (pass->is_training)
      mt_product_pack(&w->products, o.from_vocab, (mt_factor){o.embedding, d, false}, d, o.n_vocab);
  }
  size_t n_threads = mt_pool_n_threads(w->pool);
  for (size_t first = 0; first < n_rows; first += MT_OUTPUT_ROWS) {
    o.rows = n_rows - first < MT_OUTPUT_ROWS ? n_rows - first : MT_OUTPUT_ROWS;
    o.h = decoder->add_norms[decoder->n_sub_layers].y + first * d;
    o.d_h = w->d_y + first * d;
    o.softmax = (mt_softmax_pair){
        .n = o.n_vocab,
        .smoothing = (mt_real) network->config.label_smoothing,
        .bias = network->parameters + layout->output_bias,
        .answer = pass->batch->target_out + first,
        .logits = w->logits,
        .wants_gradient = pass->is_training,
        .loss = w->row_loss + first,
        .nll = w->row_nll + first,
    };
    /* Own products come out the same however they are divided; OpenBLAS' may not. */
    size_t n_parts =
        w->operators->multiplies ? (o.rows + ROWS_PER_PART - 1) / ROWS_PER_PART : n_threads;
    mt_pool_run(w->pool, n_parts, rows_part, &o);
    if (pass->is_training)
      mt_pool_run(w->pool, n_threads, words_part, &o);
  }
  *loss = (mt_loss){.n_tokens = n_rows};
  for (size_t r = 0; r < n_rows; r++) {
    loss->smoothed_loss += w->row_loss[r];
    loss->negative_log_likelihood += w->row_nll[r];
  }
}
