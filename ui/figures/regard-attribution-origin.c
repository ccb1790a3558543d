/* regard-attribution-origin.c — what a matrix of attributions knows of where it came from: captions
 * and facts for files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attribution-origin.h"

typedef struct {
  gsize method; /* mt_attribution_count(): all */
  int token, layer, head;
  gsize n_steps;
  gboolean is_encoder;
  char *source, *output, *changes;
} Origin;

static const char *
gives(const Origin *from)
{
  return from->method < mt_attribution_count() ? mt_attribution_at(from->method)->gives : NULL;
}

static void
append_quoted(GString *text, const char *name, const char *sentence)
{
  const gboolean ends = g_str_has_suffix(sentence, ".") || g_str_has_suffix(sentence, "!") ||
                        g_str_has_suffix(sentence, "?");

  g_string_append_printf(text, " %s: “%s”%s", name, sentence, ends ? "" : ".");
}

static void
append_subject(const RegardMatrix *m, GString *text)
{
  const Origin *from = m->origin;

  append_quoted(text, "Source", from->source);
  append_quoted(text, "Translation", from->output);
  g_string_append_printf(text, " Rows: %s; columns: %s.", m->row_title,
                         from->is_encoder ? m->col_title
                         : m->col_split   ? "tokens of the source, then what the decoder had read"
                                          : m->col_title);
  if (gives(from))
    g_string_append_printf(text, " Numbers: %s.", gives(from));
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const Origin *from = m->origin;

  facts->text(facts, "model", m->model_name);
  if (from->method < mt_attribution_count()) {
    const mt_attribution_method *method = mt_attribution_at(from->method);

    facts->text(facts, "method", method->id);
    facts->text(facts, "published", method->source);
    facts->text(facts, "gives", method->gives);
    if (method->has_layers && from->layer >= 0)
      facts->number(facts, "layer", (gsize) from->layer + 1);
    if (method->has_heads && from->head >= 0)
      facts->number(facts, "head", (gsize) from->head + 1);
    if (method->sum == MT_ATTRIBUTION_DIFFERENCE)
      facts->number(facts, "steps", from->n_steps ? from->n_steps : 50);
  }
  if (from->token >= 0)
    facts->number(facts, "token", (gsize) from->token + 1);
  facts->text(facts, "source", from->source);
  facts->text(facts, "translation", from->output);
  if (from->changes)
    facts->lines(facts, "changes", from->changes);
}

static void
origin_free(gpointer data)
{
  Origin *from = data;

  g_free(from->source);
  g_free(from->output);
  g_free(from->changes);
  g_free(from);
}

const RegardOriginClass regard_attribution_origin = {
    .append_subject = append_subject,
    .tell = tell,
    .free = origin_free,
};

gpointer
regard_attribution_origin_new(const RegardAttributionText *text, gsize method, gboolean is_encoder)
{
  const mt_attribution_params *params = text->params;
  const gboolean has_changes = text->changes && mt_changes_count(text->changes) > 0;
  Origin *from = g_new(Origin, 1);

  *from = (Origin){
      .method = method,
      .token = params ? params->token : -1,
      .layer = params ? params->layer : -1,
      .head = params ? params->head : -1,
      .n_steps = params ? params->n_steps : 0,
      .is_encoder = is_encoder,
      .source = g_strdup(mt_tokens_text(text->source)),
      .output = g_strdup(mt_tokens_text(text->output)),
      .changes = has_changes ? g_strdup(mt_changes_text(text->changes)) : NULL,
  };
  return from;
}
