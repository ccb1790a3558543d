/* cli-inspect.c — regard-cli inspect and models: what a file holds, and the models of this machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-engine-info.h"
#include "base/regard-paths.h"
#include "base/regard-settings.h"
#include "cli/cli-analysis.h"
#include "cli/cli-engine.h"
#include "cli/cli.h"
#include "document/regard-file-kinds.h"
#include "document/regard-session.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"
#include "models/regard-language.h"
#include "models/regard-model-list.h"
#include <math.h>
#include <string.h>

/* ---- A model --------------------------------------------------------------------------------- */

static const char *const activation_names[] = {"relu", "silu", "gelu", "gelu-tanh"};
static const char *const position_names[] = {
    [MT_POSITIONS_SINUSOIDAL_HALVES] = "sinusoidal, halves",
    [MT_POSITIONS_SINUSOIDAL_INTERLEAVED] = "sinusoidal, interleaved",
    [MT_POSITIONS_LEARNED] = "learned",
    [MT_POSITIONS_RELATIVE] = "relative",
    [MT_POSITIONS_SINUSOIDAL_FAIRSEQ] = "sinusoidal, fairseq",
};
G_STATIC_ASSERT(G_N_ELEMENTS(position_names) == MT_N_POSITION_KINDS);
G_STATIC_ASSERT(G_N_ELEMENTS(activation_names) == MT_N_ACTIVATIONS);
static const char *const stopping_names[] = {"false", "true", "never"};

/* What else `generate` reads, where the model says it. */
static void
describe_generation(json_object *o, const mt_config *c)
{
  const mt_generation *g = &c->generation;
  gsize n_forced = 0;
  for (gsize i = 0; i < g->n_forced_ids; i++)
    n_forced += g->forced_ids[i] >= 0;
  const struct {
    const char *key;
    gsize n;
  } numbers[] = {
      {"max_new_tokens", g->max_new_tokens},
      {"min_new_tokens", g->min_new_tokens},
      {"no_repeat_ngram_size", g->no_repeat_ngram_size},
      {"encoder_no_repeat_ngram_size", g->encoder_no_repeat_ngram_size},
      {"more_eos_ids", g->more_eos_ids.n},
      {"more_forced_eos_ids", g->more_forced_eos_ids.n},
      {"suppress_tokens", g->suppressed.n},
      {"begin_suppress_tokens", g->begin_suppressed.n},
      {"sequence_bias", g->n_biases},
      {"forced_decoder_ids", n_forced},
      {"without_probability", g->left_out.n},
  };
  const struct {
    const char *key;
    float value;
  } penalties[] = {
      {"repetition_penalty", g->repetition_penalty},
      {"encoder_repetition_penalty", g->encoder_repetition_penalty},
  };
  json_object_object_add(o, "renormalize_logits", json_object_new_boolean(g->renormalize_logits));
  for (gsize i = 0; i < G_N_ELEMENTS(penalties); i++)
    if (penalties[i].value > 0)
      json_object_object_add(o, penalties[i].key, regard_json_float(penalties[i].value));
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (numbers[i].n > 0)
      json_object_object_add(o, numbers[i].key, cli_json_size(numbers[i].n));
  if (g->decay_factor > 0) {
    json_object *pair = json_object_new_array();
    json_object_array_add(pair, cli_json_size(g->decay_start));
    json_object_array_add(pair, regard_json_float(g->decay_factor));
    json_object_object_add(o, "exponential_decay_length_penalty", pair);
  }
  if (g->not_honoured)
    json_object_object_add(o, "not_honoured", cli_json_text(g->not_honoured));
}

