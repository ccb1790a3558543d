/* cli-engine.c — the engine opened as the command line asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"

#include "base/regard-memory.h"
#include "base/regard-paths.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"
#include <math.h>
#include <string.h>

/* Bytes of a file of changes: some ten thousand of them. */
#define MOST_CHANGES (1 << 20)

/* So many codes say what codes look like. */
#define SOME_LANGUAGES 8

/* What is said of the languages of each side. */
static const struct {
  const char *option, *side, *translates;
  size_t (*count)(const mt_model *model);
  const char *(*code)(const mt_model *model, size_t i);
  bool (*find)(const mt_model *model, const char *code, size_t *i);
} sides[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = {"--from", "source", "translates from", mt_model_n_source_languages,
                          mt_model_source_language, mt_model_find_source_language},
    [MT_STACK_DECODER] = {"--to", "target", "translates into", mt_model_n_languages,
                          mt_model_language, mt_model_find_language},
};

/* "24 languages (deu, fra, …)". Caller frees. */
static char *
describe_languages(const mt_model *model, mt_stack side)
{
  gsize n = sides[side].count(model);
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%zu %s (", n, n == 1 ? "language" : "languages");
  for (gsize i = 0; i < MIN(n, SOME_LANGUAGES); i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", sides[side].code(model, i));
  if (n > SOME_LANGUAGES)
    g_string_append(text, ", …");
  g_string_append_c(text, ')');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* typed: what the option says, or NULL. Into index, and as the model spells it into code
 * [MT_LANGUAGE_SIZE]. */
static CliStatus
choose_language(const CliCommand *command, const mt_model *model, mt_stack side, const char *typed,
                int *index, char *code)
{
  const char *name = mt_model_name(model);
  gsize i;
  *index = -1;
  if (!typed)
    return CLI_DONE;
  if (sides[side].count(model) == 0)
    return cli_usage(command,
                     "%s is for models with several %s languages, and %s has one: it wants no "
                     "language",
                     sides[side].option, sides[side].side, name);
  if (sides[side].find(model, typed, &i)) {
    *index = (int) i;
    g_strlcpy(code, sides[side].code(model, i), MT_LANGUAGE_SIZE);
    return CLI_DONE;
  }
  g_autofree char *languages = describe_languages(model, side);
  return cli_usage(command, "%s wants a language of %s, found '%s'; it %s %s", sides[side].option,
                   name, typed, sides[side].translates, languages);
}

static CliStatus
choose_languages(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  CliStatus status =
      choose_language(command, engine->model, MT_STACK_ENCODER, options->from,
                      &engine->params.source_language, engine->request.source_language);
  return status == CLI_DONE ? choose_language(command, engine->model, MT_STACK_DECODER, options->to,
                                              &engine->params.language, engine->request.language)
                            : status;
}

/* "; its tasks are summarization, …", or nothing. Caller frees. */
static char *
describe_tasks(const mt_model *model)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (gsize i = 0; i < mt_model_n_tasks(model); i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "; its tasks are ",
                           mt_model_task(model, i)->name);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* A task of the model by its name; any other text stands before what is translated. */
static CliStatus
choose_task(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  const mt_model *model = engine->model;
  const char *typed = options->task, *name = mt_model_name(model);
  mt_error error = {0};
  if (!typed)
    return CLI_DONE;
  const mt_task *task = mt_model_find_task(model, typed);
  g_autofree char *tasks = describe_tasks(model);
  if (task) {
    g_strlcpy(engine->request.task, task->name, sizeof engine->request.task);
    if (task->settings->generation.not_honoured)
      cli_complain(command, "%s asks for %s what is not done here, and is searched without it: %s",
                   name, task->name, task->settings->generation.not_honoured);
  } else if (!mt_model_takes_prefix(model))
    return cli_usage(command, "--task is for models that have tasks, and %s has no task '%s'%s",
                     name, typed, tasks);
  else if (!mt_request_set_task_prefix(&engine->request, typed, &error))
    return cli_usage(command, "--task: %s", error.message);
  else if (*tasks && *typed && !strpbrk(typed, " :"))
    cli_complain(command, "%s has no task '%s', which is put before the text%s", name, typed,
                 tasks);
  engine->params = mt_request_resolve(&engine->request, model);
  return CLI_DONE;
}

CliStatus
cli_engine_check_language(const CliCommand *command, const CliEngine *engine, mt_stack side)
{
  const mt_model *model = engine->model;
  const mt_language_mode mode = mt_model_config(model)->language_mode;
  const int own = mt_model_own_language(model, side), chosen = side == MT_STACK_ENCODER
                                                                   ? engine->params.source_language
                                                                   : engine->params.language;
  const char *name = mt_model_name(model);
  if (sides[side].count(model) == 0 || mode == MT_LANGUAGES_SOURCE_TOKEN || chosen >= 0)
    return CLI_DONE;
  if (own >= 0) {
    cli_complain(command, "%s %s %s, its own %s language; choose another with %s", name,
                 sides[side].translates, sides[side].code(model, (gsize) own), sides[side].side,
                 sides[side].option);
    return CLI_DONE;
  }
  g_autofree char *languages = describe_languages(model, side);
  return cli_usage(command, "%s %s %s: say which one with %s", name, sides[side].translates,
                   languages, sides[side].option);
}

unsigned
cli_engine_capture_flags(const CliEngineOptions *options)
{
  return options->capture_precision ? MT_CAPTURE_ROUNDED : 0;
}

static gboolean
choose_precision(const CliCommand *command, const CliEngineOptions *options,
                 mt_precision *precision)
{
  if (!options->precision || mt_precision_find(options->precision, precision))
    return TRUE;
  g_autoptr(GString) names = g_string_new(NULL);
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++)
    g_string_append_printf(names, "%s%s", p ? ", " : "", mt_precision_name(p));
  cli_usage(command, "--precision wants one of %s, found '%s'", names->str, options->precision);
  return FALSE;
}

/* A model may ask for a search that is another one than here. */
static void
tell_not_honoured(const CliCommand *command, const mt_model *model)
{
  const char *keys = mt_model_config(model)->generation.not_honoured;
  if (keys)
    cli_complain(command, "%s asks for what is not done here, and is searched without it: %s",
                 mt_model_name(model), keys);
}

/* A file may hold less than is computed with. */
static void
tell_multiplied_out(const CliCommand *command, const mt_model *model)
{
  const char *type = mt_model_multiplied_out(model);
  if (type)
    cli_complain(command,
                 "%s is stored as whole numbers of %s bits, which are multiplied out: the model "
                 "computes with floats",
                 mt_model_name(model), type + 1);
}

static void
tell_cache(const CliCommand *command, const mt_model *model)
{
  const char *why;
  if (mt_model_cache(model, &why) == MT_CACHE_FAILED)
    cli_complain(command, "%s", why);
}

CliStatus
cli_engine_open_model(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  char *path = options->model ? cli_models_resolve(options->model) : regard_paths_bundled_model();
  engine->path = path;
  mt_error error = {0};
  mt_load_options load_options = {.most_memory = regard_memory_to_spare()};
  if (!choose_precision(command, options, &load_options.precision))
    return CLI_USAGE;
  if (options->caches && load_options.precision == MT_PRECISION_STORED)
    return cli_usage(command, "--cache wants a --precision that weights are rounded to");
  g_autofree char *cache = options->caches ? regard_paths_weights_cache() : NULL;
  load_options.cache = cache;
  engine->model = mt_model_open(path, &load_options, &error);
  if (engine->model) {
    tell_not_honoured(command, engine->model);
    tell_multiplied_out(command, engine->model);
    tell_cache(command, engine->model);
    CliStatus status = choose_languages(command, options, engine);
    return status == CLI_DONE ? choose_task(command, options, engine) : status;
  }
  return cli_failed(command, &error);
}

void
cli_engine_options_begin(CliEngineOptions *options)
{
  options->has_settings = TRUE;
  for (gsize i = 0; i < CLI_ENGINE_MOST_SETTINGS; i++) {
    options->settings[i].whole = G_MININT64;
    options->settings[i].number = NAN;
    options->settings[i].choice = CLI_NO_CHOICE;
  }
}

/* What was typed. A number that was not given is no request; a command without these options has
 * none. */
static gboolean
fill_request(const CliEngineOptions *options, mt_request *request, mt_error *error)
{
  if (!options->has_settings)
    return TRUE;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    gint64 whole = options->settings[i].whole;
    double value = options->settings[i].number;
    if (whole != G_MININT64)
      value = (double) whole;
    if (options->settings[i].choice != CLI_NO_CHOICE)
      value = options->settings[i].choice;
    if (!isnan(value) && !mt_request_set(request, i, value, error))
      return FALSE;
  }
  return TRUE;
}

/* Was --OPTION given, and what is its number? */
static gboolean
is_given(const mt_request *request, const char *key, gint64 *value)
{
  gsize row;
  double number = 0;
  gboolean given = mt_search_find_field(key, &row) && mt_request_get(request, row, &number);
  *value = (gint64) number;
  return given;
}

/* The model's own settings, with what was asked for put over them. What does not go together is
 * told in the words of the options. */
static CliStatus
choose_params(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_request *request = &engine->request;
  gint64 max_positions = (gint64) mt_model_config(engine->model)->max_positions;
  gint64 n_best, beam, min_length, max_length;
  mt_error error = {0};

  if (!fill_request(options, request, &error))
    return cli_usage(command, "%s", error.message);
  if (is_given(request, "n_best", &n_best) && is_given(request, "beam_size", &beam) &&
      n_best > beam)
    return cli_usage(command,
                     "--nbest %" G_GINT64_FORMAT " wants at least as many beams, found --beam "
                     "%" G_GINT64_FORMAT,
                     n_best, beam);
  if (is_given(request, "max_length", &max_length) && max_length > max_positions)
    return cli_usage(command,
                     "--max-length wants at most the model's %" G_GINT64_FORMAT
                     " positions, found %" G_GINT64_FORMAT,
                     max_positions, max_length);
  engine->params = mt_request_resolve(request, engine->model);
  if (is_given(request, "min_length", &min_length) &&
      min_length > (gint64) engine->params.max_length)
    return cli_usage(command,
                     "--min-length wants at most the maximum length %zu, found %" G_GINT64_FORMAT,
                     engine->params.max_length, min_length);
  return CLI_DONE;
}

/* One list after the other, each with its mistakes. */
static CliStatus
append_changes(const CliCommand *command, const char *label, const char *text, GString *all)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = mt_interventions_parse(label, text, &error);
  if (!interventions)
    return cli_usage(command, "%s", error.message);
  if (mt_interventions_count(interventions) > 0)
    g_string_append_printf(all, "%s%s", all->len ? "\n" : "", mt_interventions_text(interventions));
  return CLI_DONE;
}

