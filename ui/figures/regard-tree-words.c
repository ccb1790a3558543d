/* regard-tree-words.c — a hypothesis of a search in words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-steps.h"
#include "figures/regard-tree-draw.h"

#include <glib/gi18n.h>
#include <math.h>

const char *
tree_number(char *text, double value, int decimals)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  g_snprintf(format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd(number, sizeof number, format, fabs(value));
  g_snprintf(text, 32, "%s%s", value < 0 ? "−" : "", number);
  return text;
}

char *
tree_dup_score(const RegardSteps *steps, const mt_step_node *node)
{
  char sum[32], score[32], alpha[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(alpha, sizeof alpha, "%g", (double) mt_steps_length_penalty(steps->steps));
  return g_strdup_printf("%s / %" G_GSIZE_FORMAT "^%s = %s", tree_number(sum, node->sum, 2),
                         mt_steps_counted(steps->steps, node), alpha,
                         tree_number(score, node->score, 4));
}

char *
tree_dup_settings(const RegardSteps *steps)
{
  char alpha[G_ASCII_DTOSTR_BUF_SIZE];
  const gsize beam = mt_steps_beam_size(steps->steps);

  g_ascii_formatd(alpha, sizeof alpha, "%g", (double) mt_steps_length_penalty(steps->steps));
  return beam == 1 ? g_strdup_printf(_("greedy search, length penalty %s"), alpha)
                   : g_strdup_printf(_("beam %" G_GSIZE_FORMAT ", length penalty %s"), beam, alpha);
}

static void
append_fate(GString *text, const mt_step_node *node)
{
  char margin[32];

  tree_number(margin, node->margin, 2);
  switch (node->fate) {
  case MT_FATE_WENT_ON:
    return;
  case MT_FATE_FINISHED:
    if (node->result >= 0)
      g_string_append_printf(text, _("\nfinished, rank %d"), node->result + 1);
    else
      g_string_append(text, _("\nfinished"));
    if (node->is_cut)
      g_string_append(text, _(", cut off at the greatest length"));
    return;
  case MT_FATE_OUTDONE:
    g_string_append_printf(text,
                           _("\nended, but its score was %s below the last of the finished in "
                             "step %" G_GSIZE_FORMAT),
                           tree_number(margin, node->margin, 4), node->end_step + 1);
    return;
  case MT_FATE_PRUNED:
    g_string_append_printf(text,
                           _("\npruned in step %" G_GSIZE_FORMAT
                             ": its sum was %s below the last that was kept"),
                           node->end_step + 1, margin);
    return;
  case MT_FATE_STOPPED:
    g_string_append(text, _("\nheld when the search ended: nothing better was to be expected"));
    return;
  }
}

char *
tree_describe(const RegardSteps *steps, int at)
{
  const mt_step_node *node = mt_steps_node(steps->steps, (gsize) at);
  g_autofree char *piece = regard_steps_dup_piece(steps, node->id);
  g_autofree char *words = regard_steps_dup_words(steps, at);
  g_autofree char *score = tree_dup_score(steps, node);
  char percent[32], logprob[32];
  GString *text = g_string_new(NULL);

  g_string_append_printf(text,
                         _("%s, step %" G_GSIZE_FORMAT "\n“%s”\nprobability %s, log p %s\n%s"),
                         piece, node->step + 1, words,
                         regard_steps_percent(percent, exp((double) node->logprob)),
                         tree_number(logprob, node->logprob, 2), score);
  if (node->is_forced)
    g_string_append(text, _("\nforced"));
  append_fate(text, node);
  return g_string_free(text, FALSE);
}
