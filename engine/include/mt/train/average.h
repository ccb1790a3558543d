/* average.h — the mean of several models. Part of mt-train.h.
 *
 * Models that went different ways from one beginning (another seed, other text) often lie in one
 * valley of the loss, and their mean deeper in it than each of them: the paper averages checkpoints
 * of one training (section 6.1), "model soups" those of several (Wortsman et al. 2022).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_AVERAGE_H
#define MT_PUBLIC_TRAIN_AVERAGE_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *path; /* a Hugging Face Marian directory, or a zip archive of one */
  double weight;    /* above 0; its share of the mean is weight / sum of all weights */
} mt_average_part;

/* Write the folder `output`: the first model with the mean of all n as its numbers, in the types
 * that they have there, and a card that names the parts. The models must have the same shape, the
 * same tensors and the same pieces with the same ids; how to search is the first one's. replace: as
 * in mt_new_dir_commit. Errors: those of mt_model_open; MT_ERROR_INPUT for fewer than two parts, a
 * weight out of range, and models that differ (names both, and in what); MT_ERROR_UNSUPPORTED for
 * Marian's own format, tensors of more than two dimensions, and a mean beyond every F16;
 * MT_ERROR_IO, MT_ERROR_NO_MEMORY. After any of them nothing has changed. */
bool mt_average_write(const mt_average_part *parts, size_t n, const char *output, bool replace,
                      mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