/* Lines that begin with # are remarks. What they say is blanked out, and so rows keep their
 * numbers. */
static void
blank_remarks(char *text)
{
  gboolean begins = TRUE, is_remark = FALSE;
  for (; *text; text++) {
    is_remark = *text != '\n' && (is_remark || (begins && *text == '#'));
    begins = *text == '\n' || (begins && g_ascii_isspace(*text));
    if (is_remark)
      *text = ' ';
  }
}

static CliStatus
append_file(const CliCommand *command, const char *path, GString *all)
{
  mt_bytes text;
  mt_error error = {0};
  if (!mt_file_read_whole(path, MOST_CHANGES, true, &text, &error)) {
    cli_complain(command, "--changes: %s", error.message);
    return CLI_FAILED;
  }
  char *lines = (char *) text.data;
  const gboolean is_text = strlen(lines) == text.size;
  blank_remarks(lines);
  const CliStatus status = is_text
                               ? append_changes(command, path, lines, all)
                               : cli_usage(command, "%s: expected text, found a zero byte", path);
  mt_bytes_clear(&text);
  return status;
}

static gboolean
wants_means(const CliEngineOptions *options, const mt_interventions *interventions)
{
  return options->wants_means || mt_interventions_need_means(interventions);
}

/* What a list became, in its place; FALSE, and the list stays: there is none. */
static gboolean
take_list(mt_interventions **list, mt_interventions *with)
{
  if (!with)
    return FALSE;
  mt_interventions_unref(*list);
  *list = with;
  return TRUE;
}

