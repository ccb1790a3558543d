/* train-prepare.c — regard-train prepare: parallel text to a folder that can be trained with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"
#include "train/train-corpus.h"
#include "train/train-encode.h"
#include "train/train.h"

#include <math.h>
#include <mt-train.h>
#include <string.h>

/* ==== What became of the lines of each source ================================================= */

static TrainCounts
sum(const TrainPlan *plan, const TrainCounts *counts)
{
  TrainCounts all = {0};
  for (guint i = 0; i < plan->sources->len; i++) {
    all.n_read += counts[i].n_read;
    all.n_heldout += counts[i].n_heldout;
    for (int d = 0; d < TRAIN_N_DROPS; d++)
      all.dropped[d] += counts[i].dropped[d];
    for (int s = 0; s < MT_N_STACKS; s++) {
      all.n_tokens[s] += counts[i].n_tokens[s];
      all.n_unknown[s] += counts[i].n_unknown[s];
    }
  }
  return all;
}

/* Columns of a text, not of its bytes. */
static void
put_name(GString *out, const char *name, glong width)
{
  g_string_append(out, name);
  for (glong n = g_utf8_strlen(name, -1); n < width; n++)
    g_string_append_c(out, ' ');
}

static void
put_row(GString *out, glong width, const char *name, const char *weight, const TrainCounts *counts,
        const TrainCounts *all)
{
  put_name(out, name, width);
  g_string_append_printf(out,
                         " %7s %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                         " %10" G_GUINT64_FORMAT,
                         weight, counts->n_read, counts->dropped[TRAIN_KEPT], counts->n_heldout,
                         counts->n_tokens[0] + counts->n_tokens[1]);
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    if (all->dropped[d])
      g_string_append_printf(out, " %9" G_GUINT64_FORMAT, counts->dropped[d]);
  g_string_append_c(out, '\n');
}

/* A table for people: a row for each source and one for all; a column for each reason for which
 * anything was dropped. */
static void
train_report_table(GString *out, const TrainPlan *plan, const TrainCounts *counts)
{
  TrainCounts all = sum(plan, counts);
  glong width = 6;
  double epoch = 0;
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    width = MAX(width, g_utf8_strlen(source->name, -1));
    epoch += source->weight * (double) (counts[i].n_tokens[0] + counts[i].n_tokens[1]) /
             (double) train_plan_count_segmentations(plan, source);
  }
  put_name(out, "source", width);
  g_string_append_printf(out, " %7s %9s %9s %8s %10s", "weight", "lines", "train", "heldout",
                         "tokens");
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    if (all.dropped[d])
      g_string_append_printf(out, " %9s", train_drop_name((TrainDrop) d));
  g_string_append_c(out, '\n');
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    g_autofree char *weight =
        source->heldout ? g_strdup("heldout") : g_strdup_printf("%.4g", source->weight);
    put_row(out, width, source->name, weight, &counts[i], &all);
  }
  put_row(out, width, "all", "", &all, &all);
  g_string_append_printf(out,
                         "\nAn epoch by these weights: %.1f million tokens. Unknown tokens: "
                         "%.3f %% of the source, %.3f %% of the target.\n",
                         epoch / 1e6,
                         100.0 * (double) all.n_unknown[0] / (double) MAX(all.n_tokens[0], 1),
                         100.0 * (double) all.n_unknown[1] / (double) MAX(all.n_tokens[1], 1));
}

static void
add_counts(json_object *object, const TrainCounts *counts)
{
  static const char *const tokens[] = {"source_tokens", "target_tokens"};
  static const char *const unknown[] = {"source_unknown", "target_unknown"};
  regard_json_add(object, {"lines", cli_json_size(counts->n_read)},
                  {"train", cli_json_size(counts->dropped[TRAIN_KEPT])},
                  {"heldout", cli_json_size(counts->n_heldout)});
  for (int s = 0; s < MT_N_STACKS; s++)
    regard_json_add(object, {tokens[s], cli_json_size(counts->n_tokens[s])},
                    {unknown[s], cli_json_size(counts->n_unknown[s])});
  json_object *dropped = json_object_new_object();
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    json_object_object_add(dropped, train_drop_name((TrainDrop) d),
                           cli_json_size(counts->dropped[d]));
  json_object_object_add(object, "dropped", dropped);
}

