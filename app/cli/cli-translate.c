/* cli-translate.c — regard-cli translate: a line in, a line out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-batch.h"
#include "cli/cli-json.h"
#include "cli/cli-lines.h"
#include "export/regard-capture-meta.h"

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  gsize n_best; /* 0: the best one, without its score */
  gboolean json;
  gsize batch_tokens; /* 0: what the engine thinks best */
  gboolean copies;    /* words for which the vocabulary has no piece come from the source */
  mt_session *beside; /* for that: the other one may be at work; NULL: not yet */
  gboolean failed;    /* that did, for something of this line */
} Translate;

/* Around what was copied. */
#define COPIED_BEGIN "⟦"
#define COPIED_END   "⟧"

/* A translation is one line, whatever bytes the model put into it. */
static void
append_line(GString *out, const char *text)
{
  for (; *text; text++)
    g_string_append_c(out, *text == '\n' || *text == '\r' || *text == '\t' ? ' ' : *text);
  g_string_append_c(out, '\n');
}

/* With the words that were copied, in brackets. Caller frees. */
static char *
dup_marked(const mt_copies *copies)
{
  GString *text = g_string_new(NULL);
  const char *from = mt_tokens_text(mt_copies_tokens(copies));
  gsize at = 0;
  for (gsize i = 0; i < mt_copies_count(copies); i++) {
    const mt_copied *copied = mt_copies_get(copies, i);
    g_string_append_len(text, from + at, (gssize) (copied->begin - at));
    g_string_append(text, COPIED_BEGIN);
    g_string_append_len(text, from + copied->begin, (gssize) (copied->end - copied->begin));
    g_string_append(text, COPIED_END);
    at = copied->end;
  }
  g_string_append(text, from + at);
  return g_string_free(text, FALSE);
}

/* What is copied into hypothesis i; NULL: nothing is asked for or wanted, or it failed and was
 * said.
 */
static mt_copies *
find_copies(Translate *self, const mt_translation *translation, gsize i)
{
  mt_error error = {0};
  if (!self->copies || !mt_copies_are_wanted(mt_translation_hypothesis(translation, i)))
    return NULL;
  if (!self->beside)
    self->beside = mt_session_new(self->engine->model, NULL, &error);
  mt_copies *copies =
      self->beside ? mt_copies_new(self->beside, translation, i, &self->engine->hooks, &error)
                   : NULL;
  if (!copies)
    cli_complain(self->command, "--copy-unknown: %s", error.message);
  self->failed = self->failed || !copies;
  return copies;
}

/* As many lines for each input as were asked for, so that a reader stays in step: what is missing
 * (all of them for an empty line and for a bad one) is an empty line. */
static gboolean
put_plain(Translate *self, const mt_translation *translation)
{
  g_autoptr(GString) out = g_string_new(NULL);
  gsize n_found = translation ? mt_translation_count(translation) : 0;
  for (gsize i = 0; i < MAX(self->n_best, 1); i++) {
    if (i >= n_found) {
      g_string_append_c(out, '\n');
      continue;
    }
    const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, i);
    if (self->n_best) {
      char score[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd(score, sizeof score, "%.6f", (double) hypothesis->score);
      g_string_append_printf(out, "%s\t", score);
    }
    mt_copies *copies = find_copies(self, translation, i);
    g_autofree char *marked = copies ? dup_marked(copies) : NULL;
    append_line(out, marked ? marked : hypothesis->text);
    mt_copies_unref(copies);
  }
  return cli_put(self->command, out->str, out->len);
}

/* The text, and each word with the pieces that it stands for, from 1. */
static json_object *
json_copies(const mt_copies *copies)
{
  if (!copies)
    return NULL;
  json_object *object = json_object_new_object(), *words = json_object_new_array();
  const char *text = mt_tokens_text(mt_copies_tokens(copies));
  json_object_object_add(object, "text", cli_json_text(text));
  for (gsize i = 0; i < mt_copies_count(copies); i++) {
    const mt_copied *copied = mt_copies_get(copies, i);
    g_autofree char *word = g_strndup(text + copied->begin, copied->end - copied->begin);
    json_object *item = json_object_new_object();
    json_object_object_add(item, "word", cli_json_text(word));
    json_object_object_add(item, "first_piece", cli_json_size(copied->first + 1));
    json_object_object_add(item, "n_pieces", cli_json_size(copied->n));
    json_object_object_add(item, "weight", cli_json_float(copied->weight));
    json_object_array_add(words, item);
  }
  json_object_object_add(object, "words", words);
  return object;
}

