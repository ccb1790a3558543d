/* regard-corpus-heads.c — names, numbers and roles of heads over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-corpus-heads.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

char *
regard_corpus_head_name(const RegardCorpusHead *head)
{
  return regard_naming_head(head->kind, head->layer, head->head);
}

double
regard_corpus_head_mean(const RegardCorpusHead *head, mt_corpus_measure measure)
{
  return head->measures[measure].n > 0 ? head->measures[measure].mean : (double) NAN;
}

char *
regard_corpus_format(mt_corpus_measure measure, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const gboolean has_sign = measure == MT_CORPUS_EFFECT;
  if (isnan(value))
    return g_strdup("");
  g_ascii_formatd(number, sizeof number, has_sign ? "%.3f" : "%.2f", fabs(value));
  const gboolean is_zero = strspn(number, "0.") == strlen(number);
  return g_strconcat(is_zero ? "" : value < 0 ? "−" : has_sign ? "+" : "", number, NULL);
}

char *
regard_corpus_measure_title(mt_corpus_measure measure)
{
  const mt_corpus_measure_info *info = mt_corpus_measure_about(measure);
  return *info->unit ? g_strdup_printf("%s (%s)", _(info->title), info->unit)
                     : g_strdup(_(info->title));
}

/* ---- Roles ----------------------------------------------------------------------------------- */

int
regard_corpus_head_best_role(const RegardCorpusHead *head)
{
  int best = -1;
  for (int r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (head->roles[r].holds && (best < 0 || head->roles[r].value > head->roles[best].value))
      best = r;
  return best;
}

static char *
write_p(double p)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  return p < 1e-12 ? g_strdup("p < 1e-12")
                   : g_strconcat("p = ", g_ascii_formatd(number, sizeof number, "%.2g", p), NULL);
}

static RegardCorpusBadge
role_badge(const RegardCorpusHead *head, mt_corpus_role role)
{
  const mt_corpus_role_info *info = mt_corpus_role_about(role);
  const mt_corpus_role_value *value = &head->roles[role];
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *p = write_p(value->p), *n = regard_corpus_count(value->n);
  g_ascii_formatd(number, sizeof number, value->value < 9.95 ? "%.1f" : "%.0f", value->value);
  return (RegardCorpusBadge){
      .text = g_strdup_printf("%s %s×", _(info->name), number),
      .why = g_strdup_printf(_("%s: %s times the weight of the average key, over %s sentences; %s"),
                             _(info->what), number, n, p),
  };
}

static RegardCorpusBadge
relation_badge(const RegardCorpus *corpus, const RegardCorpusHead *head)
{
  const mt_corpus_relation relation = mt_corpus_relation_at(corpus->file, (gsize) head->relation);
  char share[G_ASCII_DTOSTR_BUF_SIZE], offset[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *p = write_p(head->relation_value.p), *n = regard_corpus_count(relation.n);
  g_ascii_formatd(share, sizeof share, "%.2f", head->relation_value.share);
  g_ascii_formatd(offset, sizeof offset, "%.2f", relation.offset_share);
  return (RegardCorpusBadge){
      .text = g_strdup_printf("%s%s %s", relation.is_reverse ? "→" : "", relation.name, share),
      .why = g_strdup_printf(
          _("%s: of %s words it looks most at the right one in %s; always looking %+d words away "
            "finds %s; %s"),
          relation.is_reverse ? _("From the governor to its dependent")
                              : _("From the word to its governor"),
          n, share, relation.offset, offset, p),
  };
}

guint
regard_corpus_head_badges(const RegardCorpus *corpus, const RegardCorpusHead *head,
                          RegardCorpusBadge badges[REGARD_MOST_BADGES])
{
  gboolean is_done[MT_N_CORPUS_ROLES] = {FALSE};
  guint n = 0;
  for (;;) { /* the strongest of those that are left */
    int best = -1;
    for (int r = 0; r < MT_N_CORPUS_ROLES; r++)
      if (head->roles[r].holds && !is_done[r] &&
          (best < 0 || head->roles[r].value > head->roles[best].value))
        best = r;
    if (best < 0)
      break;
    is_done[best] = TRUE;
    badges[n++] = role_badge(head, (mt_corpus_role) best);
  }
  if (head->relation >= 0 && corpus->file)
    badges[n++] = relation_badge(corpus, head);
  return n;
}

void
regard_corpus_badge_clear(RegardCorpusBadge *badge)
{
  g_clear_pointer(&badge->text, g_free);
  g_clear_pointer(&badge->why, g_free);
}

/* ---- Words of a filter -------------------------------------------------------------------------
 */

static gconstpointer
find_measure(const char *id)
{
  g_autofree char *lower = g_ascii_strdown(id, -1);
  mt_corpus_measure measure;
  return mt_corpus_measure_find(lower, &measure) ? mt_corpus_measure_about(measure) : NULL;
}

static gconstpointer
find_role(const char *id)
{
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (g_ascii_strcasecmp(mt_corpus_role_about(r)->id, id) == 0)
      return mt_corpus_role_about(r);
  return NULL;
}

static double
get_number(gconstpointer measure, gconstpointer row)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    if (mt_corpus_measure_about(m) == measure)
      return regard_corpus_head_mean(row, m);
  return NAN;
}

static gboolean
has_role(gconstpointer role, gconstpointer row)
{
  const RegardCorpusHead *head = row;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++)
    if (mt_corpus_role_about(r) == role)
      return head->roles[r].holds;
  return FALSE;
}

static void
get_place(gconstpointer row, mt_attention_kind *kind, guint *layer, guint *head)
{
  const RegardCorpusHead *from = row;
  *kind = from->kind;
  *layer = from->layer;
  *head = from->head;
}

const RegardHeadWords *
regard_corpus_head_words(void)
{
  static const RegardHeadWords words = {find_measure, find_role, get_number, has_role, get_place};
  return &words;
}
