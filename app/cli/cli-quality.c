/* cli-quality.c — regard-cli quality: BLEU and chrF of a file, with and without changes, by length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-corpus.h"
#include "cli/cli-picture.h"
#include "cli/cli-stop.h"
#include "measure/regard-quality-run.h"

#include <math.h>

typedef struct {
  const char *file, *references;
  gint64 sentences;
} Wanted;

static RegardQuality *
compute(const CliCommand *command, CliEngine *engine, const CliCorpus *corpus, const char *file)
{
  g_autofree char *name = g_path_get_basename(file);
  const RegardQualityText text = {
      .texts = (const char *const *) corpus->texts->pdata,
      .references = (const char *const *) corpus->references->pdata,
      .n = corpus->texts->len,
      .file = name,
      .params = &engine->params,
      .hooks = &engine->hooks,
      .on_progress = cli_stop_show_share,
  };
  mt_error error = {0};
  cli_stop_begin(&engine->hooks);
  RegardQuality *quality = regard_quality_run(engine->session, engine->model, &text, &error);
  cli_stop_end(&engine->hooks);
  cli_stop_show_end();
  if (!quality)
    cli_complain(command, "%s",
                 error.code == MT_ERROR_CANCELLED ? "interrupted: nothing was measured"
                                                  : error.message);
  return quality;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* "  27.41 (24.10 .. 30.62)" */
static void
append_interval(GString *out, const RegardInterval *score, gboolean has_sign)
{
  g_autofree char *range = has_sign ? g_strdup_printf("(%+.2f .. %+.2f)", score->lo, score->hi)
                                    : g_strdup_printf("(%.2f .. %.2f)", score->lo, score->hi);
  g_string_append_printf(out, has_sign ? "  %+7.2f %-18s" : "  %7.2f %-18s", score->value, range);
}

static CliStatus
print_list(const CliCommand *command, const RegardQuality *quality)
{
  static const char *const names[] = {"BLEU", "chrF2"};
  g_autoptr(GString) out = g_string_new(NULL);
  for (guint m = 0; m < REGARD_N_QUALITIES; m++) {
    g_string_append_printf(out, "%s%-8s %9s  %7s %-18s", m ? "\n" : "", "pieces", "sentences",
                           names[m], "");
    if (quality->changes)
      g_string_append_printf(out, "  %7s %-18s  %7s", "changed", "", "differs");
    g_string_append_c(out, '\n');
    for (guint r = 0; r < quality->n_rows; r++) {
      const RegardQualityRow *row = &quality->rows[r];
      g_autofree char *name = row->most ? g_strdup_printf("%u-%u", row->least, row->most)
                                        : g_strdup_printf(row->least ? "%u-" : "all", row->least);
      g_string_append_printf(out, "%-8s %9u", name, row->n);
      append_interval(out, &row->scores[0][m], FALSE);
      if (quality->changes) {
        append_interval(out, &row->scores[1][m], FALSE);
        append_interval(out, &row->differences[m], TRUE);
      }
      while (out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
      g_string_append_c(out, '\n');
    }
  }
  return cli_put(command, out->str, out->len) ? CLI_DONE : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid};
  CliPicture picture = CLI_PICTURE_INIT;
  Wanted wanted = {0};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "references", 0, &wanted.references, "FILE",
       "What the lines should have been translated to"},
      {CLI_OPTION_WHOLE, "sentences", 0, &wanted.sentences, "N",
       "Take the first N sentences of the file; default: all", 1, 100000000},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  g_autoptr(CliCorpus) corpus = NULL;
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  if (files->len != 1)
    return cli_usage(command, "one FILE wanted, found %u", files->len);
  wanted.file = files->pdata[0];
  if (!wanted.references)
    return cli_usage(command, "--references FILE is wanted: a translation for each line");
  if ((picture.output && (status = cli_picture_check(command, &picture)) != CLI_DONE) ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;
  corpus = cli_corpus_open(command, &engine, wanted.file, wanted.references, wanted.sentences);
  if (!corpus)
    return CLI_FAILED;
  g_autoptr(RegardQuality) quality = compute(command, &engine, corpus, wanted.file);
  if (!quality)
    return CLI_FAILED;
  status = picture.output ? cli_picture_write(command, &picture,
                                              regard_figure_new_quality(quality, &picture.style))
                          : print_list(command, quality);
  return status == CLI_DONE && (corpus->n_left_out || quality->n_left_out) ? CLI_FAILED : status;
}

const CliCommand cli_quality = {
    .name = "quality",
    .summary = "BLEU and chrF of a file by length, with changes and without",
    .arguments = "--references FILE [-o FILE] FILE",
    .details =
        "Translates the lines of FILE and compares them with the references: BLEU and chrF2 as\n"
        "sacreBLEU computes them, of all sentences and of those of each length, in pieces of the\n"
        "source. With --change or --changes they are translated twice, without and with the\n"
        "changes, and the difference is printed, too. In brackets stand the ends of the middle\n"
        "95 % of 1,000 paired bootstrap draws (Koehn 2004; fewer of more than 20,000 sentences): "
        "a\n"
        "difference whose ends have the same sign is more than the choice of sentences.\n"
        "\n"
        "With -o it draws that as bars. CSV, JSON and NPZ have a row for each length.\n",
    .run = run,
};
