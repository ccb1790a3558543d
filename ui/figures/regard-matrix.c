/* regard-matrix.c — the matrix object: life, making one from a source, cells, a cell in words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix.h"

#include "figures/regard-language.h"
#include <math.h>
#include <string.h>

/* How far a share may be from 1 before it is none: binary16 is that coarse. */
#define ROUNDING 2e-3

/* ---- Axes ------------------------------------------------------------------------------------ */

static void
label_number(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup_printf("%u", i);
  label->piece = g_strdup(label->text);
}

RegardAxis
regard_axis_numbers(guint n, const char *title, RegardTicks ticks)
{
  return (RegardAxis){.n = n, .title = title, .ticks = ticks, .label = label_number};
}

static void
label_text(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup(((const char *const *) data)[i]);
  label->piece = g_strdup(label->text);
}

RegardAxis
regard_axis_texts(const char *const *texts, guint n, const char *title)
{
  RegardAxis axis = regard_axis_numbers(n, title, REGARD_TICKS_WORDS);
  if (texts) {
    axis.label = label_text;
    axis.data = texts;
  }
  return axis;
}

static void
label_token(const mt_tokens *tokens, guint i, gboolean is_start, RegardLabel *label)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  label->text = regard_token_display(tokens, i, is_start);
  label->piece = g_strdup(token->piece ? token->piece : "");
  label->special = token->is_special;
  label->is_task = token->is_prefix;
}

static void
label_input(gconstpointer data, guint i, RegardLabel *label)
{
  label_token(data, i, i == 0, label);
}

static void
label_output(gconstpointer data, guint i, RegardLabel *label)
{
  label_token(data, i, FALSE, label);
}

RegardAxis
regard_axis_tokens(const mt_tokens *tokens, const char *title, gboolean starts)
{
  return (RegardAxis){.n = (guint) mt_tokens_count(tokens),
                      .title = title,
                      .noun = _("token"),
                      .label = starts ? label_input : label_output,
                      .data = tokens};
}

/* Labels are counted, since many matrices may share them; the last one has no text. */
static RegardLabel *
get_labels(const RegardAxis *axis)
{
  if (axis->labels)
    return g_atomic_rc_box_acquire(axis->labels);
  RegardLabel *labels = g_atomic_rc_box_alloc0(sizeof *labels * ((gsize) axis->n + 1));
  for (guint i = 0; i < axis->n; i++) {
    labels[i].first_token = i;
    labels[i].n_tokens = 1;
    axis->label(axis->data, i, &labels[i]);
  }
  return labels;
}

static void
labels_clear(gpointer labels)
{
  for (RegardLabel *label = labels; label->text; label++) {
    g_free(label->text);
    g_free(label->piece);
    g_free(label->other);
    g_free(label->prefix);
    g_free(label->suffix);
  }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void
set_range(RegardMatrix *m, RegardRange range)
{
  float max = 0;
  m->diverging = range == REGARD_RANGE_SIGNED;
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
    m->diverging |= m->values[i] < 0;
    if (isfinite(m->values[i]) && fabsf(m->values[i]) > max)
      max = fabsf(m->values[i]);
  }
  if (range == REGARD_RANGE_SHARES && !m->diverging && max <= 1 + ROUNDING)
    max = 1;
  m->hi = max > 0 ? max : 1;
  m->lo = m->diverging ? -m->hi : 0;
}

static void
clear(gpointer subject)
{
  RegardMatrix *matrix = subject;
  g_atomic_rc_box_release_full(matrix->row_labels, labels_clear);
  g_atomic_rc_box_release_full(matrix->col_labels, labels_clear);
  g_free(matrix->values);
  g_free(matrix->row_title);
  g_free(matrix->col_title);
  g_free(matrix->title);
  g_free(matrix->value_name);
  g_strfreev(matrix->badges);
  g_free(matrix->removed_mass);
  g_free(matrix->received);
  g_free(matrix->model_name);
  regard_matrix_unref(matrix->english);
  if (matrix->origin_class && matrix->origin_class->free)
    matrix->origin_class->free(matrix->origin);
}

