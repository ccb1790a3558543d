/* cli-translate.c — regard-cli translate and tokenize: a line in, a line out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "cli/cli.h"
#include "export/regard-capture-meta.h"

typedef struct {
  CliAnalysis base;
  gsize n_best; /* 0: the best one, without its score */
  gboolean json, joins;
  gint64 batch_tokens; /* 0: what the engine thinks best */
  gboolean copies;     /* words for which the vocabulary has no piece come from the source */
  mt_session *beside;  /* for that: the other one may be at work; NULL: not yet */
  gboolean failed;     /* that did, for something of this line */
} Translate;

#define AT(member) offsetof(Translate, member)
static const Translate defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_search_lists),
    CLI_OPTIONS(cli_options_constraints),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS(cli_options_precision),
    {CLI_OPTION_WHOLE, "batch-tokens", 0, AT(batch_tokens), "N",
     "Take N tokens of a FILE through the model together; 1: line by line", 1, 4096},
    CLI_LINES_OPTION_JOIN(AT(joins)),
    {CLI_OPTION_FLAG, "copy-unknown", 0, AT(copies), NULL,
     "Put words of the source, in ⟦ ⟧, where the translation has <unk>"},
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print a JSON object for each line"},
    CLI_OPTIONS_END,
};

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
  const char *from = mt_tokens_text(copies->tokens);
  gsize at = 0;
  for (gsize i = 0; i < copies->n; i++) {
    const mt_copied *copied = &copies->copied[i];
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
    self->beside = mt_session_new(self->base.engine.model, NULL, &error);
  mt_copies *copies =
      self->beside ? mt_copies_new(self->beside, translation, i, &self->base.engine.hooks, &error)
                   : NULL;
  if (!copies)
    cli_complain(self->base.command, "--copy-unknown: %s", error.message);
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
    g_autoptr(mt_copies) copies = find_copies(self, translation, i);
    g_autofree char *marked = copies ? dup_marked(copies) : NULL;
    append_line(out, marked ? marked : hypothesis->text);
  }
  return cli_put(self->base.command, out->str, out->len);
}

/* The text, and each word with the pieces that it stands for, from 1. */
static json_object *
json_copies(const mt_copies *copies)
{
  if (!copies)
    return NULL;
  json_object *object = json_object_new_object(), *words = json_object_new_array();
  const char *text = mt_tokens_text(copies->tokens);
  json_object_object_add(object, "text", cli_json_text(text));
  for (gsize i = 0; i < copies->n; i++) {
    const mt_copied *copied = &copies->copied[i];
    g_autofree char *word = g_strndup(text + copied->begin, copied->end - copied->begin);
    json_object_array_add(words,
                          regard_json_object({"word", cli_json_text(word)},
                                             {"first_piece", cli_json_size(copied->first + 1)},
                                             {"n_pieces", cli_json_size(copied->n)},
                                             {"weight", regard_json_float(copied->weight)}));
  }
  json_object_object_add(object, "words", words);
  return object;
}

static json_object *
json_hypothesis(Translate *self, const mt_translation *translation, gsize i)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, i);
  json_object *object = regard_json_object(
      {"text", cli_json_text(hypothesis->text)}, {"score", regard_json_float(hypothesis->score)},
      {"sum_logprob", regard_json_float(hypothesis->sum_logprob)},
      {"forced", cli_json_size(hypothesis->n_forced)}, {"ids", cli_json_ids(hypothesis->tokens)},
      {"pieces", cli_json_pieces(hypothesis->tokens)},
      {"logprobs", cli_json_floats(hypothesis->logprobs, mt_tokens_count(hypothesis->tokens))});
  if (self->copies) {
    g_autoptr(mt_copies) copies = find_copies(self, translation, i);
    json_object_object_add(object, "copied", json_copies(copies));
  }
  return object;
}