/* The list with the means of a file, or, for NULL, those that come with the model. The engine keeps
 * them, too. */
static gboolean
give_means(const char *path, CliEngine *engine, mt_interventions **interventions, mt_error *error)
{
  engine->means = path ? mt_means_read(path, engine->model, error)
                       : mt_means_find(engine->path, engine->model, error);
  return engine->means &&
         take_list(interventions,
                   mt_interventions_with_means(*interventions, engine->means, error));
}

/* The list with the states of the run of a text without changes. */
static gboolean
give_states(const CliCommand *command, const char *text, CliEngine *engine,
            mt_interventions **interventions, mt_error *error)
{
  g_autoptr(mt_translation) translation = cli_engine_translate(command, engine, text, NULL, error);
  g_autoptr(mt_activations) states =
      translation ? mt_activations_new(engine->session, translation, 0, NULL, error) : NULL;
  return states &&
         take_list(interventions, mt_interventions_with_activations(*interventions, states, error));
}

/* What is typed and what is in the file, as one list that the model can have. */
static CliStatus
choose_changes(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  g_autoptr(GString) all = g_string_new(NULL);
  CliStatus status = CLI_DONE;
  if (options->changes_file)
    status = append_file(command, options->changes_file, all);
  for (guint i = 0; status == CLI_DONE && options->interventions && i < options->interventions->len;
       i++)
    status = append_changes(command, "--change", options->interventions->pdata[i], all);
  if (status != CLI_DONE)
    return status;
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = mt_interventions_parse("--change", all->str, &error);
  const gboolean with_means =
      interventions && (options->means || wants_means(options, interventions));
  if (interventions &&
      ((with_means && !give_means(options->means, engine, &interventions, &error)) ||
       (options->patch_from &&
        !give_states(command, options->patch_from, engine, &interventions, &error))))
    return cli_failed(command, &error);
  if (!interventions ||
      !mt_interventions_check(interventions, mt_model_config(engine->model), &error))
    return cli_usage(command, "%s", error.message);
  mt_request_set_interventions(&engine->request, interventions);
  engine->hooks = (mt_hooks){.interventions = engine->request.interventions};
  return CLI_DONE;
}