RegardMatrix *
regard_matrix_new_from(const RegardMatrixSource *source)
{
  RegardMatrix *m = regard_subject_alloc(sizeof *m, clear);
  const gsize rows = source->rows.n, cols = source->cols.n;
  m->language = regard_language_get();
  m->id = source->id;
  m->origin_class = source->origin_class;
  m->origin = source->origin;
  m->rows = source->rows.n;
  m->cols = source->cols.n;
  m->row_labels = get_labels(&source->rows);
  m->col_labels = get_labels(&source->cols);
  m->row_title = g_strdup(source->rows.title);
  m->col_title = g_strdup(source->cols.title);
  m->row_noun = source->rows.noun ? source->rows.noun : _("row");
  m->col_noun = source->cols.noun ? source->cols.noun : _("column");
  m->row_ticks = source->rows.ticks;
  m->col_ticks = source->cols.ticks;
  m->col_split = source->cols.split;
  memcpy(m->col_parts, source->cols.parts, sizeof m->col_parts);
  m->title = g_strdup(source->title);
  m->value_name = g_strdup(source->value_name);
  m->model_name = g_strdup(source->model_name);
  m->badges = source->badges ? g_strdupv((char **) source->badges) : g_new0(char *, 1);
  m->mask = source->mask;
  m->is_square = source->is_square;
  m->is_ranked = source->is_ranked;
  m->aspect = MAX(source->aspect, 1);
  m->values = source->values ? source->values : g_new0(float, MAX(rows * cols, 1));
  if (!source->values)
    for (gsize i = 0; i < rows * cols; i++)
      m->values[i] = source->value(source->data, (guint) (i / cols), (guint) (i % cols));
  set_range(m, source->range);
  return m;
}

RegardMatrix *
regard_matrix_in_language(RegardMatrix *matrix)
{
  const RegardOriginClass *from = matrix->origin_class;
  const RegardLanguage language = regard_language_get();
  if (matrix->language != language && from && from->remake)
    return from->remake(matrix);
  return regard_matrix_ref(language == REGARD_LANGUAGE_ENGLISH && matrix->english ? matrix->english
                                                                                  : matrix);
}

