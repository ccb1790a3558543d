/* cli-patch.c — regard-cli patch: where a word is decided, by states copied from another run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "figures/regard-patching.h"

#include <string.h>

/* Places that are listed where nobody says how many. */
#define LISTED 20

typedef struct {
  CliAnalysis base;
  const char *reference;
  gint64 token, top; /* 0: not given */
} Patch;

#define AT(member) offsetof(Patch, member)
static const Patch defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_TEXT, "reference", 0, AT(reference), "TEXT",
     "The reference run is that of another TEXT, with as many tokens"},
    {CLI_OPTION_WHOLE, "token", 0, AT(token), "N",
     "Look at token N of the reference's translation alone, from 1", 1, 100000},
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K", "List so many states; default 20", 1, 1000000},
    CLI_OPTIONS(cli_options_output),
    {CLI_OPTION_TEXT, "target", 0, AT(base.target), "TEXT",
     "Take TEXT as the reference's translation instead of searching for one"},
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  const Patch *self = user;
  const CliEngineOptions *typed = &self->base.options;
  if (!self->reference && !typed->interventions && !typed->changes_file)
    return cli_usage(self->base.command,
                     "two different runs wanted: give a --change, or another text as --reference");
  if (self->base.picture.output && self->top)
    return cli_usage(self->base.command, "--top is for the list, and -o FILE is given");
  return CLI_DONE;
}

/* ---- Computing ------------------------------------------------------------------------------- */

/* The reference run: its own text, or the same one, without changes. */
static mt_translation *
translate_reference(Patch *self, mt_error *error)
{
  CliEngine *engine = &self->base.engine;
  const mt_interventions *own = engine->hooks.interventions;
  engine->hooks.interventions = NULL;
  mt_translation *translation =
      cli_engine_translate(self->base.command, engine,
                           self->reference ? self->reference : self->base.text, self->base.target,
                           error);
  engine->hooks.interventions = own;
  return translation;
}

/* Of the reference run the translation, of the other one the source where it is another. */
static CliStatus
patch(Patch *self, const mt_translation *a, const mt_tokens *source, mt_error *error)
{
  CliEngine *engine = &self->base.engine;
  const mt_patching_params params = {.source = source, .on_progress = cli_stop_show_share};
  cli_stop_begin(&engine->hooks);
  g_autoptr(mt_patching) patching =
      mt_patching_new(engine->session, a, 0, &params, &engine->hooks, error);
  cli_stop_end(&engine->hooks);
  if (!patching)
    return CLI_FAILED;
  const RegardPatchingOf of = {.model = engine->model,
                               .translation = a,
                               .source_b = source,
                               .text_a = self->reference ? self->reference : self->base.text,
                               .text_b = self->reference ? self->base.text : NULL,
                               .changes_b = engine->hooks.interventions};
  self->base.result = regard_patching_new(patching, &of, (int) self->token - 1);
  if (regard_patching_has_loss(self->base.result))
    return CLI_DONE;
  cli_complain(self->base.command,
               "both runs say the same: log p is %.4f nats, and nothing is lost that "
               "could come back",
               ((RegardPatching *) self->base.result)->a);
  return CLI_FAILED;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Patch *self = user;
  const CliEngine *engine = &self->base.engine;
  g_autoptr(mt_tokens) source = NULL;
  g_autoptr(mt_translation) a = translate_reference(self, error);
  if (!a)
    return CLI_FAILED;
  CliStatus status = cli_check_number(self->base.command, "token", self->token,
                                      mt_tokens_count(mt_translation_hypothesis(a, 0)->tokens),
                                      "tokens of this translation");
  if (status == CLI_DONE && self->reference) {
    source = mt_model_tokenize_for(engine->model, self->base.text, &engine->params, error);
    status = source ? CLI_DONE : CLI_FAILED;
  }
  if (status == CLI_DONE)
    status = patch(self, a, source, error);
  return status;
}

