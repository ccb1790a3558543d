/* regard-matrix-heads.c — heads and their numbers as a matrix.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-heads.h"

#include "figures/regard-attention-private.h"

#include <glib/gi18n.h>

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

static void
label_measure(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardHeadMeasure *measures = data;
  const char *title = _(measures[i].title);
  label->text =
      *measures[i].unit ? g_strdup_printf("%s (%s)", title, measures[i].unit) : g_strdup(title);
  label->piece = g_strdup(measures[i].id);
}

static float
value(gconstpointer data, guint row, guint col)
{
  const RegardHeadRow *const *rows = data;
  guint n;
  return (float) regard_head_measure_get(&regard_head_measures(&n)[col], rows[row]->kind,
                                         &rows[row]->metrics);
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
  g_autofree char *model_name = regard_naming_origin(capture);
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "heads",
      .title = title,
      .value_name = "value",
      .model_name = model_name,
      .rows = {.n = n, .title = "heads", .noun = "head", .label = label_head, .data = rows},
      .cols = {.n = n_measures,
               .title = "measures",
               .noun = "measure",
               .label = label_measure,
               .data = measures},
      .value = value,
      .data = rows,
      .range = REGARD_RANGE_VALUES,
      .origin_class = &origin_class,
      .origin = mt_capture_ref((mt_capture *) capture),
  });
}
