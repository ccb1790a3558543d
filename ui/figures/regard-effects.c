/* regard-effects.c — what each head does for a translation, and its tables in files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-effects.h"
#include "figures/regard-naming.h"

#include "figures/regard-figure-private.h"

#include <glib/gi18n.h>
#include <math.h>

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};
static const char *const contrast_ids[MT_N_KINDS] = {"encoder_contrast", "decoder_contrast",
                                                     "cross_contrast"};
static const char *const token_ids[MT_N_KINDS] = {"encoder_tokens", "decoder_tokens",
                                                  "cross_tokens"};

static void
fill_kind(RegardEffects *self, const mt_effects *effects, mt_attention_kind kind)
{
  RegardEffectsKind *k = &self->kinds[kind];
  const gsize n = self->n_tokens;
  k->n_layers = (guint) mt_effects_n_layers(effects, kind);
  k->n_heads = (guint) mt_effects_n_heads(effects, kind);
  const gsize n_all = (gsize) k->n_layers * k->n_heads;
  k->effects = g_new0(double, n_all);
  k->tokens = g_new0(float, n_all *n);
  if (mt_effects_has_contrast(effects))
    k->contrast = g_new0(double, n_all);
  for (gsize i = 0; i < n_all; i++) {
    const gsize layer = i / k->n_heads, head = i % k->n_heads;
    const float *tokens = mt_effects_tokens(effects, kind, layer, head);
    k->effects[i] = mt_effects_get(effects, kind, layer, head);
    for (gsize t = 0; t < n; t++)
      k->tokens[i * n + t] = tokens[t];
    if (k->contrast)
      k->contrast[i] = (double) mt_effects_contrast(effects, kind, layer, head);
  }
}

RegardEffects *
regard_effects_new(const mt_model *model, const mt_effects *effects, const mt_tokens *output,
                   const mt_changes *changes, guint contrast_token, const char *against)
{
  RegardEffects *self = g_new0(RegardEffects, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model_name = g_strdup(mt_model_name(model));
  self->changes = mt_changes_count(changes) ? g_strdup(mt_changes_text(changes)) : NULL;
  self->with = mt_effects_kind(effects);
  self->n_tokens = (guint) mt_effects_n_tokens(effects);
  self->token_texts = g_new0(char *, self->n_tokens + 1);
  for (guint t = 0; t < self->n_tokens; t++) {
    self->token_texts[t] = g_strdup(mt_tokens_get(output, t)->piece);
    self->logprob += (double) mt_effects_logprobs(effects)[t];
  }
  self->contrast_token = contrast_token;
  self->against = mt_effects_has_contrast(effects) ? g_strdup(against) : NULL;
  self->margin = (double) mt_effects_margin(effects);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    fill_kind(self, effects, kind);
  return self;
}

/* ---- Many sentences -------------------------------------------------------------------------- */

static double *
new_unknown(gsize n)
{
  double *values = g_new(double, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (double) NAN;
  return values;
}

RegardEffectsSum *
regard_effects_sum_new(const mt_model *model, mt_effect_kind with, gboolean is_scored)
{
  const mt_config *config = mt_model_config(model);
  RegardEffectsSum *sum = g_new0(RegardEffectsSum, 1);
  sum->with = with;
  sum->bleu = sum->chrf = (double) NAN;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    const mt_stack stack = kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    RegardEffectsKind *k = &sum->kinds[kind];
    k->n_layers = (guint) config->n_layers[stack];
    k->n_heads = (guint) config->n_heads[stack];
    const gsize n = (gsize) k->n_layers * k->n_heads;
    k->effects = g_new0(double, MAX(n, 1));
    if (is_scored) {
      k->bleu = new_unknown(n);
      k->chrf = new_unknown(n);
    }
  }
  return sum;
}

void
regard_effects_sum_free(RegardEffectsSum *sum)
{
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    g_free(sum->kinds[kind].effects);
    g_free(sum->kinds[kind].bleu);
    g_free(sum->kinds[kind].chrf);
  }
  g_free(sum);
}

void
regard_effects_sum_add(RegardEffectsSum *sum, const mt_effects *effects)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    RegardEffectsKind *k = &sum->kinds[kind];
    for (guint l = 0; l < k->n_layers; l++)
      for (guint h = 0; h < k->n_heads; h++)
        k->effects[(gsize) l * k->n_heads + h] += mt_effects_get(effects, kind, l, h);
  }
  for (gsize t = 0; t < mt_effects_n_tokens(effects); t++)
    sum->logprob += (double) mt_effects_logprobs(effects)[t];
  sum->n++;
}

