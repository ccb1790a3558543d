/* cli-effects.c — regard-cli effects: what each head does for a translation, as a list, a picture
 * or numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-effects.h"

#include "cli/cli-picture.h"
#include "figures/regard-effects.h"

#include <math.h>

/* Heads that are listed where nobody says how many. */
#define LISTED 20

/* As mt_effect_kind_name says them. */
static const char *const with_names[] = {"zero", "uniform", "mean", NULL};

/* ---- Computing ------------------------------------------------------------------------------- */

/* The piece is the model's own, "▁sie", or a word that is one, "sie". */
static gboolean
find_piece(const mt_model *model, const char *text, int32_t *id)
{
  const gsize n = mt_model_config(model)->vocab_size[MT_STACK_DECODER];
  g_autofree char *marked = g_strconcat("▁", text, NULL);
  int32_t exact = -1, word = -1;
  for (gsize i = 0; i < n && exact < 0; i++) {
    const char *piece = mt_model_piece(model, MT_STACK_DECODER, (int32_t) i);
    if (g_strcmp0(piece, text) == 0)
      exact = (int32_t) i;
    else if (g_strcmp0(piece, marked) == 0)
      word = (int32_t) i;
  }
  *id = exact >= 0 ? exact : word;
  return *id >= 0;
}

/* NULL: *status and the complaint are made. */
static RegardEffects *
compute(const CliCommand *command, CliEngine *engine, const mt_translation *translation,
        const CliEffectsWanted *wanted, CliStatus *status)
{
  const mt_tokens *output = mt_translation_hypothesis(translation, 0)->tokens;
  mt_effects_params params = {.kind = (mt_effect_kind) wanted->with, .means = engine->means};
  mt_error error = {0};
  const char *against = NULL;
  *status = CLI_USAGE;
  if (wanted->against) {
    if (wanted->token > (gint64) mt_tokens_count(output)) {
      cli_usage(command,
                "--token wants 1 to %zu, the tokens of this translation, found %" G_GINT64_FORMAT,
                mt_tokens_count(output), wanted->token);
      return NULL;
    }
    if (!find_piece(engine->model, wanted->against, &params.against)) {
      cli_usage(command, "--against: the vocabulary has no piece '%s'", wanted->against);
      return NULL;
    }
    params.has_contrast = true;
    params.token = (gsize) wanted->token - 1;
    against = mt_model_piece(engine->model, MT_STACK_DECODER, params.against);
  }
  mt_effects *effects =
      mt_effects_new(engine->session, translation, 0, &params, &engine->hooks, &error);
  RegardEffects *result =
      effects ? regard_effects_new(engine->model, effects, output, engine->hooks.changes,
                                   (guint) params.token, against)
              : NULL;
  mt_effects_unref(effects);
  *status = result ? CLI_DONE : CLI_FAILED;
  if (!result)
    cli_complain(command, "%s", error.message);
  return result;
}

/* ---- The list -------------------------------------------------------------------------------- */

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double value;
} Row;

/* The largest first; where two are the same, as they stand in the model. */
static gint
compare(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : (x->head < y->head ? -1 : 1);
}

static GArray *
sorted(const RegardEffects *effects)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++) {
        const Row row = {kind, l, h, regard_effects_shown(effects, kind, l, h)};
        g_array_append_val(rows, row);
      }
  g_array_sort(rows, compare);
  return rows;
}

/* Points of a score; nothing where the work did not come so far. */
static void
append_score(GString *out, double value)
{
  if (isfinite(value))
    g_string_append_printf(out, "%+8.2f", value);
  else
    g_string_append_printf(out, "%8s", "");
}

static void
append_row(GString *out, const RegardEffects *effects, const Row *row)
{
  const RegardEffectsKind *k = &effects->kinds[row->kind];
  const gsize i = (gsize) row->layer * k->n_heads + row->head;
  g_autofree char *name = regard_effects_head_name(row->kind, row->layer, row->head);
  if (k->contrast)
    g_string_append_printf(out, "%+10.4f", k->contrast[i]);
  g_string_append_printf(out, "%+10.4f", k->effects[i]);
  if (k->bleu) {
    append_score(out, k->bleu[i]);
    append_score(out, k->chrf[i]);
  }
  g_string_append_printf(out, "  %-*s", k->tokens ? 14 : 0, name);
  if (k->tokens) {
    const float *tokens = k->tokens + i * effects->n_tokens;
    guint most = 0;
    for (guint t = 1; t < effects->n_tokens; t++)
      if (fabsf(tokens[t]) > fabsf(tokens[most]))
        most = t;
    g_string_append_printf(out, "%u %s %+.4f", most + 1, effects->token_texts[most],
                           (double) tokens[most]);
  }
  g_string_append_c(out, '\n');
}

