/* cli-quality.c — regard-cli quality: BLEU and chrF of a file, with and without changes, by length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "measure/regard-quality-run.h"

#include <math.h>

typedef struct {
  CliAnalysis base;
  const char *references;
  gint64 sentences;
} Quality;

#define AT(member) offsetof(Quality, member)
static const Quality defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_TEXT, "references", 0, AT(references), "FILE",
     "What the lines should have been translated to"},
    {CLI_OPTION_WHOLE, "sentences", 0, AT(sentences), "N",
     "Take the first N sentences of the file; default: all", 1, 100000000},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  const Quality *self = user;
  return self->references ? CLI_DONE
                          : cli_usage(self->base.command,
                                      "--references FILE is wanted: a translation for each line");
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Quality *self = user;
  CliEngine *engine = &self->base.engine;
  g_autoptr(CliCorpus) corpus = cli_corpus_open(self->base.command, engine, self->base.text,
                                                self->references, self->sentences);
  if (!corpus)
    return CLI_FAILED;
  g_autofree char *name = g_path_get_basename(self->base.text);
  const RegardQualityText text = {
      .texts = (const char *const *) corpus->texts->pdata,
      .references = (const char *const *) corpus->references->pdata,
      .n = corpus->texts->len,
      .file = name,
      .params = &engine->params,
      .hooks = &engine->hooks,
      .on_progress = cli_stop_show_share,
  };
  cli_stop_begin(&engine->hooks);
  self->base.result = regard_quality_run(engine->session, engine->model, &text, error);
  cli_stop_end(&engine->hooks);
  cli_stop_show_end();
  if (self->base.result) {
    self->base.status = corpus->n_left_out || ((RegardQuality *) self->base.result)->n_left_out
                            ? CLI_FAILED
                            : CLI_DONE;
    return CLI_DONE;
  }
  if (error->code == MT_ERROR_CANCELLED)
    g_strlcpy(error->message, "interrupted: nothing was measured", sizeof error->message);
  return CLI_FAILED;
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
print(gpointer user)
{
  const Quality *self = user;
  const RegardQuality *quality = self->base.result;
  static const char *const names[] = {"BLEU", "chrF2"};
  GString *out = g_string_new(NULL);
  for (guint m = 0; m < REGARD_N_QUALITIES; m++) {
    g_string_append_printf(out, "%s%-8s %9s  %7s %-18s", m ? "\n" : "", "pieces", "sentences",
                           names[m], "");
    if (quality->interventions)
      g_string_append_printf(out, "  %7s %-18s  %7s", "changed", "", "differs");
    g_string_append_c(out, '\n');
    for (guint r = 0; r < quality->n_rows; r++) {
      const RegardQualityRow *row = &quality->rows[r];
      g_autofree char *name = row->most ? g_strdup_printf("%u-%u", row->least, row->most)
                                        : g_strdup_printf(row->least ? "%u-" : "all", row->least);
      g_string_append_printf(out, "%-8s %9u", name, row->n);
      append_interval(out, &row->scores[0][m], FALSE);
      if (quality->interventions) {
        append_interval(out, &row->scores[1][m], FALSE);
        append_interval(out, &row->differences[m], TRUE);
      }
      while (out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
      g_string_append_c(out, '\n');
    }
  }
  return cli_print(self->base.command, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_FILE,
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .compute = compute,
    .figure = (CliFigureFunc) regard_figure_new_quality,
    .print = print,
    .free_result = (GDestroyNotify) regard_quality_unref,
};

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
    CLI_ANALYSIS(options, defaults, steps),
};