/* The same for programs: {"sources": [{"name", "weight", "lines", "train", "heldout", "dropped":
 * {reason: n}, …}], "limits": {…}}. The same corpus and plan give the same; no path, no time. */
static json_object *
train_report_json(const TrainPlan *plan, const TrainCounts *counts)
{
  json_object *report = json_object_new_object();
  json_object *sources = json_object_new_array();
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    json_object *row =
        regard_json_object({"name", cli_json_text(source->name)},
                           {"weight", json_object_new_double(source->weight)},
                           {"segmentations",
                            cli_json_size(train_plan_count_segmentations(plan, source))},
                           {"all_heldout", json_object_new_boolean(source->heldout)});
    add_counts(row, &counts[i]);
    json_object_array_add(sources, row);
  }
  json_object_object_add(report, "sources", sources);
  TrainCounts all = sum(plan, counts);
  json_object *total = json_object_new_object();
  add_counts(total, &all);
  json_object_object_add(report, "all", total);
  json_object_object_add(report, "limits",
                         regard_json_object({"max_chars", json_object_new_int64(plan->max_chars)},
                                            {"max_tokens", json_object_new_int64(plan->max_tokens)},
                                            {"max_ratio",
                                             json_object_new_double(plan->max_ratio)}));
  json_object_object_add(report, "drawing",
                         regard_json_object({"segmented",
                                             cli_json_text(train_segmented[plan->segmented])},
                                            {"nbest_size", json_object_new_int64(plan->nbest_size)},
                                            {"alpha", json_object_new_double(plan->alpha)}));
  return report;
}

/* ==== The command ============================================================================= */

/* What was given on the command line; the rest is the plan's. */
typedef struct {
  const char *output, *config, *corpora, *tokenizer, *from, *to, *characters;
  gint64 vocab_size, tokenizer_pairs, max_chars, max_tokens, n_heldout, seed, n_threads;
  gint64 segmentations, nbest_size;
  guint segmentation, normalization, segmented;
  double coverage, max_ratio, alpha;
  gboolean separate, split_digits, replace, json, quiet;
  GPtrArray *exclude;
} Flags;

#define NOT_GIVEN (-1)

static void
apply(const Flags *flags, TrainPlan *plan)
{
  const struct {
    gint64 given, *value;
  } wholes[] = {
      {flags->vocab_size, &plan->vocab_size}, {flags->tokenizer_pairs, &plan->tokenizer_pairs},
      {flags->max_chars, &plan->max_chars},   {flags->max_tokens, &plan->max_tokens},
      {flags->n_heldout, &plan->n_heldout},   {flags->seed, &plan->seed},
      {flags->nbest_size, &plan->nbest_size}, {flags->segmentations, &plan->segmentations},
  };
  const struct {
    const char *given;
    char **value;
  } texts[] = {
      {flags->tokenizer, &plan->tokenizer},
      {flags->from, &plan->languages[0]},
      {flags->to, &plan->languages[1]},
      {flags->characters, &plan->characters},
  };
  const struct {
    guint given, *value;
  } choices[] = {
      {flags->segmentation, &plan->segmentation},
      {flags->normalization, &plan->normalization},
      {flags->segmented, &plan->segmented},
  };
  const struct {
    double given, *value;
  } numbers[] = {
      {flags->coverage, &plan->coverage},
      {flags->max_ratio, &plan->max_ratio},
      {flags->alpha, &plan->alpha},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wholes); i++)
    if (wholes[i].given != NOT_GIVEN)
      *wholes[i].value = wholes[i].given;
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (texts[i].given) {
      g_free(*texts[i].value);
      *texts[i].value = g_strdup(texts[i].given);
    }
  for (guint i = 0; i < G_N_ELEMENTS(choices); i++)
    if (choices[i].given != CLI_NO_CHOICE)
      *choices[i].value = choices[i].given;
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (!isnan(numbers[i].given))
      *numbers[i].value = numbers[i].given;
  plan->separate = plan->separate || flags->separate;
  plan->split_digits = plan->split_digits || flags->split_digits;
  for (guint i = 0; flags->exclude && i < flags->exclude->len; i++)
    g_ptr_array_add(plan->exclude, g_strdup(g_ptr_array_index(flags->exclude, i)));
}

