/* mt-ties.h — which tensors of a checkpoint are the embeddings and the output matrix. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TIES_H
#define MT_TIES_H

#include "checkpoint/mt-container.h"
#include "model/mt-names.h"

/* Indices in the container. Matrices that are tied have the same one. */
typedef struct {
  size_t embeddings[MT_N_STACKS];
  size_t output;
  bool is_in_out; /* the output matrix is [d][vocab] */
} mt_ties;

/* Find them, and set what the configuration says of ties to what the file has: a matrix that is
 * tied is in the file once, or more than once with the same numbers. Errors: MT_ERROR_FORMAT if one
 * is missing, or if the configuration ties what differs in the file. */
bool mt_ties_find(mt_ties *ties, mt_config *config, mt_container *container, const mt_names *names,
                  const mt_dir *dir, mt_error *error);

#endif
