/* cli-engine.c — the engine opened as the command line asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"

#include "base/regard-paths.h"
#include "cli/cli-constraints.h"
#include "cli/cli-models.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"
#include <math.h>
#include <string.h>

/* Bytes of a file of changes: some ten thousand of them. */
#define MOST_CHANGES (1 << 20)

/* So many codes say what codes look like. */
#define SOME_LANGUAGES 8

/* "24 languages (deu, fra, …)". Caller frees. */
static char *
describe_languages(const mt_model *model)
{
  gsize n = mt_model_n_languages(model);
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%zu %s (", n, n == 1 ? "language" : "languages");
  for (gsize i = 0; i < MIN(n, SOME_LANGUAGES); i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", mt_model_language(model, i));
  if (n > SOME_LANGUAGES)
    g_string_append(text, ", …");
  g_string_append_c(text, ')');
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static CliStatus
choose_language(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  engine->params.language = -1;
  if (!options->to)
    return CLI_DONE;
  const char *name = mt_model_name(engine->model);
  if (mt_model_n_languages(engine->model) == 0)
    return cli_usage(command,
                     "--to is for models with several target languages, and %s has one: it wants "
                     "no language",
                     name);
  gsize i;
  if (mt_model_find_language(engine->model, options->to, &i)) {
    engine->params.language = (int) i;
    g_strlcpy(engine->request.language, mt_model_language(engine->model, i),
              sizeof engine->request.language);
    return CLI_DONE;
  }
  g_autofree char *languages = describe_languages(engine->model);
  return cli_usage(command, "--to wants a language of %s, found '%s'; it translates into %s", name,
                   options->to, languages);
}

const char *const cli_engine_capture_precisions[] = {"stored", "same", NULL};

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

CliStatus
cli_engine_open_model(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  char *path = options->model ? cli_models_resolve(options->model) : regard_paths_bundled_model();
  engine->path = path;
  mt_error error = {0};
  mt_load_options load_options = {0};
  if (!choose_precision(command, options, &load_options.precision))
    return CLI_USAGE;
  engine->model = mt_model_open(path, &load_options, &error);
  if (engine->model) {
    tell_not_honoured(command, engine->model);
    return choose_language(command, options, engine);
  }
  cli_complain(command, "%s", error.message);
  return CLI_FAILED;
}

const CliOption *
cli_engine_search_options(CliEngineOptions *options, gboolean lists)
{
  CliOption *row = options->setting_rows;
  g_assert(mt_search_n_fields() <= CLI_ENGINE_MOST_SETTINGS);
  for (gsize i = 0; i < CLI_ENGINE_MOST_SETTINGS; i++) {
    options->settings[i].whole = G_MININT64;
    options->settings[i].number = NAN;
    options->settings[i].choice = CLI_NO_CHOICE;
  }
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    if (!field->option || !(field->decides || lists))
      continue;
    *row = (CliOption){.name = field->option,
                       .metavar = field->metavar,
                       .help = field->help,
                       .min = field->typed.least,
                       .max = field->typed.most,
                       .choices = field->choices};
    switch (field->type) {
    case MT_SEARCH_WHOLE:
      row->type = CLI_OPTION_WHOLE;
      row->value = &options->settings[i].whole;
      break;
    case MT_SEARCH_NUMBER:
      row->type = CLI_OPTION_NUMBER;
      row->value = &options->settings[i].number;
      break;
    case MT_SEARCH_CHOICE:
      row->type = CLI_OPTION_CHOICE;
      row->value = &options->settings[i].choice;
      break;
    }
    row++;
  }
  *row = (CliOption) CLI_OPTIONS_END;
  return options->setting_rows;
}

/* What was typed. A number that was not given is no request; a command without these options has
 * none. */
static gboolean
fill_request(const CliEngineOptions *options, mt_request *request, mt_error *error)
{
  if (!options->setting_rows[0].name)
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
  mt_changes *changes = mt_changes_parse(label, text, &error);
  if (!changes)
    return cli_usage(command, "%s", error.message);
  if (mt_changes_count(changes) > 0)
    g_string_append_printf(all, "%s%s", all->len ? "\n" : "", mt_changes_text(changes));
  mt_changes_unref(changes);
  return CLI_DONE;
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
  const CliStatus status = strlen((const char *) text.data) == text.size
                               ? append_changes(command, path, (const char *) text.data, all)
                               : cli_usage(command, "%s: expected text, found a zero byte", path);
  mt_bytes_clear(&text);
  return status;
}

static gboolean
wants_means(const CliEngineOptions *options, const mt_changes *changes)
{
  return options->wants_means || mt_changes_need_means(changes);
}

/* The list with the means of a file, or, for NULL, those that come with the model. The engine keeps
 * them, too. */
static gboolean
give_means(const char *path, CliEngine *engine, mt_changes **changes, mt_error *error)
{
  engine->means = path ? mt_means_read(path, engine->model, error)
                       : mt_means_find(engine->path, engine->model, error);
  mt_changes *with = engine->means ? mt_changes_with_means(*changes, engine->means, error) : NULL;
  if (!with)
    return FALSE;
  mt_changes_unref(*changes);
  *changes = with;
  return TRUE;
}

/* The list with the states of the run of a text without changes. */
static gboolean
give_states(const CliCommand *command, const char *text, CliEngine *engine, mt_changes **changes,
            mt_error *error)
{
  mt_translation *translation = cli_engine_translate(command, engine, text, NULL, error);
  mt_states *states =
      translation ? mt_states_new(engine->session, translation, 0, NULL, error) : NULL;
  mt_changes *with = states ? mt_changes_with_states(*changes, states, error) : NULL;
  mt_states_unref(states);
  mt_translation_unref(translation);
  if (!with)
    return FALSE;
  mt_changes_unref(*changes);
  *changes = with;
  return TRUE;
}

/* What is typed and what is in the file, as one list that the model can have. */
static CliStatus
choose_changes(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  g_autoptr(GString) all = g_string_new(NULL);
  CliStatus status = CLI_DONE;
  if (options->changes_file)
    status = append_file(command, options->changes_file, all);
  for (guint i = 0; status == CLI_DONE && options->changes && i < options->changes->len; i++)
    status = append_changes(command, "--change", options->changes->pdata[i], all);
  if (status != CLI_DONE)
    return status;
  mt_error error = {0};
  mt_changes *changes = mt_changes_parse("--change", all->str, &error);
  const gboolean with_means = changes && (options->means || wants_means(options, changes));
  if (changes && ((with_means && !give_means(options->means, engine, &changes, &error)) ||
                  (options->patch_from &&
                   !give_states(command, options->patch_from, engine, &changes, &error)))) {
    mt_changes_unref(changes);
    cli_complain(command, "%s", error.message);
    return CLI_FAILED;
  }
  if (!changes || !mt_changes_check(changes, mt_model_config(engine->model), &error)) {
    mt_changes_unref(changes);
    return cli_usage(command, "%s", error.message);
  }
  mt_request_set_changes(&engine->request, changes);
  mt_changes_unref(changes);
  engine->hooks = (mt_hooks){.changes = engine->request.changes};
  return CLI_DONE;
}

/* The texts of --prefix and --forbid as pieces of the model. */
static CliStatus
choose_constraints(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_constraints *constraints;
  CliStatus status =
      cli_constraints_new(command, options, engine->model, &engine->params, &constraints);
  mt_request_set_constraints(&engine->request, constraints);
  mt_constraints_unref(constraints);
  /* Lengths may count from behind a prefix. */
  engine->params = mt_request_resolve(&engine->request, engine->model);
  return status;
}

static CliStatus
open_session(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  mt_session_options session_options = {.n_threads = (unsigned) options->threads};
  mt_error error = {0};
  size_t n_terms;
  engine->session = mt_session_new(engine->model, &session_options, &error);
  mt_constraints_terms(engine->params.constraints, &n_terms);
  if (engine->session && n_terms > 0 &&
      !mt_search_params_check(&engine->params, engine->model, &error))
    return cli_usage(command, "--force: %s", error.message);
  if (engine->session)
    return CLI_DONE;
  cli_complain(command, "%s", error.message);
  return CLI_FAILED;
}

CliStatus
cli_engine_open(const CliCommand *command, const CliEngineOptions *options, CliEngine *engine)
{
  CliStatus status = cli_engine_open_model(command, options, engine);
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

void
cli_engine_ask_language(const CliCommand *command, CliEngine *engine,
                        const mt_translation *translation)
{
  if (engine->has_asked || mt_model_n_languages(engine->model) == 0 ||
      regard_capture_language(engine->model, translation))
    return;
  g_autofree char *languages = describe_languages(engine->model);
  cli_complain(command, "%s translates into %s; it was told none of them: choose one with --to",
               mt_model_name(engine->model), languages);
  engine->has_asked = TRUE;
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
  cli_constraints_tell(command, where, translation);
}

mt_translation *
cli_engine_translate(const CliCommand *command, CliEngine *engine, const char *text,
                     const char *target, mt_error *error)
{
  mt_translation *translation =
      target ? mt_session_score(engine->session, text, target, engine->params.language,
                                &engine->hooks, error)
             : mt_session_translate(engine->session, text, &engine->params, &engine->hooks, error);
  if (translation)
    cli_engine_ask_language(command, engine, translation);
  return translation;
}

mt_translation *
cli_engine_translate_text(const CliCommand *command, CliEngine *engine, const char *text,
                          const char *target)
{
  mt_error error = {0};
  mt_translation *translation = cli_engine_translate(command, engine, text, target, &error);
  if (translation)
    cli_engine_remark(command, "", translation);
  else
    cli_complain(command, "%s", error.message);
  return translation;
}

CliStatus
cli_engine_check_npz(const CliCommand *command, const char *output)
{
  if (!output)
    return cli_usage(command, "-o FILE.npz is missing");
  if (!g_str_has_suffix(output, ".npz"))
    return cli_usage(command, "-o wants a file name that ends with .npz, found '%s'", output);
  return CLI_DONE;
}
