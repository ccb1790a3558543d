/* cli-attribute.c — regard-cli attribute: which tokens a word hangs on, by one method or by all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "figures/regard-attribution.h"

#include <math.h>

/* Tokens that are listed for each word. */
#define LISTED 3

/* The ids of the engine's list, then "all"; NULL-terminated. */
static const char *const *
list_methods(void)
{
  static gsize once = 0;
  static const char **choices;
  if (g_once_init_enter(&once)) {
    const gsize n = mt_attribution_count();
    choices = g_new0(const char *, n + 2);
    for (gsize i = 0; i < n; i++)
      choices[i] = mt_attribution_at(i)->id;
    choices[n] = "all";
    g_once_init_leave(&once, 1);
  }
  return choices;
}

typedef struct {
  CliAnalysis base;
  guint method; /* mt_attribution_count(): all */
  gint64 token, layer, head, steps;
  const char *reference; /* changes of A; NULL: no difference is asked for */
  /* What of, and what was computed: one of both. */
  mt_attribution_params params;
  RegardAttributionText of;
  mt_interventions *interventions_of_a;
  RegardMatrix *matrix;
  mt_method_comparison *bench;
} Attribute;

#define AT(member) offsetof(Attribute, member)
static const Attribute defaults = {.base = CLI_ANALYSIS_INIT, .method = CLI_NO_CHOICE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "method", 0, AT(method), "NAME", "How; default alti",
     .list_choices = list_methods},
    {CLI_OPTION_WHOLE, "token", 0, AT(token), "N",
     "Of one token of the translation, from 1, instead of all", 1, 100000},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L",
     "Of weights, norms and value zeroing, one layer instead of the mean", 1, 10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Of weights and norms, one head instead of all", 1,
     10000},
    {CLI_OPTION_WHOLE, "steps", 0, AT(steps), "N",
     "Points of the path of integrated gradients; default 50", 1, 1024},
    {CLI_OPTION_TEXT, "reference", 0, AT(reference), "CHANGE",
     "The difference B - A, with the words of A: A is the model without changes (none), or with "
     "CHANGE"},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

/* ---- The list -------------------------------------------------------------------------------- */

/* The largest numbers of a row by amount, the largest first. */
static guint
find_largest(const RegardMatrix *m, guint row, guint found[LISTED])
{
  guint n = 0;
  for (guint c = 0; c < m->cols; c++) {
    const float value = fabsf(regard_matrix_get(m, row, c));
    guint at = n;
    while (at > 0 && fabsf(regard_matrix_get(m, row, found[at - 1])) < value)
      at--;
    if (at == LISTED)
      continue;
    n = MIN(n + 1, LISTED);
    memmove(found + at + 1, found + at, (n - at - 1) * sizeof *found);
    found[at] = c;
  }
  return n;
}

static void
append_padded(GString *out, const char *text, guint width)
{
  g_string_append(out, text);
  for (glong n = g_utf8_strlen(text, -1); n < (glong) width; n++)
    g_string_append_c(out, ' ');
}

/* A line for each word: the tokens that it hangs on most. */
static GString *
list_words(const RegardMatrix *m, const mt_attribution_method *method)
{
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "%s: %s\n\n", method->name, method->gives);
  for (guint r = 0; r < m->rows; r++) {
    guint found[LISTED];
    const guint n = find_largest(m, r, found);
    append_padded(out, m->row_labels[r].text, 16);
    for (guint i = 0; i < n; i++) {
      g_autofree char *cell =
          g_strdup_printf("%s%s %.3f", found[i] < m->col_split ? "" : "→ ",
                          m->col_labels[found[i]].text, regard_matrix_get(m, r, found[i]));
      append_padded(out, cell, i + 1 < n ? 24 : 0);
    }
    g_string_append_c(out, '\n');
  }
  return out;
}