static gboolean
put_json(Translate *self, const CliLine *line, const mt_translation *translation, const char *error)
{
  json_object *object = regard_json_object({"file", cli_json_text(line->file)},
                                           {"line", json_object_new_int64((int64_t) line->number)});
  if (error)
    json_object_object_add(object, "error", cli_json_text(error));
  else {
    json_object_object_add(object, "text", cli_json_text(line->text));
    json_object *hypotheses = json_object_new_array();
    if (translation) {
      const mt_tokens *source = mt_translation_source(translation);
      const mt_model *model = self->base.engine.model;
      regard_json_add(object,
                      {"source_language", cli_json_text(regard_capture_language(model, translation,
                                                                                MT_STACK_ENCODER))},
                      {"language", cli_json_text(regard_capture_language(model, translation,
                                                                         MT_STACK_DECODER))});
      regard_capture_add_task(object, model, translation);
      regard_json_add(
          object, {"precision", cli_json_precision(mt_translation_precision(translation))},
          {"changes", regard_interventions_json(mt_translation_interventions(translation))},
          {"settings", regard_settings_json(&self->base.engine.params)},
          {"constraints", regard_constraints_json(model, self->base.engine.params.constraints)},
          {"unknown", regard_capture_unknown(source)}, {"source_ids", cli_json_ids(source)},
          {"source_pieces", cli_json_pieces(source)},
          {"milliseconds", cli_json_milliseconds(mt_translation_milliseconds(translation))});
      for (gsize i = 0; i < mt_translation_count(translation); i++)
        json_object_array_add(hypotheses, json_hypothesis(self, translation, i));
    }
    json_object_object_add(object, "hypotheses", hypotheses);
  }
  return cli_json_put(self->base.command, object, FALSE);
}

static CliLineResult
put_line(const CliLine *line, mt_translation *translation, const char *problem, gpointer user)
{
  Translate *self = user;
  if (problem)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 problem);
  if (translation) {
    g_autofree char *where =
        g_strdup_printf("%s:%" G_GUINT64_FORMAT ": ", line->file, line->number);
    cli_engine_remark(self->base.command, where, translation);
  }
  self->failed = FALSE;
  gboolean written =
      self->json ? put_json(self, line, translation, problem) : put_plain(self, translation);
  return !written ? CLI_LINE_STOP : problem || self->failed ? CLI_LINE_FAILED : CLI_LINE_DONE;
}

static CliLineResult
translate_line(const CliLine *line, gpointer user)
{
  Translate *self = user;
  mt_error error = {0};
  const char *problem = line->error;
  g_autoptr(mt_translation) translation = NULL;

  if (!problem && !line->blank) {
    translation =
        cli_engine_translate(self->base.command, &self->base.engine, line->text, NULL, &error);
    problem = translation ? NULL : error.message;
  }
  return put_line(line, translation, problem, user);
}

/* ---- A whole file ----------------------------------------------------------------------------
 *
 * Several lines at a time, with the results in order. The engine sees only the lines that hold
 * something to translate; the others, blank and bad ones, wait here for their turn. */

/* A line that was read and is not written. */
typedef struct {
  CliLine line;
  char *text; /* what line.text points to */
} Waiting;

typedef struct {
  Translate *translate;
  CliLineStream *stream;
  GQueue waiting; /* of Waiting, in order */
  CliStatus status;
  gboolean stop;
} Batch;

static void
waiting_free(Waiting *waiting)
{
  g_free(waiting->text);
  g_free(waiting);
}

static gboolean
is_for_engine(const CliLine *line)
{
  return !line->error && !line->blank;
}

/* The first line that waits is done. */
static void
put_first(Batch *self, mt_translation *translation, const char *problem)
{
  Waiting *first = g_queue_pop_head(&self->waiting);
  if (translation)
    cli_engine_ask_language(self->translate->base.command, &self->translate->base.engine,
                            translation);
  CliLineResult result =
      self->stop ? CLI_LINE_STOP : put_line(&first->line, translation, problem, self->translate);
  if (result != CLI_LINE_DONE)
    self->status = CLI_FAILED;
  if (result == CLI_LINE_STOP)
    self->stop = TRUE;
  waiting_free(first);
}

/* Lines that need no engine, as far as they are the first. */
static void
put_others(Batch *self)
{
  const Waiting *first;
  while ((first = g_queue_peek_head(&self->waiting)) && !is_for_engine(&first->line))
    put_first(self, NULL, first->line.error);
}

static const char *
next_text(void *user)
{
  Batch *self = user;
  CliLine line;
  while (!self->stop && cli_line_stream_next(self->stream, &line)) {
    Waiting *waiting = g_new0(Waiting, 1);
    waiting->line = line;
    waiting->line.text = waiting->text = g_strdup(line.text);
    g_queue_push_tail(&self->waiting, waiting);
    if (is_for_engine(&line))
      return waiting->text;
    put_others(self);
  }
  return NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Batch *self = user;
  put_others(self);
  put_first(self, translation, error ? error->message : NULL);
  put_others(self);
}

