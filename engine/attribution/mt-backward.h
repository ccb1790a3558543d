/* mt-backward.h — the gradient of one word by everything before it. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BACKWARD_H
#define MT_BACKWARD_H

#include "attribution/mt-attribution.h"

/* Room for passes back through one trace after the other. */
typedef struct mt_backward mt_backward;
mt_backward *mt_backward_new(const mt_attribution_work *work, mt_error *error);
void mt_backward_free(mt_backward *backward);

/* Of what the derivative is. */
typedef enum { MT_OF_LOGPROB, MT_OF_LOGIT } mt_backward_of;

/* Weights of one head, [rows][keys], and their derivatives; both are contiguous. */
typedef struct {
  mt_attention_kind kind;
  size_t layer, head, rows, keys;
  const float *weights, *derivatives;
} mt_backward_head;

/* Of output token t, in the pass of `trace`. The derivatives by the embeddings, as they are scaled,
 * are in mt_backward_embedding then. on_head, unless it is NULL, is called for each head, the last
 * layers first; decoder rows behind t, on which the word does not depend, are not among the rows.
 */
void mt_backward_run(mt_backward *backward, const mt_trace *trace, size_t t, mt_backward_of of,
                     void (*on_head)(void *user, const mt_backward_head *head), void *user);
/* [n_source][d], [t + 1][d] of the newest run. */
const float *mt_backward_embedding(const mt_backward *backward, mt_stack stack);

#endif
