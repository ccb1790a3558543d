/* mt-models-alike.c — whether numbers of two models mean the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-models-alike.h"

#include "base/mt-error.h"

#include <string.h>

/* What a number in a tensor means depends on these. */
typedef struct {
  const char *name;
  size_t value;
} trait;
enum { N_TRAITS = 21 };

static void
list_traits(const mt_config *c, trait out[N_TRAITS])
{
  const trait all[N_TRAITS] = {
      {"d_model", c->d_model},
      {"encoder layers", c->n_layers[MT_STACK_ENCODER]},
      {"decoder layers", c->n_layers[MT_STACK_DECODER]},
      {"encoder heads", c->n_heads[MT_STACK_ENCODER]},
      {"decoder heads", c->n_heads[MT_STACK_DECODER]},
      {"encoder d_ffn", c->d_ffn[MT_STACK_ENCODER]},
      {"decoder d_ffn", c->d_ffn[MT_STACK_DECODER]},
      {"source pieces", c->vocab_size[MT_STACK_ENCODER]},
      {"target pieces", c->vocab_size[MT_STACK_DECODER]},
      {"positions", c->max_positions},
      {"attention window", c->attention_window},
      {"kind of norm", c->norm_kind},
      {"kind of feed-forward network", c->feed_forward_kind},
      {"activation number", c->activation},
      {"kind of positions", c->position_kind},
      {"scaled embeddings", c->scale_embedding},
      {"pre-norm", c->normalize_before},
      {"a norm after the embedding", c->normalize_embedding},
      {"a final norm", c->add_final_layer_norm},
      {"shared embeddings", c->share_embeddings},
      {"tied output", c->tie_word_embeddings},
  };
  memcpy(out, all, sizeof all);
}

static bool
check_traits(const mt_model *first, const mt_model *other, mt_error *error)
{
  trait expected[N_TRAITS], found[N_TRAITS];
  list_traits(mt_model_config(first), expected);
  list_traits(mt_model_config(other), found);
  for (size_t i = 0; i < N_TRAITS; i++)
    if (expected[i].value != found[i].value)
      return mt_fail(error, MT_ERROR_INPUT, "%.200s: expected %s %zu as %.200s has, found %zu.",
                     mt_model_directory(other), expected[i].name, expected[i].value,
                     mt_model_directory(first), found[i].value);
  return true;
}

static bool
check_pieces(const mt_model *first, const mt_model *other, mt_error *error)
{
  for (int s = 0; s < MT_N_STACKS; s++) {
    int32_t n = (int32_t) mt_model_config(first)->vocab_size[s];
    for (int32_t id = 0; id < n; id++) {
      const char *expected = mt_model_piece(first, (mt_stack) s, id);
      const char *found = mt_model_piece(other, (mt_stack) s, id);
      if (strcmp(expected, found) != 0)
        return mt_fail(error, MT_ERROR_INPUT,
                       "%.200s: expected piece %d to be \"%.100s\" as in %.200s, found \"%.100s\".",
                       mt_model_directory(other), (int) id, expected, mt_model_directory(first),
                       found);
    }
  }
  return true;
}

bool
mt_models_check_alike(const mt_model *first, const mt_model *other, mt_error *error)
{
  return check_traits(first, other, error) && check_pieces(first, other, error);
}