static bool
should_stop(void *user)
{
  return ((const Batch *) user)->stop;
}

static gboolean
translate_file(CliLineStream *stream, gpointer user, CliStatus *status)
{
  Translate *translate = user;
  const CliEngine *engine = &translate->base.engine;
  Batch self = {.translate = translate,
                .stream = stream,
                .waiting = G_QUEUE_INIT,
                .status = CLI_DONE};
  mt_texts texts = {.next = next_text,
                    .on_result = on_result,
                    .should_stop = should_stop,
                    .user = &self,
                    .max_tokens = (gsize) translate->batch_tokens,
                    .hooks = &engine->hooks};
  mt_error error = {0};
  if (!mt_session_translate_many(engine->session, &texts, &engine->params, &error)) {
    if (!self.stop)
      cli_failed(translate->base.command, &error);
    self.status = CLI_FAILED;
  }
  g_queue_clear_full(&self.waiting, (GDestroyNotify) waiting_free);
  if (self.status != CLI_DONE)
    *status = self.status;
  return !self.stop;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
compute(gpointer user, mt_error *error)
{
  Translate *self = user;
  const CliEngine *engine = &self->base.engine;
  gsize n_best, n_prefix;
  const gboolean lists =
      mt_search_find_field("n_best", &n_best) && mt_request_get(&engine->request, n_best, NULL);
  mt_constraints_prefix(engine->params.constraints, &n_prefix);
  if (lists && !self->json && n_prefix > 0)
    cli_complain(self->base.command,
                 engine->params.prefix_score == MT_PREFIX_LEFT_OUT
                     ? "scores leave out the pieces of --prefix; --prefix-score counted counts them"
                     : "scores count the pieces of --prefix; --prefix-score left-out leaves them "
                       "out");
  self->n_best = lists ? engine->params.n_best : 0;
  return cli_lines_foreach(self->base.command, self->base.arguments, self->joins, translate_line,
                           self->batch_tokens == 1 ? NULL : translate_file, self);
}

static void
clear(gpointer self)
{
  mt_session_free(((Translate *) self)->beside);
}

static const CliAnalysisSteps steps = {.compute = compute, .clear = clear};

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
        "many tokens (hypotheses of all lines; default 128 a thread, 64 with rounded weights) go\n"
        "through the model together. The results are the same, and each is printed as soon as all\n"
        "before it are.\n"
        "\n"
        "With --join-lines the lines of a paragraph, up to an empty line, are one text, for files\n"
        "whose sentences go on in the next line; line is that of the first.\n"
        "\n"
        "With --nbest N, each line gives exactly N lines, best first: the score, a tab, the text;\n"
        "what is missing is an empty line. The score is the sum of the log-probabilities divided\n"
        "by length ^ length penalty. Without --beam, --nbest widens the beam if need be.\n"
        "\n"
        "With --json, each line gives one object: file, line, text, source_language and\n"
        "language (null if the model was told none), task and task_prefix (of models that have "
        "some), precision, changes, settings, constraints "
        "(prefix, forbidden, terms;\n"
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
        "A model with several target languages wants --to CODE; where it is Marian's, a code that\n"
        "a line starts with (\">>deu<< Good morning\") has precedence. One with several source\n"
        "languages wants --from CODE, too, if its files name none as its own. inspect lists the\n"
        "codes; those of other models are understood: de, deu, deu_Latn and de_DE are one.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

/* ==== regard-cli tokenize: what the model makes of a line before it reads it ================== */

typedef struct {
  CliAnalysis base;
  gboolean target, joins, json;
} Tokenize;

#define TOKENIZE_AT(member) offsetof(Tokenize, member)
static const Tokenize tokenize_defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption tokenize_options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_FLAG, "target", 0, TOKENIZE_AT(target), NULL,
     "Use the tokenizer of the target language"},
    CLI_LINES_OPTION_JOIN(TOKENIZE_AT(joins)),
    {CLI_OPTION_FLAG, "json", 0, TOKENIZE_AT(json), NULL, "Print a JSON object for each line"},
    CLI_OPTIONS_END,
};