/* The configuration as a flat object, the source of both ways to print it. */
static json_object *
describe_config(const mt_config *c)
{
  json_object *o = regard_json_object(
      {"family", cli_json_text(c->family)}, {"source_lang", cli_json_text(c->source_lang)},
      {"target_lang", cli_json_text(c->target_lang)}, {"d_model", cli_json_size(c->d_model)},
      {"encoder_layers", cli_json_size(c->n_layers[MT_STACK_ENCODER])},
      {"decoder_layers", cli_json_size(c->n_layers[MT_STACK_DECODER])},
      {"encoder_heads", cli_json_size(c->n_heads[MT_STACK_ENCODER])},
      {"decoder_heads", cli_json_size(c->n_heads[MT_STACK_DECODER])},
      {"encoder_ffn", cli_json_size(c->d_ffn[MT_STACK_ENCODER])},
      {"decoder_ffn", cli_json_size(c->d_ffn[MT_STACK_DECODER])},
      {"source_vocabulary", cli_json_size(c->vocab_size[MT_STACK_ENCODER])},
      {"target_vocabulary", cli_json_size(c->vocab_size[MT_STACK_DECODER])},
      {"max_positions", cli_json_size(c->max_positions)},
      {"attention_window", cli_json_size(c->attention_window)},
      {"positions", cli_json_text(position_names[c->position_kind])},
      {"activation", cli_json_text(activation_names[c->activation])},
      {"gated", json_object_new_boolean(c->feed_forward_kind == MT_FEED_FORWARD_GATED)},
      {"norm", cli_json_text(c->norm_kind == MT_NORM_RMS ? "RMS" : "layer")},
      {"encoder_head_width", cli_json_size(c->d_head[MT_STACK_ENCODER])},
      {"decoder_head_width", cli_json_size(c->d_head[MT_STACK_DECODER])},
      {"pre_norm", json_object_new_boolean(c->normalize_before)},
      {"scale_embedding", json_object_new_boolean(c->scale_embedding)},
      {"normalize_embedding", json_object_new_boolean(c->normalize_embedding)},
      {"final_layer_norm", json_object_new_boolean(c->add_final_layer_norm)},
      {"share_embeddings", json_object_new_boolean(c->share_embeddings)},
      {"tie_word_embeddings", json_object_new_boolean(c->tie_word_embeddings)},
      {"pad_id", json_object_new_int(c->pad_id)}, {"eos_id", json_object_new_int(c->eos_id)},
      {"bos_id", json_object_new_int(c->bos_id)}, {"unk_id", json_object_new_int(c->unk_id)},
      {"decoder_start_id", json_object_new_int(c->decoder_start_id)},
      {"forced_bos_id", json_object_new_int(c->forced_bos_id)},
      {"forced_eos_id", json_object_new_int(c->forced_eos_id)},
      {"num_beams", cli_json_size(c->num_beams)}, {"min_length", cli_json_size(c->min_length)},
      {"max_length", cli_json_size(c->max_length)},
      {"length_penalty", regard_json_float(c->length_penalty)},
      {"early_stopping", cli_json_text(stopping_names[c->early_stopping])},
      {"bad_words", cli_json_size(c->n_bad_words)});
  describe_generation(o, c);
  return o;
}

static gsize
tensor_values(const mt_tensor_info *tensor)
{
  gsize n = 1;
  for (gsize i = 0; i < tensor->n_dims; i++)
    n *= tensor->shape[i];
  return n;
}

static json_object *
describe_tensors(const mt_model *model)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_model_n_tensors(model); i++) {
    const mt_tensor_info *tensor = mt_model_tensor(model, i);
    json_object *item = json_object_new_object(), *shape = json_object_new_array();
    for (gsize k = 0; k < tensor->n_dims; k++)
      json_object_array_add(shape, cli_json_size(tensor->shape[k]));
    regard_json_add(item, {"name", cli_json_text(tensor->name)},
                    {"dtype", cli_json_text(tensor->dtype)}, {"shape", shape},
                    {"file", cli_json_text(tensor->file)});
    json_object_array_add(array, item);
  }
  return array;
}

static gsize
count_languages(const mt_model *model, mt_stack side)
{
  return side == MT_STACK_ENCODER ? mt_model_n_source_languages(model)
                                  : mt_model_n_languages(model);
}

static const char *
language_at(const mt_model *model, mt_stack side, gsize i)
{
  return side == MT_STACK_ENCODER ? mt_model_source_language(model, i)
                                  : mt_model_language(model, i);
}

static json_object *
describe_languages(const mt_model *model, mt_stack side)
{
  const gsize n = count_languages(model, side);
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < n; i++)
    json_object_array_add(array, cli_json_text(language_at(model, side, i)));
  return array;
}

/* The one that is taken where nobody says another; NULL: there is none. */
static json_object *
describe_own_language(const mt_model *model, mt_stack side)
{
  const int own = mt_model_own_language(model, side);
  return own >= 0 ? cli_json_text(language_at(model, side, (gsize) own)) : NULL;
}

static void
append_languages(GString *out, const mt_model *model, mt_stack side)
{
  const gsize n = count_languages(model, side);
  const int own = mt_model_own_language(model, side);
  if (n > 0)
    g_string_append_printf(out, "\n%s languages: %zu\n",
                           side == MT_STACK_ENCODER ? "Source" : "Target", n);
  for (gsize i = 0; i < n; i++) {
    g_autofree char *name = regard_language_name(language_at(model, side, i));
    g_string_append_printf(out, "  %-10s  %s%s\n", language_at(model, side, i), name,
                           (int) i == own ? " (the model's own)" : "");
  }
}

