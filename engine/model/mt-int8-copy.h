/* mt-int8-copy.h — a model that is not rounded, once more with int8 where steps of a search read
 * it: what a greedy search may guess with (session/mt-self-draft.h). Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It is the same model but for the matrices that a step reads: embeddings, norms, biases, the
 * encoder and the keys and values of its output are borrowed. It is made when somebody has decoded
 * enough for it to pay, by whoever notices first, and lives as long as the model.
 */
#ifndef MT_INT8_COPY_H
#define MT_INT8_COPY_H

#include "base/mt-pool.h"
#include "model/mt-model.h"

/* Whether steps of this model are so slow, since they read so much, that guessing with a copy pays,
 * and whether there is memory for one. */
bool mt_int8_copy_pays(const mt_model *model);

/* A step of a greedy search without a copy. Returns how many there were, in all sessions. */
size_t mt_int8_copy_count_step(mt_model *model);

/* The copy; NULL: there is none yet. From any thread. */
const mt_model *mt_int8_copy_get(const mt_model *model);

/* Make it, by the threads of the pool. Nothing happens if it is there, or if somebody else is at
 * it, or if it cannot be had: there is no memory, or a matrix is too wide for int8. False:
 * should_stop, which is asked before each matrix, said so; the next call goes on from there. */
bool mt_int8_copy_make(mt_model *model, mt_pool *pool, bool (*should_stop)(void *user), void *user);

void mt_int8_copy_clear(mt_model *model);

#endif
