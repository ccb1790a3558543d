/* regard-step-words.c — what a place in the picture of one step says, and what of it is copied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-step-draw.h"

#include <glib/gi18n.h>
#include <math.h>

/* The option of a spot; FALSE: there is none. */
static gboolean
option_of(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot,
          mt_step_row *row, const mt_option **option)
{
  if (!step_row(steps, look->step, row) || spot->row < 0 || (gsize) spot->row >= row->n)
    return FALSE;
  *option = &row->options[spot->row];
  return TRUE;
}

static char *
describe_candidate(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot)
{
  mt_step_row row;
  const mt_option *o;
  char percent[32], logprob[32], after[32];
  if (!option_of(steps, look, spot, &row, &o))
    return NULL;
  const guint i = (guint) spot->row, n_ranked = step_n_ranked(steps, &row);
  const int chosen = step_chosen(steps, look->step, &row);
  GString *words = g_string_new(NULL);
  g_autofree char *piece = regard_steps_dup_piece(steps, o->id);
  g_string_append_printf(words, _("%s (id %d): %s"), piece, (int) o->id,
                         regard_steps_percent(percent, exp((double) o->logprob)));
  if (i < n_ranked)
    g_string_append_printf(words, _(", rank %u of %" G_GSIZE_FORMAT), i + 1, step_n_pieces(steps));
  else
    g_string_append_printf(words, _(", not among the %u likeliest"), n_ranked);
  g_string_append_printf(words, _("\nlog p %s"),
                         regard_figure_number(logprob, (double) o->logprob, 4));
  if (o->after != o->logprob)
    g_string_append_printf(words, _(", counted as %s"),
                           regard_figure_number(after, (double) o->after, 4));
  if (o->rule != MT_RULE_NONE)
    g_string_append_printf(words, _(": no choice (%s)"), regard_steps_rule_name(o->rule));
  if ((int) i == chosen)
    g_string_append(words, step_node(steps, look->step)->is_forced ? _("\nforced") : _("\nchosen"));
  else if (chosen >= 0) {
    char ratio[32];
    g_autofree char *other = regard_steps_dup_piece(steps, row.options[chosen].id);
    g_ascii_formatd(ratio, sizeof ratio, "%.3g",
                    exp((double) o->logprob - (double) row.options[chosen].logprob));
    g_string_append_printf(words, _("\n%s times as likely as %s, which was chosen"), ratio, other);
  }
  return g_string_free(words, FALSE);
}

static char *
describe_step(const RegardSteps *steps, guint t)
{
  mt_step_row row;
  char entropy[32], percent[32];
  const mt_step_node *node = step_node(steps, t);
  GString *words = g_string_new(NULL);
  g_autofree char *in = step_dup_input(steps, t), *out = step_dup_output(steps, t);
  g_string_append_printf(words, _("step %u: goes in %s, comes out %s\nprobability %s"), t + 1, in,
                         out, regard_steps_percent(percent, exp((double) node->logprob)));
  if (step_row(steps, t, &row)) {
    const guint rank = regard_steps_rank(steps, &row, node->id);
    if (rank)
      g_string_append_printf(words, _(", rank %u"), rank);
    g_string_append_printf(words, _(", entropy %s bit"),
                           regard_figure_number(entropy, step_entropy(steps, t), 3));
  }
  if (node->is_forced)
    g_string_append(words, _("\nforced"));
  return g_string_free(words, FALSE);
}

/* The head's number and the mean of a key, or of all that have no bar. */
static gboolean
weights_of(const RegardSteps *steps, const RegardStepsLook *look, int key, double *head,
           double *mean, char **name)
{
  StepAttention a;
  if (!step_attention_init(&a, steps, look))
    return FALSE;
  *head = a.head ? 0 : NAN;
  *mean = 0;
  *name = key >= 0 && (guint) key < a.n ? g_strdup(a.names[key]) : g_strdup(_("all others"));
  for (guint i = 0; i < a.n; i++)
    if (key < 0 ? i >= step_n_bars(look) : a.order[i] == (guint) key) {
      *head += a.head ? a.head[a.order[i]] : 0;
      *mean += a.mean[a.order[i]];
    }
  step_attention_clear(&a);
  return TRUE;
}

static char *
describe_token(const RegardSteps *steps, const RegardStepsLook *look, int key)
{
  double head, mean;
  char of_head[32], of_mean[32];
  g_autofree char *name = NULL, *title = step_attention_title(steps, look);
  if (!weights_of(steps, look, key, &head, &mean, &name))
    return NULL;
  regard_figure_number(of_mean, mean, 4);
  if (isnan(head))
    return g_strdup_printf(_("%s: %s\n%s"), name, of_mean, title);
  return g_strdup_printf(_("%s: %s, mean of the layer %s\n%s"), name,
                         regard_figure_number(of_head, head, 4), of_mean, title);
}

char *
step_describe(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot)
{
  switch ((RegardStepsSpot) spot->part) {
  case REGARD_STEPS_SPOT_CANDIDATE:
    return describe_candidate(steps, look, spot);
  case REGARD_STEPS_SPOT_STEP:
    return (guint) spot->col < steps->n ? describe_step(steps, (guint) spot->col) : NULL;
  case REGARD_STEPS_SPOT_TOKEN:
    return describe_token(steps, look, spot->col);
  }
  return NULL;
}

char *
step_copy(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot)
{
  mt_step_row row;
  const mt_option *o;
  double value = NAN, mean;
  g_autofree char *name = NULL;
  switch ((RegardStepsSpot) spot->part) {
  case REGARD_STEPS_SPOT_CANDIDATE:
    if (option_of(steps, look, spot, &row, &o))
      value = exp((double) o->logprob);
    break;
  case REGARD_STEPS_SPOT_STEP:
    value = (guint) spot->col < steps->n ? step_entropy(steps, (guint) spot->col) : NAN;
    break;
  case REGARD_STEPS_SPOT_TOKEN:
    if (weights_of(steps, look, spot->col, &value, &mean, &name) && isnan(value))
      value = mean;
    break;
  }
  return regard_exact_copy(value);
}
