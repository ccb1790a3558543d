/* regard-matrix-heads.c — heads and their numbers as a matrix.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-heads.h"

#include "figures/regard-attention-private.h"

#include <glib/gi18n.h>

#define MOST_MEASURES 32

static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardHeadRow *const *rows = data;
  g_autofree char *roles = regard_head_row_roles(rows[i]);
  label->text = regard_head_row_name(rows[i]);
  label->piece = g_strdup(label->text);
  if (*roles)
    label->suffix = g_strdup_printf("  %s", roles);
}

/* Those that have numbers. */
typedef struct {
  const RegardHeadRow *const *rows;
  const RegardHeadMeasure *measures[MOST_MEASURES];
  guint n;
} Columns;

static void
label_measure(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardHeadMeasure *measure = ((const Columns *) data)->measures[i];
  const char *title = _(measure->title);
  label->text = *measure->unit ? g_strdup_printf("%s (%s)", title, measure->unit) : g_strdup(title);
  label->piece = g_strdup(measure->id);
}

static float
value(gconstpointer data, guint row, guint col)
{
  const Columns *columns = data;
  return (float) regard_head_measure_get(columns->measures[col], columns->rows[row]);
}

static void
append_subject(const RegardMatrix *m, GString *caption)
{
  regard_attention_append_sentences(m->origin, caption);
  g_string_append(caption, " Rows are heads, columns are measures on this sentence.");
}

static void
append_origin(const RegardMatrix *m, GString *caption)
{
  regard_attention_append_model(m->origin, m->model_name, caption);
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  regard_attention_tell_model(m->origin, facts);
  regard_attention_tell_sentences(m->origin, facts);
}

static void
release(gpointer origin)
{
  mt_capture_unref(origin);
}

RegardMatrix *
regard_matrix_new_heads(const mt_capture *capture, const RegardHeadRow *const *rows, guint n,
                        const char *title)
{
  static const RegardOriginClass origin_class = {
      .append_subject = append_subject,
      .append_origin = append_origin,
      .tell = tell,
      .free = release,
  };
  guint n_measures;
  const RegardHeadMeasure *measures = regard_head_measures(&n_measures);
  Columns columns = {.rows = rows};
  g_return_val_if_fail(n_measures <= MOST_MEASURES, NULL);
  for (guint i = 0; i < n_measures; i++)
    if (regard_head_measure_is_there(&measures[i], rows, n))
      columns.measures[columns.n++] = &measures[i];
  g_autofree char *model_name = regard_naming_origin(capture);
  g_autofree char *with =
      n > 0 && rows[0]->with ? g_strdup_printf("effects with %s", rows[0]->with) : NULL;
  const char *const badges[] = {with, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "heads",
      .title = title,
      .value_name = "value",
      .model_name = model_name,
      .badges = badges,
      .rows = {.n = n, .title = "heads", .noun = "head", .label = label_head, .data = rows},
      .cols = {.n = columns.n,
               .title = "measures",
               .noun = "measure",
               .label = label_measure,
               .data = &columns},
      .value = value,
      .data = &columns,
      .range = REGARD_RANGE_VALUES,
      .origin_class = &origin_class,
      .origin = mt_capture_ref((mt_capture *) capture),
  });
}