/* Each with what it asks for as inspect says it of the model. */
static json_object *
describe_tasks(const mt_model *model)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_model_n_tasks(model); i++) {
    const mt_task *task = mt_model_task(model, i);
    const mt_config *c = task->settings;
    json_object *o =
        regard_json_object({"name", cli_json_text(task->name)},
                           {"prefix", cli_json_text(task->prefix)},
                           {"num_beams", cli_json_size(c->num_beams)},
                           {"min_length", cli_json_size(c->min_length)},
                           {"max_length", cli_json_size(c->max_length)},
                           {"length_penalty", regard_json_float(c->length_penalty)},
                           {"early_stopping", cli_json_text(stopping_names[c->early_stopping])},
                           {"bad_words", cli_json_size(c->n_bad_words)});
    describe_generation(o, c);
    json_object_array_add(array, o);
  }
  return array;
}

static void
append_tasks(GString *out, const mt_model *model)
{
  gsize n = mt_model_n_tasks(model);
  if (n > 0)
    g_string_append_printf(out, "\nTasks: %zu\n", n);
  for (gsize i = 0; i < n; i++) {
    const mt_task *task = mt_model_task(model, i);
    g_string_append_printf(out, "  %-22s  %s%s%s\n", task->name, *task->prefix ? "\"" : "",
                           *task->prefix ? task->prefix : "no words before the text",
                           *task->prefix ? "\"" : "");
  }
}

static gboolean
put_model_json(const CliCommand *command, const mt_model *model)
{
  json_object *object =
      regard_json_object({"directory", cli_json_text(mt_model_directory(model))},
                         {"name", cli_json_text(mt_model_name(model))},
                         {"format", cli_json_text(mt_model_format(model))},
                         {"multiplied_out", cli_json_text(mt_model_multiplied_out(model))},
                         {"parameters", cli_json_size(mt_model_n_parameters(model))},
                         {"file_bytes", cli_json_size(mt_model_file_bytes(model))},
                         {"configuration", describe_config(mt_model_config(model))},
                         {"source_languages", describe_languages(model, MT_STACK_ENCODER)},
                         {"languages", describe_languages(model, MT_STACK_DECODER)},
                         {"own_source_language", describe_own_language(model, MT_STACK_ENCODER)},
                         {"own_language", describe_own_language(model, MT_STACK_DECODER)});
  if (mt_model_n_tasks(model) > 0)
    json_object_object_add(object, "tasks", describe_tasks(model));
  regard_json_add(object, {"tensors", describe_tensors(model)},
                  {"engine", regard_engine_info_json()});
  return cli_json_put(command, object, TRUE);
}

static gboolean
put_model(const CliCommand *command, const mt_model *model)
{
  g_autoptr(GString) out = g_string_new(NULL);
  json_object *config = describe_config(mt_model_config(model));
  const char *type = mt_model_multiplied_out(model);
  g_string_append_printf(out,
                         "directory            %s\nname                 %s\n"
                         "format               %s%s%s%s\n"
                         "parameters           %zu\nbytes of weights     %zu\n\nConfiguration\n",
                         mt_model_directory(model), mt_model_name(model), mt_model_format(model),
                         type ? " (" : "", type ? type : "", type ? ", multiplied out)" : "",
                         mt_model_n_parameters(model), mt_model_file_bytes(model));
  json_object_object_foreach(config, key, value)
  {
    const char *text = value ? json_object_get_string(value) : "";
    g_string_append_printf(out, "  %-19s  %s\n", key, *text ? text : "not said");
  }
  json_object_put(config);

  for (int side = 0; side < MT_N_STACKS; side++)
    append_languages(out, model, (mt_stack) side);
  append_tasks(out, model);

  gsize n_tensors = mt_model_n_tensors(model);
  int width = 4;
  for (gsize i = 0; i < n_tensors; i++)
    width = MAX(width, (int) g_utf8_strlen(mt_model_tensor(model, i)->name, -1));
  g_string_append_printf(out, "\nTensors: %zu\n  %-*s  %-5s  %-14s  %10s  %s\n", n_tensors, width,
                         "name", "type", "shape", "values", "file");
  for (gsize i = 0; i < n_tensors; i++) {
    const mt_tensor_info *tensor = mt_model_tensor(model, i);
    g_autoptr(GString) shape = g_string_new(NULL);
    for (gsize k = 0; k < tensor->n_dims; k++)
      g_string_append_printf(shape, "%s%zu", k ? " × " : "", tensor->shape[k]);
    /* Columns are counted in characters; printf counts bytes, and × has two. */
    int pad = 14 + (int) shape->len - (int) g_utf8_strlen(shape->str, -1);
    g_string_append_printf(out, "  %-*s  %-5s  %-*s  %10zu  %s\n", width, tensor->name,
                           tensor->dtype, pad, shape->str, tensor_values(tensor), tensor->file);
  }
  return cli_put(command, out->str, out->len);
}

