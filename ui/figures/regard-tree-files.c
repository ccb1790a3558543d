/* regard-tree-files.c — a search as numbers, as a document, and as a graph.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * {"program", "model", "source", "searches": [{"beam_size", "length_penalty", "top", "request":
 * what the model itself does not ask for (mt_request_to_json: settings, prefix, forbidden),
 * "changes", "precision", "hypotheses": [{"text", "score", "sum_logprob", "node", "forced",
 * "ids"}], "steps": [{"step", "rows": [{"node", "entropy",
 * "options":
 * [{"id", "piece", "logprob", "after", "rule"}]}], "nodes": [{"node", "parent", "id", "piece",
 * "held", "forced", "end", "cut", "rank", "logprob", "sum", "score", "fate", "end_step", "margin",
 * "result"}]}]}]}. Steps, ranks and results count from 1; nodes from 0 through all steps, and the
 * start is null.
 * Entropy is in nats. "after" is null where a rule took the token away.
 */
#include "figures/regard-tree-draw.h"

#include <json.h>
#include <math.h>
#include <string.h>

enum { NODES, ROWS, OPTIONS, N_MATRICES };

static const char *const node_columns[] = {"step",  "parent", "id",       "held",    "forced",
                                           "end",   "cut",    "rank",     "logprob", "sum",
                                           "score", "fate",   "end_step", "margin",  "result"};
static const char *const row_columns[] = {"step", "node", "entropy"};
static const char *const option_columns[] = {"row", "id", "rule", "logprob", "after"};

/* ---- Matrices ---------------------------------------------------------------------------------
 */

guint
tree_n_matrices(const TreeFigure *figure)
{
  return figure->n * N_MATRICES;
}

static RegardMatrix *
new_matrix(const RegardSteps *steps, const char *id, const char *title, guint n,
           const char *const *columns, guint n_columns, float *values)
{
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = "value",
      .model_name = mt_model_name(steps->model),
      .rows = regard_axis_numbers(n, title, REGARD_TICKS_DECIMAL),
      .cols = regard_axis_texts(columns, n_columns, "value"),
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardMatrix *
nodes_matrix(const RegardSteps *steps, const char *id)
{
  const guint n = (guint) mt_steps_n_nodes(steps->steps), width = G_N_ELEMENTS(node_columns);
  float *values = g_new(float, (gsize) n *width);

  for (guint i = 0; i < n; i++) {
    const mt_step_node *node = mt_steps_node(steps->steps, i);
    const float own[] = {(float) (node->step + 1),
                         (float) node->parent,
                         (float) node->id,
                         node->is_held,
                         node->is_forced,
                         node->is_end,
                         node->is_cut,
                         (float) (node->rank + 1),
                         node->logprob,
                         node->sum,
                         node->score,
                         (float) node->fate,
                         (float) (node->end_step + 1),
                         node->margin,
                         (float) (node->result + 1)};

    memcpy(values + (gsize) i * width, own, sizeof own);
  }
  return new_matrix(steps, id, "nodes", n, node_columns, width, values);
}

static RegardMatrix *
rows_matrix(const RegardSteps *steps, const char *id)
{
  const guint n = (guint) mt_steps_n_rows(steps->steps), width = G_N_ELEMENTS(row_columns);
  float *values = g_new(float, (gsize) n *width);

  for (guint i = 0; i < n; i++) {
    const mt_step_row row = mt_steps_row(steps->steps, i);
    const float own[] = {(float) (row.step + 1), (float) row.node, row.entropy};

    memcpy(values + (gsize) i * width, own, sizeof own);
  }
  return new_matrix(steps, id, "rows", n, row_columns, width, values);
}

static RegardMatrix *
options_matrix(const RegardSteps *steps, const char *id)
{
  const guint n_rows = (guint) mt_steps_n_rows(steps->steps), width = G_N_ELEMENTS(option_columns);
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(float));
  guint n = 0;

  for (guint i = 0; i < n_rows; i++) {
    const mt_step_row row = mt_steps_row(steps->steps, i);

    for (gsize k = 0; k < row.n; k++, n++) {
      const mt_option *o = &row.options[k];
      const float own[] = {(float) i, (float) o->id, (float) o->rule, o->logprob, o->after};

      g_array_append_vals(values, own, G_N_ELEMENTS(own));
    }
  }
  return new_matrix(steps, id, "options", n, option_columns, width,
                    g_memdup2(values->data, values->len * sizeof(float)));
}

