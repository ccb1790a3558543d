/* cli-session.c — sessions of the window, as the command line sees them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-session.h"

#include "cli/cli-json.h"
#include "document/regard-session.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

static const char *const capture_names[REGARD_SESSION_N_CAPTURES] = {
    [REGARD_SESSION_CAPTURE] = "capture",
    [REGARD_SESSION_A] = "a",
    [REGARD_SESSION_B] = "b",
    [REGARD_SESSION_FILE] = "file",
};

gboolean
cli_session_is_session(const char *path)
{
  return regard_session_has_ending(path);
}

/* NULL has been reported. */
static RegardSession *
read_session(const CliCommand *command, const char *path)
{
  g_autoptr(GError) error = NULL;
  RegardSession *session = regard_session_read(path, &error);
  if (!session)
    cli_complain(command, "%s", error->message);
  return session;
}

mt_capture *
cli_session_read_capture(const CliCommand *command, const char *path)
{
  g_autoptr(RegardSession) session = read_session(command, path);
  mt_capture *capture = session ? regard_session_take_shown(session) : NULL;
  if (session && !capture)
    cli_complain(command, "%s: expected a session with a capture, found one without.", path);
  return capture;
}

/* ---- inspect ------------------------------------------------------------------------------- */

static json_object *
describe_state(const RegardState *state, const RegardModelIdentity *model)
{
  json_object *o = json_object_new_object(), *given = json_object_new_object();
  GHashTableIter iter;
  gpointer sentence, translation;
  json_object_object_add(o, "text", cli_json_text(state->text));
  json_object_object_add(o, "model", model ? regard_model_identity_write(model) : NULL);
  json_object_object_add(o, "precision", cli_json_precision(state->precision));
  json_object_object_add(o, "language",
                         cli_json_text(*state->search.language ? state->search.language : NULL));
  json_object_object_add(o, "changes", regard_changes_json(state->search.changes));
  json_object_object_add(o, "kind", cli_json_text(regard_kind_id(state->place.kind)));
  json_object_object_add(o, "layer", cli_json_size(state->place.layer + 1));
  json_object_object_add(o, "head", cli_json_size(state->place.head + 1));
  if (state->given) {
    g_hash_table_iter_init(&iter, state->given);
    while (g_hash_table_iter_next(&iter, &sentence, &translation))
      json_object_object_add(given, sentence, cli_json_text(translation));
  }
  json_object_object_add(o, "translations", given);
  json_object_object_add(o, "constrained",
                         cli_json_size(state->constraints ? g_hash_table_size(state->constraints)
                                                          : 0));
  return o;
}

static json_object *
describe_captures(const RegardSession *session)
{
  json_object *o = json_object_new_object();
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++) {
    const mt_capture *capture = session->captures[i];
    json_object *item = capture ? json_object_new_object() : NULL;
    if (capture) {
      const mt_tokens *source = mt_capture_source(capture), *output = mt_capture_output(capture);
      json_object_object_add(item, "source", source ? cli_json_text(mt_tokens_text(source)) : NULL);
      json_object_object_add(item, "output", output ? cli_json_text(mt_tokens_text(output)) : NULL);
      json_object_object_add(item, "changes", regard_changes_json(mt_capture_changes(capture)));
    }
    json_object_object_add(o, capture_names[i], item);
  }
  return o;
}

static gboolean
put_json(const CliCommand *command, const char *path, const RegardSession *session)
{
  json_object *object = describe_state(session->state, session->model);
  g_autofree char *file = g_path_get_basename(path);
  json_object_object_add(object, "file", cli_json_text(file));
  json_object_object_add(object, "program", cli_json_text(session->program));
  json_object_object_add(object, "reference",
                         session->reference
                             ? describe_state(session->reference, session->other_model)
                             : NULL);
  json_object_object_add(object, "look", regard_look_write(&session->look));
  json_object_object_add(object, "captures", describe_captures(session));
  return cli_json_put(command, object, TRUE);
}

static void
append_state(GString *out, const RegardState *state, const RegardModelIdentity *model)
{
  g_autofree char *text = regard_visible(state->text);
  g_auto(GStrv) changes = g_strsplit(mt_changes_text(state->search.changes), "\n", -1);
  g_string_append_printf(out, "  text                %s\n", text);
  if (model)
    g_string_append_printf(out, "  model               %s%s%s%s\n", model->name,
                           model->title ? " (" : "", model->title ? model->title : "",
                           model->title ? ")" : "");
  for (guint i = 0; model && i < model->files->len; i++) {
    const RegardModelFile *file = &g_array_index(model->files, RegardModelFile, i);
    g_string_append_printf(out, "    %-22s  %s\n", file->name, file->sha256);
  }
  g_string_append_printf(out, "  precision           %s\n", mt_precision_name(state->precision));
  if (*state->search.language)
    g_string_append_printf(out, "  language            %s\n", state->search.language);
  for (char **change = changes; *change; change++)
    if (**change)
      g_string_append_printf(out, "  change              %s\n", *change);
  g_string_append_printf(out, "  place               %s %u.%u\n", regard_kind_id(state->place.kind),
                         state->place.layer + 1, state->place.head + 1);
  if (state->given)
    g_string_append_printf(out, "  own translations    %u\n", g_hash_table_size(state->given));
  if (state->constraints)
    g_string_append_printf(out, "  constrained         %u\n",
                           g_hash_table_size(state->constraints));
}

static gboolean
put_plain(const CliCommand *command, const char *path, const RegardSession *session)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *file = g_utf8_make_valid(base, -1);
  g_string_append_printf(out, "%s, saved by %s\n", file, session->program);
  append_state(out, session->state, session->model);
  if (session->reference) {
    g_string_append(out, "\nReference\n");
    append_state(out, session->reference, session->other_model);
  }
  g_string_append_printf(out, "\nLooked at\n  page                %s\n  compared            %s\n",
                         session->look.page, regard_compare_ids[session->look.compare]);
  g_string_append(out, "\nCaptures\n");
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++) {
    const mt_capture *capture = session->captures[i];
    if (!capture)
      continue;
    g_autofree char *origin = regard_naming_origin(capture);
    const mt_tokens *output = mt_capture_output(capture);
    g_autofree char *text = regard_visible(output ? mt_tokens_text(output) : "");
    g_string_append_printf(out, "  %-8s            %s: %s\n", capture_names[i], origin, text);
  }
  return cli_put(command, out->str, out->len);
}

CliStatus
cli_session_inspect(const CliCommand *command, const char *path, gboolean json)
{
  g_autoptr(RegardSession) session = read_session(command, path);
  if (!session)
    return CLI_FAILED;
  gboolean written = json ? put_json(command, path, session) : put_plain(command, path, session);
  return written ? CLI_DONE : CLI_FAILED;
}
