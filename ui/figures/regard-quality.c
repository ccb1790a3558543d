/* regard-quality.c — quality over a file: values, and the matrix that files hold.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-quality.h"
#include "figures/regard-naming.h"

#include <glib/gi18n.h>

/* THE list of lengths: short sentences of talk, one clause, several, and what is too long for most
 * models. */
static const RegardQualityRow lengths[] = {
    {.least = 1, .most = 5},   {.least = 6, .most = 10},  {.least = 11, .most = 15},
    {.least = 16, .most = 20}, {.least = 21, .most = 30}, {.least = 31, .most = 50},
    {.least = 51, .most = 0},
};

const RegardQualityRow *
regard_quality_lengths(guint *n)
{
  *n = G_N_ELEMENTS(lengths);
  return lengths;
}

RegardQuality *
regard_quality_new(const mt_model *model, const char *file, const mt_changes *changes,
                   RegardQualityRow *rows, guint n_rows, guint n_left_out, guint n_draws)
{
  RegardQuality *self = g_new0(RegardQuality, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->model_name = g_strdup(mt_model_name(model));
  self->file = g_strdup(file);
  self->changes = mt_changes_count(changes) ? regard_naming_joined(mt_changes_text(changes)) : NULL;
  self->rows = rows;
  self->n_rows = n_rows;
  self->n_left_out = n_left_out;
  self->n_draws = n_draws;
  return self;
}

RegardQuality *
regard_quality_ref(RegardQuality *quality)
{
  g_atomic_ref_count_inc(&quality->ref_count);
  return quality;
}

void
regard_quality_unref(RegardQuality *quality)
{
  if (!g_atomic_ref_count_dec(&quality->ref_count))
    return;
  g_free(quality->model_name);
  g_free(quality->file);
  g_free(quality->changes);
  g_free(quality->rows);
  g_free(quality);
}

char *
regard_quality_row_name(const RegardQualityRow *row)
{
  if (row->least == 0 && row->most == 0)
    return g_strdup(_("all"));
  if (row->most == 0)
    return g_strdup_printf(_("%u and more"), row->least);
  return g_strdup_printf("%u–%u", row->least, row->most);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void
label_row(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardQuality *self = data;
  label->text = regard_quality_row_name(&self->rows[i]);
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

/* The intervals of a row in the order of the columns, all but the first. */
static const RegardInterval *
interval_at(const RegardQuality *self, const RegardQualityRow *row, guint i)
{
  if (!self->changes)
    return &row->scores[0][i];
  const guint measure = i / 3, which = i % 3;
  return which < 2 ? &row->scores[which][measure] : &row->differences[measure];
}

static float
value(gconstpointer data, guint row, guint col)
{
  const RegardQuality *self = data;
  if (col == 0)
    return (float) self->rows[row].n;
  const RegardInterval *interval = interval_at(self, &self->rows[row], (col - 1) / 3);
  return (float) ((col - 1) % 3 == 0   ? interval->value
                  : (col - 1) % 3 == 1 ? interval->lo
                                       : interval->hi);
}

RegardMatrix *
regard_quality_matrix(const RegardQuality *quality)
{
  static const char *const alone[] = {"sentences", "BLEU",      "BLEU low",  "BLEU high",
                                      "chrF2",     "chrF2 low", "chrF2 high"};
  static const char *const both[] = {"sentences",
                                     "BLEU",
                                     "BLEU low",
                                     "BLEU high",
                                     "BLEU changed",
                                     "BLEU changed low",
                                     "BLEU changed high",
                                     "BLEU difference",
                                     "BLEU difference low",
                                     "BLEU difference high",
                                     "chrF2",
                                     "chrF2 low",
                                     "chrF2 high",
                                     "chrF2 changed",
                                     "chrF2 changed low",
                                     "chrF2 changed high",
                                     "chrF2 difference",
                                     "chrF2 difference low",
                                     "chrF2 difference high"};
  const RegardAxis rows = {.n = quality->n_rows,
                           .title = "pieces of the source",
                           .noun = "length",
                           .label = label_row,
                           .data = quality};
  g_autofree char *changes =
      quality->changes ? g_strdup_printf("changed: %s", quality->changes) : NULL;
  g_autofree char *left_out =
      quality->n_left_out ? g_strdup_printf("%u left out", quality->n_left_out) : NULL;
  const char *badges[4] = {quality->file};
  guint n = 1;
  if (changes)
    badges[n++] = changes;
  if (left_out)
    badges[n++] = left_out;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "quality",
      .title = "Quality by length",
      .value_name = "points",
      .model_name = quality->model_name,
      .badges = badges,
      .rows = rows,
      .cols = quality->changes ? regard_axis_texts(both, G_N_ELEMENTS(both), "quality")
                               : regard_axis_texts(alone, G_N_ELEMENTS(alone), "quality"),
      .value = value,
      .data = quality,
      .range = REGARD_RANGE_VALUES,
  });
}