/* What a score is less than that with all heads; NULL of NULL. */
static double *
lost(const double *scores, double whole, gsize n)
{
  double *values = scores ? g_new(double, MAX(n, 1)) : NULL;
  for (gsize i = 0; scores && i < n; i++)
    values[i] = whole - scores[i];
  return values;
}

RegardEffects *
regard_effects_sum_mean(const RegardEffectsSum *sum, const mt_model *model,
                        const mt_changes *changes)
{
  if (sum->n == 0)
    return NULL;
  RegardEffects *self = g_new0(RegardEffects, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model_name = g_strdup(mt_model_name(model));
  self->changes = mt_changes_count(changes) ? g_strdup(mt_changes_text(changes)) : NULL;
  self->with = sum->with;
  self->n_sentences = sum->n;
  self->logprob = sum->logprob / sum->n;
  self->bleu = sum->bleu;
  self->chrf = sum->chrf;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    RegardEffectsKind *k = &self->kinds[kind];
    const gsize n = (gsize) sum->kinds[kind].n_layers * sum->kinds[kind].n_heads;
    *k = sum->kinds[kind];
    k->effects = g_memdup2(k->effects, n * sizeof *k->effects);
    k->bleu = lost(k->bleu, sum->bleu, n);
    k->chrf = lost(k->chrf, sum->chrf, n);
    for (gsize i = 0; i < n; i++)
      k->effects[i] /= sum->n;
  }
  return self;
}

RegardEffects *
regard_effects_ref(RegardEffects *effects)
{
  g_atomic_ref_count_inc(&effects->ref_count);
  return effects;
}

void
regard_effects_unref(RegardEffects *effects)
{
  if (!g_atomic_ref_count_dec(&effects->ref_count))
    return;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    g_free(effects->kinds[kind].effects);
    g_free(effects->kinds[kind].tokens);
    g_free(effects->kinds[kind].contrast);
    g_free(effects->kinds[kind].bleu);
    g_free(effects->kinds[kind].chrf);
  }
  g_strfreev(effects->token_texts);
  g_free(effects->against);
  g_free(effects->changes);
  g_free(effects->model_name);
  g_free(effects);
}

double
regard_effects_shown(const RegardEffects *effects, mt_attention_kind kind, guint layer, guint head)
{
  const RegardEffectsKind *k = &effects->kinds[kind];
  return (k->contrast ? k->contrast : k->effects)[(gsize) layer * k->n_heads + head];
}

char *
regard_effects_head_name(mt_attention_kind kind, guint layer, guint head)
{
  return g_strdup_printf("%s %u.%u", kind_names[kind], layer + 1, head + 1);
}

