/* regard-matrix-sum.c — see regard-matrix-sum.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-sum.h"

#include "figures/regard-attention-private.h"
#include <math.h>
#include <string.h>

/* Names of what is added up in a title and a label; of more, how many. */
#define MOST_NAMES 4

typedef struct {
  RegardMatrix *of; /* a reference */
  RegardSumAxis axis;
  char *pieces; /* of what is added up, one a line */
} Sum;

guint
regard_sum_axis_length(const RegardMatrix *matrix, RegardSumAxis axis)
{
  return axis == REGARD_SUM_KEYS ? matrix->cols : matrix->rows;
}

const RegardLabel *
regard_sum_axis_labels(const RegardMatrix *matrix, RegardSumAxis axis)
{
  return axis == REGARD_SUM_KEYS ? matrix->col_labels : matrix->row_labels;
}

static const char *
noun(RegardSumAxis axis, guint n)
{
  if (axis == REGARD_SUM_KEYS)
    return n == 1 ? "key" : "keys";
  return n == 1 ? "query" : "queries";
}

/* ---- Where it is from --------------------------------------------------------------------------
 */

static void
append_subject(const RegardMatrix *m, GString *caption)
{
  const Sum *sum = m->origin;
  const RegardAttention *from = regard_matrix_get_attention(sum->of);
  if (from)
    regard_attention_append_sentences(from->capture, caption);
  g_string_append_printf(caption, " The row is the sum of the weights of %s; columns are %s.",
                         m->row_labels[0].text, m->col_title);
}

static void
append_origin(const RegardMatrix *m, GString *caption)
{
  const Sum *sum = m->origin;
  if (sum->of->origin_class && sum->of->origin_class->append_origin)
    sum->of->origin_class->append_origin(sum->of, caption);
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const Sum *sum = m->origin;
  if (sum->of->origin_class && sum->of->origin_class->tell)
    sum->of->origin_class->tell(sum->of, of_grid, facts);
  facts->text(facts, "sum_of", noun(sum->axis, 2));
  facts->lines(facts, "summed", sum->pieces);
}

static void
sum_free(gpointer origin)
{
  Sum *sum = origin;
  regard_matrix_unref(sum->of);
  g_free(sum->pieces);
  g_free(sum);
}

static const RegardOriginClass origin_class = {
    .append_subject = append_subject,
    .append_origin = append_origin,
    .tell = tell,
    .free = sum_free,
};

/* ---- Numbers ------------------------------------------------------------------------------------
 */

/* What the sum has a number for. */
static void
label_of_other(gconstpointer data, guint i, RegardLabel *label)
{
  const Sum *sum = data;
  const RegardLabel *from =
      &regard_sum_axis_labels(sum->of, sum->axis == REGARD_SUM_KEYS ? REGARD_SUM_QUERIES
                                                                    : REGARD_SUM_KEYS)[i];
  *label = *from;
  label->text = g_strdup(from->text);
  label->piece = g_strdup(from->piece);
  label->other = g_strdup(from->other);
  label->prefix = label->suffix = NULL; /* one row has no room for both tokens of a step */
}

/* "▁animal + ▁street". */
static char *
name_chosen(const RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen, gboolean pieces)
{
  const RegardLabel *labels = regard_sum_axis_labels(of, axis);
  GString *text = g_string_new(NULL);
  guint n = 0;
  for (guint i = 0; i < regard_sum_axis_length(of, axis); i++) {
    if (!chosen[i])
      continue;
    if (pieces || n < MOST_NAMES)
      g_string_append_printf(text, "%s%s",
                             n == 0   ? ""
                             : pieces ? "\n"
                                      : " + ",
                             pieces ? labels[i].piece : labels[i].text);
    n++;
  }
  if (!pieces && n > MOST_NAMES)
    g_string_append_printf(text, " + %u more", n - MOST_NAMES);
  return g_string_free(text, FALSE);
}

