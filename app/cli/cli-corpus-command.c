/* cli-corpus-command.c — regard-cli corpus: what every head does over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-corpus-make.h"
#include "cli/cli-stop.h"

#include <string.h>
#include <unistd.h>

#define DEFAULT_MOST_THREADS 4

/* As mt_effect_kind_name says them. */
static const char *const with_names[] = {"zero", "uniform", "mean", NULL};

/* ---- merge ----------------------------------------------------------------------------------- */

static bool
should_stop(void *user)
{
  (void) user;
  return cli_stop_is_wanted();
}

CliStatus
cli_corpus_merge(const CliCommand *command, int argc, char **argv)
{
  const char *output = NULL;
  const CliOption options[] = {
      {CLI_OPTION_TEXT, "output", 'o', &output, "FILE", "Where to write; not there yet"},
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  mt_hooks hooks = {0};
  CliStatus status;
  mt_error error = {0};
  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (files->len < 1)
    return cli_usage(command, "merge wants corpus files");
  if (!output)
    return cli_usage(command, "-o FILE is missing");
  cli_stop_begin(&hooks);
  const bool done = mt_corpus_merge((const char *const *) files->pdata, files->len, output,
                                    should_stop, NULL, &error);
  cli_stop_end(&hooks);
  if (!done)
    cli_complain(command, "%s", error.message);
  return done ? CLI_DONE : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static guint
default_threads(void)
{
  return MIN(g_get_num_processors(), DEFAULT_MOST_THREADS);
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes};
  CliCorpusWanted wanted = {.with = CLI_NO_CHOICE};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "output", 'o', &wanted.output, "FILE.regard-corpus",
       "Where to write, or what to go on with"},
      {CLI_OPTION_TEXT, "conllu", 0, &wanted.trees, "TREES.conllu",
       "Take the sentences of TREES instead of FILE, and which heads follow relations"},
      {CLI_OPTION_CHOICE, "importance", 0, &wanted.with, "CHANGE",
       "Also the effect of each head, taken out like this, which takes many times as long", 0, 0,
       with_names},
      {CLI_OPTION_WHOLE, "sentences", 0, &wanted.sentences, "N",
       "Take the first N sentences; default: all", 1, 1000000000},
      {CLI_OPTION_WHOLE, "commit", 0, &wanted.commit, "N",
       "Keep what is done every N sentences; default: every ten seconds", 1, 1000000},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (argc > 1 && strcmp(argv[1], "merge") == 0)
    return cli_corpus_merge(command, argc - 1, argv + 1);
  if (argc > 1 && strcmp(argv[1], "show") == 0)
    return cli_corpus_show(command, argc - 1, argv + 1);
  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (wanted.trees ? files->len > 0 : files->len != 1)
    return cli_usage(command,
                     wanted.trees ? "--conllu stands in the place of FILE, found %u"
                                  : "one FILE wanted, found %u",
                     files->len);
  if (!wanted.output)
    return cli_usage(command, "-o FILE.regard-corpus is missing");
  wanted.text = files->len ? files->pdata[0] : NULL;
  wanted.has_effects = wanted.with != CLI_NO_CHOICE;
  engine_options.wants_means = wanted.has_effects && wanted.with == MT_EFFECT_MEAN;
  status = cli_engine_open(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;
  return cli_corpus_make(command, &engine, &wanted,
                         engine_options.threads ? (guint) engine_options.threads
                                                : default_threads());
}

const CliCommand cli_corpus = {
    .name = "corpus",
    .summary = "Keep what every head does over a text: statistics, roles, examples, search",
    .arguments = "-o FILE.regard-corpus FILE | merge -o FILE PART… | show FILE",
    .details =
        "Translates the lines of FILE ('-': standard input) and keeps of every head of all three\n"
        "kinds statistics of its measures, roles, distances to the others, the strongest examples\n"
        "and some of every strength, in one SQLite file. Ctrl+C ends it; the same command goes on\n"
        "where it ended, whatever ended it, and does nothing when the file is complete.\n"
        "\n"
        "merge makes one file of several, that of the whole text to the last bit if they are its\n"
        "parts in order: 'split -n l/8 TEXT part.', one command for each part on whatever "
        "machine,\n"
        "and one merge.\n"
        "\n"
        "show writes what is in a file: a line for each head; with --head 'cross 4.1' all of one;\n"
        "with --search WORDS sentences with these words, and with --measure and --least or --most\n"
        "those in which the head does that: --head 'cross 4.1' --measure special --least 0.5.\n"
        "--json and --csv have everything. 'corpus show --help' lists its options.\n",
    .run = run,
};
