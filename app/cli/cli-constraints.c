/* cli-constraints.c — --prefix, --force and --forbid: texts, cut into the pieces of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-constraints.h"

#include "figures/regard-words.h"
#include <string.h>

/* The pieces of a text; NULL: reported, or, if the text is blank, *blank and nothing else. */
static mt_tokens *
cut(const CliCommand *command, const char *option, const mt_model *model, const char *text,
    gboolean *blank)
{
  mt_error error = {0};
  g_autofree char *valid = g_utf8_make_valid(text, -1), *stripped = g_strstrip(g_strdup(valid));
  if ((*blank = *stripped == '\0'))
    return NULL;
  mt_tokens *tokens = mt_constraints_cut(model, text, &error);
  if (!tokens)
    cli_usage(command, "--%s: %s", option, error.message);
  return tokens;
}

static CliStatus
add_prefix(const CliCommand *command, const char *text, const mt_model *model,
           const mt_search_params *params, GArray *ids)
{
  gboolean blank;
  gsize n;
  mt_tokens *tokens = cut(command, "prefix", model, text, &blank);
  if (blank)
    cli_complain(command, "--prefix is empty: nothing is forced");
  if (!tokens)
    return blank ? CLI_DONE : CLI_USAGE;
  n = mt_tokens_count(tokens);
  /* The model may say how many are new, which is behind the prefix. */
  gsize room = params->max_length;
  if (mt_model_config(model)->generation.max_new_tokens > 0 && room < G_MAXSIZE - n)
    room = MIN(room + n, mt_model_config(model)->max_positions);
  for (gsize i = 0; i < n; i++)
    g_array_append_val(ids, mt_tokens_get(tokens, i)->id);
  mt_tokens_unref(tokens);
  /* The start token counts, and there is room for an end. */
  if (n + 2 > room)
    return cli_usage(command,
                     "--prefix has %" G_GSIZE_FORMAT
                     " pieces; with a maximum length of %" G_GSIZE_FORMAT
                     " there is room for %" G_GSIZE_FORMAT,
                     n, room, room - 2);
  return CLI_DONE;
}

/* [N:]WORD. A colon in front says that what follows is a word, though it begins with "3:". */
static CliStatus
parse_forbidden(const CliCommand *command, const char *text, const char **word, gsize *step)
{
  const gsize digits = strspn(text, "0123456789");
  guint64 number;
  *word = text;
  *step = MT_EVERY_STEP;
  if (*text == ':' && text[1])
    *word = text + 1;
  else if (digits > 0 && text[digits] == ':') {
    g_autofree char *typed = g_strndup(text, digits);
    *word = text + digits + 1;
    if (!g_ascii_string_to_unsigned(typed, 10, 1, MT_MAX_CONSTRAINTS, &number, NULL) || !**word)
      return cli_usage(command,
                       "--forbid wants a step from 1 and a word, such as 4:hat, found '%s'", text);
    *step = (gsize) number - 1;
  }
  return CLI_DONE;
}

static CliStatus
add_forbidden(const CliCommand *command, const char *text, const mt_model *model, GArray *list)
{
  const char *word;
  mt_forbidden forbidden;
  gboolean blank;
  CliStatus status = parse_forbidden(command, text, &word, &forbidden.step);
  if (status != CLI_DONE)
    return status;
  mt_tokens *tokens = cut(command, "forbid", model, word, &blank);
  if (!tokens)
    return blank ? cli_usage(command, "--forbid wants a word, found '%s'", text) : CLI_USAGE;
  forbidden.n = mt_tokens_count(tokens);
  int32_t *ids = g_new(int32_t, forbidden.n);
  mt_tokens_copy_ids(tokens, forbidden.n, ids);
  mt_tokens_unref(tokens);
  forbidden.ids = ids;
  g_array_append_val(list, forbidden);
  return CLI_DONE;
}

static CliStatus
add_term(const CliCommand *command, const char *text, const mt_model *model, GArray *list)
{
  gboolean blank;
  mt_tokens *tokens = cut(command, "force", model, text, &blank);
  if (!tokens)
    return blank ? cli_usage(command, "--force wants a term, found '%s'", text) : CLI_USAGE;
  mt_term term = {.n = mt_tokens_count(tokens)};
  int32_t *ids = g_new(int32_t, term.n);
  mt_tokens_copy_ids(tokens, term.n, ids);
  mt_tokens_unref(tokens);
  term.ids = ids;
  g_array_append_val(list, term);
  return CLI_DONE;
}

/* Of all that was typed; NULL: reported. */
static mt_constraints *
make(const CliCommand *command, const GArray *prefix, const GArray *forbidden, const GArray *terms)
{
  mt_error error = {0};
  mt_constraints *lists =
      mt_constraints_new((const int32_t *) (const void *) prefix->data, prefix->len,
                         (const mt_forbidden *) (const void *) forbidden->data, forbidden->len,
                         &error);
  mt_constraints *all =
      lists ? mt_constraints_with_terms(lists, (const mt_term *) (const void *) terms->data,
                                        terms->len, &error)
            : NULL;
  mt_constraints_unref(lists);
  if (!all)
    cli_complain(command, "%s", error.message);
  return all;
}

CliStatus
cli_constraints_new(const CliCommand *command, const CliEngineOptions *options,
                    const mt_model *model, const mt_search_params *params,
                    mt_constraints **constraints)
{
  g_autoptr(GArray) prefix = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_autoptr(GArray) forbidden = g_array_new(FALSE, FALSE, sizeof(mt_forbidden));
  g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(mt_term));
  CliStatus status = CLI_DONE;
  *constraints = NULL;
  if (options->prefix)
    status = add_prefix(command, options->prefix, model, params, prefix);
  for (guint i = 0; status == CLI_DONE && options->forbid && i < options->forbid->len; i++)
    status = add_forbidden(command, options->forbid->pdata[i], model, forbidden);
  for (guint i = 0; status == CLI_DONE && options->force && i < options->force->len; i++)
    status = add_term(command, options->force->pdata[i], model, terms);
  if (status == CLI_DONE && prefix->len + forbidden->len + terms->len > 0) {
    *constraints = make(command, prefix, forbidden, terms);
    status = *constraints ? CLI_DONE : CLI_FAILED;
  }
  for (guint i = 0; i < terms->len; i++)
    g_free((gpointer) g_array_index(terms, mt_term, i).ids);
  for (guint i = 0; i < forbidden->len; i++)
    g_free((gpointer) g_array_index(forbidden, mt_forbidden, i).ids);
  return status;
}

/* ---- A prefix that ends in a word ------------------------------------------------------------ */

void
cli_constraints_tell(const CliCommand *command, const char *where,
                     const mt_translation *translation)
{
  g_autofree char *part = NULL, *whole = NULL;
  if (regard_words_continued(mt_translation_hypothesis(translation, 0), &part, &whole))
    cli_complain(command, "%s--prefix ends in a word that the model went on with: '%s' became '%s'",
                 where, part, whole);
}
