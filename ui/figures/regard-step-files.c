/* regard-step-files.c — the numbers of one step, and of all of them, as matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <math.h>

enum { OPTIONS, STEPS, ALL_OPTIONS, ATTENTION };

static const char *const option_columns[] = {"id", "logprob", "after", "rule", "rank"};
static const char *const all_columns[] = {"step", "id", "logprob", "after", "rule", "rank"};
static const char *const step_columns[] = {"id", "logprob", "rank", "entropy_bits", "is_forced"};
static const char *const attention_rows[] = {"head", "mean"};

/* The matrix of rows that have names. Takes names and values. */
static RegardMatrix *
new_matrix(const RegardSteps *steps, const char *id, const char *title, const char *value_name,
           RegardAxis rows, RegardAxis cols, float *values)
{
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = value_name,
      .model_name = mt_model_name(steps->model),
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardAxis
names_axis(const char *const *names, guint n, const char *title)
{
  return regard_axis_texts(names, n, title);
}

static void
put_option(const RegardSteps *steps, const mt_step_row *row, guint i, float *values)
{
  const mt_option *o = &row->options[i];
  values[0] = (float) o->id; /* whole up to 2^24 */
  values[1] = o->logprob;
  values[2] = o->after;
  values[3] = (float) o->rule;
  values[4] = i < step_n_ranked(steps, row) ? (float) (i + 1) : 0;
}

/* Of step t, or of all with their steps. */
static RegardMatrix *
options_matrix(const RegardSteps *steps, guint t, gboolean all)
{
  const guint n_cols = all ? G_N_ELEMENTS(all_columns) : G_N_ELEMENTS(option_columns);
  const guint first = all ? 0 : t, end = all ? steps->n : t + 1;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(float));
  mt_step_row row;
  for (guint s = first; s < end; s++)
    for (guint i = 0; step_row(steps, s, &row) && i < row.n; i++) {
      float cells[1 + G_N_ELEMENTS(option_columns)] = {(float) (s + 1)};
      put_option(steps, &row, i, cells + 1);
      g_array_append_vals(values, cells + !all, n_cols);
      g_ptr_array_add(names, regard_steps_dup_piece(steps, row.options[i].id));
    }
  const guint n = names->len;
  g_autofree char *title =
      all ? g_strdup("Options of all steps") : g_strdup_printf("Options of step %u", t + 1);
  const float none = 0;
  if (n == 0)
    g_array_append_val(values, none);
  return new_matrix(steps, all ? "all_options" : "options", title, "value",
                    names_axis((const char *const *) names->pdata, n, "options"),
                    names_axis(all ? all_columns : option_columns, n_cols, "numbers"),
                    (float *) (void *) g_array_free(g_steal_pointer(&values), FALSE));
}

static RegardMatrix *
steps_matrix(const RegardSteps *steps)
{
  const guint n_cols = G_N_ELEMENTS(step_columns);
  g_auto(GStrv) names = g_new0(char *, steps->n + 1);
  float *values = g_new0(float, MAX((gsize) steps->n * n_cols, 1));
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = step_node(steps, t);
    float *row = values + (gsize) t * n_cols;
    mt_step_row options;
    names[t] = step_dup_output(steps, t);
    row[0] = (float) node->id;
    row[1] = node->logprob;
    row[2] =
        step_row(steps, t, &options) ? (float) regard_steps_rank(steps, &options, node->id) : 0;
    row[3] = (float) step_entropy(steps, t);
    row[4] = node->is_forced;
  }
  return new_matrix(steps, "steps", "Steps", "value",
                    names_axis((const char *const *) names, steps->n, "steps"),
                    names_axis(step_columns, n_cols, "numbers"), values);
}

static RegardMatrix *
attention_matrix(const RegardSteps *steps, const RegardStepsLook *look)
{
  StepAttention a;
  if (!step_attention_init(&a, steps, look))
    return NULL;
  const guint skipped = a.head ? 0 : 1, n_rows = 2 - skipped;
  float *values = g_new(float, MAX((gsize) n_rows * a.n, 1));
  for (guint j = 0; j < a.n; j++) {
    if (a.head)
      values[j] = (float) a.head[j];
    values[(gsize) (n_rows - 1) * a.n + j] = (float) a.mean[j];
  }
  g_autofree char *title = step_attention_title(steps, look);
  RegardMatrix *m = new_matrix(steps, "attention", title, "weight",
                               names_axis(attention_rows + skipped, n_rows, "of"),
                               names_axis((const char *const *) a.names, a.n, "keys"), values);
  step_attention_clear(&a);
  return m;
}

guint
step_n_matrices(const RegardSteps *steps, const RegardStepsLook *look)
{
  StepAttention a;
  if (!step_attention_init(&a, steps, look))
    return ATTENTION;
  step_attention_clear(&a);
  return ATTENTION + 1;
}

RegardMatrix *
step_matrix(const RegardSteps *steps, const RegardStepsLook *look, guint i)
{
  switch (i) {
  case OPTIONS:
  case ALL_OPTIONS:
    return options_matrix(steps, look->step, i == ALL_OPTIONS);
  case STEPS:
    return steps_matrix(steps);
  default:
    return attention_matrix(steps, look);
  }
}
