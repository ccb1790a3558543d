/* corpus-test.h — a corpus of numbers that are known, without a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-corpus.h"
#include "figures/regard-naming.h"

#include <math.h>

/* Two layers of two heads of each kind: encoder, cross, decoder, 12 in all. Head i has confidence
 * i / 16 on average, all of 100 sentences in bin i; the encoder's second head is "previous", and
 * heads stand on a line of their kind, 0.1 apart. */
static inline RegardCorpus *
corpus_test_new(void)
{
  enum { N = 12 };
  RegardCorpusHead *heads = g_new0(RegardCorpusHead, N);
  float *distances = g_new(float, N *N);
  mt_corpus_about about = {.model_name = "toy",
                           .text_name = "toy.en",
                           .is_complete = true,
                           .n_sentences = 1234567,
                           .n_tokens = {10, 10}};

  for (guint k = 0; k < MT_N_KINDS; k++)
    about.n_layers[k] = about.n_heads[k] = 2;
  for (guint i = 0; i < N; i++) {
    RegardCorpusHead *head = &heads[i];
    head->row = regard_head_row_init(regard_kinds_in_order[i / 4], i % 4 / 2, i % 2);
    head->relation = -1;
    for (guint m = 0; m < MT_N_CORPUS_MEASURES; m++)
      head->measures[m] = (mt_corpus_statistics){.mean = (double) NAN, .sd = (double) NAN};
    mt_corpus_statistics *s = &head->measures[MT_CORPUS_CONFIDENCE];
    *s = (mt_corpus_statistics){
        .n = 100, .mean = i / 16.0, .sd = 0.01, .least = 0, .most = 1, .low = 0, .high = 1};
    s->bins[i] = 100;
    for (guint j = 0; j < N; j++)
      distances[i * N + j] = i / 4 == j / 4 ? 0.1f * fabsf((float) i - (float) j) : NAN;
  }
  heads[1].roles[MT_CORPUS_ROLE_PREVIOUS] =
      (mt_corpus_role_value){.n = 1000, .value = 12.34, .p = 0, .holds = true};
  heads[1].roles[MT_CORPUS_ROLE_FIRST] =
      (mt_corpus_role_value){.n = 1000, .value = 4.56, .p = 1e-5, .holds = true};
  heads[2].roles[MT_CORPUS_ROLE_PREVIOUS] =
      (mt_corpus_role_value){.n = 1000, .value = 1.5, .p = 0.2, .holds = false};
  return regard_corpus_new_of("toy.regard-corpus", &about, heads, N, distances);
}
