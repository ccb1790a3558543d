/* cli-means.c — regard-cli means: what each head finds in the mean over the lines of a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-lines.h"

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  mt_means_sum *sum;
} Means;

static CliLineResult
add_line(const CliLine *line, gpointer user)
{
  Means *self = user;
  mt_error error = {0};
  if (line->blank)
    return CLI_LINE_DONE;
  mt_translation *translation =
      line->text ? cli_engine_translate(self->command, self->engine, line->text, NULL, &error)
                 : NULL;
  const gboolean done =
      translation && mt_means_sum_add(self->sum, translation, 0, &self->engine->hooks, &error);
  if (!done)
    cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  mt_translation_unref(translation);
  return done ? CLI_LINE_DONE : CLI_LINE_FAILED;
}

static CliStatus
write_means(const Means *self, const char *file, const char *output, CliStatus status)
{
  mt_error error = {0};
  g_autofree char *name = g_path_get_basename(file);
  mt_means *means = mt_means_sum_finish(self->sum, name, &error);
  if (!means || !mt_means_write(means, output, &error)) {
    cli_complain(self->command, "%s", error.message);
    status = CLI_FAILED;
  } else {
    g_autofree char *said =
        g_strdup_printf("means of %zu sentences, %zu source tokens and %zu of translations\n",
                        mt_means_n_sentences(means), mt_means_n_tokens(means, MT_STACK_ENCODER),
                        mt_means_n_tokens(means, MT_STACK_DECODER));
    if (!cli_put(self->command, said, strlen(said)))
      status = CLI_FAILED;
  }
  mt_means_unref(means);
  return status;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  CliEngineOptions engine_options = {0};
  const char *output = NULL;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE.npz", "Where to write"},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTION_THREADS(engine_options),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;
  mt_error error = {0};

  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (files->len != 1)
    return cli_usage(command, "one FILE wanted, found %u", files->len);
  if (!output)
    return cli_usage(command, "-o FILE.npz is missing");
  if (!g_str_has_suffix(output, ".npz"))
    return cli_usage(command, "-o wants a file name that ends with .npz, found '%s'", output);
  status = cli_engine_open(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;
  Means self = {command, &engine, mt_means_sum_new(engine.session, &error)};
  if (!self.sum) {
    cli_complain(command, "%s", error.message);
    return CLI_FAILED;
  }
  status = cli_lines_foreach(command, files, FALSE, add_line, NULL, &self);
  status = write_means(&self, files->pdata[0], output, status);
  mt_means_sum_free(self.sum);
  return status;
}

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
    .run = run,
};