char *
regard_effects_describe(const RegardEffects *effects, mt_attention_kind kind, guint layer,
                        guint head)
{
  const RegardEffectsKind *k = &effects->kinds[kind];
  const gsize i = (gsize) layer * k->n_heads + head;
  g_autofree char *name = regard_effects_head_name(kind, layer, head);
  GString *words = g_string_new(NULL);
  g_string_append_printf(words, _("%s: effect %+.4f nats"), name, k->effects[i]);
  if (k->contrast)
    g_string_append_printf(words, _(", part in the contrast %+.4f"), k->contrast[i]);
  if (k->tokens) {
    guint most = 0;
    const float *tokens = k->tokens + i * effects->n_tokens;
    for (guint t = 1; t < effects->n_tokens; t++)
      if (fabsf(tokens[t]) > fabsf(tokens[most]))
        most = t;
    g_string_append_printf(words, _("\nmost on %s, %+.4f"), effects->token_texts[most],
                           (double) tokens[most]);
  }
  return g_string_free(words, FALSE);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void
label_number(gconstpointer data, guint i, RegardLabel *label)
{
  (void) data;
  label->text = g_strdup_printf("%u", i + 1);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static RegardAxis
numbers_from_1(guint n, const char *title, const char *noun)
{
  return (RegardAxis){
      .n = n, .title = title, .noun = noun, .ticks = REGARD_TICKS_DECIMAL, .label = label_number};
}

/* "4.1" */
static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardEffectsKind *k = data;
  label->text = g_strdup_printf("%u.%u", i / k->n_heads + 1, i % k->n_heads + 1);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

static RegardMatrix *
new_matrix(const RegardEffects *self, const char *id, mt_attention_kind kind, const char *name,
           RegardAxis rows, RegardAxis cols, float *values)
{
  g_autofree char *title = g_strdup_printf("Effects of heads · %s", kind_names[kind]);
  g_autofree char *joined = self->changes ? regard_naming_joined(self->changes) : NULL;
  g_autofree char *changes = joined ? g_strdup_printf("changed: %s", joined) : NULL;
  g_autofree char *with = g_strdup_printf("with %s", mt_effect_kind_name(self->with));
  g_autofree char *mean =
      self->n_sentences ? g_strdup_printf("mean of %u sentences", self->n_sentences) : NULL;
  const char *badges[4] = {with};
  guint n = 1;
  if (mean)
    badges[n++] = mean;
  if (changes)
    badges[n++] = changes;
  return regard_matrix_new_from(&(RegardMatrixSource){.id = id,
                                                      .title = title,
                                                      .value_name = name,
                                                      .model_name = self->model_name,
                                                      .badges = badges,
                                                      .rows = rows,
                                                      .cols = cols,
                                                      .values = values,
                                                      .range = REGARD_RANGE_SIGNED});
}

/* Layers by heads of any numbers. */
static RegardMatrix *
heads_matrix(const RegardEffects *self, mt_attention_kind kind, const char *id, const char *name,
             const double *numbers)
{
  const RegardEffectsKind *k = &self->kinds[kind];
  const gsize n = (gsize) k->n_layers * k->n_heads;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (float) numbers[i];
  return new_matrix(self, id, kind, name, numbers_from_1(k->n_layers, "layers", "layer"),
                    numbers_from_1(k->n_heads, "heads", "head"), values);
}

static RegardMatrix *
contrast_matrix(const RegardEffects *self, mt_attention_kind kind)
{
  g_autofree char *name = g_strdup_printf("part in logit %s − logit %s",
                                          self->token_texts[self->contrast_token], self->against);
  return heads_matrix(self, kind, contrast_ids[kind], name, self->kinds[kind].contrast);
}

static RegardMatrix *
tokens_matrix(const RegardEffects *self, mt_attention_kind kind)
{
  const RegardEffectsKind *k = &self->kinds[kind];
  const gsize n = (gsize) k->n_layers * k->n_heads * self->n_tokens;
  float *values = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = k->tokens[i];
  const RegardAxis rows = {.n = k->n_layers * k->n_heads,
                           .title = "heads",
                           .noun = "head",
                           .label = label_head,
                           .data = k};
  return new_matrix(self, token_ids[kind], kind, "effect on log p of the token, nats", rows,
                    regard_axis_texts((const char *const *) self->token_texts, self->n_tokens,
                                      "output tokens"),
                    values);
}

/* What a file holds of each kind, one after the other. */
typedef enum {
  TABLE_EFFECTS,
  TABLE_CONTRAST,
  TABLE_TOKENS,
  TABLE_BLEU,
  TABLE_CHRF,
  N_TABLES
} Table;

static gboolean
has_table(const RegardEffects *effects, Table table)
{
  const RegardEffectsKind *k = &effects->kinds[0];
  switch (table) {
  case TABLE_CONTRAST:
    return effects->against != NULL;
  case TABLE_TOKENS:
    return k->tokens != NULL;
  case TABLE_BLEU:
  case TABLE_CHRF:
    return k->bleu != NULL;
  default:
    return TRUE;
  }
}

guint
regard_effects_n_matrices(const RegardEffects *effects)
{
  guint n = 0;
  for (Table table = 0; table < N_TABLES; table++)
    n += has_table(effects, table);
  return MT_N_KINDS * n;
}

RegardMatrix *
regard_effects_matrix(const RegardEffects *effects, guint i)
{
  static const char *const bleu_ids[MT_N_KINDS] = {"encoder_bleu", "decoder_bleu", "cross_bleu"};
  static const char *const chrf_ids[MT_N_KINDS] = {"encoder_chrf", "decoder_chrf", "cross_chrf"};
  const mt_attention_kind kind = i % MT_N_KINDS;
  const RegardEffectsKind *k = &effects->kinds[kind];
  Table table = TABLE_EFFECTS;
  for (guint left = i / MT_N_KINDS; left > 0; left--)
    do
      table++;
    while (!has_table(effects, table));
  switch (table) {
  case TABLE_CONTRAST:
    return contrast_matrix(effects, kind);
  case TABLE_TOKENS:
    return tokens_matrix(effects, kind);
  case TABLE_BLEU:
    return heads_matrix(effects, kind, bleu_ids[kind], "effect on BLEU", k->bleu);
  case TABLE_CHRF:
    return heads_matrix(effects, kind, chrf_ids[kind], "effect on chrF2", k->chrf);
  default:
    return heads_matrix(effects, kind, kind_names[kind], "effect on log p, nats", k->effects);
  }
}

char *
regard_effects_copy(const RegardEffects *effects, mt_attention_kind kind, guint layer, guint head)
{
  return regard_exact_copy(regard_effects_shown(effects, kind, layer, head));
}
