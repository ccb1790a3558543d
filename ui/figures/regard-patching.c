/* regard-patching.c — what comes back with single states of another run: values, and the matrices
 * that files hold.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-patching.h"
#include "figures/regard-naming.h"

#include <math.h>

static gboolean
is_stream(RegardPatched map)
{
  return map <= REGARD_PATCHED_DECODER_STREAM;
}

static mt_stack
stack_of(RegardPatched map)
{
  return map == REGARD_PATCHED_ENCODER_STREAM || map == REGARD_PATCHED_ENCODER_HEADS
             ? MT_STACK_ENCODER
             : MT_STACK_DECODER;
}

static mt_attention_kind
kind_of(RegardPatched map)
{
  return map == REGARD_PATCHED_ENCODER_HEADS ? MT_ENCODER_SELF
         : map == REGARD_PATCHED_CROSS_HEADS ? MT_CROSS
                                             : MT_DECODER_SELF;
}

static void
fill_map(RegardPatchedMap *m, const mt_patching *patching, RegardPatched map, gsize token)
{
  const mt_stack stack = stack_of(map);
  m->n_rows = (guint) mt_patching_n_layers(patching, stack) + is_stream(map);
  m->n_cols = (guint) (is_stream(map) ? mt_patching_n_tokens(patching, stack)
                                      : mt_patching_n_heads(patching, stack));
  m->recovered = g_new0(double, MAX((gsize) m->n_rows * m->n_cols, 1));
  for (guint r = 0; r < m->n_rows; r++)
    for (guint c = 0; c < m->n_cols; c++) {
      const float *logprobs = is_stream(map) ? mt_patching_stream(patching, stack, r, c)
                                             : mt_patching_head(patching, kind_of(map), r, c);
      m->recovered[(gsize) r * m->n_cols + c] = mt_patching_recovered(patching, logprobs, token);
    }
}

static char **
pieces(const mt_tokens *tokens, guint n)
{
  char **texts = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++)
    texts[i] = g_strdup(mt_tokens_get(tokens, i)->piece);
  return texts;
}

static char *
changes_text(const mt_changes *changes)
{
  return mt_changes_count(changes) ? g_strdup(mt_changes_text(changes)) : NULL;
}

/* What depends on the token. */
static void
look_at(RegardPatching *self, int token)
{
  const gsize at = token < 0 ? SIZE_MAX : (gsize) token;
  self->token = token;
  self->a = mt_patching_measure(self->all, mt_patching_a(self->all), at);
  self->b = mt_patching_measure(self->all, mt_patching_b(self->all), at);
  for (RegardPatched map = 0; map < REGARD_N_PATCHED; map++)
    fill_map(&self->maps[map], self->all, map, at);
}