/* ---- A session ------------------------------------------------------------------------------- */

static const char *const capture_names[REGARD_SESSION_N_CAPTURES] = {
    [REGARD_SESSION_CAPTURE] = "capture",
    [REGARD_SESSION_A] = "a",
    [REGARD_SESSION_B] = "b",
    [REGARD_SESSION_FILE] = "file",
};

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

/* The capture that was looked at. NULL has been reported. */
static mt_capture *
read_session_capture(const CliCommand *command, const char *path)
{
  g_autoptr(RegardSession) session = read_session(command, path);
  mt_capture *capture = session ? regard_session_take_shown(session) : NULL;
  if (session && !capture)
    cli_complain(command, "%s: expected a session with a capture, found one without.", path);
  return capture;
}

/* "": it was not asked for. */
static json_object *
describe_code(const char *language)
{
  return *language ? cli_json_text(language) : NULL;
}

static json_object *
describe_state(const RegardSnapshot *state, const RegardModelIdentity *model)
{
  json_object *o = json_object_new_object(), *given = json_object_new_object();
  GHashTableIter iter;
  gpointer sentence, translation;
  regard_json_add(o, {"text", cli_json_text(state->text)},
                  {"model", model ? regard_model_identity_write(model) : NULL},
                  {"precision", cli_json_precision(state->precision)},
                  {"source_language", describe_code(state->search.source_language)},
                  {"language", describe_code(state->search.language)});
  if (*state->search.task)
    json_object_object_add(o, "task", cli_json_text(state->search.task));
  if (state->search.has_task_prefix)
    json_object_object_add(o, "task_prefix", cli_json_text(state->search.task_prefix));
  regard_json_add(o, {"changes", regard_interventions_json(state->search.interventions)},
                  {"kind", cli_json_text(regard_kind_id(state->place.kind))},
                  {"layer", cli_json_size(state->place.layer + 1)},
                  {"head", cli_json_size(state->place.head + 1)});
  if (state->given) {
    g_hash_table_iter_init(&iter, state->given);
    while (g_hash_table_iter_next(&iter, &sentence, &translation))
      json_object_object_add(given, sentence, cli_json_text(translation));
  }
  regard_json_add(o, {"translations", given},
                  {"constrained",
                   cli_json_size(state->constraints ? g_hash_table_size(state->constraints) : 0)});
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
      regard_json_add(item, {"source", source ? cli_json_text(mt_tokens_text(source)) : NULL},
                      {"output", output ? cli_json_text(mt_tokens_text(output)) : NULL},
                      {"changes", regard_interventions_json(mt_capture_interventions(capture))});
    }
    json_object_object_add(o, capture_names[i], item);
  }
  return o;
}

static gboolean
put_session_json(const CliCommand *command, const char *path, const RegardSession *session)
{
  json_object *object = describe_state(session->state, session->model);
  g_autofree char *file = g_path_get_basename(path);
  regard_json_add(object, {"file", cli_json_text(file)},
                  {"program", cli_json_text(session->program)},
                  {"reference", session->reference
                                    ? describe_state(session->reference, session->other_model)
                                    : NULL},
                  {"look", regard_view_state_write(&session->look)},
                  {"captures", describe_captures(session)});
  return cli_json_put(command, object, TRUE);
}