/* ---- The list -------------------------------------------------------------------------------- */

typedef struct {
  RegardPatched map;
  guint row, col;
  double value;
} Row;

/* The largest first; where two are the same, as they stand in the model. */
static gint
compare(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->map != y->map)
    return x->map < y->map ? -1 : 1;
  return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col < y->col ? -1 : x->col > y->col);
}

static GArray *
sorted(const RegardPatching *patching)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  for (RegardPatched map = 0; map < REGARD_N_PATCHED; map++)
    for (guint r = 0; r < patching->maps[map].n_rows; r++)
      for (guint c = 0; c < patching->maps[map].n_cols; c++) {
        const double value =
            patching->maps[map].recovered[(gsize) r * patching->maps[map].n_cols + c];
        const Row row = {map, r, c, value};
        g_array_append_val(rows, row);
      }
  g_array_sort(rows, compare);
  return rows;
}

static CliStatus
print(gpointer user)
{
  const Patch *self = user;
  const RegardPatching *patching = self->base.result;
  GString *out = g_string_new(NULL);
  g_autoptr(GArray) rows = sorted(patching);
  const guint n = MIN(self->top ? (guint) self->top : LISTED, rows->len);
  for (guint t = 0; t < patching->n_target; t++)
    g_string_append_printf(out, "%s%s", t ? " " : "", patching->target_texts[t]);
  if (patching->token >= 0)
    g_string_append_printf(out, "\nlog p of token %d, %s", patching->token + 1,
                           patching->target_texts[patching->token]);
  else
    g_string_append(out, "\nlog p");
  g_string_append_printf(out,
                         ": %.4f nats in the reference run, %.4f without\n\nrecovered  state\n",
                         patching->a, patching->b);
  for (guint i = 0; i < n; i++) {
    const Row *row = &g_array_index(rows, Row, i);
    g_autofree char *name = regard_patching_place_name(row->map, row->row, row->col);
    const char *piece = row->map == REGARD_PATCHED_ENCODER_STREAM ? patching->source_texts[row->col]
                        : row->map == REGARD_PATCHED_DECODER_STREAM
                            ? patching->target_texts[row->col]
                            : NULL;
    g_string_append_printf(out, piece ? "%+9.4f  %s  %s\n" : "%+9.4f  %s\n", row->value, name,
                           piece);
  }
  if (n < rows->len)
    g_string_append_printf(out, "and %u other states\n", rows->len - n);
  return cli_print(self->base.command, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .compute = compute,
    .figure = (CliFigureFunc) regard_figure_new_patching,
    .print = print,
    .free_result = (GDestroyNotify) regard_patching_unref,
};

const CliCommand cli_patch = {
    .name = "patch",
    .summary = "Say where a word is decided: what comes back with single states of another run",
    .arguments = "[-o FILE] (--change CHANGE | --reference TEXT) TEXT",
    .details =
        "Two runs have the same translation given to them (teacher forcing): the reference, of\n"
        "TEXT without changes, or of another one (--reference); and that of TEXT with --change.\n"
        "The translation is the reference's, or --target. Then single states are copied from the\n"
        "first run into the second: the stream of a token before the first layer or behind a\n"
        "layer, and the context of a head, all tokens. The share of the log-probability that was\n"
        "lost, and comes back with it, is\n"
        "    (log p patched - log p changed) / (log p reference - log p changed)\n"
        "1: this state alone carries it; 0: it does not. Below 0 it makes things worse.\n"
        "\n"
        "With --token it is that of one token: where is this word decided? Lists states, the\n"
        "largest share first, as the changes that copy them are called.\n"
        "\n"
        "With -o it writes five maps: encoder_stream and decoder_stream, layers from 0 by tokens,\n"
        "and encoder_heads, cross_heads and decoder_heads, layers by heads. CSV, JSON and NPZ "
        "hold\n"
        "them as they are.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
