/* mt-means.h — mean contexts of the heads of a model, as a value. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MEANS_H
#define MT_MEANS_H

#include "model/mt-model.h"

struct mt_means {
  int ref_count;
  size_t d_model, n_layers[MT_N_KINDS], n_heads[MT_N_KINDS], d_head[MT_N_KINDS];
  float *means[MT_N_KINDS]; /* [n_layers][d_model], heads side by side */
  size_t n_sentences, n_tokens[MT_N_STACKS];
  uint64_t fingerprint; /* of the model */
  char *model_name, *text;
  uint64_t hash; /* of the numbers; set by mt_means_seal */
};

/* With the shape of a model, all zero; strings are copied. */
mt_means *mt_means_new(const mt_model *model, const char *text, mt_error *error);
/* The numbers are final. */
void mt_means_seal(mt_means *means);

#endif
