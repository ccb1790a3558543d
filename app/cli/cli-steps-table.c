/* cli-steps-table.c — a search as text for people: steps, hypotheses, and what became of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-steps.h"

#include "figures/regard-figure-steps.h"
#include "figures/regard-visible.h"
#include <math.h>
#include <string.h>

/* Columns of a terminal that a text takes. */
static guint
columns_of(const char *text)
{
  guint n = 0;
  for (const char *p = text; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    n += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
  }
  return n;
}

static void
append_padded(GString *out, const char *text, guint width, gboolean right)
{
  const guint used = columns_of(text), pad = used < width ? width - used : 0;
  g_string_append_printf(out, "%*s%s%*s", right ? (int) pad : 0, "", text, right ? 0 : (int) pad,
                         "");
}

/* A piece cannot tear its line apart. */
static char *
dup_piece(const RegardSteps *steps, int32_t id)
{
  g_autofree char *piece = regard_steps_dup_piece(steps, id);
  return regard_visible(piece);
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* "beam size 4, length penalty 1, early stopping false" */
static void
append_settings(GString *out, const mt_search_params *params)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean is_first = TRUE;
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    const double value = mt_search_params_get(params, i);
    if (!field->decides || field->is_length)
      continue;
    g_ascii_formatd(number, sizeof number, "%g", value);
    g_string_append_printf(out, "%s%s %s", is_first ? "" : ", ", field->name,
                           field->type == MT_SEARCH_CHOICE ? field->choices[(gsize) value]
                                                           : number);
    is_first = FALSE;
  }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void
append_option(GString *out, const RegardSteps *steps, const mt_option *option, gboolean is_chosen)
{
  char percent[32];
  g_autofree char *piece = dup_piece(steps, option->id);
  regard_steps_percent(percent, exp((double) option->logprob));
  g_string_append_printf(out, is_chosen ? "  [%s %s]" : "  %s %s", piece, percent);
  if (option->rule != MT_RULE_NONE && option->rule != MT_RULE_PREFIX &&
      option->rule != MT_RULE_FORCED)
    g_string_append_printf(out, " (%s)", mt_rule_name(option->rule));
}

/* The likeliest of a step; the one that was chosen in brackets, wherever it stands. */
static void
append_options(GString *out, const RegardSteps *steps, const mt_step_row *row, int32_t chosen,
               guint top)
{
  const guint n = (guint) MIN(MIN((gsize) top, row->n), mt_steps_top(steps->steps));
  char percent[32];
  double together = 0;
  gboolean seen = FALSE;
  g_string_append(out, "     ");
  for (guint i = 0; i < row->n; i++) {
    const mt_option *option = &row->options[i];
    const gboolean is_chosen = option->id == chosen;
    if (i >= n && !is_chosen)
      continue;
    if (i >= n && !seen)
      g_string_append(out, "  …");
    append_option(out, steps, option, is_chosen);
    seen |= is_chosen;
    together += exp((double) option->logprob);
  }
  g_string_append_printf(out, "  others %s\n", regard_steps_percent(percent, MAX(1 - together, 0)));
}

static void
append_steps(GString *out, const RegardSteps *steps, guint top)
{
  g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);
  guint widest = 5;
  char number[G_ASCII_DTOSTR_BUF_SIZE], percent[32];
  g_ptr_array_add(pieces, g_strdup("start"));
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = mt_steps_node(steps->steps, (gsize) steps->nodes[t]);
    g_ptr_array_add(pieces, dup_piece(steps, node->id));
    widest = MAX(widest, columns_of(pieces->pdata[t + 1]));
  }
  g_string_append(out, "step  ");
  append_padded(out, "in", widest, TRUE);
  g_string_append(out, "   ");
  append_padded(out, "out", widest, FALSE);
  g_string_append(out, "   probability   entropy\n");
  for (guint t = 0; t < steps->n; t++) {
    const mt_step_node *node = mt_steps_node(steps->steps, (gsize) steps->nodes[t]);
    g_string_append_printf(out, "%4u  ", t + 1);
    append_padded(out, pieces->pdata[t], widest, TRUE);
    g_string_append(out, " → ");
    append_padded(out, pieces->pdata[t + 1], widest, FALSE);
    g_string_append_printf(out, "   %11s",
                           regard_steps_percent(percent, exp((double) node->logprob)));
    if (steps->rows[t] >= 0) {
      const mt_step_row row = mt_steps_row(steps->steps, (gsize) steps->rows[t]);
      g_ascii_formatd(number, sizeof number, "%.2f", (double) row.entropy / G_LN2);
      g_string_append_printf(out, "   %5s bit%s\n", number, node->is_forced ? "   forced" : "");
      append_options(out, steps, &row, node->id, top);
    } else
      g_string_append_c(out, '\n');
  }
}

/* ---- Hypotheses ------------------------------------------------------------------------------ */

