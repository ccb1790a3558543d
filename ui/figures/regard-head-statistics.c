/* regard-head-statistics.c — heads with their numbers, of one sentence or over a text, and filters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-head-statistics.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

#define ANY G_MAXUINT

/* ---- Statistics -------------------------------------------------------------------------------
 */

const mt_head_statistic *
regard_head_statistic_find(const char *id)
{
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strcasecmp(statistics[i].id, id) == 0)
      return &statistics[i];
  return NULL;
}

static gsize
index_of(const mt_head_statistic *statistic)
{
  gsize n;
  return (gsize) (statistic - mt_head_statistics(&n));
}

const char *
regard_head_statistic_name(const mt_head_statistic *statistic)
{
  return regard_words_of("measure", statistic->title);
}

const char *
regard_role_name(const char *id)
{
  return regard_words_of("role", id);
}

char *
regard_head_statistic_title(const mt_head_statistic *statistic, gboolean always)
{
  return *statistic->unit && (always || !statistic->unit_kinds)
             ? g_strdup_printf("%s (%s)", regard_head_statistic_name(statistic),
                               regard_words_of("unit", statistic->unit))
             : g_strdup(regard_head_statistic_name(statistic));
}

char *
regard_head_statistic_format(const mt_head_statistic *statistic, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[16];
  if (isnan(value))
    return g_strdup("");
  g_snprintf(format, sizeof format, "%%.%df", statistic->n_decimals);
  g_ascii_formatd(number, sizeof number, format, fabs(value));
  const gboolean is_zero = strspn(number, "0.") == strlen(number);
  regard_number_localize(number, sizeof number);
  return g_strconcat(is_zero ? "" : value < 0 ? "−" : statistic->has_sign ? "+" : "", number, NULL);
}

/* ---- A head -----------------------------------------------------------------------------------
 */

RegardHeadRow
regard_head_row_init(mt_attention_kind kind, guint layer, guint head)
{
  RegardHeadRow row = {.kind = kind, .layer = layer, .head = head};
  for (guint i = 0; i < G_N_ELEMENTS(row.values); i++)
    row.values[i] = NAN;
  return row;
}

double
regard_head_row_get(const RegardHeadRow *row, const mt_head_statistic *statistic)
{
  return row->values[index_of(statistic)];
}

void
regard_head_row_set(RegardHeadRow *row, const mt_head_statistic *statistic, double value)
{
  row->values[index_of(statistic)] = value;
}

char *
regard_head_row_name(const RegardHeadRow *row)
{
  return regard_naming_head(row->kind, row->first_layer + row->layer, row->first_head + row->head);
}

/* ---- All heads of a capture -------------------------------------------------------------------
 */

RegardHeadRow
regard_head_row_of(mt_attention_kind kind, guint layer, guint head, const mt_head_metrics *metrics)
{
  RegardHeadRow row = regard_head_row_init(kind, layer, head);
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (gsize i = 0; i < n; i++) {
    if (statistics[i].kinds & MT_KIND_BIT(kind))
      row.values[i] = mt_head_statistic_of(&statistics[i], metrics);
    if (mt_head_statistic_has_role(&statistics[i], kind, metrics))
      row.roles |= 1u << i;
  }
  return row;
}

RegardHeadRow *
regard_head_rows_new(const mt_capture *capture, const mt_capture *a, const mt_capture *b, guint *n)
{
  const mt_attention_kind *order = regard_kinds_in_order;
  const mt_capture *after = mt_capture_difference_b(capture);
  const mt_capture *measured = after ? after : capture;
  const mt_head_statistic *moved = regard_head_statistic_find("moved");
  g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(RegardHeadRow));
  for (guint k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < mt_capture_n_layers(measured, order[k]); l++)
      for (guint h = 0; h < mt_capture_n_heads(measured, order[k]); h++) {
        const mt_head_metrics metrics = mt_head_metrics_compute(measured, order[k], l, h);
        RegardHeadRow row = regard_head_row_of(order[k], l, h, &metrics);
        row.first_layer = (guint) mt_capture_first_layer(measured, order[k]);
        row.first_head = (guint) mt_capture_first_head(measured, order[k]);
        if (a && b && l < mt_capture_n_layers(a, order[k]) &&
            mt_capture_first_layer(a, order[k]) == row.first_layer)
          regard_head_row_set(&row, moved, mt_capture_divergence(a, b, order[k], l, h));
        g_array_append_val(rows, row);
      }
  *n = rows->len;
  return (RegardHeadRow *) (void *) g_array_free(g_steal_pointer(&rows), FALSE);
}

void
regard_head_row_set_ablation(RegardHeadRow *row, const RegardAblation *effects)
{
  const RegardAblationKind *k = effects ? &effects->kinds[row->kind] : NULL;
  const gsize layer = row->first_layer + row->layer, head = row->first_head + row->head;
  const gboolean has = k && layer < k->n_layers && head < k->n_heads;
  const gsize i = has ? layer * k->n_heads + head : 0;
  regard_head_row_set(row, regard_head_statistic_find("effect"),
                      has ? k->effects[i] : (double) NAN);
  row->with = has ? mt_ablation_kind_name(effects->with) : NULL;
}

char *
regard_head_row_roles(const RegardHeadRow *row)
{
  GString *text = g_string_new(NULL);
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (gsize i = 0; i < n; i++)
    if (row->roles & 1u << i)
      regard_words_add_item(text, regard_role_name(statistics[i].role.id));
  return g_string_free(text, FALSE);
}

gboolean
regard_head_statistic_is_there(const mt_head_statistic *statistic, const RegardHeadRow *const *rows,
                               guint n)
{
  for (guint i = 0; statistic->absent && i < n; i++)
    if (!isnan(regard_head_row_get(rows[i], statistic)))
      return TRUE;
  return !statistic->absent && statistic->kinds != 0;
}

