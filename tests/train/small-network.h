/* small-network.h — tiny networks of every kind, and a batch of odd lengths, for tests of training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SMALL_NETWORK_H
#define SMALL_NETWORK_H

#include "train/mt-train-pass.h"

#include <glib.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_network, mt_network_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_workspace, mt_workspace_free)

typedef struct {
  const char *name;
  mt_network_config config;
} small_variant;

/* Every way in which a network can differ; d 12, 3 heads, d_ffn 20, 2 + 2 layers, 23 words. */
extern const small_variant small_variants[];
extern const size_t small_n_variants;

/* A batch whose sentences have one token, a few, and more than attention takes at a time. Free with
 * small_batch_free. All of it twice if the network has R-Drop. */
mt_train_batch *small_batch_new(const mt_network_config *config, uint32_t seed);
void small_batch_free(mt_train_batch *batch);

/* Ends the test program with its message if the call failed. */
#define SMALL_OK(call)                               \
  G_STMT_START                                       \
  {                                                  \
    mt_error small_error = {0};                      \
    mt_error *error = &small_error;                  \
    if (!(call))                                     \
      g_error("%s: %s", #call, small_error.message); \
  }                                                  \
  G_STMT_END

/* Uniform in -1 … 1, deterministic. */
double small_random(uint32_t *state);

#endif