RegardMatrix *
tree_matrix(const TreeFigure *figure, guint i)
{
  static const char *const ids[TREE_MOST][N_MATRICES] = {{"nodes", "rows", "options"},
                                                         {"nodes2", "rows2", "options2"}};
  const RegardSteps *steps = figure->layouts[i / N_MATRICES].steps;
  const char *id = ids[i / N_MATRICES][i % N_MATRICES];

  switch (i % N_MATRICES) {
  case NODES:
    return nodes_matrix(steps, id);
  case ROWS:
    return rows_matrix(steps, id);
  default:
    return options_matrix(steps, id);
  }
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void
put_text(json_object *object, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  json_object_object_add(object, name, json_object_new_string(valid));
}

/* With as many digits as it takes to read the same float back. */
static void
put_number(json_object *object, const char *name, float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  json_object_object_add(object, name,
                         *regard_exact_number(text, value)
                             ? json_object_new_double_s((double) value, text)
                             : NULL);
}

static void
put_whole(json_object *object, const char *name, gint64 value)
{
  json_object_object_add(object, name, json_object_new_int64(value));
}

static void
put_flag(json_object *object, const char *name, gboolean value)
{
  json_object_object_add(object, name, json_object_new_boolean(value));
}

/* null for what is not there. */
static void
put_index(json_object *object, const char *name, gint64 index)
{
  json_object_object_add(object, name, index < 0 ? NULL : json_object_new_int64(index));
}

static void
put_piece(const RegardSteps *steps, json_object *object, int32_t id)
{
  const char *piece = mt_model_piece(steps->model, MT_STACK_DECODER, id);

  put_whole(object, "id", id);
  put_text(object, "piece", piece ? piece : "");
}

static json_object *
json_row(const RegardSteps *steps, const mt_step_row *row)
{
  json_object *object = json_object_new_object(), *options = json_object_new_array();

  put_index(object, "node", row->node);
  put_number(object, "entropy", row->entropy);
  for (gsize i = 0; i < row->n; i++) {
    const mt_option *o = &row->options[i];
    json_object *option = json_object_new_object();

    put_piece(steps, option, o->id);
    put_number(option, "logprob", o->logprob);
    put_number(option, "after", o->after);
    put_text(option, "rule", mt_rule_name(o->rule));
    json_object_array_add(options, option);
  }
  json_object_object_add(object, "options", options);
  return object;
}

static json_object *
json_node(const RegardSteps *steps, gsize i)
{
  const mt_step_node *node = mt_steps_node(steps->steps, i);
  json_object *object = json_object_new_object();

  put_whole(object, "node", (gint64) i);
  put_index(object, "parent", node->parent);
  put_piece(steps, object, node->id);
  put_flag(object, "held", node->is_held);
  put_flag(object, "forced", node->is_forced);
  put_flag(object, "end", node->is_end);
  put_flag(object, "cut", node->is_cut);
  put_whole(object, "rank", (gint64) node->rank + 1);
  put_number(object, "logprob", node->logprob);
  put_number(object, "sum", node->sum);
  put_number(object, "score", node->score);
  put_text(object, "fate", mt_fate_name(node->fate));
  put_whole(object, "end_step", (gint64) node->end_step + 1);
  put_number(object, "margin", node->margin);
  put_index(object, "result", node->result < 0 ? -1 : node->result + 1);
  return object;
}

static json_object *
json_steps(const RegardSteps *steps)
{
  json_object *all = json_object_new_array();
  gsize row = 0, node = 0;

  for (gsize t = 0; t < mt_steps_count(steps->steps); t++) {
    json_object *step = json_object_new_object(), *rows = json_object_new_array(),
                *nodes = json_object_new_array();

    for (; row < mt_steps_n_rows(steps->steps); row++) {
      const mt_step_row at = mt_steps_row(steps->steps, row);

      if (at.step != t)
        break;
      json_object_array_add(rows, json_row(steps, &at));
    }
    for (; node < mt_steps_n_nodes(steps->steps) && mt_steps_node(steps->steps, node)->step == t;
         node++)
      json_object_array_add(nodes, json_node(steps, node));
    put_whole(step, "step", (gint64) t + 1);
    json_object_object_add(step, "rows", rows);
    json_object_object_add(step, "nodes", nodes);
    json_object_array_add(all, step);
  }
  return all;
}

static json_object *
json_hypotheses(const RegardSteps *steps)
{
  json_object *all = json_object_new_array();

  for (gsize i = 0; i < mt_translation_count(steps->translation); i++) {
    const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, i);
    json_object *object = json_object_new_object(), *ids = json_object_new_array();

    put_text(object, "text", h->text);
    put_number(object, "score", h->score);
    put_number(object, "sum_logprob", h->sum_logprob);
    put_index(object, "node", mt_steps_result(steps->steps, i));
    put_whole(object, "forced", (gint64) h->n_forced);
    for (gsize k = 0; k < mt_tokens_count(h->tokens); k++)
      json_object_array_add(ids, json_object_new_int(mt_tokens_get(h->tokens, k)->id));
    json_object_object_add(object, "ids", ids);
    json_object_array_add(all, object);
  }
  return all;
}

/* A line each, as in a request. */
static json_object *
json_changes(const mt_changes *changes)
{
  json_object *all = json_object_new_array();
  g_auto(GStrv) lines =
      g_strsplit(mt_changes_count(changes) ? mt_changes_text(changes) : "", "\n", -1);

  for (char **line = lines; *line; line++)
    if (**line)
      json_object_array_add(all, json_object_new_string(*line));
  return all;
}