static CliStatus
print_list(const CliCommand *command, const RegardEffects *effects, const char *text, gint64 top)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GArray) rows = sorted(effects);
  const guint n = top ? MIN((guint) top, rows->len) : MIN(LISTED, rows->len);
  if (text)
    g_string_append_printf(out, "%s\n", text);
  else
    g_string_append_printf(out, "mean of %u sentences\n", effects->n_sentences);
  g_string_append_printf(out, "log p %.4f nats; each head alone with %s\n", effects->logprob,
                         mt_effect_kind_name(effects->with));
  if (effects->against)
    g_string_append_printf(out, "contrast: logit %s - logit %s = %.4f at token %u\n",
                           effects->token_texts[effects->contrast_token], effects->against,
                           effects->margin, effects->contrast_token + 1);
  const gboolean is_scored = effects->kinds[0].bleu != NULL;
  if (is_scored && isfinite(effects->bleu))
    g_string_append_printf(out, "BLEU %.2f, chrF2 %.2f with all heads\n", effects->bleu,
                           effects->chrf);
  g_string_append_printf(out, "\n%s    effect%s  head%s\n", effects->against ? "  contrast" : "",
                         is_scored ? "    BLEU   chrF2" : "",
                         effects->token_texts ? "          most on" : "");
  for (guint i = 0; i < n; i++)
    append_row(out, effects, &g_array_index(rows, Row, i));
  if (n < rows->len)
    g_string_append_printf(out, "and %u other heads\n", rows->len - n);
  return cli_put(command, out->str, out->len) ? CLI_DONE : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  const char *target = NULL;
  CliEffectsWanted wanted = {0};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_CHOICE, "with", 0, &wanted.with, "CHANGE",
       "How a head is taken out; default zero", 0, 0, with_names},
      {CLI_OPTION_WHOLE, "token", 0, &wanted.token, "N",
       "Which token of the translation a contrast is about, from 1", 1, 100000},
      {CLI_OPTION_TEXT, "against", 0, &wanted.against, "PIECE",
       "Also each head's part in the token's logit less that of PIECE"},
      {CLI_OPTION_WHOLE, "top", 0, &wanted.top, "K", "List so many heads; default 20", 1, 100000},
      {CLI_OPTION_TEXT, "file", 0, &wanted.file, "FILE",
       "Take the mean over the lines of FILE instead of one TEXT"},
      {CLI_OPTION_TEXT, "references", 0, &wanted.references, "FILE",
       "Of a file, take the lines of FILE as translations instead of searching"},
      {CLI_OPTION_FLAG, "scores", 0, &wanted.scores, NULL,
       "Also translate the file without each head: what BLEU and chrF lose"},
      {CLI_OPTION_WHOLE, "sentences", 0, &wanted.sentences, "N",
       "Take the first N sentences of the file; default: all", 1, 100000000},
      {CLI_OPTION_TEXT, "resume", 0, &wanted.resume, "STATE.json",
       "Keep in STATE.json what is done, and go on from there if it is there"},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, texts, &status))
    return status;
  if (wanted.file && (texts->len > 0 || target || wanted.against))
    return cli_usage(command, "--file stands in the place of TEXT, and goes without --target and "
                              "--against");
  if (wanted.references && !wanted.file)
    return cli_usage(command, "--references wants --file");
  if ((wanted.scores || wanted.sentences || wanted.resume) && !wanted.file)
    return cli_usage(command, "--scores, --sentences and --resume want --file");
  if (wanted.scores && !wanted.references)
    return cli_usage(command, "--scores wants --references");
  if (!wanted.file && (status = cli_options_check_text(command, texts)) != CLI_DONE)
    return status;
  engine_options.wants_means = wanted.with == MT_EFFECT_MEAN;
  if (!wanted.token != !wanted.against)
    return cli_usage(command, "--token and --against want each other");
  if (picture.output && wanted.top)
    return cli_usage(command, "--top is for the list, and -o FILE is given");
  if ((picture.output && (status = cli_picture_check(command, &picture)) != CLI_DONE) ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;

  mt_translation *translation = NULL;
  if (!wanted.file) {
    translation = cli_engine_translate_text(command, &engine, texts->pdata[0], target);
    if (!translation)
      return CLI_FAILED;
  }
  RegardEffects *effects = translation
                               ? compute(command, &engine, translation, &wanted, &status)
                               : cli_effects_compute_file(command, &engine, &wanted, &status);
  CliStatus told = CLI_DONE;
  if (effects && picture.output)
    told = cli_picture_write(command, &picture, regard_figure_new_effects(effects, &picture.style));
  else if (effects)
    told = print_list(command, effects,
                      translation ? mt_translation_hypothesis(translation, 0)->text : NULL,
                      wanted.top);
  if (told != CLI_DONE)
    status = told;
  g_clear_pointer(&effects, regard_effects_unref);
  mt_translation_unref(translation);
  return status;
}

const CliCommand cli_effects = {
    .name = "effects",
    .summary = "Say what each head does for a translation: how likely it is without it",
    .arguments = "[-o FILE] (TEXT | --file FILE)",
    .details =
        "Translates TEXT and computes for every head of every layer the log-probability of the\n"
        "translation less the same with the head taken out, in nats: its context 0 (zero) or\n"
        "its mean over a text (mean), or all keys with the same weight (uniform). Positive: "
        "without the head the translation is\n"
        "less likely. Lists heads, the largest effect first, with the token that it is most\n"
        "about. Each head is taken out alone; effects of several do not add up.\n"
        "\n"
        "With --token and --against it also says how much of the difference between the logits\n"
        "of that token and of PIECE in its place each head makes, and sorts by that.\n"
        "\n"
        "With --file all numbers are means over its lines, of the model's own translations or of\n"
        "--references. Ctrl+C ends it early, and says over how many lines the numbers are; with\n"
        "--resume the same command goes on from there. With --scores the file is also translated\n"
        "once without each head, which takes long, and compared with the references: what BLEU "
        "and\n"
        "chrF2 lose, in points.\n"
        "\n"
        "With -o it writes layers by heads of all three kinds of attention; the range of the\n"
        "colours is symmetric about 0. CSV, JSON and NPZ hold encoder, decoder and cross, each\n"
        "layers by heads, encoder_contrast … where there is one, and encoder_tokens …, heads by\n"
        "output tokens; encoder_bleu and encoder_chrf … with --scores.\n",
    .run = run,
};
