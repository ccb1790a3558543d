/* cli-attribute.c — regard-cli attribute: which tokens a word hangs on, by one method or by all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "figures/regard-attribution.h"

#include <math.h>

/* Tokens that are listed for each word. */
#define LISTED 3

typedef struct {
  guint method; /* mt_attribution_count(): all */
  gint64 token, layer, head, steps;
} Wanted;

/* The ids of the engine's list, then "all"; NULL-terminated. */
static const char *const *
method_choices(void)
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
static char *
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
  return g_string_free(out, FALSE);
}

/* One word by all methods: a line for each token, then correlations and areas. */
static char *
list_bench(const RegardMatrix *const m[REGARD_BENCH_N_MATRICES])
{
  GString *out = g_string_new(NULL);
  const RegardMatrix *values = m[REGARD_BENCH_VALUES], *spearman = m[REGARD_BENCH_SPEARMAN];
  g_string_append_printf(out, "%s\n\n%-16s", values->title, "");
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
  g_string_append(out, "\n\nrank correlation (Spearman)\n");
  for (guint r = 0; r < spearman->rows; r++) {
    g_string_append_c(out, '\n');
    append_padded(out, spearman->row_labels[r].piece, 20);
    for (guint c = 0; c < spearman->cols; c++)
      g_string_append_printf(out, " %6.2f", regard_matrix_get(spearman, r, c));
  }
  g_string_append(out, "\n\nmean fall of log p in nats when the source is hidden token by token, "
                       "those with the\nlargest numbers first\n");
  for (guint r = 0; r < values->rows; r++) {
    g_string_append_c(out, '\n');
    append_padded(out, values->row_labels[r].piece, 20);
    g_string_append_printf(out, " %6.3f", regard_matrix_get(m[REGARD_BENCH_AREA], r, 0));
  }
  g_string_append_c(out, '\n');
  return g_string_free(out, FALSE);
}

/* ---- Either ---------------------------------------------------------------------------------- */

static CliStatus
put(const CliCommand *command, const char *text)
{
  return cli_put(command, text, strlen(text)) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
one_method(const CliCommand *command, CliEngine *engine, const mt_translation *translation,
           const mt_attribution_params *params, const RegardAttributionText *text,
           const CliPicture *picture)
{
  mt_error error = {0};
  mt_attribution *a =
      mt_attribution_new(engine->session, translation, 0, params, &engine->hooks, &error);
  if (!a) {
    cli_complain(command, "%s", error.message);
    return CLI_FAILED;
  }
  g_autoptr(RegardMatrix) matrix = regard_attribution_matrix(a, text);
  mt_attribution_unref(a);
  if (picture->output)
    return cli_picture_write(command, picture, regard_figure_new_matrix(matrix, &picture->style));
  g_autofree char *list = list_words(matrix, mt_attribution_at(params->method));
  return put(command, list);
}

static CliStatus
all_methods(const CliCommand *command, CliEngine *engine, const mt_translation *translation,
            const mt_attribution_params *params, const RegardAttributionText *text,
            const CliPicture *picture)
{
  mt_error error = {0};
  mt_attribution_bench *bench =
      mt_attribution_bench_new(engine->session, translation, 0, params, &engine->hooks, &error);
  if (!bench) {
    cli_complain(command, "%s", error.message);
    return CLI_FAILED;
  }
  CliStatus status;
  if (picture->output) {
    status =
        cli_picture_write(command, picture, regard_figure_new_bench(bench, text, &picture->style));
  } else {
    RegardMatrix *m[REGARD_BENCH_N_MATRICES];
    for (RegardBenchMatrix i = 0; i < REGARD_BENCH_N_MATRICES; i++)
      m[i] = regard_bench_matrix(bench, i, text);
    g_autofree char *list = list_bench((const RegardMatrix *const *) m);
    status = put(command, list);
    for (RegardBenchMatrix i = 0; i < REGARD_BENCH_N_MATRICES; i++)
      regard_matrix_unref(m[i]);
  }
  mt_attribution_bench_free(bench);
  return status;
}

static CliStatus
attribute(const CliCommand *command, CliEngine *engine, const mt_translation *translation,
          const Wanted *wanted, const CliPicture *picture)
{
  const mt_attribution_params params = {
      .method = wanted->method,
      .token = (int) wanted->token - 1,
      .layer = (int) wanted->layer - 1,
      .head = (int) wanted->head - 1,
      .n_steps = (gsize) wanted->steps,
  };
  const RegardAttributionText text = {
      .model = engine->model,
      .source = mt_translation_source(translation),
      .output = mt_translation_hypothesis(translation, 0)->tokens,
      .changes = engine->hooks.changes,
      .params = &params,
  };
  if (wanted->token > (gint64) mt_tokens_count(text.output))
    return cli_usage(
        command, "--token wants 1 to %zu, the tokens of this translation, found %" G_GINT64_FORMAT,
        mt_tokens_count(text.output), wanted->token);
  return wanted->method == mt_attribution_count()
             ? all_methods(command, engine, translation, &params, &text, picture)
             : one_method(command, engine, translation, &params, &text, picture);
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
check_wanted(const CliCommand *command, const Wanted *wanted)
{
  const gboolean is_all = wanted->method == mt_attribution_count();
  const mt_attribution_method *method = is_all ? NULL : mt_attribution_at(wanted->method);
  if (is_all && !wanted->token)
    return cli_usage(command, "--method all is of one word: --token N is missing");
  if (method && wanted->layer && !method->has_layers)
    return cli_usage(command, "%s is of all layers, and --layer is given", method->id);
  if (method && wanted->head && !method->has_heads)
    return cli_usage(command, "%s is of all heads, and --head is given", method->id);
  return CLI_DONE;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  const char *target = NULL;
  Wanted wanted = {.method = (guint) mt_attribution_params_default().method};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_CHOICE, "method", 0, &wanted.method, "NAME", "How; default alti", 0, 0,
       method_choices()},
      {CLI_OPTION_WHOLE, "token", 0, &wanted.token, "N",
       "Of one token of the translation, from 1, instead of all", 1, 100000},
      {CLI_OPTION_WHOLE, "layer", 0, &wanted.layer, "L",
       "Of weights, norms and value zeroing, one layer instead of the mean", 1, 10000},
      {CLI_OPTION_WHOLE, "head", 0, &wanted.head, "H",
       "Of weights and norms, one head instead of all", 1, 10000},
      {CLI_OPTION_WHOLE, "steps", 0, &wanted.steps, "N",
       "Points of the path of integrated gradients; default 50", 1, 1024},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTION_SCALE(picture),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if ((status = check_wanted(command, &wanted)) != CLI_DONE ||
      (picture.output && (status = cli_picture_check(command, &picture)) != CLI_DONE) ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;
  mt_translation *translation = cli_engine_translate_text(command, &engine, text, target);
  if (!translation)
    return CLI_FAILED;
  status = attribute(command, &engine, translation, &wanted, &picture);
  mt_translation_unref(translation);
  return status;
}

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
        "\n"
        "CSV, JSON and NPZ hold the numbers as they are: attribution; of all methods "
        "attributions,\n"
        "spearman, deletion and area.\n",
    .run = run,
};