static void
append_state(GString *out, const RegardSnapshot *state, const RegardModelIdentity *model)
{
  g_autofree char *text = regard_visible(state->text);
  g_auto(GStrv) interventions =
      g_strsplit(mt_interventions_text(state->search.interventions), "\n", -1);
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
  if (*state->search.source_language)
    g_string_append_printf(out, "  source language     %s\n", state->search.source_language);
  if (*state->search.language)
    g_string_append_printf(out, "  language            %s\n", state->search.language);
  if (*state->search.task)
    g_string_append_printf(out, "  task                %s\n", state->search.task);
  if (state->search.has_task_prefix)
    g_string_append_printf(out, "  before the text     \"%s\"\n", state->search.task_prefix);
  for (char **change = interventions; *change; change++)
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
put_session(const CliCommand *command, const char *path, const RegardSession *session)
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

/* ---- A capture ------------------------------------------------------------------------------- */

static const char *const namings[] = {"translation", "sequences", "tokens"};

mt_capture *
cli_capture_read(const CliCommand *command, const char *path)
{
  mt_error error = {0};
  if (regard_session_has_ending(path))
    return read_session_capture(command, path);
  mt_capture *capture = mt_capture_read_npz(path, NULL, &error);
  if (!capture)
    cli_complain(command, "%s", error.message);
  return capture;
}

static json_object *
describe_kind(const mt_capture *capture, mt_attention_kind kind)
{
  json_object *o = json_object_new_object();
  mt_matrix first = mt_capture_weights(capture, kind, 0, 0);
  mt_weight_range range = mt_capture_weight_range(capture, kind);
  regard_json_add(o, {"kind", cli_json_text(regard_kind_id(kind))},
                  {"layers", cli_json_size(mt_capture_n_layers(capture, kind))},
                  {"heads", cli_json_size(mt_capture_n_heads(capture, kind))});
  if (mt_capture_is_part(capture, kind))
    regard_json_add(o, {"first_layer", cli_json_size(mt_capture_first_layer(capture, kind) + 1)},
                    {"first_head", cli_json_size(mt_capture_first_head(capture, kind) + 1)});
  regard_json_add(o, {"rows", cli_json_size(first.rows)}, {"columns", cli_json_size(first.cols)},
                  {"least_row_sum", regard_json_float((float) range.least_sum)},
                  {"largest_row_sum", regard_json_float((float) range.largest_sum)},
                  {"least_weight", regard_json_float(range.least)},
                  {"largest_weight", regard_json_float(range.largest)},
                  {"attention_window", cli_json_size(mt_capture_mask(capture, kind, 0, 0).window)});
  return o;
}

static json_object *
describe_tokens(const mt_tokens *tokens)
{
  if (!tokens)
    return NULL;
  return regard_json_object({"text", cli_json_text(mt_tokens_text(tokens))},
                            {"tokens", cli_json_pieces(tokens)});
}

/* The lists that are known, by their names in the file. */
static void
get_lists(const mt_capture *capture, const mt_tokens *lists[3])
{
  lists[0] = mt_capture_source(capture);
  lists[1] = mt_capture_has_decoder_input(capture) ? mt_capture_decoder_input(capture) : NULL;
  lists[2] = mt_capture_has_output(capture) ? mt_capture_output(capture) : NULL;
}
static const char *const list_names[] = {"source", "decoder_input", "output"};

static gboolean
put_capture_json(const CliCommand *command, const mt_capture *capture)
{
  const char *model = mt_capture_model_name(capture);
  const mt_tokens *lists[3];
  get_lists(capture, lists);
  json_object *object = json_object_new_object(), *kinds = json_object_new_array();
  regard_json_add(object, {"file", cli_json_text(mt_capture_file_name(capture))},
                  {"model", cli_json_text(*model ? model : NULL)},
                  {"attention_precision", cli_json_precision(mt_capture_precision(capture))},
                  {"translation_precision",
                   cli_json_precision(mt_capture_translation_precision(capture))},
                  {"changes", regard_interventions_json(mt_capture_interventions(capture))},
                  {"naming", cli_json_text(namings[mt_capture_naming(capture)])});
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k))
      json_object_array_add(kinds, describe_kind(capture, k));
  json_object_object_add(object, "attentions", kinds);
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    json_object_object_add(object, list_names[i], describe_tokens(lists[i]));
  gboolean positions[MT_N_STACKS];
  for (mt_stack s = 0; s < MT_N_STACKS; s++)
    positions[s] = mt_capture_positions(capture, s).data != NULL;
  regard_json_add(object,
                  {"encoder_positions", json_object_new_boolean(positions[MT_STACK_ENCODER])},
                  {"decoder_positions", json_object_new_boolean(positions[MT_STACK_DECODER])},
                  {"scores", json_object_new_boolean(mt_capture_has_scores(capture))},
                  {"logprobs", json_object_new_boolean(mt_capture_logprobs(capture) != NULL)});
  return cli_json_put(command, object, TRUE);
}