static float *
add_up(const RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen, guint n)
{
  g_autofree double *sums = g_new0(double, MAX(n, 1));
  for (guint r = 0; r < of->rows; r++)
    for (guint c = 0; c < of->cols; c++)
      if (chosen[axis == REGARD_SUM_KEYS ? c : r] && !regard_matrix_is_masked(of, r, c))
        sums[axis == REGARD_SUM_KEYS ? r : c] += (double) regard_matrix_get(of, r, c);
  float *values = g_new(float, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    values[i] = (float) sums[i];
  return values;
}

RegardMatrix *
regard_matrix_new_sum(RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen)
{
  const gboolean keys = axis == REGARD_SUM_KEYS;
  const guint n = keys ? of->rows : of->cols;
  guint n_chosen = 0;
  for (guint i = 0; i < regard_sum_axis_length(of, axis); i++)
    n_chosen += chosen[i];
  if (n_chosen == 0 || n == 0)
    return NULL;
  g_autofree char *name = name_chosen(of, axis, chosen, FALSE);
  g_autofree char *title =
      g_strdup_printf("%s · sum of %u %s", of->title, n_chosen, noun(axis, n_chosen));
  const char *names[] = {name};
  Sum *sum = g_new(Sum, 1);
  *sum = (Sum){regard_matrix_ref(of), axis, name_chosen(of, axis, chosen, TRUE)};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "sum",
      .title = title,
      .value_name = "sum of weights",
      .model_name = of->model_name,
      .badges = (const char *const *) of->badges,
      .rows = regard_axis_texts(names, 1, keys ? of->col_title : of->row_title),
      .cols = {.n = n,
               .title = keys ? of->row_title : of->col_title,
               .noun = keys ? of->row_noun : of->col_noun,
               .label = label_of_other,
               .data = sum},
      .values = add_up(of, axis, chosen, n),
      .range = of->diverging ? REGARD_RANGE_SIGNED : REGARD_RANGE_SHARES,
      .is_square = TRUE,
      .origin_class = &origin_class,
      .origin = sum,
  });
}

char *
regard_matrix_sum_text(const RegardMatrix *sum)
{
  GString *text = g_string_new(NULL);
  for (guint c = 0; c < sum->cols; c++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(text, "%s%s %s", c ? ", " : "", sum->col_labels[c].text,
                           g_ascii_formatd(number, sizeof number, "%.3f",
                                           (double) regard_matrix_get(sum, 0, c)));
  }
  return g_string_free(text, FALSE);
}

/* ---- What is typed ------------------------------------------------------------------------------
 */

/* "3", "2-4"; FALSE: it is no number. */
static gboolean
choose_numbers(const char *typed, guint n, guint8 *chosen, gboolean *is_there)
{
  g_auto(GStrv) ends = g_strsplit(typed, "-", 2);
  guint64 first, last;
  if (!ends[0] || !g_ascii_string_to_unsigned(ends[0], 10, 0, G_MAXUINT, &first, NULL) ||
      (ends[1] && !g_ascii_string_to_unsigned(ends[1], 10, 0, G_MAXUINT, &last, NULL)))
    return FALSE;
  if (!ends[1])
    last = first;
  *is_there = first >= 1 && first <= last && last <= n;
  for (guint64 i = first; *is_there && i <= last; i++)
    chosen[i - 1] = 1;
  return TRUE;
}

char *
regard_sum_parse(const RegardMatrix *of, RegardSumAxis axis, const char *typed, guint8 *chosen)
{
  const RegardLabel *labels = regard_sum_axis_labels(of, axis);
  const guint n = regard_sum_axis_length(of, axis);
  g_auto(GStrv) items = g_strsplit(typed, ",", -1);
  memset(chosen, 0, n);
  for (char **item = items; *item; item++) {
    gboolean is_there = FALSE;
    g_strstrip(*item);
    if (!choose_numbers(*item, n, chosen, &is_there))
      for (guint i = 0; i < n; i++)
        if (g_str_equal(*item, labels[i].text) || g_str_equal(*item, labels[i].piece) ||
            g_str_equal(*item, regard_matrix_spoken(labels[i].text)))
          chosen[i] = is_there = TRUE;
    if (!is_there)
      return g_strdup(*item);
  }
  return NULL;
}