static json_object *
json_hypothesis(Translate *self, const mt_translation *translation, gsize i)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, i);
  json_object *object = json_object_new_object();
  json_object_object_add(object, "text", cli_json_text(hypothesis->text));
  json_object_object_add(object, "score", cli_json_float(hypothesis->score));
  json_object_object_add(object, "sum_logprob", cli_json_float(hypothesis->sum_logprob));
  json_object_object_add(object, "forced", cli_json_size(hypothesis->n_forced));
  json_object_object_add(object, "ids", cli_json_ids(hypothesis->tokens));
  json_object_object_add(object, "pieces", cli_json_pieces(hypothesis->tokens));
  json_object_object_add(object, "logprobs",
                         cli_json_floats(hypothesis->logprobs,
                                         mt_tokens_count(hypothesis->tokens)));
  if (self->copies) {
    mt_copies *copies = find_copies(self, translation, i);
    json_object_object_add(object, "copied", json_copies(copies));
    mt_copies_unref(copies);
  }
  return object;
}

static gboolean
put_json(Translate *self, const CliLine *line, const mt_translation *translation, const char *error)
{
  json_object *object = json_object_new_object();
  json_object_object_add(object, "file", cli_json_text(line->file));
  json_object_object_add(object, "line", json_object_new_int64((int64_t) line->number));
  if (error)
    json_object_object_add(object, "error", cli_json_text(error));
  else {
    json_object_object_add(object, "text", cli_json_text(line->text));
    json_object *hypotheses = json_object_new_array();
    if (translation) {
      const mt_tokens *source = mt_translation_source(translation);
      json_object_object_add(object, "language",
                             cli_json_text(
                                 regard_capture_language(self->engine->model, translation)));
      json_object_object_add(object, "precision",
                             cli_json_precision(mt_translation_precision(translation)));
      json_object_object_add(object, "changes",
                             regard_changes_json(mt_translation_changes(translation)));
      json_object_object_add(object, "settings", regard_settings_json(&self->engine->params));
      json_object_object_add(object, "constraints",
                             regard_constraints_json(self->engine->model,
                                                     self->engine->params.constraints));
      json_object_object_add(object, "unknown", regard_capture_unknown(source));
      json_object_object_add(object, "source_ids", cli_json_ids(source));
      json_object_object_add(object, "source_pieces", cli_json_pieces(source));
      json_object_object_add(object, "milliseconds",
                             cli_json_milliseconds(mt_translation_milliseconds(translation)));
      for (gsize i = 0; i < mt_translation_count(translation); i++)
        json_object_array_add(hypotheses, json_hypothesis(self, translation, i));
    }
    json_object_object_add(object, "hypotheses", hypotheses);
  }
  return cli_json_put(self->command, object, FALSE);
}

static CliLineResult
put_line(const CliLine *line, mt_translation *translation, const char *problem, gpointer user)
{
  Translate *self = user;
  if (problem)
    cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number, problem);
  if (translation) {
    g_autofree char *where =
        g_strdup_printf("%s:%" G_GUINT64_FORMAT ": ", line->file, line->number);
    cli_engine_remark(self->command, where, translation);
  }
  self->failed = FALSE;
  gboolean written =
      self->json ? put_json(self, line, translation, problem) : put_plain(self, translation);
  return !written ? CLI_LINE_STOP : problem || self->failed ? CLI_LINE_FAILED : CLI_LINE_DONE;
}

static CliLineResult
translate_line(const CliLine *line, gpointer user)
{
  const Translate *self = user;
  mt_error error = {0};
  const char *problem = line->error;
  mt_translation *translation = NULL;

  if (!problem && !line->blank) {
    translation = cli_engine_translate(self->command, self->engine, line->text, NULL, &error);
    problem = translation ? NULL : error.message;
  }
  CliLineResult result = put_line(line, translation, problem, user);
  mt_translation_unref(translation);
  return result;
}