static void
append_kind(GString *out, const mt_capture *capture, mt_attention_kind kind)
{
  mt_matrix first = mt_capture_weights(capture, kind, 0, 0);
  mt_weight_range range = mt_capture_weight_range(capture, kind);
  g_string_append_printf(out, "\n%s\n", regard_naming_kind(capture, kind));
  g_string_append_printf(out, "  layers × heads      %zu × %zu\n",
                         mt_capture_n_layers(capture, kind), mt_capture_n_heads(capture, kind));
  if (mt_capture_is_part(capture, kind)) {
    gsize layer = mt_capture_first_layer(capture, kind),
          head = mt_capture_first_head(capture, kind),
          n_layers = mt_capture_n_layers(capture, kind),
          n_heads = mt_capture_n_heads(capture, kind);
    g_string_append_printf(out, "  of the model        layer%s %zu", n_layers > 1 ? "s" : "",
                           layer + 1);
    if (n_layers > 1)
      g_string_append_printf(out, "–%zu", layer + n_layers);
    g_string_append_printf(out, ", head%s %zu", n_heads > 1 ? "s" : "", head + 1);
    if (n_heads > 1)
      g_string_append_printf(out, "–%zu", head + n_heads);
    g_string_append_c(out, '\n');
  }
  g_string_append_printf(out, "  rows × columns      %zu × %zu\n", first.rows, first.cols);
  g_string_append_printf(out, "  weights             %.4g to %.4g\n", (double) range.least,
                         (double) range.largest);
  g_string_append_printf(out, "  rows sum to         %.4f to %.4f\n", range.least_sum,
                         range.largest_sum);
  gsize window = mt_capture_mask(capture, kind, 0, 0).window;
  if (window > 0)
    g_string_append_printf(out, "  sees to each side   %zu tokens\n", window);
}

static gboolean
put_capture(const CliCommand *command, const mt_capture *capture)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autofree char *origin = regard_naming_origin(capture);
  const mt_tokens *lists[3];
  get_lists(capture, lists);
  g_autofree char *precisions = regard_naming_precisions(capture);
  g_autofree char *interventions = regard_naming_interventions(capture);
  g_string_append_printf(out, "%s\n", origin);
  if (precisions)
    g_string_append_printf(out, "precision: %s\n", precisions);
  if (interventions)
    g_string_append_printf(out, "changed in the model: %s\n", interventions);
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k))
      append_kind(out, capture, k);
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
    if (!lists[i])
      continue;
    g_string_append_printf(out, "\n%s: %zu tokens\n ", list_names[i], mt_tokens_count(lists[i]));
    for (gsize t = 0; t < mt_tokens_count(lists[i]); t++) {
      g_autofree char *shown = regard_visible(mt_tokens_get(lists[i], t)->piece);
      g_string_append_printf(out, " %s", shown);
    }
    g_string_append_c(out, '\n');
  }
  return cli_put(command, out->str, out->len);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct {
  CliAnalysis base;
  gboolean json;
} Inspect;

#define AT(member) offsetof(Inspect, member)
static const Inspect defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model_only),
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print one JSON object"},
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  Inspect *self = user;
  CliAnalysis *base = &self->base;
  const guint n = base->arguments->len + (base->options.model != NULL);
  if (n > 1)
    return cli_usage(base->command, "one model directory wanted, found %u", n);
  base->needs_no_model = base->text && (regard_session_has_ending(base->text) ||
                                        regard_capture_file_recognises(base->text));
  if (base->text && !base->needs_no_model)
    base->options.model = base->text;
  return CLI_DONE;
}

