/* cli-trust.c — regard-cli trust: how much of each word comes from the source, how much of the
 * source was used, and what is usual for a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "cli/cli.h"

#include <glib/gstdio.h>
#include <math.h>

#define QUANTILE 0.01

typedef struct {
  CliAnalysis base;
  const char *calibration, *thresholds_file;
  double quantile;
  gboolean json;
  mt_source_contribution_thresholds thresholds;
  mt_source_contribution_sample *sample; /* of a calibration; else NULL */
} Trust;

#define AT(member) offsetof(Trust, member)
static const Trust defaults = {.base = CLI_ANALYSIS_INIT, .quantile = QUANTILE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "One JSON object on a line"},
    {CLI_OPTION_TEXT, "thresholds", 0, AT(thresholds_file), "FILE",
     "Mark by FILE; default: trust.json in the model's folder, if it is there"},
    {CLI_OPTION_TEXT, "calibrate", 0, AT(calibration), "FILE",
     "Find thresholds: translate the lines of FILE instead of one TEXT"},
    {CLI_OPTION_NUMBER, "quantile", 0, AT(quantile), "SHARE",
     "Of those lines, so many words and tokens are below; default 0.01", 1e-6, 0.5},
    {CLI_OPTION_TEXT, "output", 'o', AT(base.picture.output), "FILE.json", "Where thresholds go"},
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS_END,
};

/* ---- One sentence ---------------------------------------------------------------------------- */

static json_object *
tokens_json(const mt_source_contribution *trust,
            const mt_source_contribution_thresholds *thresholds, const mt_tokens *tokens,
            mt_stack stack)
{
  const gboolean is_source = stack == MT_STACK_ENCODER;
  const gsize n = is_source ? trust->n_source : trust->n_target;
  const float *values = is_source ? trust->uses : trust->shares;
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < n; i++) {
    json_object *token =
        regard_json_object({"piece", cli_json_text(mt_tokens_get(tokens, i)->piece)},
                           {is_source ? "use" : "share", regard_json_float(values[i])});
    if (thresholds->n_sentences)
      json_object_object_add(token, is_source ? "left_out" : "hardly_from_source",
                             json_object_new_boolean(
                                 is_source
                                     ? mt_source_contribution_is_left_out(trust, thresholds, i)
                                     : mt_source_contribution_is_weak(trust, thresholds, i)));
    json_object_array_add(list, token);
  }
  return list;
}

static gboolean
put_json(const Trust *self, const mt_translation *translation, const mt_source_contribution *trust)
{
  const mt_source_contribution_thresholds *t = &self->thresholds;
  const mt_hypothesis *best = mt_translation_hypothesis(translation, 0);
  const mt_tokens *source = mt_translation_source(translation);
  json_object *object = regard_json_object(
      {"text", cli_json_text(mt_tokens_text(source))}, {"translation", cli_json_text(best->text)},
      {"mean_share", regard_json_float((float) mt_source_contribution_mean(trust))},
      {"least_share", regard_json_float((float) mt_source_contribution_least(trust))},
      {"target", tokens_json(trust, t, best->tokens, MT_STACK_DECODER)},
      {"source", tokens_json(trust, t, source, MT_STACK_ENCODER)});
  json_object *thresholds = t->n_sentences ? json_object_new_object() : NULL;
  if (thresholds)
    regard_json_add(thresholds, {"share", regard_json_float((float) t->share)},
                    {"use", regard_json_float((float) t->use)},
                    {"quantile", regard_json_float((float) t->quantile)},
                    {"sentences", cli_json_size(t->n_sentences)});
  json_object_object_add(object, "thresholds", thresholds);
  return cli_json_put(self->base.command, object, FALSE);
}

static void
append_tokens(GString *out, const Trust *self, const mt_source_contribution *trust,
              const mt_tokens *tokens, mt_stack stack)
{
  const gboolean is_source = stack == MT_STACK_ENCODER;
  const gsize n = is_source ? trust->n_source : trust->n_target;
  const float *values = is_source ? trust->uses : trust->shares;
  for (gsize i = 0; i < n; i++) {
    const gboolean marked = is_source
                                ? mt_source_contribution_is_left_out(trust, &self->thresholds, i)
                                : mt_source_contribution_is_weak(trust, &self->thresholds, i);
    g_string_append_printf(out, "%8.3f  %s%s\n", (double) values[i],
                           mt_tokens_get(tokens, i)->piece,
                           !marked     ? ""
                           : is_source ? "   left out"
                                       : "   hardly from the source");
  }
}