static gboolean
tokenize_put_plain(const Tokenize *self, const mt_tokens *tokens)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GString) ids = g_string_new(NULL);
  for (gsize i = 0; tokens && i < mt_tokens_count(tokens); i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    g_string_append_printf(out, "%s%s", i ? " " : "", token->piece);
    g_string_append_printf(ids, "%c%d", i ? ' ' : '\t', (int) token->id);
  }
  g_string_append_printf(out, "%s\n", ids->str);
  return cli_put(self->base.command, out->str, out->len);
}

static gboolean
tokenize_put_json(const Tokenize *self, const CliLine *line, const mt_tokens *tokens,
                  const char *error)
{
  json_object *object = regard_json_object({"file", cli_json_text(line->file)},
                                           {"line", json_object_new_int64((int64_t) line->number)});
  if (error)
    json_object_object_add(object, "error", cli_json_text(error));
  else {
    json_object *array = json_object_new_array();
    json_object_object_add(object, "text", cli_json_text(line->text));
    for (gsize i = 0; tokens && i < mt_tokens_count(tokens); i++) {
      const mt_token *token = mt_tokens_get(tokens, i);
      json_object *item =
          regard_json_object({"piece", cli_json_text(token->piece)},
                             {"id", json_object_new_int(token->id)},
                             {"begin", cli_json_size(token->begin)},
                             {"end", cli_json_size(token->end)},
                             {"word", json_object_new_int(token->word)},
                             {"special", json_object_new_boolean(token->is_special)});
      if (token->is_prefix)
        json_object_object_add(item, "prefix", json_object_new_boolean(TRUE));
      json_object_array_add(array, item);
    }
    json_object_object_add(object, "tokens", array);
  }
  return cli_json_put(self->base.command, object, FALSE);
}

static CliLineResult
tokenize_line(const CliLine *line, gpointer user)
{
  const Tokenize *self = user;
  const CliEngine *engine = &self->base.engine;
  mt_error error = {0};
  const char *problem = line->error;
  g_autoptr(mt_tokens) tokens = NULL;

  if (!problem && !line->blank) {
    tokens = self->target
                 ? mt_model_tokenize(engine->model, MT_STACK_DECODER, line->text, &error)
                 : mt_model_tokenize_for(engine->model, line->text, &engine->params, &error);
    problem = tokens ? NULL : error.message;
  }
  if (problem)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 problem);
  gboolean written = self->json ? tokenize_put_json(self, line, tokens, problem)
                                : tokenize_put_plain(self, tokens);
  return !written ? CLI_LINE_STOP : problem ? CLI_LINE_FAILED : CLI_LINE_DONE;
}

static CliStatus
check(gpointer user)
{
  const Tokenize *self = user;
  const CliEngineOptions *given = &self->base.options;
  return self->target && (given->from || given->to || given->task)
             ? cli_usage(self->base.command,
                         "--from and --to go with a source text, not with --target, and so does "
                         "--task")
             : CLI_DONE;
}

static CliStatus
tokenize_compute(gpointer user, mt_error *error)
{
  const Tokenize *self = user;
  const CliStatus status =
      self->target
          ? CLI_DONE
          : cli_engine_check_language(self->base.command, &self->base.engine, MT_STACK_ENCODER);
  if (status != CLI_DONE)
    return status;
  return cli_lines_foreach(self->base.command, self->base.arguments, self->joins, tokenize_line,
                           NULL, user);
}

static const CliAnalysisSteps tokenize_steps = {
    .check = check,
    .opens_model_only = TRUE,
    .compute = tokenize_compute,
};

const CliCommand cli_tokenize = {
    .name = "tokenize",
    .summary = "Show the pieces and ids of text",
    .arguments = "[FILE…]",
    .details =
        "Reads FILEs, or standard input ('-'). Prints for each line its pieces, separated by\n"
        "spaces, a tab, and their ids, separated by spaces. An empty line gives an empty line.\n"
        "With --from and --to, a language's token stands with the text, as translate reads it,\n"
        "and with --task the prefix, whose tokens are marked in JSON. With --join-lines the lines\n"
        "of a paragraph, up to an empty line, are one.\n"
        "\n"
        "With --json, each line gives one object: file, line, text, tokens (piece, id, begin and\n"
        "end as byte offsets into the text, word, special, prefix); for a line that cannot be\n"
        "tokenised: file, line, error.\n",
    CLI_ANALYSIS(tokenize_options, tokenize_defaults, tokenize_steps),
};