/* ---- Filters ----------------------------------------------------------------------------------
 */

/* One condition: a kind, a role, a place, or a number. */
typedef struct {
  int kind, role; /* its bit; -1: none asked for */
  gboolean is_place;
  guint layer, head; /* from 0; ANY */
  const mt_head_statistic *statistic;
  char comparison[3];
  double number;
} Condition;

struct _RegardHeadFilter {
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
holds(const Condition *c, const RegardHeadRow *row)
{
  if (c->kind >= 0)
    return (int) row->kind == c->kind;
  if (c->role >= 0)
    return (row->roles >> c->role & 1u) != 0;
  if (c->is_place)
    return (c->layer == ANY || c->layer == row->first_layer + row->layer) &&
           (c->head == ANY || c->head == row->first_head + row->head);
  return compare(regard_head_row_get(row, c->statistic), c->comparison, c->number);
}

gboolean
regard_head_filter_matches(const RegardHeadFilter *filter, const RegardHeadRow *row)
{
  for (guint i = 0; i < filter->conditions->len; i++)
    if (!holds(&g_array_index(filter->conditions, Condition, i), row))
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

/* Whether it was typed, in English or in the reader's language. */
static gboolean
is_typed(const char *typed, const char *id, const char *name)
{
  g_autofree char *a = g_utf8_casefold(typed, -1), *b = g_utf8_casefold(name, -1);
  return g_ascii_strcasecmp(typed, id) == 0 || g_str_equal(a, b);
}

static const mt_head_statistic *
find_statistic(gboolean over_text, const char *typed)
{
  const mt_head_statistic *found = regard_head_statistic_find(typed);
  gsize n;
  const mt_head_statistic *statistics = mt_head_statistics(&n);
  for (gsize i = 0; !found && i < n; i++)
    if (is_typed(typed, statistics[i].id, regard_head_statistic_name(&statistics[i])))
      found = &statistics[i];
  return found && (over_text ? found->text_kinds : found->kinds) ? found : NULL;
}

/* The bit of a role; -1: there is none. */
static int
find_role(gboolean over_text, const char *id)
{
  gsize n = MT_N_CORPUS_ROLES;
  const mt_head_statistic *statistics = over_text ? NULL : mt_head_statistics(&n);
  for (gsize i = 0; i < n; i++) {
    const char *role =
        over_text ? mt_corpus_role_about((mt_corpus_role) i)->id : statistics[i].role.id;
    if (role && is_typed(id, role, regard_role_name(role)))
      return (int) i;
  }
  return -1;
}

static gboolean
read_word(gboolean over_text, const char *word, Condition *c)
{
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    if (is_typed(word, regard_kind_ids[kind],
                 regard_words_of("attention", regard_kind_ids[kind]))) {
      c->kind = kind;
      return TRUE;
    }
  c->role = find_role(over_text, word);
  if (c->role >= 0)
    return TRUE;
  g_auto(GStrv) place = g_strsplit(word, ".", 3);
  c->is_place = g_strv_length(place) == 2 && read_index(place[0], &c->layer) &&
                read_index(place[1], &c->head);
  return c->is_place;
}

static gboolean
read_comparison(gboolean over_text, const char *name, const char *comparison, const char *number,
                gboolean percent, Condition *c)
{
  const gboolean is_minus = g_str_has_prefix(number, "−"); /* as it is written in the table */
  g_autofree char *point =
      g_strdelimit(g_strconcat(is_minus ? "-" : "", is_minus ? number + strlen("−") : number, NULL),
                   ",", '.');
  c->statistic = find_statistic(over_text, name);
  c->number = g_ascii_strtod(point, NULL) / (percent ? 100 : 1);
  const char *ascii = strcmp(comparison, "≤") == 0   ? "<="
                      : strcmp(comparison, "≥") == 0 ? ">="
                                                     : comparison;
  g_strlcpy(c->comparison, ascii, sizeof c->comparison);
  return c->statistic != NULL;
}

RegardHeadFilter *
regard_head_filter_new(gboolean over_text, const char *text, char **error)
{
  /* 1 measure, 2 comparison, 3 number, 4 percent; or 5, a word. */
  g_autoptr(GRegex) regex = g_regex_new("\\G[\\s,]*(?:([[:alpha:]]+)\\s*(<=|>=|<|>|=|≤|≥)\\s*"
                                        "([-+−]?[0-9]*[.,]?[0-9]+)\\s*(%?)(?=[\\s,]|$)|([^\\s,]+))",
                                        G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  RegardHeadFilter *filter = g_new0(RegardHeadFilter, 1);
  filter->conditions = g_array_new(FALSE, TRUE, sizeof(Condition));
  g_regex_match(regex, text, 0, &match);
  for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
    g_autofree char *name = g_match_info_fetch(match, 1), *word = g_match_info_fetch(match, 5);
    g_autofree char *comparison = g_match_info_fetch(match, 2);
    g_autofree char *number = g_match_info_fetch(match, 3);
    g_autofree char *percent = g_match_info_fetch(match, 4);
    Condition c = {.kind = -1, .role = -1};
    gboolean is_word = word && *word;
    if (is_word ? !read_word(over_text, word, &c)
                : !read_comparison(over_text, name, comparison, number, *percent != '\0', &c)) {
      const char *wrong = is_word ? word : name;
      *error = find_statistic(over_text, wrong)
                   ? g_strdup_printf(_("“%s” wants a number: %s > 0.5"), wrong, wrong)
                   : g_strdup_printf(_("“%s” is no kind, role, place or measure"), wrong);
      regard_head_filter_free(filter);
      return NULL;
    }
    g_array_append_val(filter->conditions, c);
  }
  return filter;
}