void
regard_matrix_take_english(RegardMatrix *matrix, RegardMatrix *english)
{
  matrix->english = english;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static gboolean
is_block_hidden(const RegardMatrix *matrix, mt_attention_mask mask, guint row, guint row_end,
                guint col, guint col_end)
{
  const RegardLabel *rows = matrix->row_labels, *cols = matrix->col_labels;
  return mt_attention_mask_hides(mask, rows[row].first_token,
                                 rows[row_end - 1].first_token + rows[row_end - 1].n_tokens,
                                 cols[col].first_token,
                                 cols[col_end - 1].first_token + cols[col_end - 1].n_tokens);
}

gboolean
regard_matrix_is_block_masked(const RegardMatrix *matrix, guint row, guint row_end, guint col,
                              guint col_end)
{
  /* Of columns in two parts it is about the second one: what comes later is of that text. */
  if (mt_attention_mask_is_empty(matrix->mask) || col < matrix->col_split)
    return FALSE;
  return is_block_hidden(matrix, matrix->mask, row, row_end, col, col_end);
}

gboolean
regard_matrix_is_masked(const RegardMatrix *matrix, guint row, guint col)
{
  return regard_matrix_is_block_masked(matrix, row, row + 1, col, col + 1);
}

double
regard_matrix_row_sum(const RegardMatrix *matrix, guint row)
{
  double sum = 0;
  for (guint c = 0; c < matrix->cols; c++)
    sum += regard_matrix_get(matrix, row, c);
  return sum;
}

double
regard_matrix_row_max(const RegardMatrix *matrix, guint row)
{
  float max = 0;
  for (guint c = 0; c < matrix->cols; c++)
    max = fmaxf(max, fabsf(regard_matrix_get(matrix, row, c))); /* what is no number counts not */
  return max;
}

static int
label_of_token(const RegardLabel *labels, guint n, guint token)
{
  for (guint i = 0; i < n; i++)
    if (token >= labels[i].first_token && token - labels[i].first_token < labels[i].n_tokens)
      return (int) i;
  return -1;
}

int
regard_matrix_row_of_token(const RegardMatrix *matrix, guint token)
{
  return label_of_token(matrix->row_labels, matrix->rows, token);
}

int
regard_matrix_col_of_token(const RegardMatrix *matrix, guint token)
{
  return label_of_token(matrix->col_labels, matrix->cols, token);
}

/* Without the mark of a word's beginning, which a screen reader would spell out. */
const char *
regard_matrix_spoken(const char *text)
{
  if (strcmp(text, "⏎") == 0)
    return _("end of sentence");
  if (g_str_has_prefix(text, "▁") && text[strlen("▁")])
    return text + strlen("▁");
  return text;
}

/* Why a cell of an aligned difference has none; NULL: both sides have it. */
static const char *
describe_side(const RegardMatrix *matrix, guint row, guint col)
{
  const unsigned char *rows = matrix->mask.rows, *cols = matrix->mask.cols;
  const unsigned char of_row = rows ? rows[matrix->row_labels[row].first_token] : MT_SIDE_BOTH;
  const unsigned char of_col = cols ? cols[matrix->col_labels[col].first_token] : MT_SIDE_BOTH;
  if (of_row == MT_SIDE_BOTH && of_col == MT_SIDE_BOTH)
    return NULL;
  if (of_row != of_col && of_row != MT_SIDE_BOTH && of_col != MT_SIDE_BOTH)
    return _("A and B do not both have the row, nor the column");
  switch (of_row != MT_SIDE_BOTH ? of_row : of_col) {
  case MT_SIDE_A:
    return of_row == MT_SIDE_BOTH ? _("only A has the column") : _("only A has the row");
  case MT_SIDE_B:
    return of_row == MT_SIDE_BOTH ? _("only B has the column") : _("only B has the row");
  default:
    return _("A and B have other tokens there");
  }
}

char *
regard_matrix_describe_cell(const RegardMatrix *matrix, guint row, guint col)
{
  g_return_val_if_fail(row < matrix->rows && col < matrix->cols, NULL);
  const char *row_text = regard_matrix_spoken(matrix->row_labels[row].text);
  const char *col_text = regard_matrix_spoken(matrix->col_labels[col].text);
  if (regard_matrix_is_masked(matrix, row, col)) {
    const char *side = describe_side(matrix, row, col);
    if (side)
      /* Translators: here and below a noun and its name, twice: "row es, column animal" */
      return g_strdup_printf(_("%s %s, %s %s, masked: %s"), matrix->row_noun, row_text,
                             matrix->col_noun, col_text, side);
    if (matrix->mask.is_causal &&
        matrix->col_labels[col].first_token > matrix->row_labels[row].first_token)
      return g_strdup_printf(_("%s %s, %s %s, masked: the row cannot see later tokens"),
                             matrix->row_noun, row_text, matrix->col_noun, col_text);
    mt_attention_mask of_model = matrix->mask;
    of_model.interventions = NULL;
    of_model.other = NULL;
    if (!is_block_hidden(matrix, of_model, row, row + 1, col, col + 1))
      return g_strdup_printf(_("%s %s, %s %s, masked: hidden by a change"), matrix->row_noun,
                             row_text, matrix->col_noun, col_text);
    return g_strdup_printf(ngettext("%s %s, %s %s, masked: the row can see %zu token to each side",
                                    "%s %s, %s %s, masked: the row can see %zu tokens to each side",
                                    matrix->mask.window),
                           matrix->row_noun, row_text, matrix->col_noun, col_text,
                           matrix->mask.window);
  }

  float value = regard_matrix_get(matrix, row, col);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  regard_formatd(number, sizeof number, fabsf(value) >= 0.1f ? "%.2f" : "%.3f", value);
  /* Translators: "row es, column animal, 0.41" */
  g_autofree char *cell = g_strdup_printf(_("%s %s, %s %s, %s"), matrix->row_noun, row_text,
                                          matrix->col_noun, col_text, number);
  if (!matrix->is_ranked || matrix->diverging)
    return g_steal_pointer(&cell);

  guint rank = 1, n = 0;
  for (guint c = 0; c < matrix->cols; c++)
    if (!regard_matrix_is_masked(matrix, row, c)) {
      n++;
      rank += regard_matrix_get(matrix, row, c) > value;
    }
  if (matrix->removed_mass && matrix->removed_mass[row] >= 0.005f) {
    const double hidden = 100 * matrix->removed_mass[row];
    return rank == 1
               /* Translators: here and below a cell ("row es, column animal, 0.41") and its place
                * in the row
                */
               ? g_strdup_printf(_("%s, highest of %u, %.0f %% of the row hidden"), cell, n, hidden)
               : g_strdup_printf(_("%s, rank %u of %u, %.0f %% of the row hidden"), cell, rank, n,
                                 hidden);
  }
  return rank == 1 ? g_strdup_printf(_("%s, highest of %u"), cell, n)
                   : g_strdup_printf(_("%s, rank %u of %u"), cell, rank, n);
}
