/* cli-foreign.c — captures that come from a file instead of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-foreign.h"

#include "cli/cli-json.h"
#include "cli/cli-session.h"
#include "document/regard-capture-file.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"
#include "figures/regard-visible.h"

#include <math.h>

static const char *const namings[] = {"translation", "sequences", "tokens"};

gboolean
cli_foreign_is_capture(const char *path)
{
  return regard_capture_file_recognises(path);
}

mt_capture *
cli_foreign_read(const CliCommand *command, const char *path)
{
  mt_error error = {0};
  if (cli_session_is_session(path))
    return cli_session_read_capture(command, path);
  mt_capture *capture = mt_capture_read_npz(path, NULL, &error);
  if (!capture)
    cli_complain(command, "%s", error.message);
  return capture;
}

/* ---- inspect ------------------------------------------------------------------------------- */

static json_object *
describe_kind(const mt_capture *capture, mt_attention_kind kind)
{
  json_object *o = json_object_new_object();
  mt_matrix first = mt_capture_weights(capture, kind, 0, 0);
  mt_weight_range range = mt_capture_weight_range(capture, kind);
  json_object_object_add(o, "kind", cli_json_text(regard_kind_id(kind)));
  json_object_object_add(o, "layers", cli_json_size(mt_capture_n_layers(capture, kind)));
  json_object_object_add(o, "heads", cli_json_size(mt_capture_n_heads(capture, kind)));
  if (mt_capture_is_part(capture, kind)) {
    json_object_object_add(o, "first_layer",
                           cli_json_size(mt_capture_first_layer(capture, kind) + 1));
    json_object_object_add(o, "first_head",
                           cli_json_size(mt_capture_first_head(capture, kind) + 1));
  }
  json_object_object_add(o, "rows", cli_json_size(first.rows));
  json_object_object_add(o, "columns", cli_json_size(first.cols));
  json_object_object_add(o, "least_row_sum", cli_json_float((float) range.least_sum));
  json_object_object_add(o, "largest_row_sum", cli_json_float((float) range.largest_sum));
  json_object_object_add(o, "least_weight", cli_json_float(range.least));
  json_object_object_add(o, "largest_weight", cli_json_float(range.largest));
  json_object_object_add(o, "attention_window",
                         cli_json_size(mt_capture_mask(capture, kind, 0, 0).window));
  return o;
}

static json_object *
describe_tokens(const mt_tokens *tokens)
{
  if (!tokens)
    return NULL;
  json_object *o = json_object_new_object();
  json_object_object_add(o, "text", cli_json_text(mt_tokens_text(tokens)));
  json_object_object_add(o, "tokens", cli_json_pieces(tokens));
  return o;
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
put_json(const CliCommand *command, const mt_capture *capture)
{
  const char *model = mt_capture_model_name(capture);
  const mt_tokens *lists[3];
  get_lists(capture, lists);
  json_object *object = json_object_new_object(), *kinds = json_object_new_array();
  json_object_object_add(object, "file", cli_json_text(mt_capture_file_name(capture)));
  json_object_object_add(object, "model", cli_json_text(*model ? model : NULL));
  json_object_object_add(object, "attention_precision",
                         cli_json_precision(mt_capture_precision(capture)));
  json_object_object_add(object, "translation_precision",
                         cli_json_precision(mt_capture_translation_precision(capture)));
  json_object_object_add(object, "changes", regard_changes_json(mt_capture_changes(capture)));
  json_object_object_add(object, "naming", cli_json_text(namings[mt_capture_naming(capture)]));
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k))
      json_object_array_add(kinds, describe_kind(capture, k));
  json_object_object_add(object, "attentions", kinds);
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    json_object_object_add(object, list_names[i], describe_tokens(lists[i]));
  gboolean positions[MT_N_STACKS];
  for (mt_stack s = 0; s < MT_N_STACKS; s++)
    positions[s] = mt_capture_positions(capture, s).data != NULL;
  json_object_object_add(object, "encoder_positions",
                         json_object_new_boolean(positions[MT_STACK_ENCODER]));
  json_object_object_add(object, "decoder_positions",
                         json_object_new_boolean(positions[MT_STACK_DECODER]));
  json_object_object_add(object, "scores", json_object_new_boolean(mt_capture_has_scores(capture)));
  json_object_object_add(object, "logprobs",
                         json_object_new_boolean(mt_capture_logprobs(capture) != NULL));
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
put_plain(const CliCommand *command, const mt_capture *capture)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autofree char *origin = regard_naming_origin(capture);
  const mt_tokens *lists[3];
  get_lists(capture, lists);
  g_autofree char *precisions = regard_naming_precisions(capture);
  g_autofree char *changes = regard_naming_changes(capture);
  g_string_append_printf(out, "%s\n", origin);
  if (precisions)
    g_string_append_printf(out, "precision: %s\n", precisions);
  if (changes)
    g_string_append_printf(out, "changed in the model: %s\n", changes);
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

CliStatus
cli_foreign_inspect(const CliCommand *command, const char *path, gboolean json)
{
  mt_capture *capture = cli_foreign_read(command, path);
  if (!capture)
    return CLI_FAILED;
  gboolean written = json ? put_json(command, capture) : put_plain(command, capture);
  mt_capture_unref(capture);
  return written ? CLI_DONE : CLI_FAILED;
}