static gboolean
put_text(const Trust *self, const mt_translation *translation, const mt_source_contribution *trust)
{
  const mt_hypothesis *best = mt_translation_hypothesis(translation, 0);
  g_autoptr(GString) out = g_string_new(NULL);
  g_string_append_printf(out, "%s\n\n   share of the source\n", best->text);
  append_tokens(out, self, trust, best->tokens, MT_STACK_DECODER);
  if (!isnan(mt_source_contribution_mean(trust)))
    g_string_append_printf(out, "%8.3f  mean, least %.3f\n", mt_source_contribution_mean(trust),
                           mt_source_contribution_least(trust));
  g_string_append(out, "\n   use of the source\n");
  append_tokens(out, self, trust, mt_translation_source(translation), MT_STACK_ENCODER);
  if (self->thresholds.n_sentences)
    g_string_append_printf(
        out, "\nmarked: a share below %.3f, a use below %.3f: %g %% of %zu sentences are\n",
        self->thresholds.share, self->thresholds.use, 100 * self->thresholds.quantile,
        self->thresholds.n_sentences);
  else
    g_string_append(out, "\nnothing is marked: no text says what is usual for this model "
                         "(--calibrate)\n");
  return cli_put(self->base.command, out->str, out->len);
}

static CliLineResult
do_text(Trust *self, const char *text, mt_error *error)
{
  g_autoptr(mt_translation) translation =
      cli_engine_translate(self->base.command, &self->base.engine, text, self->base.target, error);
  g_autoptr(mt_source_contribution) trust =
      translation ? mt_source_contribution_new(self->base.engine.session, translation, 0,
                                               &self->base.engine.hooks, error)
                  : NULL;
  gboolean ok = trust != NULL;
  CliLineResult result = CLI_LINE_FAILED;
  if (ok && self->sample)
    ok = mt_source_contribution_sample_add(self->sample, trust, error);
  if (ok && !self->sample)
    result = (self->json ? put_json : put_text)(self, translation, trust) ? CLI_LINE_DONE
                                                                          : CLI_LINE_STOP;
  else if (ok)
    result = CLI_LINE_DONE;
  return result;
}

/* ---- What is usual --------------------------------------------------------------------------- */

static CliLineResult
add_line(const CliLine *line, gpointer user)
{
  Trust *self = user;
  mt_error error = {0};
  if (line->blank)
    return CLI_LINE_DONE;
  CliLineResult result = line->text ? do_text(self, line->text, &error) : CLI_LINE_FAILED;
  if (result == CLI_LINE_FAILED)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  return result;
}

static CliStatus
calibrate(Trust *self, mt_error *error)
{
  const char *output = self->base.picture.output;
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_autoptr(GError) cause = NULL;
  char *text = NULL;
  g_ptr_array_add(files, (gpointer) self->calibration);
  self->sample = mt_source_contribution_sample_new(error);
  CliStatus status = self->sample
                         ? cli_lines_foreach(self->base.command, files, FALSE, add_line, NULL, self)
                         : CLI_FAILED;
  if (self->sample &&
      mt_source_contribution_sample_finish(self->sample, self->quantile, &self->thresholds, error))
    text =
        mt_source_contribution_thresholds_text(&self->thresholds, self->base.engine.model, error);
  if (text && output && !g_file_set_contents(output, text, -1, &cause))
    cli_complain(self->base.command, "%s", cause->message);
  const gboolean done =
      text && !cause && (output || cli_put(self->base.command, text, strlen(text)));
  mt_source_contribution_text_free(text);
  return done ? status : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
check(gpointer user)
{
  const Trust *self = user;
  const CliAnalysis *base = &self->base;
  if (self->calibration &&
      (base->arguments->len > 0 || base->target || self->json || self->thresholds_file))
    return cli_usage(base->command,
                     "--calibrate stands in the place of TEXT, and goes without --target, "
                     "--json and --thresholds");
  if (!self->calibration && base->picture.output)
    return cli_usage(base->command, "-o is for the thresholds of --calibrate");
  return self->calibration ? CLI_DONE : cli_options_check_text(base->command, base->arguments);
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Trust *self = user;
  const mt_model *model = self->base.engine.model;
  if (self->calibration)
    return calibrate(self, error);
  const gboolean ok =
      self->thresholds_file
          ? mt_source_contribution_thresholds_read(&self->thresholds, self->thresholds_file, model,
                                                   error)
          : mt_source_contribution_thresholds_of_model(&self->thresholds, model, error);
  return ok && do_text(self, self->base.text, error) == CLI_LINE_DONE ? CLI_DONE : CLI_FAILED;
}

static void
clear(gpointer self)
{
  mt_source_contribution_sample_free(((Trust *) self)->sample);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .compute = compute,
    .clear = clear,
};

const CliCommand cli_trust = {
    .name = "trust",
    .summary = "Say how much of each word comes from the source, and what of it was left out",
    .arguments = "TEXT | --calibrate FILE",
    .details =
        "Translates TEXT and prints of each token of the translation the share of it that comes "
        "from\n"
        "the source, the rest being from the translation before it, and of each source token how\n"
        "much all tokens of the translation have of it (ALTI+, Ferrando 2022). A word with a "
        "small\n"
        "share may be invented, a source token with a small use left out; both are hints.\n"
        "\n"
        "What is small differs between models. --calibrate translates the lines of FILE ('-': "
        "standard\n"
        "input) and writes thresholds, below which are --quantile of all words and tokens of it, "
        "special\n"
        "ones such as </s> apart, as JSON: model, fingerprint, share, use, quantile, sentences. "
        "As\n"
        "trust.json in the model's folder they are found by themselves; those of another model "
        "are\n"
        "refused. Without them nothing is marked. A line that cannot be translated is told and "
        "left out.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