static CliStatus
inspect_file(const Inspect *self)
{
  const CliCommand *command = self->base.command;
  const char *path = self->base.text;
  gboolean written = FALSE;
  if (regard_session_has_ending(path)) {
    g_autoptr(RegardSession) session = read_session(command, path);
    if (session)
      written = (self->json ? put_session_json : put_session)(command, path, session);
  } else {
    g_autoptr(mt_capture) capture = cli_capture_read(command, path);
    if (capture)
      written = (self->json ? put_capture_json : put_capture)(command, capture);
  }
  return written ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print(gpointer user)
{
  const Inspect *self = user;
  if (self->base.needs_no_model)
    return inspect_file(self);
  return (self->json ? put_model_json : put_model)(self->base.command, self->base.engine.model)
             ? CLI_DONE
             : CLI_FAILED;
}

static const CliAnalysisSteps steps = {
    .check = check,
    .opens_model_only = TRUE,
    .print = print,
};

const CliCommand cli_inspect = {
    .name = "inspect",
    .summary = "Show what is in a model, a capture, or a session",
    .arguments = "[DIR | FILE.npz | FILE.regard]",
    .details =
        "Opens the model DIR (a folder, a zip archive or a name, as for --model; the bundled\n"
        "model if none is given) and prints its configuration, the number of parameters (a\n"
        "shared matrix counts once), the bytes and the format of its weight files, the languages\n"
        "of a model that has several, its tasks with their prefixes (with --json also their\n"
        "settings), and the tensors in the order of the files; with\n"
        "--json also the engine: its version, and the kernels and the OpenBLAS that run here.\n"
        "\n"
        "Of a capture FILE.npz, whatever program wrote it, it prints the kinds of attention\n"
        "with their layers, heads and sizes, the range of the weights, what the rows sum\n"
        "to, and the tokens.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

/* ==== regard-cli models ======================================================================= */

/* One name that is longer moves its own row only. */
#define MOST_WIDTH 36u

static const char *const places[] = {"bundled", "bundled", "recent", "found"};

/* Paths of the models opened lately in the window; NULL where it is not installed. */
static char **
recent_models(void)
{
  g_autoptr(GSettings) settings = regard_settings_new_if_there();
  return settings ? g_settings_get_strv(settings, "recent-models") : NULL;
}

char *
cli_models_resolve(const char *argument)
{
  /* Settings are asked for only where a name is looked up. */
  gboolean is_name = !strchr(argument, '/') && !g_file_test(argument, G_FILE_TEST_EXISTS);
  g_auto(GStrv) recent = is_name ? recent_models() : NULL;
  return regard_model_list_resolve(argument, (const char *const *) recent);
}

/* ---- The table ----------------------------------------------------------------------------- */

enum { NAME, LANGUAGES, SIZE, MEMORY, LICENCE, FORMAT, WHERE, N_COLUMNS };

static gboolean
is_bundled(const RegardModelInfo *info)
{
  return info->place == REGARD_MODEL_BUNDLED || info->place == REGARD_MODEL_TEACHING;
}

static char *
say_bytes(guint64 bytes)
{
  return bytes ? g_format_size(bytes) : g_strdup("");
}

static char *
cell(const RegardModelInfo *info, guint column)
{
  switch (column) {
  case NAME:
    return g_strdup(info->name);
  case LANGUAGES:
    return g_strdup(info->languages ? info->languages : "");
  case SIZE:
    return say_bytes(info->bytes);
  case MEMORY:
    return say_bytes(regard_model_info_memory(info, MT_PRECISION_STORED));
  case LICENCE:
    return g_strdup(info->licence ? info->licence : "");
  case FORMAT:
    return g_strdup(info->format ? info->format : "");
  default:
    return is_bundled(info) ? g_strdup("bundled") : regard_paths_shorten(info->path);
  }
}

static void
append_row(GString *out, char *const *cells, const guint *widths)
{
  for (guint c = 0; c < N_COLUMNS; c++) {
    g_string_append(out, cells[c]);
    /* Characters, not bytes: → has three. */
    glong pad = (glong) widths[c] - g_utf8_strlen(cells[c], -1);
    for (glong i = 0; c + 1 < N_COLUMNS && i < pad + 2; i++)
      g_string_append_c(out, ' ');
  }
  while (out->len && out->str[out->len - 1] == ' ')
    g_string_truncate(out, out->len - 1);
  g_string_append_c(out, '\n');
}

static gboolean
put_plain(const CliCommand *command, GPtrArray *infos, guint n_left_out)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify) g_strfreev);
  static char *const titles[] = {"NAME",    "LANGUAGES", "SIZE", "MEMORY",
                                 "LICENCE", "FORMAT",    "WHERE"};
  guint widths[N_COLUMNS];
  for (guint c = 0; c < N_COLUMNS; c++)
    widths[c] = (guint) strlen(titles[c]);
  for (guint i = 0; i < infos->len; i++) {
    char **cells = g_new0(char *, N_COLUMNS + 1);
    for (guint c = 0; c < N_COLUMNS; c++) {
      g_autofree char *text = cell(infos->pdata[i], c);
      cells[c] =
          regard_visible(text); /* a table is read line by line, whatever a folder is called */
      widths[c] = MAX(widths[c], MIN((guint) g_utf8_strlen(cells[c], -1), MOST_WIDTH));
    }
    g_ptr_array_add(rows, cells);
  }
  append_row(out, titles, widths);
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    append_row(out, rows->pdata[i], widths);
    if (info->problem)
      g_string_append_printf(out, "  cannot be opened: %s\n", info->problem);
  }
  if (n_left_out)
    g_string_append_printf(out, "… and %u more\n", n_left_out);
  /* Bundled ones come first. */
  if (infos->len == 0 || is_bundled(infos->pdata[infos->len - 1])) {
    g_auto(GStrv) folders = regard_model_list_folders();
    g_string_append(out, "\nOther models are looked for in\n");
    for (guint i = 0; folders[i]; i++) {
      g_autofree char *shown = regard_paths_shorten(folders[i]);
      g_string_append_printf(out, "  %s\n", shown);
    }
    g_autofree char *cache = regard_hub_cache_folder();
    g_autofree char *shown_cache = regard_paths_shorten(cache);
    g_string_append_printf(out, "  %s (downloads of the Hugging Face Hub)\n", shown_cache);
  }
  return cli_put(command, out->str, out->len);
}

