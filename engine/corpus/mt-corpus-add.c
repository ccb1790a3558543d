/* mt-corpus-add.c — a sentence comes into a corpus: all its numbers, then all sums.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

#include <string.h>

/* The bounds of tokens. */
static void
mt_corpus_tokens_put(const mt_tokens *tokens, mt_packed *packed)
{
  const size_t n = mt_tokens_count(tokens);
  uint32_t at = 0;
  mt_packed_put_whole(packed, n);
  for (size_t i = 0; i < n; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    /* Tokens stand one behind the other in the text, nearly always without a gap. */
    const uint32_t begin = token->begin > at ? token->begin : at;
    const uint32_t end = token->end > begin ? token->end : begin;
    const uint64_t length = end - begin, gap = begin - at;
    mt_packed_put_whole(packed, length << 2 | (uint64_t) (gap > 0) << 1 | token->is_special);
    if (gap > 0)
      mt_packed_put_whole(packed, gap);
    at = end;
  }
}

/* Of both texts together, by which equal ones are known and examples are chosen: FNV-1a, mixed. */
static uint64_t
mt_corpus_text_hash(const char *source, const char *target)
{
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, source, strlen(source) + 1);
  hash = mt_hash_bytes(hash, target, strlen(target) + 1);
  /* Its upper bits hang on the last bytes only: the end of SplitMix64 mixes them. */
  hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
  return hash ^ hash >> 31;
}

/* ---- Numbers -----------------------------------------------------------------------------------
 */

typedef struct {
  const mt_corpus_writer *writer;
  const mt_capture *capture;
  mt_corpus_keys keys[MT_N_KINDS];
} work;

static void
compute_part(void *user, size_t part, size_t n_parts)
{
  const work *w = user;
  const mt_corpus_shape *shape = &w->writer->head.shape;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t i = part; i < shape->n_of_kind[k]; i += n_parts)
      mt_corpus_values_compute(&w->writer->values[shape->first[k] + i], w->capture, &w->keys[k], k,
                               i / shape->n_heads[k], i % shape->n_heads[k]);
}

/* Into writer->values. False: no memory. */
static bool
compute(mt_corpus_writer *writer, const mt_capture *capture)
{
  work w = {writer, capture, {{0}}};
  bool ok = true;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    ok = ok && mt_corpus_keys_init(&w.keys[k], mt_capture_columns(capture, k));
  if (ok)
    mt_pool_run(writer->pool, writer->head.shape.n < 24 ? 1 : 12, compute_part, &w);
  for (size_t k = 0; k < MT_N_KINDS; k++)
    mt_corpus_keys_clear(&w.keys[k]);
  return ok;
}

static void
add_effects(mt_corpus_writer *writer, const mt_effects *effects)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t i = 0; i < shape->n_of_kind[k]; i++) {
      mt_corpus_values *values = &writer->values[shape->first[k] + i];
      values->measures |= 1u << MT_CORPUS_EFFECT;
      values->measured[MT_CORPUS_EFFECT].value =
          mt_fixed_of(mt_effects_get(effects, k, i / shape->n_heads[k], i % shape->n_heads[k]));
    }
}

static bool
add_distances(mt_corpus_writer *writer, const mt_capture *capture, mt_error *error)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    const size_t room = mt_corpus_divergences_room(capture, k);
    if (room > writer->scratch_size) {
      mt_free(writer->scratch);
      writer->scratch = mt_alloc_aligned(room, sizeof *writer->scratch);
      writer->scratch_size = writer->scratch ? room : 0;
      if (!writer->scratch)
        return mt_fail_no_memory(error);
    }
    mt_corpus_divergences(capture, k, writer->scratch, writer->pool, writer->divergences);
    for (size_t p = 0; p < mt_corpus_shape_pairs(&writer->head.shape, k); p++)
      writer->distances[k][p] += (uint64_t) writer->divergences[p];
  }
  return true;
}

/* ---- Examples ----------------------------------------------------------------------------------
 */

