/* cli-trust.c — regard-cli trust: how much of each word comes from the source, how much of the
 * source was used, and what is usual for a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-json.h"
#include "cli/cli-lines.h"

#include <glib/gstdio.h>
#include <math.h>

#define QUANTILE 0.01

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  const char *target;
  gboolean json;
  mt_trust_thresholds thresholds;
  mt_trust_sample *sample; /* of a calibration; else NULL */
} Trust;

/* ---- One sentence ---------------------------------------------------------------------------- */

static json_object *
tokens_json(const mt_trust *trust, const mt_trust_thresholds *thresholds, const mt_tokens *tokens,
            mt_stack stack)
{
  const gboolean is_source = stack == MT_STACK_ENCODER;
  gsize n;
  const float *values = is_source ? mt_trust_uses(trust, &n) : mt_trust_shares(trust, &n);
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < n; i++) {
    json_object *token = json_object_new_object();
    json_object_object_add(token, "piece", cli_json_text(mt_tokens_get(tokens, i)->piece));
    json_object_object_add(token, is_source ? "use" : "share", cli_json_float(values[i]));
    if (thresholds->n_sentences)
      json_object_object_add(token, is_source ? "left_out" : "hardly_from_source",
                             json_object_new_boolean(
                                 is_source ? mt_trust_is_left_out(trust, thresholds, i)
                                           : mt_trust_is_weak(trust, thresholds, i)));
    json_object_array_add(list, token);
  }
  return list;
}

static gboolean
put_json(const Trust *self, const mt_translation *translation, const mt_trust *trust)
{
  const mt_trust_thresholds *t = &self->thresholds;
  const mt_hypothesis *best = mt_translation_hypothesis(translation, 0);
  const mt_tokens *source = mt_translation_source(translation);
  json_object *object = json_object_new_object();
  json_object_object_add(object, "text", cli_json_text(mt_tokens_text(source)));
  json_object_object_add(object, "translation", cli_json_text(best->text));
  json_object_object_add(object, "mean_share", cli_json_float((float) mt_trust_mean(trust)));
  json_object_object_add(object, "least_share", cli_json_float((float) mt_trust_least(trust)));
  json_object_object_add(object, "target", tokens_json(trust, t, best->tokens, MT_STACK_DECODER));
  json_object_object_add(object, "source", tokens_json(trust, t, source, MT_STACK_ENCODER));
  json_object *thresholds = t->n_sentences ? json_object_new_object() : NULL;
  if (thresholds) {
    json_object_object_add(thresholds, "share", cli_json_float((float) t->share));
    json_object_object_add(thresholds, "use", cli_json_float((float) t->use));
    json_object_object_add(thresholds, "quantile", cli_json_float((float) t->quantile));
    json_object_object_add(thresholds, "sentences", cli_json_size(t->n_sentences));
  }
  json_object_object_add(object, "thresholds", thresholds);
  return cli_json_put(self->command, object, FALSE);
}

static void
append_tokens(GString *out, const Trust *self, const mt_trust *trust, const mt_tokens *tokens,
              mt_stack stack)
{
  const gboolean is_source = stack == MT_STACK_ENCODER;
  gsize n;
  const float *values = is_source ? mt_trust_uses(trust, &n) : mt_trust_shares(trust, &n);
  for (gsize i = 0; i < n; i++) {
    const gboolean marked = is_source ? mt_trust_is_left_out(trust, &self->thresholds, i)
                                      : mt_trust_is_weak(trust, &self->thresholds, i);
    g_string_append_printf(out, "%8.3f  %s%s\n", (double) values[i],
                           mt_tokens_get(tokens, i)->piece,
                           !marked     ? ""
                           : is_source ? "   left out"
                                       : "   hardly from the source");
  }
}

static gboolean
put_text(const Trust *self, const mt_translation *translation, const mt_trust *trust)
{
  const mt_hypothesis *best = mt_translation_hypothesis(translation, 0);
  g_autoptr(GString) out = g_string_new(NULL);
  g_string_append_printf(out, "%s\n\n   share of the source\n", best->text);
  append_tokens(out, self, trust, best->tokens, MT_STACK_DECODER);
  if (!isnan(mt_trust_mean(trust)))
    g_string_append_printf(out, "%8.3f  mean, least %.3f\n", mt_trust_mean(trust),
                           mt_trust_least(trust));
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
  return cli_put(self->command, out->str, out->len);
}