static gboolean
translate_file(CliLineStream *stream, gpointer user, CliStatus *status)
{
  const Translate *self = user;
  return cli_batch_translate(self->command, self->engine, stream, self->batch_tokens, put_line,
                             user, status);
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  gboolean joins = FALSE, json = FALSE, copies = FALSE;
  gint64 batch_tokens = 0;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, TRUE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_ENGINE_OPTION_PRECISION(engine_options),
      {CLI_OPTION_WHOLE, "batch-tokens", 0, &batch_tokens, "N",
       "Take N tokens of a FILE through the model together; 1: line by line", 1, 4096},
      CLI_LINES_OPTION_JOIN(joins),
      {CLI_OPTION_FLAG, "copy-unknown", 0, &copies, NULL,
       "Put words of the source, in ⟦ ⟧, where the translation has <unk>"},
      {CLI_OPTION_FLAG, "json", 0, &json, NULL, "Print a JSON object for each line"},
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) files = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, files, &status))
    return status;
  status = cli_engine_open(command, &engine_options, &engine);
  if (status != CLI_DONE)
    return status;
  gsize n_best;
  gboolean lists =
      mt_search_find_field("n_best", &n_best) && mt_request_get(&engine.request, n_best, NULL);
  gsize n_prefix;
  mt_constraints_prefix(engine.params.constraints, &n_prefix);
  if (lists && !json && n_prefix > 0)
    cli_complain(command,
                 engine.params.prefix_score == MT_PREFIX_LEFT_OUT
                     ? "scores leave out the pieces of --prefix; --prefix-score counted counts them"
                     : "scores count the pieces of --prefix; --prefix-score left-out leaves them "
                       "out");
  Translate self = {.command = command,
                    .engine = &engine,
                    .n_best = lists ? engine.params.n_best : 0,
                    .json = json,
                    .batch_tokens = (gsize) batch_tokens,
                    .copies = copies};
  status = cli_lines_foreach(command, files, joins, translate_line,
                             batch_tokens == 1 ? NULL : translate_file, &self);
  mt_session_free(self.beside);
  return status;
}

const CliCommand cli_translate = {
    .name = "translate",
    .summary = "Translate text, a line in, a line out",
    .arguments = "[FILE…]",
    .details =
        "Reads FILEs, or standard input ('-'), and prints the translation of each line, in their\n"
        "order. An empty line gives an empty line. A line that cannot be translated is named on\n"
        "standard error and gives an empty line; the exit status is 1.\n"
        "\n"
        "From standard input or a pipe each line is translated as soon as it is read. Of a FILE "
        "many\n"
        "lines are translated at a time, which is about twice as fast; --batch-tokens says how\n"
        "many tokens (hypotheses of all lines, default 128) go through the model together. The\n"
        "results are the same, and each is printed as soon as all before it are.\n"
        "\n"
        "With --join-lines the lines of a paragraph, up to an empty line, are one text, for files\n"
        "whose sentences go on in the next line; line is that of the first.\n"
        "\n"
        "With --nbest N, each line gives exactly N lines, best first: the score, a tab, the text;\n"
        "what is missing is an empty line. The score is the sum of the log-probabilities divided\n"
        "by length ^ length penalty. Without --beam, --nbest widens the beam if need be.\n"
        "\n"
        "With --json, each line gives one object: file, line, text, language (null if the model\n"
        "was told none), precision, changes, settings, constraints (prefix, forbidden, terms;\n"
        "null: nothing), unknown (the characters that the model does not know),\n"
        "source_ids, source_pieces, milliseconds, hypotheses (text, score, sum_logprob, forced:\n"
        "so many tokens are the prefix, ids, pieces, logprobs); for a line that cannot be\n"
        "translated: file, line, error.\n"
        "\n"
        "With --prefix every translation begins with the pieces of TEXT, which keep the\n"
        "log-probability that the model gives them. Scores count them, so that they can be\n"
        "compared with those of a translation that was not forced; with --prefix-score left-out\n"
        "neither their log-probabilities nor their number count. Settings say which. --forbid "
        "takes the pieces of WORD, behind "
        "each\n"
        "other, away from the choice: everywhere, or, with N:, if they begin at step N. The same\n"
        "letters in other pieces are another choice. ':3:1' is the word 3:1.\n"
        "\n"
        "With --force the pieces of TERM are in every translation, behind each other, at whatever\n"
        "place the model finds best; with several --force all of them are. Scores are those that\n"
        "the model gives such a translation. Places of the beam are kept for translations that "
        "have\n"
        "some of the pieces already (dynamic beam allocation, Post and Vilar 2018), so that a "
        "wider\n"
        "beam finds better places; without --beam it has one more than the pieces at least. "
        "Pieces\n"
        "may be part of a longer word: 'Haus' may come out as 'Hausboot'.\n"
        "\n"
        "Characters that no piece of the model's vocabulary has are read as <unk>, and are "
        "missing\n"
        "in the translation. They are named on standard error; the exit status stays 0.\n"
        "\n"
        "With --copy-unknown, where the translation has <unk>, a word of the source stands in its\n"
        "place, in ⟦ ⟧: the one that cross-attention names by align's default recipe, with the\n"
        "layer that this sentence chooses. In JSON text stays the model's, and hypotheses have\n"
        "copied: null, or text with these words, and words (word, first_piece from 1, n_pieces,\n"
        "weight: its share of the row).\n"
        "\n"
        "A model with several target languages wants --to CODE; a code that a line starts with\n"
        "(\">>deu<< Good morning\") has precedence. inspect lists the codes.\n",
    .run = run,
};