/* "−3.68 / 18^1 = −0.2044" */
static void
append_score(GString *out, const mt_steps *steps, const mt_step_node *node)
{
  char sum[G_ASCII_DTOSTR_BUF_SIZE], alpha[G_ASCII_DTOSTR_BUF_SIZE], score[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(sum, sizeof sum, "%.4f", (double) node->sum);
  g_ascii_formatd(alpha, sizeof alpha, "%g", (double) mt_steps_length_penalty(steps));
  g_ascii_formatd(score, sizeof score, "%.4f", (double) node->score);
  g_string_append_printf(out, "%s / %" G_GSIZE_FORMAT "^%s = %s", sum,
                         mt_steps_counted(steps, node), alpha, score);
}

static void
append_hypotheses(GString *out, const RegardSteps *steps, const mt_search_params *params)
{
  gsize n_prefix;
  mt_constraints_prefix(params->constraints, &n_prefix);
  g_string_append_printf(out, "\nsum of log p / length^penalty = score%s\n",
                         n_prefix == 0                                ? ""
                         : params->prefix_score == MT_PREFIX_LEFT_OUT ? ", the prefix left out"
                                                                      : ", the prefix counted");
  for (gsize i = 0; i < mt_translation_count(steps->translation); i++) {
    const int32_t node = mt_steps_result(steps->steps, i);
    if (node < 0)
      continue;
    const mt_hypothesis *hypothesis = mt_translation_hypothesis(steps->translation, i);
    g_autofree char *text = regard_visible(hypothesis->text);
    g_autoptr(GString) score = g_string_new(NULL);
    append_score(score, steps->steps, mt_steps_node(steps->steps, (gsize) node));
    g_string_append_printf(out, "%4" G_GSIZE_FORMAT "  ", i + 1);
    append_padded(out, score->str, 28, FALSE);
    g_string_append_printf(out, "  %s%s\n", text,
                           mt_steps_node(steps->steps, (gsize) node)->is_cut
                               ? " (cut off at the greatest length)"
                               : "");
  }
}

/* What became of everything that was considered. */
static void
append_fates(GString *out, const RegardSteps *steps)
{
  static const struct {
    mt_fate fate;
    const char *words;
  } fates[] = {
      {MT_FATE_WENT_ON, "went on"}, {MT_FATE_FINISHED, "finished"}, {MT_FATE_OUTDONE, "outdone"},
      {MT_FATE_STOPPED, "stopped"}, {MT_FATE_PRUNED, "pruned"},
  };
  const gsize n = mt_steps_n_nodes(steps->steps);
  gsize counts[MT_FATE_STOPPED + 1] = {0};
  for (gsize i = 0; i < n; i++)
    counts[mt_steps_node(steps->steps, i)->fate]++;
  g_string_append_printf(out, "\n%" G_GSIZE_FORMAT " hypotheses considered:", n);
  for (gsize i = 0; i < G_N_ELEMENTS(fates); i++)
    g_string_append_printf(out, "%s %" G_GSIZE_FORMAT " %s", i ? "," : "", counts[fates[i].fate],
                           fates[i].words);
  g_string_append_c(out, '\n');
}

void
cli_steps_append_search(GString *out, const RegardSteps *steps, const mt_search_params *params,
                        guint top)
{
  append_settings(out, params);
  g_string_append(out, "\n\n");
  append_steps(out, steps, top);
  append_hypotheses(out, steps, params);
  append_fates(out, steps);
}

/* ---- Two searches ---------------------------------------------------------------------------- */

static void
append_best(GString *out, const char *name, const RegardSteps *steps)
{
  const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, steps->hypothesis);
  const int32_t node = mt_steps_result(steps->steps, steps->hypothesis);
  char sum[G_ASCII_DTOSTR_BUF_SIZE], score[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text = regard_visible(h->text);
  const mt_step_node *end = mt_steps_node(steps->steps, (gsize) node);
  g_ascii_formatd(sum, sizeof sum, "%.4f", (double) end->sum);
  g_ascii_formatd(score, sizeof score, "%.4f", (double) end->score);
  g_string_append_printf(out, "  %s  log p %s, score %s  %s\n", name, sum, score, text);
}

void
cli_steps_append_comparison(GString *out, const RegardSteps *a, const RegardSteps *b)
{
  guint t = 0;
  while (t < MIN(a->n, b->n) && mt_steps_node(a->steps, (gsize) a->nodes[t])->id ==
                                    mt_steps_node(b->steps, (gsize) b->nodes[t])->id)
    t++;
  if (t == a->n && t == b->n)
    g_string_append(out, "\nBoth found the same translation.\n");
  else {
    g_autofree char *of_a =
        t < a->n ? dup_piece(a, mt_steps_node(a->steps, (gsize) a->nodes[t])->id) : g_strdup("");
    g_autofree char *of_b =
        t < b->n ? dup_piece(b, mt_steps_node(b->steps, (gsize) b->nodes[t])->id) : g_strdup("");
    g_string_append_printf(out, "\nThey part at step %u: %s, and %s against it.\n", t + 1, of_a,
                           of_b);
  }
  append_best(out, "first  ", a);
  append_best(out, "against", b);
}
