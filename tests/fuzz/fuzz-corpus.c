/* fuzz-corpus.c — a corpus file: opened, asked for all it has, and gone on with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Heads of each kind that are looked at. */
#define LOOKED_AT 3

static void
look_at_head(const mt_corpus *corpus, mt_attention_kind kind, size_t layer, size_t head)
{
  mt_error error = {0};
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    if (mt_corpus_get(corpus, kind, layer, head, m, &s, &error)) {
      g_assert(s.n == 0 || isfinite(s.mean));
      fuzz_sink += s.n ? s.mean + s.sd : 0;
    }
    mt_corpus_examples *best = mt_corpus_strongest(corpus, kind, layer, head, m, &error);
    for (size_t i = 0; best && i < best->n; i++) {
      g_assert(best->items[i].key < best->items[i].n_weights);
      for (size_t w = 0; w < best->items[i].n_weights; w++)
        fuzz_sink += (double) best->items[i].weights[w];
    }
    mt_corpus_examples_free(best);
    g_autoptr(mt_corpus_examples) all = mt_corpus_quantiles(corpus, kind, layer, head, m, &error);
    for (size_t i = 0; all && i < all->n; i++)
      g_assert(all->items[i].sentence <= mt_corpus_get_about(corpus)->n_sentences);
  }
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (mt_corpus_get_role(corpus, kind, layer, head, r, &v, &error))
      g_assert(v.p >= 0 && v.p <= 1);
  }
  mt_corpus_offsets offsets;
  if (mt_corpus_get_offsets(corpus, kind, layer, head, &offsets, &error))
    fuzz_sink += offsets.best;
  for (size_t i = 0; kind == MT_ENCODER_SELF && i < mt_corpus_n_relations(corpus); i++) {
    mt_corpus_relation_value v;
    g_assert(g_utf8_validate(mt_corpus_relation_at(corpus, i).name, -1, NULL));
    if (mt_corpus_get_relation(corpus, layer, head, i, &v, &error))
      fuzz_sink += v.share;
  }
}

static void
look_at_sentences(const mt_corpus *corpus)
{
  mt_error error = {0};
  const mt_corpus_query queries[] = {
      {.words = "dogs"},
      {.has_head = true,
       .least = 0.1,
       .most = 1,
       .measure = MT_CORPUS_SPECIAL,
       .is_descending = true},
  };
  for (size_t q = 0; q < G_N_ELEMENTS(queries); q++) {
    g_autoptr(mt_corpus_hits) hits = mt_corpus_search(corpus, &queries[q], &error);
    for (size_t i = 0; hits && i < hits->n && i < 5; i++) {
      g_autoptr(mt_corpus_sentence) s =
          mt_corpus_sentence_new(corpus, hits->items[i].sentence, &error);
      for (int side = 0; s && side < MT_N_STACKS; side++) {
        g_assert(g_utf8_validate(s->text[side], -1, NULL));
        const size_t n = strlen(s->text[side]);
        for (size_t t = 0; t < s->n_tokens[side]; t++)
          g_assert(s->tokens[side][t].begin <= s->tokens[side][t].end &&
                   s->tokens[side][t].end <= n);
      }
    }
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path;
  mt_error error = {0};
  if (!path)
    path = g_build_filename(fuzz_model_path(), "fuzz.regard-corpus", NULL);
  if (!g_file_set_contents(path, (const char *) data, (gssize) size, NULL))
    g_error("cannot write %s", path);
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, &error);
  if (!corpus) {
    g_assert(error.message[0]);
    return 0;
  }
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  if (about->n_sentences < 100000) {
    for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
      for (size_t l = 0; l < MIN(about->n_layers[k], LOOKED_AT); l++)
        for (size_t h = 0; h < MIN(about->n_heads[k], LOOKED_AT); h++)
          look_at_head(corpus, k, l, h);
    look_at_sentences(corpus);
    fuzz_sink += (double) mt_corpus_hash(corpus, &error);
  }
  return 0;
}
