/* cli-means.c — regard-cli means: what each head finds in the mean over the lines of a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"

typedef struct {
  CliAnalysis base;
  mt_means_sum *sum;
} Means;

static const Means defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_output_npz),
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_threads),
    CLI_OPTIONS_END,
};

static CliLineResult
add_line(const CliLine *line, gpointer user)
{
  Means *self = user;
  CliEngine *engine = &self->base.engine;
  mt_error error = {0};
  if (line->blank)
    return CLI_LINE_DONE;
  mt_translation *translation =
      line->text ? cli_engine_translate(self->base.command, engine, line->text, NULL, &error)
                 : NULL;
  const gboolean done =
      translation && mt_means_sum_add(self->sum, translation, 0, &engine->hooks, &error);
  if (!done)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  mt_translation_unref(translation);
  return done ? CLI_LINE_DONE : CLI_LINE_FAILED;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Means *self = user;
  self->sum = mt_means_sum_new(self->base.engine.session, error);
  if (!self->sum)
    return CLI_FAILED;
  self->base.status =
      cli_lines_foreach(self->base.command, self->base.arguments, FALSE, add_line, NULL, self);
  g_autofree char *name = g_path_get_basename(self->base.text);
  mt_means *means = mt_means_sum_finish(self->sum, name, error);
  CliStatus status = CLI_FAILED;
  if (means && mt_means_write(means, self->base.picture.output, error)) {
    GString *said = g_string_new(NULL);
    g_string_append_printf(said,
                           "means of %zu sentences, %zu source tokens and %zu of translations\n",
                           means->n_sentences, means->n_tokens[MT_STACK_ENCODER],
                           means->n_tokens[MT_STACK_DECODER]);
    status = cli_print(self->base.command, said);
  }
  mt_means_unref(means);
  return status;
}

static void
clear(gpointer self)
{
  mt_means_sum_free(((Means *) self)->sum);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_FILE,
    .writes = CLI_WRITES_ARRAYS,
    .compute = compute,
    .clear = clear,
};

const CliCommand cli_means = {
    .name = "means",
    .summary = "Write what each head finds in the mean over a text, for the change 'mean'",
    .arguments = "-o FILE.npz FILE",
    .details =
        "Translates the lines of FILE ('-': standard input) and takes for every head of every\n"
        "layer the mean of its context over all tokens, the translations given to the model as\n"
        "they are (teacher forcing). Changes such as 'cross 4.1 mean' want that file: --means.\n"
        "\n"
        "The archive holds encoder, decoder and cross, layers by heads by dimensions of a head;\n"
        "counts: sentences, source tokens, tokens of translations; text, the name of FILE; model\n"
        "and fingerprint, by which another model refuses it. A line that cannot be translated is\n"
        "told and left out.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
