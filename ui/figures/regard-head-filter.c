/* regard-head-filter.c — which heads are wanted, in words: "cross confidence > 0.4".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-head-filter.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define ANY G_MAXUINT

/* One condition: a kind, a role, a place, or a number. */
typedef struct {
  int kind;           /* -1: none asked for */
  gconstpointer role; /* the list's; NULL: none asked for */
  gboolean is_place;
  guint layer, head; /* from 0; ANY */
  gconstpointer measure;
  char comparison[3];
  double number;
} Condition;

struct _RegardHeadFilter {
  const RegardHeadWords *words;
  GArray *conditions;
};

static gboolean
compare(double value, const char *comparison, double number)
{
  if (isnan(value))
    return FALSE;
  if (strcmp(comparison, "<") == 0)
    return value < number;
  if (strcmp(comparison, "<=") == 0)
    return value <= number;
  if (strcmp(comparison, ">") == 0)
    return value > number;
  if (strcmp(comparison, ">=") == 0)
    return value >= number;
  return fabs(value - number) < 0.005; /* as many digits as are shown */
}

static gboolean
holds(const RegardHeadWords *words, const Condition *c, gconstpointer row)
{
  mt_attention_kind kind;
  guint layer, head;
  words->get_place(row, &kind, &layer, &head);
  if (c->kind >= 0)
    return (int) kind == c->kind;
  if (c->role)
    return words->has_role(c->role, row);
  if (c->is_place)
    return (c->layer == ANY || c->layer == layer) && (c->head == ANY || c->head == head);
  return compare(words->get_number(c->measure, row), c->comparison, c->number);
}

gboolean
regard_head_filter_matches(const RegardHeadFilter *filter, gconstpointer row)
{
  for (guint i = 0; i < filter->conditions->len; i++)
    if (!holds(filter->words, &g_array_index(filter->conditions, Condition, i), row))
      return FALSE;
  return TRUE;
}

void
regard_head_filter_free(RegardHeadFilter *filter)
{
  if (!filter)
    return;
  g_array_unref(filter->conditions);
  g_free(filter);
}

/* "4", counted from 1, or "*". */
static gboolean
read_index(const char *text, guint *index)
{
  guint64 number;
  *index = ANY;
  if (strcmp(text, "*") == 0)
    return TRUE;
  if (!g_ascii_string_to_unsigned(text, 10, 1, 10000, &number, NULL))
    return FALSE;
  *index = (guint) number - 1;
  return TRUE;
}

static gboolean
read_word(const RegardHeadWords *words, const char *word, Condition *c)
{
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    if (g_ascii_strcasecmp(word, regard_kind_ids[kind]) == 0) {
      c->kind = kind;
      return TRUE;
    }
  c->role = words->find_role(word);
  if (c->role)
    return TRUE;
  g_auto(GStrv) place = g_strsplit(word, ".", 3);
  c->is_place = g_strv_length(place) == 2 && read_index(place[0], &c->layer) &&
                read_index(place[1], &c->head);
  return c->is_place;
}

static gboolean
read_comparison(const RegardHeadWords *words, const char *name, const char *comparison,
                const char *number, gboolean percent, Condition *c)
{
  const gboolean is_minus = g_str_has_prefix(number, "−"); /* as it is written in the table */
  g_autofree char *point =
      g_strdelimit(g_strconcat(is_minus ? "-" : "", is_minus ? number + strlen("−") : number, NULL),
                   ",", '.');
  c->measure = words->find_measure(name);
  c->number = g_ascii_strtod(point, NULL) / (percent ? 100 : 1);
  const char *ascii = strcmp(comparison, "≤") == 0   ? "<="
                      : strcmp(comparison, "≥") == 0 ? ">="
                                                     : comparison;
  g_strlcpy(c->comparison, ascii, sizeof c->comparison);
  return c->measure != NULL;
}

RegardHeadFilter *
regard_head_filter_new(const RegardHeadWords *words, const char *text, char **error)
{
  /* 1 measure, 2 comparison, 3 number, 4 percent; or 5, a word. */
  g_autoptr(GRegex) regex = g_regex_new("\\G[\\s,]*(?:([[:alpha:]]+)\\s*(<=|>=|<|>|=|≤|≥)\\s*"
                                        "([-+−]?[0-9]*[.,]?[0-9]+)\\s*(%?)(?=[\\s,]|$)|([^\\s,]+))",
                                        G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  RegardHeadFilter *filter = g_new0(RegardHeadFilter, 1);
  filter->words = words;
  filter->conditions = g_array_new(FALSE, TRUE, sizeof(Condition));
  g_regex_match(regex, text, 0, &match);
  for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
    g_autofree char *name = g_match_info_fetch(match, 1), *word = g_match_info_fetch(match, 5);
    g_autofree char *comparison = g_match_info_fetch(match, 2);
    g_autofree char *number = g_match_info_fetch(match, 3);
    g_autofree char *percent = g_match_info_fetch(match, 4);
    Condition c = {.kind = -1};
    gboolean is_word = word && *word;
    if (is_word ? !read_word(words, word, &c)
                : !read_comparison(words, name, comparison, number, *percent != '\0', &c)) {
      const char *wrong = is_word ? word : name;
      *error = words->find_measure(wrong)
                   ? g_strdup_printf(_("“%s” wants a number: %s > 0.5"), wrong, wrong)
                   : g_strdup_printf(_("“%s” is no kind, role, place or measure"), wrong);
      regard_head_filter_free(filter);
      return NULL;
    }
    g_array_append_val(filter->conditions, c);
  }
  return filter;
}