RegardPatching *
regard_patching_new(mt_patching *patching, const RegardPatchingOf *of, int token)
{
  RegardPatching *self = g_new0(RegardPatching, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->all = mt_patching_ref(patching);
  self->model_name = g_strdup(mt_model_name(of->model));
  self->changes = changes_text(of->changes_b);
  self->changes_a = changes_text(of->changes_a);
  self->source_a = g_strdup(of->text_a);
  self->source_b = g_strdup(of->text_b);
  self->n_source = (guint) mt_patching_n_tokens(patching, MT_STACK_ENCODER);
  self->n_target = (guint) mt_patching_n_tokens(patching, MT_STACK_DECODER);
  self->source_texts =
      pieces(of->source_b ? of->source_b : mt_translation_source(of->translation), self->n_source);
  self->target_texts =
      pieces(mt_translation_hypothesis(of->translation, of->hypothesis)->tokens, self->n_target);
  look_at(self, token);
  return self;
}

RegardPatching *
regard_patching_new_of_token(const RegardPatching *patching, int token)
{
  RegardPatching *self = g_memdup2(patching, sizeof *patching);
  g_atomic_ref_count_init(&self->ref_count);
  mt_patching_ref(self->all);
  self->model_name = g_strdup(patching->model_name);
  self->changes = g_strdup(patching->changes);
  self->changes_a = g_strdup(patching->changes_a);
  self->source_a = g_strdup(patching->source_a);
  self->source_b = g_strdup(patching->source_b);
  self->source_texts = g_strdupv(patching->source_texts);
  self->target_texts = g_strdupv(patching->target_texts);
  look_at(self, token); /* maps anew */
  return self;
}

gboolean
regard_patching_has_loss(const RegardPatching *patching)
{
  return isfinite(patching->maps[REGARD_PATCHED_ENCODER_STREAM].recovered[0]);
}

RegardPatching *
regard_patching_ref(RegardPatching *patching)
{
  g_atomic_ref_count_inc(&patching->ref_count);
  return patching;
}

void
regard_patching_unref(RegardPatching *patching)
{
  if (!g_atomic_ref_count_dec(&patching->ref_count))
    return;
  for (guint map = 0; map < REGARD_N_PATCHED; map++)
    g_free(patching->maps[map].recovered);
  g_strfreev(patching->source_texts);
  g_strfreev(patching->target_texts);
  g_free(patching->source_a);
  g_free(patching->source_b);
  g_free(patching->changes);
  g_free(patching->changes_a);
  g_free(patching->model_name);
  mt_patching_unref(patching->all);
  g_free(patching);
}

char *
regard_patching_place_name(RegardPatched map, guint row, guint col)
{
  static const char *const kinds[MT_N_KINDS] = {"encoder", "decoder", "cross"};
  if (!is_stream(map))
    return g_strdup_printf("%s %u.%u", kinds[kind_of(map)], row + 1, col + 1);
  const char *stack = map == REGARD_PATCHED_ENCODER_STREAM ? "encoder" : "decoder";
  return row == 0 ? g_strdup_printf("%s input token %u", stack, col + 1)
                  : g_strdup_printf("%s stream %u token %u", stack, row, col + 1);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void
label_number(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup_printf("%u", i + GPOINTER_TO_UINT(data));
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static RegardAxis
numbers(guint n, guint first, const char *title, const char *noun)
{
  return (RegardAxis){.n = n,
                      .title = title,
                      .noun = noun,
                      .ticks = REGARD_TICKS_DECIMAL,
                      .label = label_number,
                      .data = GUINT_TO_POINTER(first)};
}

RegardMatrix *
regard_patching_matrix(const RegardPatching *patching, RegardPatched map)
{
  static const char *const ids[REGARD_N_PATCHED] = {"encoder_stream", "decoder_stream",
                                                    "encoder_heads", "cross_heads",
                                                    "decoder_heads"};
  static const char *const titles[REGARD_N_PATCHED] = {"Patching · encoder stream",
                                                       "Patching · decoder stream",
                                                       "Patching · encoder heads",
                                                       "Patching · cross heads",
                                                       "Patching · decoder heads"};
  const RegardPatchedMap *m = &patching->maps[map];
  const gsize n = (gsize) m->n_rows * m->n_cols;
  const gboolean is_encoder = map == REGARD_PATCHED_ENCODER_STREAM;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (float) m->recovered[i];
  g_autofree char *joined = patching->changes ? regard_naming_joined(patching->changes) : NULL;
  g_autofree char *joined_a =
      patching->changes_a ? regard_naming_joined(patching->changes_a) : NULL;
  g_autofree char *changes = joined ? g_strdup_printf("changed: %s", joined) : NULL;
  g_autofree char *changes_a = joined_a ? g_strdup_printf("reference changed: %s", joined_a) : NULL;
  g_autofree char *source =
      patching->source_b ? g_strdup_printf("reference: “%s”", patching->source_a) : NULL;
  g_autofree char *word =
      patching->token >= 0
          ? g_strdup_printf("of %s, token %d", patching->target_texts[patching->token],
                            patching->token + 1)
          : NULL;
  const char *badges[5] = {NULL};
  guint k = 0;
  if (word)
    badges[k++] = word;
  if (source)
    badges[k++] = source;
  if (changes_a)
    badges[k++] = changes_a;
  if (changes)
    badges[k++] = changes;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = ids[map],
      .title = titles[map],
      .value_name = "share of the lost log p that comes back",
      .model_name = patching->model_name,
      .badges = badges,
      .rows = is_stream(map) ? numbers(m->n_rows, 0, "behind layers", "layer")
                             : numbers(m->n_rows, 1, "layers", "layer"),
      .cols = !is_stream(map)
                  ? numbers(m->n_cols, 1, "heads", "head")
                  : regard_axis_texts((const char *const *) (is_encoder ? patching->source_texts
                                                                        : patching->target_texts),
                                      m->n_cols, is_encoder ? "source tokens" : "output tokens"),
      .values = values,
      .range = REGARD_RANGE_SIGNED});
}