/* ---- --prefix, --force and --forbid: texts, cut into the pieces of the model ---------------- */

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

/* A copy of their ids. Caller frees. */
static int32_t *
dup_ids(const mt_tokens *tokens, gsize *n)
{
  *n = mt_tokens_count(tokens);
  int32_t *ids = g_new(int32_t, *n);
  mt_tokens_copy_ids(tokens, *n, ids);
  return ids;
}

static CliStatus
add_prefix(const CliCommand *command, const char *text, const mt_model *model,
           const mt_search_params *params, GArray *ids)
{
  gboolean blank;
  gsize n;
  g_autoptr(mt_tokens) tokens = cut(command, "prefix", model, text, &blank);
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
  g_autoptr(mt_tokens) tokens = cut(command, "forbid", model, word, &blank);
  if (!tokens)
    return blank ? cli_usage(command, "--forbid wants a word, found '%s'", text) : CLI_USAGE;
  forbidden.ids = dup_ids(tokens, &forbidden.n);
  g_array_append_val(list, forbidden);
  return CLI_DONE;
}

static CliStatus
add_term(const CliCommand *command, const char *text, const mt_model *model, GArray *list)
{
  gboolean blank;
  g_autoptr(mt_tokens) tokens = cut(command, "force", model, text, &blank);
  if (!tokens)
    return blank ? cli_usage(command, "--force wants a term, found '%s'", text) : CLI_USAGE;
  mt_term term;
  term.ids = dup_ids(tokens, &term.n);
  g_array_append_val(list, term);
  return CLI_DONE;
}

/* Of all that was typed; NULL: reported. */
static mt_constraints *
make(const CliCommand *command, const GArray *prefix, const GArray *forbidden, const GArray *terms)
{
  mt_error error = {0};
  g_autoptr(mt_constraints) lists =
      mt_constraints_new((const int32_t *) (const void *) prefix->data, prefix->len,
                         (const mt_forbidden *) (const void *) forbidden->data, forbidden->len,
                         &error);
  mt_constraints *all =
      lists ? mt_constraints_with_terms(lists, (const mt_term *) (const void *) terms->data,
                                        terms->len, &error)
            : NULL;
  if (!all)
    cli_complain(command, "%s", error.message);
  return all;
}

/* What the options ask for; *constraints is NULL if that is nothing. params say how long a prefix
 * may be. */
static CliStatus
make_constraints(const CliCommand *command, const CliEngineOptions *options, const mt_model *model,
                 const mt_search_params *params, mt_constraints **constraints)
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

/* The texts of --prefix and --forbid as pieces of the model. */
static CliStatus
choose_constraints(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_constraints *constraints;
  CliStatus status =
      make_constraints(command, options, engine->model, &engine->params, &constraints);
  mt_request_set_constraints(&engine->request, constraints);
  mt_constraints_unref(constraints);
  /* Lengths may count from behind a prefix. */
  engine->params = mt_request_resolve(&engine->request, engine->model);
  return status;
}