static gboolean
make_plan(const Flags *flags, const GPtrArray *arguments, TrainPlan *plan, mt_error *error)
{
  if (flags->config && !train_plan_load(plan, flags->config, flags->corpora, error))
    return FALSE;
  for (guint i = 0; i < arguments->len; i++)
    if (!train_plan_add_argument(plan, g_ptr_array_index(arguments, i), error))
      return FALSE;
  apply(flags, plan);
  return TRUE;
}

static mt_dataset_info
describe(const TrainPlan *plan, const mt_text_ids *ids)
{
  return (mt_dataset_info){
      .languages = {plan->languages[0], plan->languages[1]},
      .vocab_size = {mt_text_ids_vocab_size(ids, MT_STACK_ENCODER),
                     mt_text_ids_vocab_size(ids, MT_STACK_DECODER)},
      .separate_vocabs = mt_text_ids_separate(ids),
      .pad_id = mt_text_ids_pad(ids),
      .eos_id = mt_text_ids_eos(ids),
      .unk_id = mt_text_ids_unk(ids),
      .max_tokens = (gsize) plan->max_tokens,
      .seed = (guint64) plan->seed,
  };
}

static gboolean
write_folder(const Flags *flags, const TrainPlan *plan, TrainCorpus *corpus,
             const TrainTokenizer *tokenizer, TrainCounts *counts, TrainProgress *progress,
             mt_error *error)
{
  const mt_text_ids *ids = train_tokenizer_get_ids(tokenizer);
  mt_dataset_info info = describe(plan, ids);
  mt_dataset_writer *writer = mt_dataset_writer_new(flags->output, flags->replace, &info, error);
  if (!writer)
    return FALSE;
  gboolean ok =
      train_tokenizer_write(tokenizer, writer, error) &&
      train_encode(plan, corpus, ids, writer, counts, (guint) flags->n_threads, progress, error);
  if (ok) {
    json_object *report = train_report_json(plan, counts);
    ok = mt_dataset_writer_finish(writer, json_object_to_json_string(report), error);
    json_object_put(report);
  }
  mt_dataset_writer_free(writer);
  return ok;
}

/* Which reason was most frequent. */
static gboolean
fail_empty(const TrainPlan *plan, const TrainCounts *counts, mt_error *error)
{
  guint64 n_read = 0, most = 0;
  TrainDrop reason = TRAIN_KEPT;
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++) {
    guint64 n = 0;
    for (guint i = 0; i < plan->sources->len; i++)
      n += counts[i].dropped[d];
    if (n > most) {
      most = n;
      reason = (TrainDrop) d;
    }
  }
  for (guint i = 0; i < plan->sources->len; i++)
    n_read += counts[i].n_read;
  if (n_read == 0)
    return mt_fail(error, MT_ERROR_FORMAT, "Expected pairs of sentences, found no line.");
  return mt_fail(error, MT_ERROR_FORMAT,
                 "Expected pairs of sentences, found none that can be used in %" G_GUINT64_FORMAT
                 " lines (%" G_GUINT64_FORMAT " of them dropped for \"%s\").",
                 n_read, most, train_drop_name(reason));
}

/* Whether the segmentations that are wanted can be drawn, with `tokenizer` or, if that is NULL,
 * with one yet to be trained. */