static bool
add_example(mt_corpus_writer *writer, const mt_capture *capture, size_t i,
            mt_corpus_measure measure, uint64_t hash, mt_error *error)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  const mt_attention_kind kind = mt_corpus_shape_kind(shape, i);
  const mt_corpus_measured *measured = &writer->values[i].measured[measure];
  mt_corpus_top *top = &writer->tops[i * MT_N_CORPUS_MEASURES + measure];
  if (!mt_corpus_top_wants(top, measured->value, hash))
    return true;
  const size_t at = i - shape->first[kind];
  const mt_matrix a =
      mt_capture_weights(capture, kind, at / shape->n_heads[kind], at % shape->n_heads[kind]);
  const size_t n = kind == MT_DECODER_SELF ? measured->query + 1 : a.cols;
  unsigned char *weights = mt_alloc(n, 1);
  if (!weights)
    return mt_fail_no_memory(error);
  for (size_t j = 0; j < n; j++) {
    const float w = mt_matrix_at(&a, measured->query, j);
    weights[j] = w >= 1 ? 255 : w > 0 ? (unsigned char) (w * 255 + 0.5f) : 0;
  }
  const mt_corpus_top_item item = {.value = measured->value,
                                   .hash = hash,
                                   .sentence = writer->head.about.n_sentences + 1,
                                   .query = measured->query,
                                   .key = measured->key,
                                   .n = (uint32_t) n,
                                   .weights = weights};
  const bool ok = mt_corpus_top_add(top, &item);
  mt_free(weights);
  return ok || mt_fail_no_memory(error);
}

/* ---- All of it ---------------------------------------------------------------------------------
 */

static bool
check(const mt_corpus_writer *writer, const mt_capture *capture, const mt_effects *effects,
      const mt_conllu_tree *tree, mt_error *error)
{
  const mt_corpus_about *about = &writer->head.about;
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    bool fits = mt_capture_n_layers(capture, k) == about->n_layers[k] &&
                (about->n_layers[k] == 0 || mt_capture_n_heads(capture, k) == about->n_heads[k]);
    fits = fits && (!effects || (effects->n_layers[k] == about->n_layers[k] &&
                                 effects->n_heads[k] == about->n_heads[k]));
    if (!fits)
      return mt_fail(error, MT_ERROR_INPUT, "The capture does not have the heads of this model.");
  }
  if ((effects != NULL) != about->has_effects)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus is one %s effects.",
                   about->has_effects ? "with" : "without");
  if ((tree != NULL) != about->has_trees)
    return mt_fail(error, MT_ERROR_INPUT, "The corpus is one %s trees.",
                   about->has_trees ? "with" : "without");
  return true;
}

/* Everything into the sums; what fails here leaves them half done. */
static bool
add_all(mt_corpus_writer *writer, const mt_capture *capture, uint64_t hash, mt_error *error)
{
  const mt_corpus_shape *shape = &writer->head.shape;
  const bool has_effects = writer->head.about.has_effects;
  for (size_t i = 0; i < shape->n; i++) {
    const mt_attention_kind kind = mt_corpus_shape_kind(shape, i);
    const mt_corpus_values *values = &writer->values[i];
    mt_corpus_sums_add(&writer->sums[i], kind, values);
    for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
      if (!mt_corpus_shape_has(shape, i, m, has_effects))
        continue;
      *mt_corpus_writer_byte(writer, i, m) =
          mt_corpus_quantize(m, kind, mt_fixed_value(values->measured[m].value));
      if (!add_example(writer, capture, i, m, hash, error))
        return false;
    }
  }
  return add_distances(writer, capture, error);
}

bool
mt_corpus_writer_add(mt_corpus_writer *writer, const mt_capture *capture, const mt_effects *effects,
                     const mt_conllu_tree *tree, uint64_t line, mt_error *error)
{
  const mt_tokens *source = mt_capture_source(capture), *output = mt_capture_output(capture);
  if (!check(writer, capture, effects, tree, error))
    return false;
  if (!compute(writer, capture))
    return mt_fail_no_memory(error);
  if (effects)
    add_effects(writer, effects);
  mt_packed tokens = {0};
  mt_corpus_tokens_put(source, &tokens);
  mt_corpus_tokens_put(output, &tokens);
  const mt_corpus_row row = {
      .line = line,
      .source = mt_tokens_text(source),
      .target = mt_tokens_text(output),
      .tokens = tokens.data,
      .n_tokens_bytes = tokens.n,
      .hash = mt_corpus_text_hash(mt_tokens_text(source), mt_tokens_text(output)),
  };
  bool ok = !tokens.failed || mt_fail_no_memory(error);
  ok = ok && (!tree || mt_corpus_relations_add(&writer->relations, capture, tree, error));
  if (ok) {
    ok = mt_corpus_writer_append(writer, &row, error) &&
         add_all(writer, capture, row.hash, error) && mt_corpus_writer_advance(writer, error);
    writer->is_broken = !ok;
    writer->head.about.n_tokens[MT_STACK_ENCODER] += ok ? mt_tokens_count(source) : 0;
    writer->head.about.n_tokens[MT_STACK_DECODER] += ok ? mt_tokens_count(output) : 0;
  }
  mt_packed_clear(&tokens);
  return ok;
}
