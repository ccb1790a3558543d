/* search.h — what a search is asked for. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_SEARCH_H
#define MT_PUBLIC_SEARCH_H

#include <mt/config.h>
#include <mt/model.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Semantics of Hugging Face `generate` (transformers, beam search and greedy search). */
typedef struct {
  size_t beam_size;  /* 1: greedy; at most 256 */
  size_t n_best;     /* hypotheses returned, 1..beam_size */
  size_t min_length; /* in target tokens incl. the start token, as in generate(min_length=) */
  size_t max_length; /* likewise; at most max_positions */
  float length_penalty;
  mt_early_stopping early_stopping;
  int language; /* target language of a multi-target model, as in mt_model_tokenize_to; -1: none */
} mt_search_params;

/* What the model's own configuration asks for, with n_best 1 and no language. model NULL: beam 1,
 * length 512. */
mt_search_params mt_search_params_default(const mt_model *model);

#ifdef __cplusplus
}
#endif
#endif