/* One word by all methods: a line for each token, then correlations and areas. */
static GString *
list_bench(const RegardMatrix *const m[REGARD_METHOD_MATRIX_N_MATRICES], gboolean is_difference)
{
  GString *out = g_string_new(NULL);
  const RegardMatrix *values = m[REGARD_METHOD_MATRIX_VALUES],
                     *spearman = m[REGARD_METHOD_MATRIX_SPEARMAN];
  g_string_append_printf(out, "%s\n", values->title);
  if (is_difference)
    g_string_append_printf(out, "%s\n", values->badges[0]);
  g_string_append_printf(out, "\n%-16s", "");
  for (guint r = 0; r < values->rows; r++)
    g_string_append_printf(out, " %*.11s", 11, values->row_labels[r].piece);
  for (guint c = 0; c < values->cols; c++) {
    g_autofree char *token =
        g_strdup_printf("%s%s", c < values->col_split ? "" : "→ ", values->col_labels[c].text);
    g_string_append_c(out, '\n');
    append_padded(out, token, 16);
    for (guint r = 0; r < values->rows; r++)
      g_string_append_printf(out, " %11.4f", regard_matrix_get(values, r, c));
  }
  g_string_append_printf(out, "\n\nrank correlation%s (Spearman)\n",
                         is_difference ? " of the differences" : "");
  for (guint r = 0; r < spearman->rows; r++) {
    g_string_append_c(out, '\n');
    append_padded(out, spearman->row_labels[r].piece, 20);
    for (guint c = 0; c < spearman->cols; c++)
      g_string_append_printf(out, " %6.2f", regard_matrix_get(spearman, r, c));
  }
  g_string_append_printf(out,
                         "\n\nmean fall of log p in nats when the source is hidden token by token, "
                         "those with the\nlargest numbers first%s\n",
                         is_difference ? ": that of B less that of A" : "");
  for (guint r = 0; r < values->rows; r++) {
    g_string_append_c(out, '\n');
    append_padded(out, values->row_labels[r].piece, 20);
    g_string_append_printf(out, " %6.3f", regard_matrix_get(m[REGARD_METHOD_MATRIX_AREA], r, 0));
  }
  g_string_append_c(out, '\n');
  return out;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
check(gpointer user)
{
  Attribute *self = user;
  const CliCommand *command = self->base.command;
  if (self->method == CLI_NO_CHOICE)
    self->method = (guint) mt_attribution_params_default().method;
  const gboolean is_all = self->method == mt_attribution_count();
  const mt_attribution_method *method = is_all ? NULL : mt_attribution_at(self->method);
  if (is_all && !self->token)
    return cli_usage(command, "--method all is of one word: --token N is missing");
  if (method && self->layer && !method->has_layers)
    return cli_usage(command, "%s is of all layers, and --layer is given", method->id);
  if (method && self->head && !method->has_heads)
    return cli_usage(command, "%s is of all heads, and --head is given", method->id);
  return CLI_DONE;
}

/* The translation that A makes takes the place of that of B. */
static gboolean
translate_a(Attribute *self, mt_error *error)
{
  CliAnalysis *base = &self->base;
  const mt_interventions *own = base->engine.hooks.interventions;
  const char *text = g_str_equal(self->reference, "none") ? "" : self->reference;
  g_autoptr(mt_interventions) bare = mt_interventions_parse("--reference", text, error);
  self->interventions_of_a =
      bare ? mt_interventions_with_means(bare, base->engine.means, error) : NULL;
  if (!self->interventions_of_a ||
      !mt_interventions_check(self->interventions_of_a, mt_model_config(base->engine.model), error))
    return FALSE;
  base->engine.hooks.interventions = self->interventions_of_a;
  mt_translation *translation =
      cli_engine_translate(base->command, &base->engine, base->text, base->target, error);
  base->engine.hooks.interventions = own;
  if (!translation)
    return FALSE;
  mt_translation_unref(base->translation);
  base->translation = translation;
  return TRUE;
}

/* The hooks of B, or of A, which says its own words. */
static mt_hooks
hooks_of(const Attribute *self, gboolean is_a)
{
  mt_hooks hooks = self->base.engine.hooks;
  if (is_a)
    hooks.interventions = self->interventions_of_a;
  return hooks;
}

static mt_attribution *
attribute(const Attribute *self, gboolean is_a, mt_error *error)
{
  const mt_hooks hooks = hooks_of(self, is_a);
  return mt_attribution_new(self->base.engine.session, self->base.translation, 0, &self->params,
                            &hooks, error);
}

static mt_method_comparison *
compare(const Attribute *self, gboolean is_a, mt_error *error)
{
  const mt_hooks hooks = hooks_of(self, is_a);
  return mt_method_comparison_new(self->base.engine.session, self->base.translation, 0,
                                  &self->params, &hooks, error);
}

/* By one method. */
static gboolean
compute_matrix(Attribute *self, mt_error *error)
{
  g_autoptr(mt_attribution) b = attribute(self, FALSE, error);
  g_autoptr(mt_attribution) a = b && self->reference ? attribute(self, TRUE, error) : NULL;
  g_autoptr(mt_attribution) difference = a ? mt_attribution_difference(b, a, error) : NULL;
  const mt_attribution *shown = self->reference ? difference : b;
  self->matrix = shown ? regard_attribution_matrix(shown, &self->of) : NULL;
  return self->matrix != NULL;
}

/* By all of them. */
static gboolean
compute_bench(Attribute *self, mt_error *error)
{
  self->bench = compare(self, FALSE, error);
  if (!self->bench || !self->reference)
    return self->bench != NULL;
  mt_method_comparison *b = self->bench, *a = compare(self, TRUE, error);
  self->bench = a ? mt_method_comparison_difference(b, a, error) : NULL;
  mt_method_comparison_free(a);
  mt_method_comparison_free(b);
  return self->bench != NULL;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Attribute *self = user;
  const CliEngine *engine = &self->base.engine;
  if (self->reference && !translate_a(self, error))
    return CLI_FAILED;
  const mt_translation *translation = self->base.translation;
  const mt_tokens *output = mt_translation_hypothesis(translation, 0)->tokens;
  self->params = (mt_attribution_params){
      .method = self->method,
      .token = (int) self->token - 1,
      .layer = (int) self->layer - 1,
      .head = (int) self->head - 1,
      .n_steps = (gsize) self->steps,
  };
  self->of = (RegardAttributionText){
      .model = engine->model,
      .source = mt_translation_source(translation),
      .output = output,
      .interventions = engine->hooks.interventions,
      .params = &self->params,
      .is_difference = self->reference != NULL,
      .interventions_of_a = self->interventions_of_a,
  };
  const CliStatus status = cli_check_number(self->base.command, "token", self->token,
                                            mt_tokens_count(output), "tokens of this translation");
  if (status != CLI_DONE)
    return status;
  return (self->method == mt_attribution_count() ? compute_bench(self, error)
                                                 : compute_matrix(self, error))
             ? CLI_DONE
             : CLI_FAILED;
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  const Attribute *self = user;
  const RegardFigureStyle *style = &self->base.picture.style;
  return self->bench ? regard_figure_new_method_comparison(self->bench, &self->of, style)
                     : regard_figure_new_matrix(self->matrix, style);
}

static CliStatus
print(gpointer user)
{
  const Attribute *self = user;
  RegardMatrix *m[REGARD_METHOD_MATRIX_N_MATRICES];
  if (!self->bench)
    return cli_print(self->base.command, list_words(self->matrix, mt_attribution_at(self->method)));
  for (RegardMethodMatrix i = 0; i < REGARD_METHOD_MATRIX_N_MATRICES; i++)
    m[i] = regard_position_editor_matrix(self->bench, i, &self->of);
  const CliStatus status = cli_print(self->base.command, list_bench((const RegardMatrix *const *) m,
                                                                    self->reference != NULL));
  for (RegardMethodMatrix i = 0; i < REGARD_METHOD_MATRIX_N_MATRICES; i++)
    regard_matrix_unref(m[i]);
  return status;
}

static void
clear(gpointer user)
{
  Attribute *self = user;
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  g_clear_pointer(&self->interventions_of_a, mt_interventions_unref);
  mt_method_comparison_free(self->bench);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .translates = TRUE,
    .compute = compute,
    .draw = draw,
    .print = print,
    .clear = clear,
};

const CliCommand cli_attribute = {
    .name = "attribute",
    .summary = "Say which tokens each word hangs on, by one method of attribution or by all",
    .arguments = "[-o FILE] TEXT",
    .details =
        "Translates TEXT and says of each token of the translation how much the tokens of the\n"
        "source, and those of the translation before it (→), have to do with it: the three\n"
        "largest, or with -o a picture or numbers of all. Methods: attention weights; norms of "
        "what\n"
        "they carry (Kobayashi 2020); rollout (Abnar & Zuidema 2020); ALTI+ (Ferrando 2022); "
        "value\n"
        "zeroing (Mohebbi 2023); occlusion, log p less that without the token's embedding;\n"
        "gradient × input; integrated gradients (Sundararajan 2017); Chefer (2021). They answer\n"
        "different questions and need not agree.\n"
        "\n"
        "--method all puts all of them beside each other for one --token, with the rank "
        "correlation\n"
        "of each two (Spearman) and deletion curves: log p of the token when source tokens are\n"
        "hidden one by one, those first that a method rates highest, and the mean fall (area).\n"
        "With --reference all of that is B - A, and correlations are of the differences.\n"
        "\n"
        "CSV, JSON and NPZ hold the numbers as they are: attribution; of all methods "
        "attributions,\n"
        "spearman, deletion and area.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
