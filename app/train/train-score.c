/* train-score.c — regard-train score: BLEU and chrF of translations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"
#include "train/train.h"

#include <mt-train.h>
#include <string.h>

#define VERSION "|version:regard-" MT_VERSION

typedef struct {
  mt_bleu bleu;
  mt_chrf chrf;
  guint64 n; /* sentences */
} Scores;

static bool
fail_cut(const char *path, const mt_text_line *line, mt_error *error)
{
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected lines of at most %zu bytes, found line %" G_GUINT64_FORMAT
                 " to be longer.",
                 path, MT_TEXT_LINE_MAX, line->number);
}

/* Both files, a line for a line. */
static gboolean
count(mt_text_file *hypotheses, mt_text_file *references, const char *const paths[2],
      Scores *scores, mt_error *error)
{
  for (;; scores->n++) {
    mt_text_line h, r;
    bool h_ends, r_ends;
    if (!mt_text_file_next(hypotheses, &h, &h_ends, error) ||
        !mt_text_file_next(references, &r, &r_ends, error))
      return FALSE;
    if (h_ends != r_ends)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected as many lines as in %s, found %s after line %" G_GUINT64_FORMAT
                     ".",
                     paths[0], paths[1], h_ends ? "its end" : "more", scores->n);
    if (h_ends)
      return TRUE;
    if (h.is_cut || r.is_cut)
      return fail_cut(paths[!h.is_cut], h.is_cut ? &h : &r, error);
    if (!mt_bleu_add(&scores->bleu, h.text, h.n, r.text, r.n, error) ||
        !mt_chrf_add(&scores->chrf, h.text, h.n, r.text, r.n, error))
      return FALSE;
  }
}

static gboolean
put(const CliCommand *command, const Scores *scores, gboolean json)
{
  const mt_bleu *bleu = &scores->bleu;
  double p[MT_BLEU_ORDER];
  for (gsize n = 0; n < MT_BLEU_ORDER; n++)
    p[n] = mt_bleu_precision(bleu, n);
  if (!json) {
    g_autofree char *text =
        g_strdup_printf("BLEU   %6.2f  %s" VERSION "\n"
                        "chrF2  %6.2f  %s" VERSION "\n"
                        "%" G_GUINT64_FORMAT
                        " sentences; precisions %.1f/%.1f/%.1f/%.1f, brevity penalty %.3f "
                        "(%" G_GUINT64_FORMAT " tokens, %" G_GUINT64_FORMAT " in the references)\n",
                        mt_bleu_score(bleu), MT_BLEU_SIGNATURE, mt_chrf_score(&scores->chrf),
                        MT_CHRF_SIGNATURE, scores->n, p[0], p[1], p[2], p[3], mt_bleu_brevity(bleu),
                        bleu->n_hypothesis, bleu->n_reference);
    return cli_put(command, text, strlen(text));
  }
  json_object *object =
      regard_json_object({"sentences", cli_json_size(scores->n)},
                         {"bleu", json_object_new_double(mt_bleu_score(bleu))},
                         {"bleu_signature", json_object_new_string(MT_BLEU_SIGNATURE VERSION)});
  json_object *precisions = json_object_new_array();
  for (gsize n = 0; n < MT_BLEU_ORDER; n++)
    json_object_array_add(precisions, json_object_new_double(p[n]));
  regard_json_add(object, {"precisions", precisions},
                  {"brevity_penalty", json_object_new_double(mt_bleu_brevity(bleu))},
                  {"tokens", cli_json_size(bleu->n_hypothesis)},
                  {"reference_tokens", cli_json_size(bleu->n_reference)},
                  {"chrf", json_object_new_double(mt_chrf_score(&scores->chrf))},
                  {"chrf_signature", json_object_new_string(MT_CHRF_SIGNATURE VERSION)});
  return cli_json_put(command, object, FALSE);
}

static const CliOption options[] = {
    {CLI_OPTION_FLAG, "json", 0, 0, NULL, "Print a JSON object"},
    CLI_OPTIONS_END,
};

static CliStatus
run(const CliCommand *command, gpointer self, GPtrArray *files)
{
  const gboolean *json = self;
  if (files->len != 2)
    return cli_usage(command, "two files wanted, translations and references; found %u",
                     files->len);
  mt_text_file *open[2] = {0};
  const char *paths[2];
  Scores scores = {0};
  mt_error error = {0};
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < 2; i++) {
    paths[i] = g_ptr_array_index(files, i);
    if (strcmp(paths[i], "-") == 0)
      paths[i] = "/dev/stdin";
    open[i] = mt_text_file_open(paths[i], &error);
    ok = open[i] != NULL;
  }
  ok = ok && count(open[0], open[1], paths, &scores, &error);
  mt_text_file_free(open[0]);
  mt_text_file_free(open[1]);
  if (!ok)
    return cli_failed(command, &error);
  return put(command, &scores, *json) ? CLI_DONE : CLI_FAILED;
}

const CliCommand train_score = {
    .name = "score",
    .summary = "Compare translations with references: BLEU and chrF",
    .arguments = "TRANSLATIONS REFERENCES",
    .details =
        "Reads two files of which line i belongs to line i, plain or compressed by xz or gzip, or\n"
        "standard input ('-'), and prints corpus BLEU and chrF2 as sacreBLEU computes them by\n"
        "default, each with the signature that says how. With --json, one object: sentences,\n"
        "bleu, bleu_signature, precisions, brevity_penalty, tokens, reference_tokens, chrf,\n"
        "chrf_signature.\n",
    .options = options,
    .size = sizeof(gboolean),
    .run = run,
};