static CliLineResult
do_text(Trust *self, const char *text, mt_error *error)
{
  mt_translation *translation =
      cli_engine_translate(self->command, self->engine, text, self->target, error);
  mt_trust *trust =
      translation ? mt_trust_new(self->engine->session, translation, 0, &self->engine->hooks, error)
                  : NULL;
  gboolean ok = trust != NULL;
  CliLineResult result = CLI_LINE_FAILED;
  if (ok && self->sample)
    ok = mt_trust_sample_add(self->sample, trust, error);
  if (ok && !self->sample)
    result = (self->json ? put_json : put_text)(self, translation, trust) ? CLI_LINE_DONE
                                                                          : CLI_LINE_STOP;
  else if (ok)
    result = CLI_LINE_DONE;
  mt_trust_unref(trust);
  mt_translation_unref(translation);
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
    cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  return result;
}

static CliStatus
calibrate(Trust *self, const char *file, double quantile, const char *output)
{
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  mt_error error = {0};
  char *text = NULL;
  g_ptr_array_add(files, (gpointer) file);
  self->sample = mt_trust_sample_new(&error);
  CliStatus status = self->sample
                         ? cli_lines_foreach(self->command, files, FALSE, add_line, NULL, self)
                         : CLI_FAILED;
  if (self->sample && mt_trust_sample_finish(self->sample, quantile, &self->thresholds, &error))
    text = mt_trust_thresholds_text(&self->thresholds, self->engine->model, &error);
  g_autoptr(GError) cause = NULL;
  if (!text) {
    cli_complain(self->command, "%s", error.message);
    status = CLI_FAILED;
  } else if (output && !g_file_set_contents(output, text, -1, &cause)) {
    cli_complain(self->command, "%s", cause->message);
    status = CLI_FAILED;
  } else if (!output && !cli_put(self->command, text, strlen(text))) {
    status = CLI_FAILED;
  }
  mt_trust_text_free(text);
  mt_trust_sample_free(self->sample);
  return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
find_thresholds(Trust *self, const char *file)
{
  mt_error error = {0};
  const gboolean ok =
      file ? mt_trust_thresholds_read(&self->thresholds, file, self->engine->model, &error)
           : mt_trust_thresholds_of_model(&self->thresholds, self->engine->model, &error);
  if (!ok)
    cli_complain(self->command, "%s", error.message);
  return ok ? CLI_DONE : CLI_FAILED;
}

static CliStatus
run_text(Trust *self, const char *text, const char *thresholds)
{
  mt_error error = {0};
  if (find_thresholds(self, thresholds) != CLI_DONE)
    return CLI_FAILED;
  const CliLineResult result = do_text(self, text, &error);
  if (result == CLI_LINE_FAILED)
    cli_complain(self->command, "%s", error.message);
  return result == CLI_LINE_DONE ? CLI_DONE : CLI_FAILED;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  const char *calibration = NULL, *thresholds = NULL, *output = NULL, *target = NULL;
  double quantile = QUANTILE;
  Trust self = {.command = command};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_FLAG, "json", 0, &self.json, NULL, "One JSON object on a line"},
      {CLI_OPTION_TEXT, "thresholds", 0, &thresholds, "FILE",
       "Mark by FILE; default: trust.json in the model's folder, if it is there"},
      {CLI_OPTION_TEXT, "calibrate", 0, &calibration, "FILE",
       "Find thresholds: translate the lines of FILE instead of one TEXT"},
      {CLI_OPTION_NUMBER, "quantile", 0, &quantile, "SHARE",
       "Of those lines, so many words and tokens are below; default 0.01", 1e-6, 0.5},
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE.json", "Where thresholds go"},
      CLI_ENGINE_OPTION_TARGET(target),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, texts, &status))
    return status;
  if (calibration && (texts->len > 0 || target || self.json || thresholds))
    return cli_usage(command, "--calibrate stands in the place of TEXT, and goes without --target, "
                              "--json and --thresholds");
  if (!calibration && output)
    return cli_usage(command, "-o is for the thresholds of --calibrate");
  if (!calibration && (status = cli_options_check_text(command, texts)) != CLI_DONE)
    return status;
  if ((status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;
  self.engine = &engine;
  self.target = target;
  return calibration ? calibrate(&self, calibration, quantile, output)
                     : run_text(&self, texts->pdata[0], thresholds);
}

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
    .run = run,
};