static CliStatus
open_session(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_session_options session_options = {.n_threads = (unsigned) options->threads,
                                        .keeps_attention = options->as_searched,
                                        .guessing = (mt_guessing) options->guessing};
  mt_error error = {0};
  size_t n_terms;
  engine->session = mt_session_new(engine->model, &session_options, &error);
  mt_constraints_terms(engine->params.constraints, &n_terms);
  if (engine->session && n_terms > 0 &&
      !mt_search_params_check(&engine->params, engine->model, &error))
    return cli_usage(command, "--force: %s", error.message);
  if (engine->session)
    return CLI_DONE;
  return cli_failed(command, &error);
}

CliStatus
cli_engine_open(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  CliStatus status = cli_engine_open_model(command, options, engine);
  for (int side = 0; status == CLI_DONE && side < MT_N_STACKS; side++)
    status = cli_engine_check_language(command, engine, (mt_stack) side);
  if (status == CLI_DONE)
    status = choose_params(command, options, engine);
  if (status == CLI_DONE)
    status = choose_constraints(command, options, engine);
  if (status == CLI_DONE)
    status = open_session(command, options, engine);
  return status == CLI_DONE ? choose_changes(command, options, engine) : status;
}

void
cli_engine_clear(CliEngine *engine)
{
  mt_session_free(engine->session);
  mt_model_unref(engine->model);
  mt_request_clear(&engine->request);
  mt_means_unref(engine->means);
  g_free(engine->path);
  *engine = (CliEngine){0};
}

/* MiB. */
#define SAID_MEMORY 512

mt_capture *
cli_engine_capture(const CliCommand *command, CliEngine *engine, const CliEngineOptions *options,
                   const mt_translation *translation, const mt_capture_place *place, unsigned flags,
                   const char *how, mt_error *error)
{
  const gsize n_source = mt_tokens_count(mt_translation_source(translation)),
              n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens),
              bytes = mt_capture_bytes_of(engine->model, n_source, n_target, place, flags,
                                          engine->hooks.interventions),
              most = (gsize) (options->said_memory ? options->said_memory : SAID_MEMORY) << 20;
  if (bytes > most) {
    g_autofree char *size = g_format_size(bytes);
    cli_complain(command,
                 "Attention of %" G_GSIZE_FORMAT " source and %" G_GSIZE_FORMAT
                 " target tokens takes %s of memory.%s%s",
                 n_source, n_target, size, how ? " " : "", how ? how : "");
  }
  return mt_session_capture_part(engine->session, translation, 0, place, flags, &engine->hooks,
                                 error);
}

void
cli_engine_ask_language(const CliCommand *command, CliEngine *engine,
                        const mt_translation *translation)
{
  if (engine->has_asked || mt_model_n_languages(engine->model) == 0 ||
      regard_capture_language(engine->model, translation, MT_STACK_DECODER))
    return;
  g_autofree char *languages = describe_languages(engine->model, MT_STACK_DECODER);
  cli_complain(command, "%s translates into %s; it was told none of them: choose one with --to",
               mt_model_name(engine->model), languages);
  engine->has_asked = TRUE;
}

/* If the prefix ends in a word that the model went on with. */
static void
tell_continued(const CliCommand *command, const char *where, const mt_translation *translation)
{
  g_autofree char *part = NULL, *whole = NULL;
  if (regard_words_continued(mt_translation_hypothesis(translation, 0), &part, &whole))
    cli_complain(command, "%s--prefix ends in a word that the model went on with: '%s' became '%s'",
                 where, part, whole);
}

void
cli_engine_remark(const CliCommand *command, const char *where, const mt_translation *translation)
{
  const char *unknown = mt_tokens_unknown(mt_translation_source(translation));
  if (*unknown) {
    g_auto(GStrv) texts = g_strsplit(unknown, " ", -1);
    g_autofree char *list = regard_naming_unknown((const char *const *) texts);
    cli_complain(command, "%sthe model does not know: %s", where, list);
  }
  tell_continued(command, where, translation);
}

mt_translation *
cli_engine_translate(const CliCommand *command, CliEngine *engine, const char *text,
                     const char *target, mt_error *error)
{
  mt_translation *translation =
      target ? mt_session_score_for(engine->session, text, target, &engine->params, &engine->hooks,
                                    error)
             : mt_session_translate(engine->session, text, &engine->params, &engine->hooks, error);
  if (translation)
    cli_engine_ask_language(command, engine, translation);
  return translation;
}
