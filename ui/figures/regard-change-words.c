/* regard-change-words.c — what became of the model, as a sentence to be heard.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What menus and keys do has sentences; other changes are said as they are written.
 */
#include "figures/regard-change-words.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"

#include <string.h>

/* ---- Where ------------------------------------------------------------------------------------
 */

static gboolean
is_all(mt_intervention_span span)
{
  return span.last == SIZE_MAX;
}

static gboolean
is_one(mt_intervention_span span)
{
  return span.first == span.last;
}

/* As people count. */
static guint
number_of(mt_intervention_span span)
{
  return (guint) span.first + 1;
}

/* The heads that a row names; NULL: none, or some that have no name. Caller frees. */
static char *
name_heads(const mt_intervention_row *row)
{
  const char *kind = NULL;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (g_str_equal(row->where, regard_kind_ids[k]))
      kind = regard_kind_name((mt_attention_kind) k);
  if (!kind || row->part)
    return NULL;
  if (is_one(row->layers) && is_one(row->heads))
    return g_strdup_printf(_("%s, layer %u, head %u"), kind, number_of(row->layers),
                           number_of(row->heads));
  if (is_one(row->layers) && is_all(row->heads))
    /* Translators: %s is the kind of attention, with a capital */
    return g_strdup_printf(_("%s, all heads of layer %u"), kind, number_of(row->layers));
  if (is_all(row->layers) && is_one(row->heads))
    /* Translators: %s is the kind of attention, with a capital */
    return g_strdup_printf(_("%s, head %u of all layers"), kind, number_of(row->heads));
  if (is_all(row->layers) && is_all(row->heads))
    /* Translators: %s is the kind of attention, with a capital */
    return g_strdup_printf(_("%s, all heads"), kind);
  return NULL;
}

/* ---- What -------------------------------------------------------------------------------------
 */

static char *
say_heads(const mt_intervention_row *row, const char *heads, gboolean is_made)
{
  const gboolean is_off = g_str_equal(row->how, "zero");
  const gboolean is_single = is_one(row->layers) && is_one(row->heads);
  /* Translators: of all sentences with "layer 5, head 5 is": %s is a head, or several */
  if (is_off && is_made)
    return g_strdup_printf(is_single ? _("%s is switched off.") : _("%s are switched off."), heads);
  if (is_off)
    return g_strdup_printf(is_single ? _("%s is switched on again.")
                                     : _("%s are switched on again."),
                           heads);
  if (!is_made)
    return g_strdup_printf(is_single ? _("%s is as it was.") : _("%s are as they were."), heads);
  if (g_str_equal(row->how, "uniform"))
    return g_strdup_printf(_("%s: all tokens are looked at alike."), heads);
  if (g_str_equal(row->how, "mean"))
    return g_strdup_printf(_("%s: what is found is its mean over a text."), heads);
  if (g_str_equal(row->how, "diagonal"))
    return g_strdup_printf(_("%s: only the same token is looked at."), heads);
  if (g_str_equal(row->how, "previous"))
    return g_strdup_printf(_("%s: only the token before is looked at."), heads);
  if (g_str_equal(row->how, "next"))
    return g_strdup_printf(_("%s: only the next token is looked at."), heads);
  if (g_str_equal(row->how, "scale"))
    return regard_strdup_printf(_("%s: what is found counts %g times."), heads, row->numbers[0]);
  if (g_str_equal(row->how, "temperature"))
    return regard_strdup_printf(_("%s: the temperature is %g."), heads, row->numbers[0]);
  return NULL;
}

static char *
say_cell(const mt_intervention_row *row, const char *heads, gboolean is_made)
{
  const guint query = number_of(row->queries), key = number_of(row->keys);
  if (is_all(row->queries) && is_one(row->keys) && g_str_equal(row->how, "hide"))
    return is_made ? g_strdup_printf(_("%s: key %u is hidden from all queries."), heads, key)
                   : g_strdup_printf(_("%s: key %u is seen again."), heads, key);
  if (!is_one(row->queries) || !is_one(row->keys))
    return NULL;
  if (!is_made)
    return g_strdup_printf(_("%s: the weight of query %u on key %u is as it was."), heads, query,
                           key);
  if (g_str_equal(row->how, "hide"))
    return g_strdup_printf(_("%s: key %u is hidden from query %u."), heads, key, query);
  if (g_str_equal(row->how, "set") || g_str_equal(row->how, "put"))
    return regard_strdup_printf(_("%s: the weight of query %u on key %u is %g."), heads, query, key,
                                row->numbers[0]);
  return NULL;
}

static char *
say_source(const mt_intervention_row *row, gboolean is_made)
{
  const guint piece = number_of(row->keys);
  if (!is_one(row->keys))
    return NULL;
  if (!is_made)
    return g_strdup_printf(_("Piece %u of the source is as it was."), piece);
  if (g_str_equal(row->how, "hide"))
    return g_strdup_printf(_("Piece %u of the source is hidden."), piece);
  if (g_str_equal(row->how, "zero"))
    return g_strdup_printf(_("Piece %u of the source says nothing but its place."), piece);
  if (g_str_equal(row->how, "piece"))
    return g_strdup_printf(_("Piece %u of the source is another one."), piece);
  return NULL;
}

static char *
say_row(const mt_interventions *interventions, gsize i, gboolean is_made, const char *line)
{
  mt_intervention_row row;
  char *said = NULL;
  if (mt_interventions_row(interventions, i, &row)) {
    g_autofree char *heads = name_heads(&row);
    said = row.family == MT_INTERVENTIONS_SOURCE           ? say_source(&row, is_made)
           : heads && row.family == MT_INTERVENTIONS_HEADS ? say_heads(&row, heads, is_made)
           : heads && row.family == MT_INTERVENTIONS_CELLS ? say_cell(&row, heads, is_made)
                                                           : NULL;
  }
  if (said)
    return said;
  /* Translators: %s is a change as regard-cli writes it, such as "cross 4.1 zero" */
  return g_strdup_printf(is_made ? _("Changed: %s") : _("As it was: %s"), line);
}

/* ---- Lists ------------------------------------------------------------------------------------
 */

static char **
lines_of(const mt_interventions *interventions)
{
  return g_strsplit(mt_interventions_text(interventions), "\n", -1);
}

/* How many lines of one the other has not, and the number of the first. */
static guint
count_more(char **lines, char **others, gsize *first)
{
  guint n = 0;
  for (gsize i = 0; lines[i]; i++)
    if (*lines[i] && !g_strv_contains((const char *const *) others, lines[i]) && n++ == 0)
      *first = i;
  return n;
}

char *
regard_change_words(const mt_interventions *before, const mt_interventions *now)
{
  g_auto(GStrv) old = lines_of(before), new = lines_of(now);
  gsize first_made = 0, first_gone = 0;
  const guint n_made = count_more(new, old, &first_made),
              n_gone = count_more(old, new, &first_gone);
  if (mt_interventions_equal(before, now))
    return NULL;
  /* Where one takes the place of others it is said what there is. */
  if (n_made == 1)
    return say_row(now, first_made, TRUE, new[first_made]);
  if (n_made == 0 && n_gone == 1)
    return say_row(before, first_gone, FALSE, old[first_gone]);
  const guint n = (guint) mt_interventions_count(now);
  if (n == 0)
    return g_strdup(_("Nothing is changed in the model any more."));
  return g_strdup_printf(ngettext("There is %u change in the model.",
                                  "There are %u changes in the model.", n),
                         n);
}