/* null: there is no room for it. */
static json_object *
json_request(const RegardSteps *steps)
{
  char *text = mt_request_to_json(mt_translation_search(steps->translation), NULL);
  json_object *object = text ? json_tokener_parse(text) : NULL;

  mt_string_free(text);
  return object;
}

char *
tree_to_json(RegardFigure *figure)
{
  const TreeFigure *self = (const TreeFigure *) figure;
  json_object *root = json_object_new_object(), *searches = json_object_new_array();
  char *text;

  put_text(root, "program", "Regard " MT_VERSION);
  put_text(root, "model", mt_model_name(self->layouts[0].steps->model));
  put_text(root, "source",
           mt_tokens_text(mt_translation_source(self->layouts[0].steps->translation)));
  for (guint i = 0; i < self->n; i++) {
    const RegardSteps *steps = self->layouts[i].steps;
    json_object *search = json_object_new_object();

    put_whole(search, "beam_size", (gint64) mt_steps_beam_size(steps->steps));
    put_number(search, "length_penalty", mt_steps_length_penalty(steps->steps));
    put_whole(search, "top", (gint64) mt_steps_top(steps->steps));
    json_object_object_add(search, "request", json_request(steps));
    json_object_object_add(search, "changes",
                           json_changes(mt_translation_changes(steps->translation)));
    put_text(search, "precision", mt_precision_name(mt_translation_precision(steps->translation)));
    json_object_object_add(search, "hypotheses", json_hypotheses(steps));
    json_object_object_add(search, "steps", json_steps(steps));
    json_object_array_add(searches, search);
  }
  json_object_object_add(root, "searches", searches);
  text = g_strconcat(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                              JSON_C_TO_STRING_SPACED |
                                                              JSON_C_TO_STRING_NOSLASHESCAPE),
                     "\n", NULL);
  json_object_put(root);
  return text;
}

/* ---- Graphviz ---------------------------------------------------------------------------------
 */

/* A string of the language: quotes and backslashes are escaped, lines are none. */
static void
append_quoted(GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  g_string_append_c(out, '"');
  for (const char *p = valid; *p; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c(out, '\\');
    g_string_append_c(out, (guchar) *p < ' ' ? ' ' : *p);
  }
  g_string_append_c(out, '"');
}

static void
append_node(GString *out, const RegardSteps *steps, guint search, gsize i)
{
  const mt_step_node *node = mt_steps_node(steps->steps, i);
  g_autofree char *piece = regard_steps_dup_piece(steps, node->id);
  const gboolean is_dead = node->fate == MT_FATE_PRUNED || node->fate == MT_FATE_OUTDONE;
  const double p = exp((double) node->logprob);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf(out, "    s%u_%" G_GSIZE_FORMAT " [label=", search, i);
  append_quoted(out, piece);
  if (node->fate == MT_FATE_FINISHED) {
    g_autofree char *score = tree_dup_score(steps, node);

    g_string_append(out, ", xlabel=");
    append_quoted(out, score);
  }
  g_string_append_printf(out, ", fontcolor=\"%s\"%s];\n    s%u_", is_dead ? "#888888" : "#000000",
                         node->is_forced ? ", shape=underline" : "", search);
  if (node->parent < 0)
    g_string_append(out, "start");
  else
    g_string_append_printf(out, "%d", node->parent);
  g_string_append_printf(out, " -> s%u_%" G_GSIZE_FORMAT " [penwidth=%s", search, i,
                         g_ascii_formatd(number, sizeof number, "%.3f", 0.5 + 4 * p));
  g_string_append_printf(out, ", label=\"%s\", color=\"%s\"%s];\n",
                         g_ascii_formatd(number, sizeof number, "%.4f", p),
                         is_dead ? "#bbbbbb" : "#1a5fb4", node->is_held ? "" : ", style=dashed");
}

char *
tree_to_dot(RegardFigure *figure)
{
  const TreeFigure *self = (const TreeFigure *) figure;
  GString *out = g_string_new("digraph beams {\n  rankdir=LR;\n  node [shape=plaintext];\n"
                              "  edge [arrowhead=none];\n");

  for (guint i = 0; i < self->n; i++) {
    const RegardSteps *steps = self->layouts[i].steps;
    g_autofree char *settings = tree_dup_settings(steps);

    g_string_append_printf(out, "  subgraph cluster_%u {\n    label=", i);
    append_quoted(out, settings);
    g_string_append_printf(out, ";\n    s%u_start [shape=point];\n", i);
    for (gsize k = 0; k < mt_steps_n_nodes(steps->steps); k++)
      append_node(out, steps, i, k);
    g_string_append(out, "  }\n");
  }
  g_string_append(out, "}\n");
  return g_string_free(out, FALSE);
}