/* What it takes in memory; NULL: nobody knows. */
static json_object *
json_bytes(const RegardModelInfo *info, mt_precision precision)
{
  const guint64 bytes = regard_model_info_memory(info, precision);
  return bytes ? cli_json_size(bytes) : NULL;
}

static gboolean
put_json(const CliCommand *command, GPtrArray *infos)
{
  json_object *object = json_object_new_object(), *models = json_object_new_array(),
              *looked_in = json_object_new_array();
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    json_object_array_add(
        models, regard_json_object({"name", cli_json_text(info->name)},
                                   {"languages", cli_json_text(info->languages)},
                                   {"source_lang", cli_json_text(info->source)},
                                   {"target_lang", cli_json_text(info->target)},
                                   {"bytes", info->bytes ? cli_json_size(info->bytes) : NULL},
                                   {"dtype", cli_json_text(info->dtype)},
                                   {"memory", json_bytes(info, MT_PRECISION_STORED)},
                                   {"memory_int8_all", json_bytes(info, MT_PRECISION_INT8_ALL)},
                                   {"licence", cli_json_text(info->licence)},
                                   {"format", cli_json_text(info->format)},
                                   {"place", cli_json_text(places[info->place])},
                                   {"path", cli_json_text(info->path)},
                                   {"problem", cli_json_text(info->problem)}));
  }
  g_auto(GStrv) folders = regard_model_list_folders();
  for (guint i = 0; folders[i]; i++)
    json_object_array_add(looked_in, cli_json_text(folders[i]));
  g_autofree char *cache = regard_hub_cache_folder();
  json_object_array_add(looked_in, cli_json_text(cache));
  regard_json_add(object, {"models", models}, {"folders", looked_in});
  return cli_json_put(command, object, TRUE);
}

static const CliOption models_options[] = {
    {CLI_OPTION_FLAG, "json", 0, 0, NULL, "Print one JSON object"},
    CLI_OPTIONS_END,
};

static CliStatus
run(const CliCommand *command, gpointer self, GPtrArray *arguments)
{
  const gboolean *json = self;
  guint n_left_out = 0;
  if (arguments->len)
    return cli_usage(command, "no argument wanted, found '%s'", (const char *) arguments->pdata[0]);
  g_auto(GStrv) recent = recent_models();
  g_autoptr(GPtrArray) infos =
      regard_model_list_scan((const char *const *) recent, NULL, &n_left_out);
  gboolean written = *json ? put_json(command, infos) : put_plain(command, infos, n_left_out);
  return written ? CLI_DONE : CLI_FAILED;
}

const CliCommand cli_models = {
    .name = "models",
    .summary = "List the models of this machine",
    .arguments = "",
    .details =
        "Lists the bundled model, those opened lately in the window, and those in\n"
        "regard/models below the user's and the system's data folders, among the packages of\n"
        "Argos Translate (ARGOS_PACKAGES_DIR) and in the download cache of the Hugging Face\n"
        "Hub (HF_HUB_CACHE, HF_HOME): name, languages, size, about how much memory it takes with\n"
        "--precision stored, licence where a card states it, format and place, and what keeps one\n"
        "from being opened. JSON has the memory with int8-all, too, and in what numbers the "
        "weights\n"
        "are. Nothing is opened for that.\n"
        "--model takes a name of this list.\n",
    .options = models_options,
    .size = sizeof(gboolean),
    .run = run,
};