static gboolean
check_drawing(const TrainPlan *plan, const TrainTokenizer *tokenizer, mt_error *error)
{
  if (train_plan_most_segmentations(plan) == 1)
    return TRUE;
  if (!tokenizer)
    return plan->segmentation == 0 ||
           mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "Segmentations can only be drawn with a unigram tokenizer, not with %s.",
                   train_segmentations[plan->segmentation]);
  const double chosen = 0;
  const mt_spm_draws draws = {.nbest_size = 1, .alpha = 1, .chosen = &chosen, .n = 1};
  for (int s = 0; s < MT_N_STACKS; s++) {
    int32_t id;
    gsize n;
    if (train_plan_segments(plan, (mt_stack) s) &&
        !mt_text_ids_draw(train_tokenizer_get_ids(tokenizer), (mt_stack) s, "a", 1, &draws, &id, 1,
                          &n, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether the characters that are to have a piece are some. */
static gboolean
check_characters(const TrainPlan *plan, mt_error *error)
{
  if (!plan->characters && !plan->split_digits)
    return TRUE;
  /* SentencePiece ends the program if a merge is of a character that the text has not. */
  if (plan->segmentation != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "Only a unigram tokenizer can be told its characters, not %s.",
                   train_segmentations[plan->segmentation]);
  const char *c = plan->characters ? plan->characters : "";
  if (!g_utf8_validate(c, -1, NULL))
    return mt_fail(error, MT_ERROR_INPUT, "Expected characters in UTF-8, found other bytes.");
  for (; *c; c = g_utf8_next_char(c))
    if (!g_unichar_isgraph(g_utf8_get_char(c)))
      return mt_fail(error, MT_ERROR_INPUT,
                     "Expected characters that can be seen, found U+%04X among them.",
                     g_utf8_get_char(c));
  return TRUE;
}

static gboolean
prepare(const Flags *flags, const TrainPlan *plan, TrainCounts *counts, mt_error *error)
{
  g_autofree char *beside = g_path_get_dirname(flags->output);
  g_autoptr(TrainProgress) progress = train_progress_new(flags->quiet);
  g_autoptr(TrainTokenizer) tokenizer = NULL;
  /* One that is there is opened at once: what is wrong with it need not wait for all the text. */
  if (plan->tokenizer && !(tokenizer = train_tokenizer_open(plan->tokenizer, error)))
    return FALSE;
  if (!check_drawing(plan, tokenizer, error) || (!tokenizer && !check_characters(plan, error)))
    return FALSE;
  g_autoptr(TrainCorpus) corpus = train_corpus_read(plan, beside, counts, progress, error);
  if (!corpus)
    return FALSE;
  if (train_corpus_count(corpus) == 0)
    return fail_empty(plan, counts, error);
  if (!tokenizer)
    tokenizer = train_tokenizer_train(plan, corpus, flags->output, progress, error);
  return tokenizer && write_folder(flags, plan, corpus, tokenizer, counts, progress, error);
}

static gboolean
put_answer(const CliCommand *command, const Flags *flags, const TrainPlan *plan,
           const TrainCounts *counts, double seconds)
{
  if (flags->json) {
    json_object *answer = train_report_json(plan, counts);
    regard_json_add(answer, {"folder", cli_json_text(flags->output)},
                    {"seconds", json_object_new_double(seconds)});
    return cli_json_put(command, answer, FALSE);
  }
  g_autoptr(GString) out = g_string_new(NULL);
  train_report_table(out, plan, counts);
  g_string_append_printf(out, "Written to %s in %.1f s.\n", flags->output, seconds);
  return cli_put(command, out->str, out->len);
}

static const Flags defaults = {
    .vocab_size = NOT_GIVEN,
    .tokenizer_pairs = NOT_GIVEN,
    .max_chars = NOT_GIVEN,
    .max_tokens = NOT_GIVEN,
    .n_heldout = NOT_GIVEN,
    .segmentations = NOT_GIVEN,
    .nbest_size = NOT_GIVEN,
    .seed = NOT_GIVEN,
    .segmentation = CLI_NO_CHOICE,
    .normalization = CLI_NO_CHOICE,
    .segmented = CLI_NO_CHOICE,
    .coverage = NAN,
    .max_ratio = NAN,
    .alpha = NAN,
};

static const CliOption options[] = {
    {CLI_OPTION_TEXT, "output", 'o', offsetof(Flags, output), "DIR", "Write this folder"},
    {CLI_OPTION_FLAG, "replace", 0, offsetof(Flags, replace), NULL,
     "Replace it if it is a prepared one"},
    {CLI_OPTION_TEXT, "config", 'c', offsetof(Flags, config), "FILE",
     "Sources and settings as JSON"},
    {CLI_OPTION_TEXT, "corpora", 0, offsetof(Flags, corpora), "DIR",
     "Where the paths of text in FILE begin"},
    {CLI_OPTION_TEXT, "from", 0, offsetof(Flags, from), "CODE",
     "Language of the sources, such as en"},
    {CLI_OPTION_TEXT, "to", 0, offsetof(Flags, to), "CODE", "Language of the targets, such as de"},
    {CLI_OPTION_LIST, "exclude", 'x', offsetof(Flags, exclude), "FILE",
     "Do not train on sentences of this test set"},
    {CLI_OPTION_WHOLE, "heldout", 0, offsetof(Flags, n_heldout), "N",
     "Keep N pairs for validation (1000)", 0, 10000000},
    {CLI_OPTION_TEXT, "tokenizer", 't', offsetof(Flags, tokenizer), "DIR",
     "Use the tokenizer of this model or prepared folder"},
    {CLI_OPTION_WHOLE, "vocab-size", 0, offsetof(Flags, vocab_size), "N",
     "Train a tokenizer of N pieces (8000)", 16, 1000000},
    {CLI_OPTION_FLAG, "separate-vocabs", 0, offsetof(Flags, separate), NULL,
     "Train a tokenizer for each language"},
    {CLI_OPTION_CHOICE, "segmentation", 0, offsetof(Flags, segmentation), "NAME",
     "How it cuts words into pieces (unigram)", 0, 0, train_segmentations},
    {CLI_OPTION_CHOICE, "normalization", 0, offsetof(Flags, normalization), "NAME",
     "How it changes text before that (nmt_nfkc)", 0, 0, train_normalizations},
    {CLI_OPTION_NUMBER, "coverage", 0, offsetof(Flags, coverage), "X",
     "Share of characters that get a piece (0.9999)", 0.9, 1},
    {CLI_OPTION_TEXT, "characters", 0, offsetof(Flags, characters), "TEXT",
     "Characters that get a piece whatever the text has"},
    {CLI_OPTION_FLAG, "split-digits", 0, offsetof(Flags, split_digits), NULL,
     "Each digit is a piece"},
    {CLI_OPTION_WHOLE, "tokenizer-pairs", 0, offsetof(Flags, tokenizer_pairs), "N",
     "Train it from at most N pairs (500000)", 1, 100000000},
    {CLI_OPTION_WHOLE, "segmentations", 0, offsetof(Flags, segmentations), "N",
     "Cut each pair into tokens in N ways, all but one of them drawn (1)", 1,
     MT_DATASET_MAX_SEGMENTATIONS},
    {CLI_OPTION_CHOICE, "segmented", 0, offsetof(Flags, segmented), "SIDES",
     "Which sides: both, source or target (both)", 0, 0, train_segmented},
    {CLI_OPTION_WHOLE, "nbest-size", 0, offsetof(Flags, nbest_size), "N",
     "Draw them from the N most probable ones (64)", 2, TRAIN_MAX_NBEST},
    {CLI_OPTION_NUMBER, "alpha", 0, offsetof(Flags, alpha), "X",
     "By the X-th power of their probability (0.2)", 0, 10},
    {CLI_OPTION_WHOLE, "max-chars", 0, offsetof(Flags, max_chars), "N",
     "Drop longer sentences (1000)", 1, 100000},
    {CLI_OPTION_WHOLE, "max-tokens", 0, offsetof(Flags, max_tokens), "N",
     "Drop sentences of more tokens, </s> counted (256)", 2, 65536},
    {CLI_OPTION_NUMBER, "max-ratio", 0, offsetof(Flags, max_ratio), "X",
     "Drop pairs of which one side is X times longer (3)", 1, 1000},
    {CLI_OPTION_WHOLE, "seed", 0, offsetof(Flags, seed), "N", "Draw by this number (1)", 0, 0x1p53},
    {CLI_OPTION_WHOLE, "threads", 'j', offsetof(Flags, n_threads), "N", "Encode with N threads", 1,
     256},
    {CLI_OPTION_FLAG, "json", 0, offsetof(Flags, json), NULL, "Print a JSON object"},
    {CLI_OPTION_FLAG, "quiet", 'q', offsetof(Flags, quiet), NULL, "Show no progress"},
    CLI_OPTIONS_END,
};

static CliStatus
run(const CliCommand *command, gpointer self, GPtrArray *arguments)
{
  Flags *flags = self;
  if (!flags->n_threads)
    flags->n_threads = (gint64) MIN(g_get_num_processors(), 16);
  if (!flags->output)
    return cli_usage(command, "--output wants DIR, found nothing");
  if (!flags->config && arguments->len == 0)
    return cli_usage(command, "no text given: name files, or a --config");
  /* Only what was prepared before may be replaced. */
  if (!train_check_place(command, flags->output, flags->replace, "manifest.json",
                         "prepared folder"))
    return CLI_FAILED;

  g_autoptr(TrainPlan) plan = train_plan_new();
  mt_error error = {0};
  if (!make_plan(flags, arguments, plan, &error)) {
    cli_complain(command, "%s", error.message);
    return error.code == MT_ERROR_INPUT ? CLI_USAGE : CLI_FAILED;
  }
  g_autofree TrainCounts *counts = g_new0(TrainCounts, MAX(plan->sources->len, 1));
  gint64 begin = g_get_monotonic_time();
  if (!prepare(flags, plan, counts, &error))
    return cli_failed(command, &error);
  double seconds = (double) (g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
  return put_answer(command, flags, plan, counts, seconds) ? CLI_DONE : CLI_FAILED;
}

const CliCommand train_prepare = {
    .name = "prepare",
    .summary = "Make parallel text ready for training",
    .arguments = "[FILE[:WEIGHT] | SOURCE,TARGET[:WEIGHT]]…",
    .details =
        "Reads pairs of sentences, from FILEs with a pair a line (source, tab, target) or from "
        "two\n"
        "files of which the lines belong together, plain or compressed by xz or gzip. Writes a\n"
        "folder that fit trains with: ids, tokenizer, held-out pairs, and manifest.json, which "
        "has\n"
        "all settings and counts. The same input and settings give the same bytes.\n"
        "\n"
        "WEIGHT says how often an epoch shows each pair of that text: 8 shows each eight times,\n"
        "0.25 one in four (1). A FILE of --config lists texts, each with name, file (or source "
        "and\n"
        "target), weight, licence, note, lines, columns, heldout; and any of the settings above.\n"
        "\n"
        "Text is brought to Unicode form C, and white space to single spaces. Then, for the first\n"
        "reason that applies, a pair is dropped: columns (a line without the tab), utf8, control\n"
        "(control characters), empty (a side), long, ratio (one side has X times the characters "
        "of\n"
        "the other and 15 more), copy (both sides the same), test (a side is a sentence of an\n"
        "excluded test set; case and punctuation do not count), duplicate, heldout (likewise, of\n"
        "the held-out pairs), tokens (too many). The answer is a table of that, or with --json "
        "one\n"
        "object.\n"
        "\n"
        "Without --tokenizer, a SentencePiece model is trained, for both languages\n"
        "together unless --separate-vocabs asks for two. Training an existing model further needs\n"
        "its own: --tokenizer models/en-de.\n"
        "\n"
        "Pairs that are shown many times are learned by heart less if they are cut into tokens in\n"
        "several ways (subword regularisation, Kudo 2018): --segmentations 4, or a key of the "
        "same\n"
        "name for a text in --config. An epoch shows a pair as often as before. Only with a\n"
        "unigram tokenizer; held-out pairs are always cut in the most probable way.\n",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run,
};
