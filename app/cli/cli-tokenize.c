/* cli-tokenize.c — regard-cli tokenize: what the model makes of a line before it reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-json.h"
#include "cli/cli-lines.h"

typedef struct {
  CliAnalysis base;
  gboolean target, joins, json;
} Tokenize;

#define AT(member) offsetof(Tokenize, member)
static const Tokenize defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_FLAG, "target", 0, AT(target), NULL, "Use the tokenizer of the target language"},
    CLI_LINES_OPTION_JOIN(AT(joins)),
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print a JSON object for each line"},
    CLI_OPTIONS_END,
};

static gboolean
put_plain(const Tokenize *self, const mt_tokens *tokens)
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
put_json(const Tokenize *self, const CliLine *line, const mt_tokens *tokens, const char *error)
{
  json_object *object = json_object_new_object();
  json_object_object_add(object, "file", cli_json_text(line->file));
  json_object_object_add(object, "line", json_object_new_int64((int64_t) line->number));
  if (error)
    json_object_object_add(object, "error", cli_json_text(error));
  else {
    json_object *array = json_object_new_array();
    json_object_object_add(object, "text", cli_json_text(line->text));
    for (gsize i = 0; tokens && i < mt_tokens_count(tokens); i++) {
      const mt_token *token = mt_tokens_get(tokens, i);
      json_object *item = json_object_new_object();
      json_object_object_add(item, "piece", cli_json_text(token->piece));
      json_object_object_add(item, "id", json_object_new_int(token->id));
      json_object_object_add(item, "begin", cli_json_size(token->begin));
      json_object_object_add(item, "end", cli_json_size(token->end));
      json_object_object_add(item, "word", json_object_new_int(token->word));
      json_object_object_add(item, "special", json_object_new_boolean(token->is_special));
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
  mt_tokens *tokens = NULL;

  if (!problem && !line->blank) {
    tokens = self->target
                 ? mt_model_tokenize(engine->model, MT_STACK_DECODER, line->text, &error)
                 : mt_model_tokenize_to(engine->model, line->text, engine->params.language, &error);
    problem = tokens ? NULL : error.message;
  }
  if (problem)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 problem);
  gboolean written = self->json ? put_json(self, line, tokens, problem) : put_plain(self, tokens);
  mt_tokens_unref(tokens);
  return !written ? CLI_LINE_STOP : problem ? CLI_LINE_FAILED : CLI_LINE_DONE;
}

static CliStatus
check(gpointer user)
{
  const Tokenize *self = user;
  return self->target && self->base.options.to
             ? cli_usage(self->base.command, "--to goes before a source text, not with --target")
             : CLI_DONE;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  const Tokenize *self = user;
  return cli_lines_foreach(self->base.command, self->base.arguments, self->joins, tokenize_line,
                           NULL, user);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .opens_model_only = TRUE,
    .compute = compute,
};

const CliCommand cli_tokenize = {
    .name = "tokenize",
    .summary = "Show the pieces and ids of text",
    .arguments = "[FILE…]",
    .details =
        "Reads FILEs, or standard input ('-'). Prints for each line its pieces, separated by\n"
        "spaces, a tab, and their ids, separated by spaces. An empty line gives an empty line.\n"
        "With --to, the language's token comes first, as translate reads it. With --join-lines\n"
        "the lines of a paragraph, up to an empty line, are one.\n"
        "\n"
        "With --json, each line gives one object: file, line, text, tokens (piece, id, begin and\n"
        "end as byte offsets into the text, word, special); for a line that cannot be\n"
        "tokenised: file, line, error.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
