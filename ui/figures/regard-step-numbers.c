/* regard-step-numbers.c — the numbers of one step, and how they are written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* ---- Steps ----------------------------------------------------------------------------------- */

gboolean
step_row(const RegardSteps *steps, guint t, mt_step_row *row)
{
  if (t >= steps->n || steps->rows[t] < 0)
    return FALSE;
  *row = mt_steps_row(steps->steps, (gsize) steps->rows[t]);
  return TRUE;
}

const mt_step_node *
step_node(const RegardSteps *steps, guint t)
{
  return mt_steps_node(steps->steps, (gsize) steps->nodes[t]);
}

guint
step_n_ranked(const RegardSteps *steps, const mt_step_row *row)
{
  return (guint) MIN(row->n, mt_steps_top(steps->steps));
}

int
step_chosen(const RegardSteps *steps, guint t, const mt_step_row *row)
{
  const int32_t id = step_node(steps, t)->id;
  for (gsize i = 0; i < row->n; i++)
    if (row->options[i].id == id)
      return (int) i;
  return -1;
}

char *
step_dup_input(const RegardSteps *steps, guint t)
{
  /* What a decoder is given first is called so on every axis, whatever piece it is. */
  return t ? step_dup_output(steps, t - 1) : g_strdup("start");
}

char *
step_dup_output(const RegardSteps *steps, guint t)
{
  return regard_steps_dup_piece(steps, step_node(steps, t)->id);
}

double
step_entropy(const RegardSteps *steps, guint t)
{
  mt_step_row row;
  return step_row(steps, t, &row) ? (double) row.entropy / G_LN2 : NAN;
}

gsize
step_n_pieces(const RegardSteps *steps)
{
  return mt_model_config(steps->model)->vocab_size[MT_STACK_DECODER];
}

/* ---- Writing --------------------------------------------------------------------------------- */

const char *
regard_steps_percent(char *text, double probability)
{
  char number[32];
  const double percent = 100 * probability;
  /* What is rounded to nothing or to all is neither. */
  const char *bound = percent < 0.005                      ? "<0.01"
                      : percent >= 99.995 && percent < 100 ? ">99.99"
                                                           : NULL;
  g_snprintf(text, 32, "%s %%",
             bound ? bound : g_ascii_formatd(number, sizeof number, "%.2f", percent));
  return text;
}

const char *
regard_steps_rule_name(mt_rule rule)
{
  switch (rule) {
  case MT_RULE_PREFIX:
    return _("forced prefix");
  case MT_RULE_FORBIDDEN:
    return _("forbidden");
  case MT_RULE_BAD_WORD:
    return _("bad word");
  case MT_RULE_MIN_LENGTH:
    return _("too short");
  case MT_RULE_FORCED:
    return _("forced by model");
  case MT_RULE_REPETITION:
    return _("repetition");
  case MT_RULE_TERM:
    return _("terms missing");
  case MT_RULE_NONE:
    break;
  }
  return "";
}

/* ---- Attention ------------------------------------------------------------------------------- */

static int
compare_keys(gconstpointer a, gconstpointer b, gpointer user)
{
  const double *weights = user, x = weights[*(const guint *) a], y = weights[*(const guint *) b];
  return x != y ? (x < y) - (x > y) : (int) *(const guint *) a - (int) *(const guint *) b;
}

gboolean
step_attention_init(StepAttention *a, const RegardSteps *steps, const RegardStepsLook *look)
{
  const mt_capture *capture = steps->capture;
  *a = (StepAttention){0};
  if (!capture || look->kind == MT_ENCODER_SELF)
    return FALSE;
  const gsize n_heads = mt_capture_n_heads(capture, look->kind);
  if (look->layer >= mt_capture_n_layers(capture, look->kind) || n_heads == 0 ||
      look->head >= (int) n_heads)
    return FALSE;
  const mt_matrix first = mt_capture_weights(capture, look->kind, look->layer, 0);
  if (look->step >= first.rows)
    return FALSE;
  /* A query of the decoder sees what goes in up to itself. */
  a->n =
      look->kind == MT_DECODER_SELF ? MIN(look->step + 1, (guint) first.cols) : (guint) first.cols;
  a->mean = g_new0(double, a->n);
  a->head = look->head >= 0 ? g_new(double, a->n) : NULL;
  a->names = g_new0(char *, a->n + 1);
  a->order = g_new(guint, a->n);
  for (gsize h = 0; h < n_heads; h++) {
    const mt_matrix w = mt_capture_weights(capture, look->kind, look->layer, h);
    for (guint j = 0; j < a->n; j++) {
      a->mean[j] += (double) mt_matrix_at(&w, look->step, j) / (double) n_heads;
      if ((int) h == look->head)
        a->head[j] = mt_matrix_at(&w, look->step, j);
    }
  }
  const mt_tokens *keys = mt_capture_columns(capture, look->kind);
  for (guint j = 0; j < a->n; j++) {
    a->names[j] = regard_token_display(keys, j, look->kind == MT_DECODER_SELF && j == 0);
    a->order[j] = j;
  }
  g_qsort_with_data(a->order, (int) a->n, sizeof *a->order, compare_keys,
                    a->head ? a->head : a->mean);
  return TRUE;
}

void
step_attention_clear(StepAttention *a)
{
  g_free(a->head);
  g_free(a->mean);
  g_strfreev(a->names);
  g_free(a->order);
  *a = (StepAttention){0};
}

char *
step_attention_title(const RegardSteps *steps, const RegardStepsLook *look)
{
  const char *kind = regard_naming_kind(steps->capture, look->kind);
  return look->head >= 0
             ? g_strdup_printf(_("%s · layer %u · head %d"), kind, look->layer + 1, look->head + 1)
             : g_strdup_printf(_("%s · layer %u · mean of its heads"), kind, look->layer + 1);
}

char *
step_attention_place(const RegardStepsLook *look)
{
  const char *kind = look->kind == MT_CROSS ? C_("attention", "cross") : C_("attention", "decoder");
  return look->head >= 0
             ? g_strdup_printf(_("%s · layer %u · head %d"), kind, look->layer + 1, look->head + 1)
             : g_strdup_printf(_("%s · mean of layer %u"), kind, look->layer + 1);
}
